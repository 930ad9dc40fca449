//===- Background.h - Work that makes way for others ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Support for a thread that fetches while other programs work.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_BACKGROUND_H
#define HEADSTART_OS_BACKGROUND_H

#include <chrono>
#include <optional>
#include <string>

namespace headstart::os {

/// Makes the calling thread, and on Linux those that it starts, take less
/// processor time than others from now on, and read only from an idle disk.
/// Network file systems do not know this priority, and Linux's schedulers
/// "none" and "kyber" ignore it.
void enterBackground();

/// Returns how long at least one thread of the machine, including this
/// process's, has waited for a disk; grows from call to call. Returns nothing
/// if the system does not report it. Linux does, in /proc/pressure/io or in a
/// container's control group; without those, /proc/diskstats has the time of
/// all reads, which overlap. \p Root stands for `/`. Blocks for a small file.
std::optional<std::chrono::microseconds>
diskStall(const std::string &Root = "/");

} // namespace headstart::os

#endif // HEADSTART_OS_BACKGROUND_H
