//===- ControlGroup.h - Less disk and memory for a program ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A group of processes with limits on disk speed and memory: Linux's control
/// groups, v1 and v2.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_CONTROLGROUP_H
#define HEADSTART_OS_CONTROLGROUP_H

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headstart::os {

/// The limits on the members of a group; 0 means no limit.
struct GroupLimits {
  uint64_t ReadBytesPerSecond = 0;
  /// Any path on the disk to which that limit applies.
  std::string DiskOf;
  /// Includes the page cache.
  uint64_t MemoryBytes = 0;

  bool any() const { return ReadBytesPerSecond != 0 || MemoryBytes != 0; }
};

/// Control groups that live as long as this object. Only one thread may use it.
class ControlGroup {
public:
  ControlGroup() = default;
  ControlGroup(const ControlGroup &) = delete;
  ControlGroup &operator=(const ControlGroup &) = delete;
  ~ControlGroup() { remove(); }

  /// Creates groups with \p Limits: in the v1 hierarchies of blkio and memory
  /// if they exist, else in the v2 hierarchy, at its root or in one of the
  /// groups above this process that its user may write to. Returns "", or a
  /// message for the user that says why this is impossible; then it leaves no
  /// group behind. \p Root stands for `/` (a test passes a directory). Removes
  /// groups of earlier processes that were killed. Blocks for pseudo-files.
  std::string create(const GroupLimits &Limits, const std::string &Root = "/");

  /// The files into which a process writes "0" to become a member.
  const std::vector<std::string> &entrances() const { return Entrances; }

  /// Removes the groups and undoes what was enabled for them. Waits for members
  /// that are just ending, some seconds at most.
  void remove();

private:
  struct Limit {
    std::string Controller;
    std::string File; ///< in a group
    std::string Text; ///< to write to it
  };

  std::string createV2(const std::string &Prefix,
                       const std::vector<Limit> &Limits);
  std::string handOn(const std::string &Parent,
                     const std::vector<Limit> &Limits);
  std::string add(const std::string &Parent, std::span<const Limit> Limits);

  std::vector<std::string> Groups; ///< directories
  std::vector<std::string> Entrances;
  /// The settings to restore: a file, and the text to write to it.
  std::vector<std::pair<std::string, std::string>> Undo;
};

} // namespace headstart::os

#endif // HEADSTART_OS_CONTROLGROUP_H
