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

#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryTraits.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace headstart {

/// A name to look up in many snapshots, which is hashed only once.
class SnapshotName {
public:
  /// The name is the first component of \p Path, which is relative to the
  /// directory and must outlive this object.
  explicit SnapshotName(llvm::StringRef Path);

  llvm::StringRef text() const { return Text; }

private:
  friend class DirectorySnapshot;
  llvm::StringRef Text;
  std::array<uint64_t, 2> Hashes; ///< by whether case is ignored
};

/// How a directory is read.
struct SnapshotOptions {
  /// A directory with more entries is the error `errc::file_too_large`.
  uint64_t MaxEntries = std::numeric_limits<uint64_t>::max();

  // For tests: Traits and Clock replace os::traitsOf and os::fileClockNs.
  // Listed runs between a listing and the second stat of the directory.
  std::function<os::DirectoryTraits(const os::DirectoryHandle &)> Traits;
  std::function<int64_t()> Clock;
  std::function<void()> Listed;
};

/// The names that one directory had at one moment. Immutable, so that threads
/// can share it.
class DirectorySnapshot {
public:
  using Ptr = std::unique_ptr<const DirectorySnapshot>;

  /// Reads \p Directory, which must not have been listed before, and closes it.
  /// After any error \p Result is unchanged. Blocks. Any thread.
  ///
  /// The listing shows one moment: no entry was added, removed or renamed while
  /// it was read. Fails with `errc::not_supported` if that cannot be verified
  /// on this file system, and with `errc::resource_unavailable_try_again` if
  /// the directory changes, or has just changed.
  ///
  /// The directory's change and modification times must be the same before and
  /// after the reading. The clock of change times ticks in milliseconds, so two
  /// changes shortly after one another can have one time (git calls such
  /// entries "racily clean"). If the file system allows that, a directory that
  /// changed just before it was read cannot be verified.
  static std::error_code read(os::DirectoryHandle Directory,
                              const SnapshotOptions &Options, Ptr &Result);

  /// The number of entries.
  size_t size() const { return Hashes.size(); }

  /// Whether a stat of \p Name would have found nothing in the directory at the
  /// moment of the snapshot. False also means that the answer is unknown, as
  /// for a name that the file system may consider the same as that of an entry.
  bool lacks(const SnapshotName &Name) const;

private:
  DirectorySnapshot() = default;
  std::error_code list(os::DirectoryHandle &Of, uint64_t MaxEntries);

  /// The names' hashes, sorted. Names with equal hashes only make `lacks`
  /// return false, and a user who creates them on purpose makes no search
  /// slower.
  std::vector<uint64_t> Hashes;
  bool MayIgnoreCase = true;
  bool OnlyASCII = true;
};

/// A cache for one link, shared by its threads. Its answers are advice: they
/// are as old as the directory's snapshot, which is never read again.
class SnapshotCache {
public:
  /// The cost, in probes, of reading an empty directory. One with fewer misses
  /// is not read.
  static constexpr uint32_t MinCost = 6;

  /// One spelling of a directory's path. Each has its own snapshot. Lives as
  /// long as the cache.
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
    std::atomic<uint32_t> NextDecision{MinCost};
    /// Whether a thread is in `decideReading`. That thread owns the members
    /// below.
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

  /// The cost of reading a directory of \p DirectoryBytes (st_size), in probes.
  static uint32_t listingCost(uint64_t DirectoryBytes);

private:
  bool decideReading(Directory &In);
  std::error_code readDirectory(Directory &In, uint32_t Misses,
                                uint32_t &NextDecision);

  SnapshotOptions Options;
  std::mutex Mutex;
  std::deque<Directory> Directories; ///< guarded by Mutex; never moved
  std::atomic<uint64_t> Names = 0;   ///< in all snapshots, of 8 bytes each
};

} // namespace headstart

#endif // HEADSTART_FILETREE_SNAPSHOTCACHE_H
