//===- Background.h - Work that makes way for others ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a thread needs that fetches while other programs work. One source per
/// platform in `lib/OS/<Platform>/Background.cpp`; the standard library only.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_BACKGROUND_H
#define HEADSTART_OS_BACKGROUND_H

#include <chrono>
#include <optional>
#include <string>

namespace headstart::os {

/// From now on the calling thread, and those that it starts, take less
/// processor time than others, and read from a disk that is idle (Linux:
/// IOPRIO_CLASS_IDLE, which the scheduler "none" disregards). Does nothing
/// where the system cannot do that.
void enterBackground();

/// For how long at least one thread of the machine, this process's included,
/// has waited for a disk; grows from call to call. Nothing where the system
/// does not report it (Linux does, in /proc/pressure/io, or for a container in
/// its control group). \p Root stands for `/`. Blocks for a pseudo-file.
std::optional<std::chrono::microseconds>
diskStall(const std::string &Root = "/");

} // namespace headstart::os

#endif // HEADSTART_OS_BACKGROUND_H
