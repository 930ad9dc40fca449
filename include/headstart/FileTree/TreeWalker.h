//===- TreeWalker.h - Walk whole trees with many threads --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks trees of directories in parallel: every directory is opened once,
/// relative to its parent, read in batches, and shown to a visitor on whatever
/// thread read it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_TREEWALKER_H
#define HEADSTART_FILETREE_TREEWALKER_H

#include "headstart/FileTree/IgnoreJudge.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <bitset>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

namespace headstart {

namespace detail {
class WalkWorker;
} // namespace detail

struct WalkOptions {
  /// Threads, the caller's included; 0: as many as there are cores, and more
  /// while they wait for the disk.
  unsigned Jobs = 0;
  /// Whether entries come with their size and times: those of the file itself,
  /// not a listing's hint (`os::DirectoryEntry::StatusIsHint`).
  bool WithStatus = false;
  /// With WithStatus: whether a listing's hint will do, to show it or to order
  /// by it.
  bool HintsSuffice = false;
  /// Whether links to directories are walked, and links to files shown as what
  /// they point to. A link to a directory that contains it is a problem, and
  /// not walked.
  bool FollowLinks = false;
  /// Whether directories on other file systems than their root's are left out.
  bool SameFileSystem = false;
  /// Whether entries that begin with a dot are left out.
  bool SkipHidden = false;
  /// How far to go down: 0 shows the roots' own entries and enters none.
  unsigned MaxDepth = std::numeric_limits<unsigned>::max();
  /// What is left out; none if null. Must outlive the walk.
  const IgnoreJudge *Ignore = nullptr;
  /// How many directories may be open at a time; 0: decided from what the
  /// process may open.
  unsigned MaxOpenDirectories = 0;
  /// For tests: what a listing gave, to be changed. Any thread of the walk.
  void (*Listed)(llvm::MutableArrayRef<os::DirectoryEntry> Entries) = nullptr;
};

/// A directory under way. Belongs to the walker; valid during a call to the
/// visitor.
class WalkDirectory {
public:
  /// Its path as the visitor should print it: the root as it was given, and
  /// what is below. Ends without '/', unless it is "/". Made when asked for.
  llvm::StringRef path() const;
  /// The path of its entry \p Name, printed likewise.
  std::string pathOf(llvm::StringRef Name) const;
  /// Its path from the root: "" for the root itself, "a/b".
  llvm::StringRef pathFromRoot() const;
  /// 0 for a root.
  unsigned depth() const;
  /// Which of the roots it is in.
  size_t root() const;
  /// Its device and inode, as far as they are known without a system call: by
  /// the listing it was named in (see os::DirectoryEntry), for roots and where
  /// something is mounted by the directory itself.
  const os::FileIdentity &identity() const;
  /// To stat entries with.
  const os::DirectoryHandle &handle() const;
  /// A number from 0 on that no other thread of the walk has: for a visitor
  /// that keeps something for each thread. At most `TreeWalker::MaxThreads`.
  unsigned thread() const;

private:
  friend class detail::WalkWorker;
  explicit WalkDirectory(detail::WalkWorker &Worker) : Worker(Worker) {}
  detail::WalkWorker &Worker;
};

/// What a walk shows. Its functions are called from several threads at once.
class TreeVisitor {
public:
  /// How many entries are shown at a time, at most.
  static constexpr size_t MaxEntries = 128;
  /// A bit for each entry: set, the directory it is will not be entered.
  using Prune = std::bitset<MaxEntries>;

  virtual ~TreeVisitor();

  /// Shows \p Entries of \p Directory, in the order of the listing; a directory
  /// with many entries is shown in several calls, one after the other, by one
  /// thread at a time. Names hold during the call.
  virtual void visit(const WalkDirectory &Directory,
                     llvm::ArrayRef<os::DirectoryEntry> Entries,
                     Prune &Pruned) = 0;

  /// Something could not be opened, read or stat'ed; the walk goes on.
  /// \p Path is as `WalkDirectory::path` would give it, or empty where \p What
  /// itself names a file (an ignore file that cannot be read).
  virtual void problem(llvm::StringRef Path, llvm::StringRef What) = 0;

  /// The last entry of \p Directory has been shown.
  virtual void finished(const WalkDirectory &Directory);
};

/// What a walk came to.
struct WalkFigures {
  uint64_t Directories = 0; ///< read
  uint64_t Entries = 0;     ///< shown
  uint64_t Problems = 0;
  unsigned Threads = 0; ///< the most at a time
};

class TreeWalker {
public:
  /// More threads than this are never started.
  static constexpr unsigned MaxThreads = 64;

  explicit TreeWalker(const WalkOptions &Options) : Options(Options) {}

  /// Walks the directories \p Roots and blocks until all is shown. The caller's
  /// thread takes part. A root that is a link is followed; one that is no
  /// directory is a problem. What is renamed into or out of the tree meanwhile
  /// may be shown or not; what stays is shown exactly once.
  WalkFigures walk(llvm::ArrayRef<std::string> Roots, TreeVisitor &Visitor);

  /// Makes `walk` return soon, after the calls that are under way. Any thread,
  /// also a visitor's, and a signal handler.
  void cancel() { Cancelled.store(true, std::memory_order_relaxed); }
  bool isCancelled() const { return Cancelled.load(std::memory_order_relaxed); }

private:
  WalkOptions Options;
  std::atomic<bool> Cancelled = false;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_TREEWALKER_H
