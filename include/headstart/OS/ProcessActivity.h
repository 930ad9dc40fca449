//===- ProcessActivity.h - Progress of other processes ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Other processes: the activity of one for which a link waits, and the end of
/// the build that has started this process.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_PROCESSACTIVITY_H
#define HEADSTART_OS_PROCESSACTIVITY_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// A process that has started this one, directly or through others.
struct Ancestor {
  uint64_t Process = 0;
  std::string Directory; ///< its current directory, absolute; "": unknown
  std::string Program;   ///< the path of its program; "": unknown
  std::vector<std::string> Args;
};

/// Returns the nearest ancestor whose program has one of \p Names. If another
/// of that name has started it, directly or by a shell's -c, as make does,
/// returns the outermost of them. Returns nothing if there is none, or if the
/// system does not show it; Linux does, in /proc. Blocks for pseudo-files.
/// Thread-safe.
std::optional<Ancestor> findAncestor(std::span<const std::string_view> Names);

/// Blocks until \p Of has ended or runs another program (up to half a second
/// longer before Linux 5.3, and for the latter).
void waitForEnd(const Ancestor &Of);

} // namespace headstart::os

#endif // HEADSTART_OS_PROCESSACTIVITY_H
