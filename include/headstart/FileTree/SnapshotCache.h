//===- SnapshotCache.h - Search many directories for many names -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which files are not in a directory, for a search that asks many directories
/// for many names: each directory is probed at first, and read once when it has
/// cost about as many probes as reading it would.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_SNAPSHOTCACHE_H
#define HEADSTART_FILETREE_SNAPSHOTCACHE_H

#include "headstart/FileTree/DirectorySnapshot.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// What a cache has come to.
struct SnapshotFigures {
  uint64_t Misses = 0;   ///< probes that found nothing
  uint64_t Answers = 0;  ///< names known to be missing without one
  uint64_t Listings = 0; ///< directories read
  uint64_t Refusals = 0; ///< times that a directory was to be read and was not
};

/// One for each link, shared by its threads. What it says is advice: it is as
/// old as the directory's snapshot, and never asked again.
class SnapshotCache {
public:
  /// Below this many misses no directory is read.
  static constexpr uint32_t MinMisses = 2;

  /// One directory under one spelling. Lives as long as the cache.
  class Directory {
  public:
    /// As it was given.
    llvm::StringRef path() const { return Path; }
    explicit Directory(llvm::StringRef Path) : Path(Path) {}

  private:
    friend class SnapshotCache;
    std::string Path;
    /// Set once, when the directory has been read.
    std::atomic<const DirectorySnapshot *> Snapshot{nullptr};
    DirectorySnapshot::Ptr Owner;
    /// There is no such directory.
    std::atomic<bool> IsAbsent{false};
    std::atomic<uint32_t> Misses{0};
    /// How many names were expected at the first of them.
    std::atomic<int64_t> ExpectedAtFirst{0};
    /// The number of misses at which to think about reading the directory.
    std::atomic<uint32_t> ThinkAt{MinMisses};
    /// A thread is at it; it owns what follows.
    std::atomic<bool> Busy{false};
    unsigned Failures = 0;
  };

  /// \p Options are those of the snapshots; OnlyVerified is always set.
  explicit SnapshotCache(SnapshotOptions Options = {});
  SnapshotCache(const SnapshotCache &) = delete;
  SnapshotCache &operator=(const SnapshotCache &) = delete;

  /// Enters the directory \p Path, "" being the current one; reads nothing yet.
  /// Any thread.
  Directory &add(llvm::StringRef Path);

  /// Says that about \p Names more (or fewer) names than was said before will
  /// be looked for, in some or all of the directories. Any thread.
  void expect(int64_t Names) {
    Expected.fetch_add(Names, std::memory_order_relaxed);
  }

  /// Whether \p In is known to have nothing of \p Name, so that no look is
  /// needed. May read the directory first, and block for that; while one thread
  /// does, others are told false. Any thread.
  bool isMissing(Directory &In, const SnapshotName &Name);

  /// A stat of a name for which `isMissing` was false has found nothing.
  void noteMiss(Directory &In) {
    if (In.Misses.fetch_add(1, std::memory_order_relaxed) == 0)
      In.ExpectedAtFirst.store(Expected.load(std::memory_order_relaxed),
                               std::memory_order_relaxed);
  }

  SnapshotFigures figures() const;

  /// What reading a directory of \p DirectoryBytes (st_size) costs, in probes.
  static uint32_t listingCost(uint64_t DirectoryBytes);
  /// At how many misses a directory is to be read for which that costs \p Cost
  /// probes, when \p Expected names are still to be looked for in it.
  static uint32_t missesToSpend(uint32_t Cost, int64_t Expected);

private:
  using DirectoryID = std::pair<uint64_t, uint64_t>; ///< device, inode

  int64_t expectedIn(const Directory &In, uint32_t Misses) const;
  bool think(Directory &In);
  std::error_code readDirectory(Directory &In, uint32_t Misses,
                                uint32_t &NextThought);
  std::error_code readUnlessKnown(os::DirectoryHandle Handle,
                                  const os::FileIdentity &Identity,
                                  uint32_t Cost,
                                  DirectorySnapshot::Ptr &Result);

  SnapshotOptions Options;
  std::atomic<int64_t> Expected{0};
  std::atomic<uint64_t> Answers{0}, Listings{0}, Refusals{0};
  mutable std::mutex Mutex; ///< for what follows
  std::vector<std::unique_ptr<Directory>> Directories;
  /// Null while one is being read.
  std::map<DirectoryID, DirectorySnapshot::Ptr> ByID;
  uint64_t Bytes = 0; ///< of all of them
};

} // namespace headstart

#endif // HEADSTART_FILETREE_SNAPSHOTCACHE_H
