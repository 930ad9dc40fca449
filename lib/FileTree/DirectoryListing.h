//===- DirectoryListing.h - Entries, directory by directory -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists directories for a walk, some entries at a time. It can read ahead,
/// because ignore rules must know whether a directory has an ignore file before
/// they judge its first entry, if possible from the listing alone.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_DIRECTORYLISTING_H
#define HEADSTART_LIB_FILETREE_DIRECTORYLISTING_H

#include "headstart/FileTree/IgnoreRules.h"
#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <optional>
#include <system_error>
#include <vector>

namespace headstart::detail {

/// The listing of one thread, for one directory after another.
class DirectoryListing {
public:
  /// Begins to list \p Directory.
  void start(os::DirectoryHandle &Directory) {
    First.start(Directory);
    Ahead.clear();
    Given = 0;
    InCurrent = 0;
    HasPeeked = false;
    HasMore = false;
    Failure = {};
  }

  /// Returns which of the files that matter to ignore rules \p Directory has.
  /// Reads the entries of one system call and whether there are more. (A
  /// listing needs that second call anyway, to find the end.) Only if there are
  /// more, the files are stat'ed by name.
  IgnorePresence peek(os::DirectoryHandle &Directory);

  /// Returns the next entries, at most `TreeVisitor::MaxEntries`; none at the
  /// end. A call that sets \p Error is the last one. The caller may modify the
  /// entries, which are valid until the next call.
  llvm::MutableArrayRef<os::DirectoryEntry> next(std::error_code &Error);

  /// Whether `next` will make a system call. Also true at the end.
  bool isAtBoundary() const {
    return Given == Ahead.size() && InCurrent == 0 &&
           (HasMore ? *Second : First).isAtBoundary();
  }

private:
  using Chunk = std::array<os::DirectoryEntry, TreeVisitor::MaxEntries>;

  os::DirectoryReader First;
  /// Reads the entries after `Ahead`, whose names are in First's buffer.
  std::optional<os::DirectoryReader> Second;
  std::vector<os::DirectoryEntry> Ahead;
  size_t Given = 0;     ///< how many of Ahead `next` has returned
  Chunk Current;        ///< the entries that were read last
  size_t InCurrent = 0; ///< how many of them `next` has yet to return
  bool HasPeeked = false;
  bool HasMore = false; ///< whether Second continues after Ahead
  std::error_code Failure;
};

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_DIRECTORYLISTING_H
