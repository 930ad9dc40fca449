//===- DirectorySearch.h - Searches directories in order --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: the search directories of a link, and searches in
/// them, which share their knowledge of the directories.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_DIRECTORYSEARCH_H
#define HEADSTART_LIB_INPUTS_DIRECTORYSEARCH_H

#include "headstart/FileTree/SnapshotCache.h"
#include "headstart/Inputs/InputResolver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The directories that one link searches, with a cache of their contents.
/// Thread-safe.
class DirectorySearch {
public:
  using Directory = SnapshotCache::Directory;

  /// \p Command must outlive it. Does nothing before the first search.
  explicit DirectorySearch(const LinkCommand &Command) : Command(Command) {}

  /// The directories that -F names.
  llvm::ArrayRef<Directory *> frameworks() { return entered().Frameworks; }

  /// Searches the search path (-L, /libpath and the like) without its first
  /// \p Skip directories. Returns the first file that exists: tries all
  /// \p Names in one directory, then in the next. Joins the directory and the
  /// name as lld does.
  std::optional<ResolvedInput> find(llvm::ArrayRef<std::string> Names,
                                    size_t Skip = 0);

  /// ELF: adds \p Path to the directories of findAdded (SEARCH_DIR).
  void add(llvm::StringRef Path);
  /// Like find, but searches the directories that add has added.
  std::optional<ResolvedInput> findAdded(llvm::ArrayRef<std::string> Names);

  /// Whether \p In may contain the first component of \p Name.
  bool mayContain(Directory &In, const SnapshotName &Name) {
    return !Cache.isMissing(In, Name);
  }
  /// Notes that a probe below \p In found nothing.
  void noteMiss(Directory &In) { Cache.noteMiss(In); }

private:
  DirectorySearch &entered();
  std::optional<ResolvedInput> findIn(llvm::ArrayRef<Directory *> Directories,
                                      llvm::ArrayRef<std::string> Names);

  const LinkCommand &Command;
  SnapshotCache Cache;
  std::once_flag Entered;
  std::vector<Directory *> Libraries;
  std::vector<Directory *> Frameworks;
  mutable std::mutex Mutex; ///< protects Added
  std::vector<Directory *> Added;
};

} // namespace headstart

#endif // HEADSTART_LIB_INPUTS_DIRECTORYSEARCH_H
