//===- ControlGroup.h - Less disk and memory for a program ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A group of processes whose disk is held to a speed and whose memory is held
/// to a size: Linux's control groups, v1 and v2. The standard library only.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_CONTROLGROUP_H
#define HEADSTART_OS_CONTROLGROUP_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headstart::os {

/// What the members of a group may use; 0: no limit.
struct GroupLimits {
  uint64_t ReadBytesPerSecond = 0;
  /// Whose disk that is: any path on it.
  std::string DiskOf;
  /// Page cache included.
  uint64_t MemoryBytes = 0;

  bool any() const { return ReadBytesPerSecond != 0 || MemoryBytes != 0; }
};

/// Control groups that live as long as this object. To be used by one thread.
class ControlGroup {
public:
  ControlGroup() = default;
  ControlGroup(const ControlGroup &) = delete;
  ControlGroup &operator=(const ControlGroup &) = delete;
  ~ControlGroup() { remove(); }

  /// Makes groups with \p Limits: in the v1 hierarchies of blkio and memory
  /// where there are any, else in the v2 hierarchy: at its root, or in one of
  /// the groups above this process that its user may write to. Returns what
  /// makes that impossible, for people, and then leaves nothing behind; else
  /// "". \p Root stands for `/` (a test passes a directory). Removes what
  /// earlier processes have left because they were killed. Blocks for
  /// pseudo-files.
  std::string create(const GroupLimits &Limits, const std::string &Root = "/");

  /// The files into which a process writes "0" to become a member.
  const std::vector<std::string> &entrances() const { return Entrances; }

  /// Removes the groups and puts back what was switched on for them. Waits for
  /// members that are just ending, at most some seconds.
  void remove();

private:
  std::string createV1(const GroupLimits &Limits, const std::string &Prefix,
                       const std::string &Disk);
  std::string createV2(const GroupLimits &Limits, const std::string &Prefix,
                       const std::string &Disk);
  std::string handOn(const std::string &Parent,
                     const std::vector<std::string> &Wanted);
  std::string add(const std::string &Parent);

  std::vector<std::string> Groups; ///< directories
  std::vector<std::string> Entrances;
  /// What stood otherwise: a file, and what to write into it.
  std::vector<std::pair<std::string, std::string>> Undo;
};

} // namespace headstart::os

#endif // HEADSTART_OS_CONTROLGROUP_H
