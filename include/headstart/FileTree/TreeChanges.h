//===- TreeChanges.h - Changes of a tree ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares a tree with its manifest during a walk. The thread that has read a
/// directory finds the directory's record by path and compares them.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_TREECHANGES_H
#define HEADSTART_FILETREE_TREECHANGES_H

#include "headstart/FileTree/Manifest.h"
#include "headstart/FileTree/TreeFilter.h"
#include "headstart/FileTree/TreeWalker.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace headstart {

/// The ways in which an entry differs from its record, as a set of bits.
enum EntryDifference : uint8_t {
  SameEntry = 0,
  TypeDiffers = 1,
  SizeDiffers = 2,
  TimeDiffers = 4,
  IdDiffers = 8, ///< the inode: another file has the name
};

/// Compares \p Now, which has its status, with its record. Ignores the size and
/// time of a directory, which follow from its entries, and the device, which
/// may change with each mount.
unsigned differenceOf(const ManifestEntry &Then, const os::DirectoryEntry &Now);

/// The part of a manifest that describes one directory: a root, or a directory
/// in it. Keeps a pointer to the manifest.
class ManifestPart {
public:
  /// The part for the directory \p Prefix of the root \p Root.
  ManifestPart(const Manifest &M, size_t Root, llvm::StringRef Prefix = "");

  /// Returns the part for the directory \p Path, in the innermost root that
  /// contains it. If the path no longer exists but has a record below a root,
  /// the part's `isRemoved` is true. Fails if the path is in no root, is a root
  /// that no longer exists, or neither exists nor has a record. Blocks.
  static llvm::Expected<ManifestPart> of(const Manifest &M,
                                         const std::string &Path);

  /// The path from the manifest's root to the directory: "" or "a/b".
  llvm::StringRef prefix() const { return Prefix; }
  const ManifestRoot &root() const { return M->roots()[Root]; }
  bool isRemoved() const { return IsRemoved; }
  /// The record of the directory (or file) itself, among the entries of its
  /// parent; null if there is none.
  const ManifestEntry *entry() const;
  /// The number of components of `prefix`.
  unsigned depth() const;

  /// The records of the directory and of those below it, sorted by path.
  llvm::ArrayRef<ManifestDirectory> directories() const { return Directories; }
  /// The record of the directory \p FromHere, relative to this one, or null.
  const ManifestDirectory *find(llvm::StringRef FromHere) const;
  /// Whether \p FromHere could not be read when the manifest was written.
  bool isUnknown(llvm::StringRef FromHere) const;

private:
  const Manifest *M;
  size_t Root;
  std::string Prefix;
  bool IsRemoved = false;
  llvm::ArrayRef<ManifestDirectory> Directories;
};

enum class ChangeKind : uint8_t { Added, Removed, Modified };

struct TreeChange {
  ChangeKind Kind = ChangeKind::Added;
  os::EntryType Type = os::EntryType::Unknown; ///< if Removed, the recorded one
  unsigned Difference = SameEntry;             ///< only for Modified
  std::string Path;                            ///< from the root of the walk
};

/// Finds what has changed in one directory of a manifest. The caller walks just
/// that directory, with the manifest's selection and with status.
class ChangeFinder : public FilteringVisitor {
public:
  /// Entries that \p Filter hides count as removed. All must outlive this
  /// object. Several threads call \p Report, for each problem.
  ChangeFinder(
      const ManifestPart &Part, const TreeFilter &Filter,
      std::function<void(llvm::StringRef Path, llvm::StringRef What)> Report);

  /// Excludes the file with \p Identity from the changes: the manifest itself,
  /// which is written after the walk.
  void leaveOut(const os::FileIdentity &Identity) { LeftOut = Identity; }

  void problem(llvm::StringRef Path, llvm::StringRef What) override {
    Report(Path, What);
  }
  void unknown(size_t Root, llvm::StringRef PathFromRoot) override;

  /// Returns all changes in the order of `compareTreePaths`, after the walk,
  /// except of entries that could not be stat'ed, now or for the manifest.
  std::vector<TreeChange> finish();

private:
  void show(const WalkDirectory &Directory,
            llvm::ArrayRef<os::DirectoryEntry> Entries) override;

  const ManifestPart &Part;
  std::function<void(llvm::StringRef, llvm::StringRef)> Report;
  os::FileIdentity LeftOut;
  const ManifestEntry *FirstEntry = nullptr;
  /// For each of the part's entries, whether it still exists. Bytes rather than
  /// bits, because several threads write them.
  std::vector<uint8_t> Seen;
  std::array<std::vector<TreeChange>, TreeWalker::MaxThreads> Found;
  std::mutex Mutex;
  llvm::StringSet<> Unknown; ///< paths; guarded by Mutex
};

} // namespace headstart

#endif // HEADSTART_FILETREE_TREECHANGES_H
