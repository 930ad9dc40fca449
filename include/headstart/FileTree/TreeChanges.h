//===- TreeChanges.h - What has changed in a tree since its manifest --*- C++
//-*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares a tree with its manifest while it is walked: each directory with
/// its record, found by its path, on whatever thread has read it.
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
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace headstart {

/// In what an entry differs from its record; to be combined.
enum EntryDifference : uint8_t {
  SameEntry = 0,
  TypeDiffers = 1,
  SizeDiffers = 2,
  TimeDiffers = 4,
  IdDiffers = 8, ///< the inode: another file of that name
};

/// Compares \p Now, which has its status, with its record. A directory's size
/// and time follow from its entries, so they do not count; nor does the device,
/// which may be another one after each mount.
unsigned differenceOf(const ManifestEntry &Then, const os::DirectoryEntry &Now);

/// The part of a manifest that one directory covers: all of a root, or a
/// directory in it. Refers to the manifest.
class ManifestPart {
public:
  /// All of the root \p Root.
  ManifestPart(const Manifest &M, size_t Root, llvm::StringRef Prefix = "");

  /// What the directory \p Path covers, in the root that goes farthest down to
  /// it. Something below a root that is not there any more is a part as well if
  /// there is a record of it; `isRemoved` then says so. The error says that the
  /// manifest has nothing of it. Blocks.
  static llvm::Expected<ManifestPart> of(const Manifest &M,
                                         const std::string &Path);

  const Manifest &manifest() const { return *M; }
  /// The path from the manifest's root to the directory: "" or "a/b".
  llvm::StringRef prefix() const { return Prefix; }
  const ManifestRoot &root() const { return M->roots()[Root]; }
  bool isRemoved() const { return IsRemoved; }
  /// The record of the directory itself, or of the file if it is one, among the
  /// entries of the one that it was in; null if there is none.
  const ManifestEntry *entry() const;
  /// The number of its parts.
  unsigned depth() const;

  /// The records of the directories in it, in their order.
  llvm::ArrayRef<ManifestDirectory> directories() const { return Directories; }
  /// The record of the directory that is \p FromHere below, or null.
  const ManifestDirectory *find(llvm::StringRef FromHere) const;
  /// Whether it could not be read when the manifest was written.
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
  os::EntryType Type = os::EntryType::Unknown; ///< now, or of what is gone
  unsigned Difference = SameEntry;             ///< of Modified
  std::string Path;                            ///< from the root of the walk
};

/// Finds what has changed in one directory of a manifest. To be shown a walk of
/// just that directory, with the manifest's selection and with status.
class ChangeFinder : public FilteringVisitor {
public:
  /// \p WalkedRoot is the directory's path as the walker is given it. What
  /// \p Filter hides counts as gone. All must outlive it.
  ChangeFinder(const ManifestPart &Part, const TreeFilter &Filter,
               llvm::StringRef WalkedRoot);

  /// The file that is \p Identity never counts as a change: the manifest
  /// itself, which is written after the walk.
  void leaveOut(const os::FileIdentity &Identity) { LeftOut = Identity; }

  void problem(llvm::StringRef Path, llvm::StringRef What) override;

  /// All changes in the order of `compareTreePaths`, after the walk. What could
  /// not be stat'ed, now or for the manifest, is not among them.
  std::vector<TreeChange> finish();

private:
  void show(const WalkDirectory &Directory,
            llvm::ArrayRef<os::DirectoryEntry> Entries) override;
  /// Called for each problem after it has been noted. Several threads.
  virtual void report(llvm::StringRef Path, llvm::StringRef What) = 0;

  const ManifestPart &Part;
  std::string WalkedRoot;
  os::FileIdentity LeftOut;
  const ManifestEntry *FirstEntry = nullptr;
  /// For each of the part's entries whether it is still there. A byte each,
  /// since they are written by several threads.
  std::vector<uint8_t> Seen;
  std::array<std::vector<TreeChange>, TreeWalker::MaxThreads> Found;
  std::mutex Mutex;
  llvm::StringSet<> Problems; ///< guarded by Mutex
};

} // namespace headstart

#endif // HEADSTART_FILETREE_TREECHANGES_H
