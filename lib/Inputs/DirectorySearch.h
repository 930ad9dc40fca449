//===- DirectorySearch.h - Searches directories in order --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: the directories of a link, and the searches in them,
/// which share what they find out.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_DIRECTORYSEARCH_H
#define HEADSTART_LIB_INPUTS_DIRECTORYSEARCH_H

#include "headstart/FileTree/SnapshotCache.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The directories that one link searches, and what is known of them.
/// Thread-safe.
class DirectorySearch {
public:
  using Directory = SnapshotCache::Directory;

  /// \p Command must outlive it. Nothing is done before the first search.
  explicit DirectorySearch(const LinkCommand &Command) : Command(Command) {}

  /// What -F names.
  llvm::ArrayRef<Directory *> frameworks() { return entered().Frameworks; }

  /// Looks in what -L, /libpath and their like name, without the first \p Skip
  /// directories. Gives the first that exists: of all \p Names in one
  /// directory, then in the next. The path is the directory's and the name, put
  /// together as lld does.
  std::optional<ResolvedInput> find(llvm::ArrayRef<std::string> Names,
                                    size_t Skip = 0);

  /// ELF: searches \p Path as well from now on (SEARCH_DIR in a script).
  void add(llvm::StringRef Path);
  /// The same in these directories.
  std::optional<ResolvedInput> findAdded(llvm::ArrayRef<std::string> Names);

  /// A library or a framework is about to be searched for.
  void begin() {
    Begun.fetch_add(1, std::memory_order_relaxed);
    Cache.expect(-NamesForEach);
  }

  /// Whether \p In might have the entry that \p Name begins with.
  bool mayContain(Directory &In, const SnapshotName &Name) {
    return !Cache.isMissing(In, Name);
  }
  /// Nothing was found below \p In though it might have had it.
  void noteMiss(Directory &In) { Cache.noteMiss(In); }

  SnapshotFigures figures() const { return Cache.figures(); }

private:
  /// How many names a library that is searched for goes by, about.
  static constexpr int64_t NamesForEach = 2;

  /// A link of few libraries is not worth entering directories for.
  static constexpr unsigned FewLibraries = 4;

  DirectorySearch &entered();
  bool isForFew();
  llvm::StringRef pathOf(llvm::StringRef Directory,
                         llvm::SmallVectorImpl<char> &Buffer) const;
  std::optional<ResolvedInput> findIn(llvm::ArrayRef<Directory *> Directories,
                                      llvm::ArrayRef<std::string> Names);

  const LinkCommand &Command;
  SnapshotCache Cache;
  std::atomic<unsigned> Begun{0};
  std::once_flag Counted;
  size_t Named = 0; ///< libraries and frameworks on the command line
  std::once_flag Entered;
  std::vector<Directory *> Libraries;
  std::vector<Directory *> Frameworks;
  mutable std::mutex Mutex; ///< for the one below
  std::vector<Directory *> Added;
};

} // namespace headstart

#endif // HEADSTART_LIB_INPUTS_DIRECTORYSEARCH_H
