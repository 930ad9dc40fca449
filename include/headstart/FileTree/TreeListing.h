//===- TreeListing.h - All that a walk has shown, in order ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Collects the entries that the threads of a walk show, and sorts them
/// afterwards. The result does not depend on the number of threads.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_TREELISTING_H
#define HEADSTART_FILETREE_TREELISTING_H

#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <cstddef>
#include <optional>
#include <vector>

namespace headstart {

/// Compares paths of a tree part by part, each part by its bytes: a directory
/// directly precedes its contents. Returns a value below, equal to or above 0.
int compareTreePaths(llvm::StringRef A, llvm::StringRef B);

/// Returns the rest of \p Path after the directory \p Above: "" for the
/// directory itself, nothing if the path is not in it.
std::optional<llvm::StringRef> pathWithin(llvm::StringRef Above,
                                          llvm::StringRef Path);

/// A directory or an entry of one of the trees.
struct TreePlace {
  size_t Root = 0;      ///< the number of the root
  llvm::StringRef Path; ///< from the root: "" for the root itself, "a/b"

  friend bool operator==(const TreePlace &, const TreePlace &) = default;
  /// Orders places by root, then like `compareTreePaths`.
  friend bool operator<(const TreePlace &A, const TreePlace &B) {
    return A.Root != B.Root ? A.Root < B.Root
                            : compareTreePaths(A.Path, B.Path) < 0;
  }
};

/// Entries of one directory. Until the listing is sorted, it may have several
/// such pieces of a directory.
struct ListedDirectory : TreePlace {
  llvm::MutableArrayRef<os::DirectoryEntry> Entries; ///< sorted by name
};

/// A listing of trees. An entry takes 70 bytes plus its name. Results point
/// into the listing.
class TreeListing {
public:
  /// The threads 0 to \p Threads - 1 may call `add`.
  explicit TreeListing(unsigned Threads) : Parts(Threads) {}

  /// Copies \p Entries of the directory \p Path. \p Thread is the caller's
  /// number; each thread adds to its own part.
  void add(unsigned Thread, size_t Root, llvm::StringRef Path,
           llvm::ArrayRef<os::DirectoryEntry> Entries);

  /// Sorts everything. Called once, after the last `add`. An entry that was
  /// shown twice (because it was renamed during the walk) is kept once.
  void sort();

  /// The directories that have entries, in the order of `compareTreePaths`,
  /// without duplicates. Valid after `sort`.
  llvm::ArrayRef<ListedDirectory> directories() const { return Directories; }

  /// Calls \p Visit with each entry, in the order of paths. Valid after `sort`.
  void forEach(llvm::function_ref<void(const ListedDirectory &,
                                       const os::DirectoryEntry &)>
                   Visit) const;

private:
  /// The additions of one thread.
  struct alignas(64) Part {
    llvm::BumpPtrAllocator Memory;
    std::vector<ListedDirectory> Directories;
  };
  std::vector<Part> Parts;
  std::vector<ListedDirectory> Directories;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_TREELISTING_H
