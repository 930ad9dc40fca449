//===- Background.h - Work that makes way for others ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Support for a thread that fetches while other programs work. Implemented in
/// `lib/OS/<Platform>/Background.cpp`. Uses only the standard library.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_BACKGROUND_H
#define HEADSTART_OS_BACKGROUND_H

#include <chrono>
#include <optional>
#include <string>

namespace headstart::os {

/// Makes the calling thread, and those that it starts, take less processor time
/// than others from now on, and read only from an idle disk (Linux:
/// IOPRIO_CLASS_IDLE, which the scheduler "none" ignores). Does nothing if the
/// system cannot do this.
void enterBackground();

/// Returns how long at least one thread of the machine, including this
/// process's, has waited for a disk; grows from call to call. Returns nothing
/// if the system does not report it (Linux does, in /proc/pressure/io or in a
/// container's control group). \p Root stands for `/`. Blocks for a small file.
std::optional<std::chrono::microseconds>
diskStall(const std::string &Root = "/");

} // namespace headstart::os

#endif // HEADSTART_OS_BACKGROUND_H
