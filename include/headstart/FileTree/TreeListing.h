//===- TreeListing.h - All that a walk has shown, in order ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Keeps what the threads of a walk show and puts it in order afterwards: the
/// same at any number of threads.
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
#include <memory>
#include <vector>

namespace headstart {

/// Orders paths of a tree part by part, each part by its bytes: a directory
/// stands directly before what is in it. Negative, 0 or positive.
int compareTreePaths(llvm::StringRef A, llvm::StringRef B);

/// Entries of one directory; a directory may be in several pieces until the
/// listing is sorted.
struct ListedDirectory {
  size_t Root = 0;      ///< which of the roots it is in
  llvm::StringRef Path; ///< from the root: "" for the root itself, "a/b"
  llvm::MutableArrayRef<os::DirectoryEntry> Entries; ///< sorted by name
};

/// Memory grows with the entries: 70 bytes and the name for each. What it gives
/// out points into it.
class TreeListing {
public:
  /// For threads 0 to \p Threads - 1.
  explicit TreeListing(unsigned Threads);

  /// Copies \p Entries of the directory \p Path. \p Thread is the caller's:
  /// each adds to a part of its own.
  void add(unsigned Thread, size_t Root, llvm::StringRef Path,
           llvm::ArrayRef<os::DirectoryEntry> Entries);

  /// Puts all in order, once, after the last addition. An entry that was
  /// shown twice (renamed meanwhile) is there once.
  void sort();

  /// The directories that have entries, in the order of `compareTreePaths`,
  /// each once. After `sort`.
  llvm::ArrayRef<ListedDirectory> directories() const { return Directories; }

  /// Calls \p Visit with each entry in the order of its path. After `sort`.
  void forEach(llvm::function_ref<void(const ListedDirectory &,
                                       const os::DirectoryEntry &)>
                   Visit) const;

private:
  /// What one thread has added.
  struct Part {
    llvm::BumpPtrAllocator Memory;
    std::vector<ListedDirectory> Directories;
  };
  std::vector<std::unique_ptr<Part>> Parts;
  std::vector<ListedDirectory> Directories;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_TREELISTING_H
