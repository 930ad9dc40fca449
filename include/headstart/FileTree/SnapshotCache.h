//===- SnapshotCache.h - Search many directories for many names -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds which files are missing from directories, for a search of many
/// directories for many names. The search first probes each directory. Once
/// these probes have cost about as much as a listing, the directory is listed.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_SNAPSHOTCACHE_H
#define HEADSTART_FILETREE_SNAPSHOTCACHE_H

#include "headstart/FileTree/DirectorySnapshot.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace headstart {

/// The statistics of a cache.
struct SnapshotFigures {
  uint64_t Misses = 0;   ///< probes that found nothing
  uint64_t Answers = 0;  ///< names known to be missing without a probe
  uint64_t Listings = 0; ///< directories read
  uint64_t Refusals = 0; ///< failed attempts to read a directory
};

/// A cache for one link, shared by its threads. Its answers are advice: they
/// are as old as the directory's snapshot, which is never read again.
class SnapshotCache {
public:
  /// The cost, in probes, of reading an empty directory. One with fewer misses
  /// is not read.
  static constexpr uint32_t MinCost = 6;

  /// One directory under one spelling. Lives as long as the cache.
  class Directory {
  public:
    /// The path that `add` was given.
    llvm::StringRef path() const { return Path; }
    explicit Directory(llvm::StringRef Path) : Path(Path) {}

  private:
    friend class SnapshotCache;
    std::string Path;
    /// Set once, when the directory has been read.
    std::atomic<const DirectorySnapshot *> Snapshot{nullptr};
    DirectorySnapshot::Ptr Owner;
    /// Whether the directory does not exist.
    std::atomic<bool> IsAbsent{false};
    std::atomic<uint32_t> Misses{0};
    /// The number of misses at which to consider reading the directory.
    std::atomic<uint32_t> ThinkAt{MinCost};
    /// Whether a thread is in `think`. That thread owns the members below.
    std::atomic<bool> Busy{false};
    unsigned Failures = 0;
  };

  /// \p Options apply to the snapshots.
  explicit SnapshotCache(SnapshotOptions Options = {});
  SnapshotCache(const SnapshotCache &) = delete;
  SnapshotCache &operator=(const SnapshotCache &) = delete;

  /// Adds the directory \p Path ("": the current one), unread. Any thread.
  Directory &add(llvm::StringRef Path);

  /// Whether \p In is known to have no entry \p Name, so that no probe is
  /// needed. May first read the directory and block for that; in the meantime
  /// other threads get false. Any thread.
  bool isMissing(Directory &In, const SnapshotName &Name);

  /// Counts a stat that found nothing, of a name that was not `isMissing`.
  void noteMiss(Directory &In) {
    In.Misses.fetch_add(1, std::memory_order_relaxed);
  }

  SnapshotFigures figures() const;

  /// The cost of reading a directory of \p DirectoryBytes (st_size), in probes.
  static uint32_t listingCost(uint64_t DirectoryBytes);

private:
  using DirectoryID = std::pair<uint64_t, uint64_t>; ///< device, inode

  bool think(Directory &In);
  std::error_code readDirectory(Directory &In, uint32_t Misses,
                                uint32_t &NextThought);
  std::error_code readUnlessKnown(os::DirectoryHandle Handle,
                                  const os::FileIdentity &Identity,
                                  uint32_t Cost,
                                  DirectorySnapshot::Ptr &Result);

  SnapshotOptions Options;
  std::atomic<uint64_t> Answers{0}, Listings{0}, Refusals{0};
  mutable std::mutex Mutex;          ///< guards the members below
  std::deque<Directory> Directories; ///< never moved
  /// Null for a directory that is being read.
  std::map<DirectoryID, DirectorySnapshot::Ptr> ByID;
  uint64_t Names = 0; ///< in all snapshots, of 8 bytes each
};

} // namespace headstart

#endif // HEADSTART_FILETREE_SNAPSHOTCACHE_H
