//===- DirectoryListing.h - Entries, directory by directory -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists directories for a walk, some entries at a time. Can look ahead, for
/// ignore rules: they must know whether a directory has an ignore file before
/// its first entry is judged, and no more than the listing may be needed to
/// tell.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_FILETREE_DIRECTORYLISTING_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_FILETREE_DIRECTORYLISTING_H

#include "headstart/FileTree/IgnoreJudge.h"
#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <optional>
#include <system_error>
#include <vector>

namespace headstart::detail {

/// One for each thread.
class DirectoryListing {
public:
  /// Begins with \p Directory, or goes on with it.
  void start(os::DirectoryHandle &Directory) {
    First.start(Directory);
    Ahead.clear();
    Given = 0;
    InCurrent = 0;
    HasPeeked = false;
    HasMore = false;
    Failure = {};
  }

  /// Reads what one system call gives, and whether there is more, and says
  /// which of the files that matter to ignore rules are in \p Directory. The
  /// system call that finds the end of a directory is needed in any case; only
  /// in a directory that has more are the files asked for by name.
  IgnorePresence peek(os::DirectoryHandle &Directory);

  /// The next entries, `TreeVisitor::MaxEntries` at most; none at the end. With
  /// an \p Error it is the last call. They may be changed, and hold until the
  /// next call.
  llvm::MutableArrayRef<os::DirectoryEntry> next(std::error_code &Error);

  /// Whether the directory could be given to another thread to go on with. True
  /// at the end as well.
  bool isAtBoundary() const {
    return Given == Ahead.size() && InCurrent == 0 &&
           (HasMore ? *Second : First).isAtBoundary();
  }

private:
  using Chunk = std::array<os::DirectoryEntry, TreeVisitor::MaxEntries>;

  os::DirectoryReader First;
  /// Reads what comes behind `Ahead`, whose names lie in First's buffer.
  std::optional<os::DirectoryReader> Second;
  std::vector<os::DirectoryEntry> Ahead;
  size_t Given = 0;     ///< of Ahead
  Chunk Current;        ///< what was read last
  size_t InCurrent = 0; ///< read ahead, and not given yet
  bool HasPeeked = false;
  bool HasMore = false; ///< whether Second goes on behind Ahead
  std::error_code Failure;
};

} // namespace headstart::detail

#endif // HEADSTART_LIB_FILETREE_DIRECTORYLISTING_H
