//===- ProcessActivity.h - Progress of other processes ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The activity of another process, for a link that waits for it. Uses only the
/// standard library, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_PROCESSACTIVITY_H
#define HEADSTART_OS_PROCESSACTIVITY_H

#include <cstdint>
#include <optional>
#include <string>

namespace headstart::os {

/// The activity of a process and its descendants.
struct ProcessActivity {
  /// Whether the process is stopped (SIGSTOP, Ctrl-Z), or is an ancestor of the
  /// calling process and so may wait for it.
  bool IsIdle = false;
  /// A number that changes while one of them uses a processor or reads a disk.
  uint64_t Progress = 0;
};

/// Returns the name of this process's PID namespace; a container has its own.
/// Empty if the system has no PID namespaces. Thread-safe.
std::string processSpace();

/// Returns the activity of the process with the number \p Process in this
/// process's PID namespace, or nothing if there is none or the system does not
/// report it. Blocks for two small pseudo-files per descendant. Thread-safe.
std::optional<ProcessActivity> activityOf(uint64_t Process);

} // namespace headstart::os

#endif // HEADSTART_OS_PROCESSACTIVITY_H
