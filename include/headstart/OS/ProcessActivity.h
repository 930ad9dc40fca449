//===- ProcessActivity.h - Whether another process goes on ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What another process does, for a link that waits for it. The standard
/// library only, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_PROCESSACTIVITY_H
#define HEADSTART_OS_PROCESSACTIVITY_H

#include <cstdint>
#include <optional>
#include <string>

namespace headstart::os {

/// What a process and its descendants do.
struct ProcessActivity {
  /// The process is stopped (SIGSTOP, Ctrl-Z), or it is an ancestor of the
  /// calling process and so may wait for it.
  bool IsIdle = false;
  /// Changes while one of them uses a processor or reads from a disk.
  uint64_t Progress = 0;
};

/// Names the space of process numbers that this process sees: a container has
/// its own. Empty where the system has no such spaces. Any thread.
std::string processSpace();

/// The activity of the process that has the number \p Process in this process's
/// space; nothing if there is none, and where the system does not report it.
/// Blocks for two small pseudo-files for each descendant. Any thread.
std::optional<ProcessActivity> activityOf(uint64_t Process);

} // namespace headstart::os

#endif // HEADSTART_OS_PROCESSACTIVITY_H
