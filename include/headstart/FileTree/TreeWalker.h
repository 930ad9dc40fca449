//===- TreeWalker.h - Walk whole trees with many threads --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks trees of directories in parallel. Every directory is opened once,
/// relative to its parent, and read in batches. The thread that reads it shows
/// it to a visitor.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_TREEWALKER_H
#define HEADSTART_FILETREE_TREEWALKER_H

#include "headstart/FileTree/IgnoreRules.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <bitset>
#include <limits>
#include <string>

namespace headstart {

namespace detail {
class WalkWorker;
} // namespace detail

struct WalkOptions {
  /// The number of threads, including the caller's. 0: one per processor, and
  /// more while threads wait for the disk.
  unsigned Jobs = 0;
  /// Whether entries have the size and times of the file itself, rather than a
  /// listing's hint (`os::DirectoryEntry::StatusIsHint`).
  bool WithStatus = false;
  /// With WithStatus: whether a listing's hint suffices, because the visitor
  /// only displays it or sorts by it.
  bool HintsSuffice = false;
  /// Whether links to directories are walked, and links to files shown as their
  /// targets. A link to a directory that contains it is reported as a problem
  /// and not walked.
  bool FollowLinks = false;
  /// Whether directories on other file systems than their root's are skipped.
  bool SameFileSystem = false;
  /// Whether entries that begin with a dot are skipped.
  bool SkipHidden = false;
  /// The maximum depth; 0 shows the roots' own entries and enters none of them.
  unsigned MaxDepth = std::numeric_limits<unsigned>::max();
  /// Decides which entries are skipped; null: none. Must outlive the walk.
  const IgnoreJudge *Ignore = nullptr;
  /// For tests: may modify the entries of a listing. Any thread of the walk.
  void (*Listed)(llvm::MutableArrayRef<os::DirectoryEntry> Entries) = nullptr;
};

/// The directory that a thread is walking. Belongs to the walker; valid during
/// a call to the visitor.
class WalkDirectory {
public:
  /// The path to print: the root as it was given, and the path from there. Has
  /// no '/' at its end, unless it is "/". The first call builds it.
  llvm::StringRef path() const;
  /// The path to print for the entry \p Name.
  std::string pathOf(llvm::StringRef Name) const;
  /// The path from the root: "" for the root itself, "a/b".
  llvm::StringRef pathFromRoot() const;
  /// The number of the root.
  size_t root() const;
  /// The number of the calling thread, from 0, unique within the walk, for a
  /// visitor with data for each thread. Less than `TreeWalker::MaxThreads`.
  unsigned thread() const;

private:
  friend class detail::WalkWorker;
  explicit WalkDirectory(detail::WalkWorker &Worker) : Worker(Worker) {}
  detail::WalkWorker &Worker;
};

/// Receives what a walk finds. Several threads call its functions at once.
class TreeVisitor {
public:
  /// The most entries of one call.
  static constexpr size_t MaxEntries = 128;
  /// A bit for each entry. If it is set, the walk does not enter the directory.
  using Prune = std::bitset<MaxEntries>;

  virtual ~TreeVisitor();

  /// Shows \p Entries of \p Directory, in the order of the listing. A directory
  /// with many entries takes several calls, one after the other, by one thread
  /// at a time. The names are valid during the call.
  virtual void visit(const WalkDirectory &Directory,
                     llvm::ArrayRef<os::DirectoryEntry> Entries,
                     Prune &Pruned) = 0;

  /// Reports a file or directory that could not be opened, read or stat'ed; the
  /// walk continues. \p Path has the form of `WalkDirectory::path`; for an
  /// ignore file above the root it is absolute.
  virtual void problem(llvm::StringRef Path, llvm::StringRef What) = 0;
  /// Follows `problem` if its path lies in the tree: the place that could not
  /// be read, by the number of the root and the path from there.
  virtual void unknown(size_t /*Root*/, llvm::StringRef /*PathFromRoot*/) {}
};

class TreeWalker {
public:
  /// The most threads of a walk.
  static constexpr unsigned MaxThreads = 64;

  explicit TreeWalker(const WalkOptions &Options) : Options(Options) {}

  /// Walks the directories \p Roots and blocks until everything is shown. The
  /// caller's thread takes part. A root that is a link is followed; a root that
  /// is not a directory is a problem. An entry that is renamed into or out of
  /// the tree meanwhile may be shown; one that stays is shown exactly once.
  void walk(llvm::ArrayRef<std::string> Roots, TreeVisitor &Visitor);

  /// Makes `walk` return soon, after the calls in progress. Any thread may call
  /// it, including a visitor's, and so may a signal handler.
  void cancel() { Cancelled.store(true, std::memory_order_relaxed); }

private:
  WalkOptions Options;
  std::atomic<bool> Cancelled = false;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_TREEWALKER_H
