//===- PageCache.h - Ask about and change what is in memory -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The page cache: hints ranges of a file, fetches them and waits, queries how
/// much of them is resident, and evicts them.
///
/// A PageCache has no state except its capabilities, so any number of threads
/// may use one object at once.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_PAGECACHE_H
#define HEADSTART_OS_PAGECACHE_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

namespace headstart::os {

/// This system's capabilities, found by probing at run time and never by
/// version numbers. A test may disable a capability to force the fallback.
struct PageCacheCapabilities {
  bool Hint = false; ///< asynchronous readahead of a range
  /// MADV_POPULATE_READ (Linux 5.14), without which there are no large pages.
  bool PopulateRead = false;
  bool Cachestat = false; ///< cachestat(2) (Linux 6.5)
  /// mincore(2) on a mapping of this process; on Windows QueryWorkingSetEx, if
  /// it reports pages that this process has not touched.
  bool Mincore = false;
  /// posix_fadvise(POSIX_FADV_DONTNEED); MS_INVALIDATE on macOS; on Windows an
  /// unbuffered open.
  bool Evict = false;
  /// The most bytes that one hint call loads. Linux silently cuts a longer one
  /// to the device's readahead and returns success (measured: 8 MiB of 256 MiB
  /// with read_ahead_kb=8192), so longer ranges are hinted in steps. On
  /// Windows, the longest entry of a call of PrefetchVirtualMemory (64 MiB, 512
  /// entries per call); under Wine, as on Linux, which gets each entry.
  uint64_t HintStepBytes = UINT64_C(128) * 1024;
  /// Whether files are advised to be read sequentially, so that one call loads
  /// twice the device's readahead (Linux); see `PageCache::inLargeRequests`.
  bool Doubles = false;
};

enum class HintOutcome : uint8_t {
  Accepted,    ///< the system accepted it, but need not load the bytes
  Unsupported, ///< this system cannot do this
  Failed,      ///< the system refused; see Error
};

/// The result of a hint or a fetch.
struct HintResult {
  HintOutcome Outcome = HintOutcome::Unsupported;
  uint64_t AcceptedBytes = 0; ///< of the ranges, without page rounding
  unsigned Calls = 0;         ///< system calls made for them
  std::error_code Error;      ///< of a call that failed

  /// Makes the outcome Failed.
  void fail(std::error_code Why) {
    Outcome = HintOutcome::Failed;
    Error = Why;
  }
};

/// How much of a range is resident, in pages of `pageSize()` bytes. cachestat
/// counts a page as soon as its read is under way, mincore when it has arrived
/// (measured: 65,536 and 15,136 pages right after hinting 256 MiB).
struct Residency {
  uint64_t ResidentPages = 0;
  uint64_t TotalPages = 0;
  /// Whether the system does not report all pages, so that more may be
  /// resident. Only queries by memory set this, and never on Linux.
  bool IsLowerBound = false;
  /// The resident pages that are not written to the disk yet; 0 if the system
  /// does not report them (cachestat does).
  uint64_t UnwrittenPages = 0;

  /// Whether all pages are resident, which is certain even for a lower bound.
  /// For a lower bound, false means nothing.
  bool complete() const { return ResidentPages >= TotalPages; }
  /// Returns how many bytes of the range, of \p Length bytes, are not resident.
  uint64_t missingBytes(uint64_t Length) const;
};

class PageCache {
public:
  /// Probes the system (a few microseconds on a scratch mapping; on Windows the
  /// file of the program, once per process).
  PageCache() : Capabilities(probe()) {}
  /// Uses exactly these capabilities.
  explicit PageCache(const PageCacheCapabilities &Capabilities)
      : Capabilities(Capabilities) {}

  /// Probes this system.
  static PageCacheCapabilities probe();

  const PageCacheCapabilities &capabilities() const { return Capabilities; }
  /// Returns the size of the system's pages in bytes, a power of two.
  static size_t pageSize();

  /// Requests that the system loads \p Ranges of \p File, and returns without
  /// waiting for them (Windows does not promise that). A hint: the system may
  /// load less, or nothing. Splits ranges into steps of what one call really
  /// loads, and ignores parts past the end of the file. If one range fails, the
  /// others are hinted nevertheless.
  ///
  /// Windows hints \p Mapping, which is of \p File; without one, it maps the
  /// ranges during the call. While it reports that memory is low, the outcome
  /// is Failed with `errc::not_enough_memory`.
  HintResult hint(const OpenFile &File, std::span<const ByteRange> Ranges,
                  const MappedFile *Mapping = nullptr) const;

  /// Loads \p Range of \p File into the page cache and waits until it is there
  /// (except for single pages that a disk returns out of order, which are then
  /// under way). No process's page tables change. A closed file gives
  /// Unsupported, a file that has shrunk Failed. A range that is empty or past
  /// the end is Accepted with 0 bytes.
  ///
  /// Windows hints the range, and waits for its last page only, since the pages
  /// before it were requested earlier. \p Mapping: as of `hint`.
  HintResult fetch(const OpenFile &File, ByteRange Range,
                   const MappedFile *Mapping = nullptr) const;

  /// Loads the blocks of `LargeStepBytes` of \p File that \p Range overlaps
  /// into the page cache, in pages as large as the file system supports, which
  /// costs a quarter of the processor time of `fetch`. Waits for most of the
  /// bytes. Reads nothing of a block if the page in the middle of the overlap
  /// is cached: check with `residency`. Only Linux can do this; elsewhere the
  /// outcome is Unsupported. A file that has shrunk gives Failed, never SIGBUS.
  HintResult fetchInLargePages(const OpenFile &File, ByteRange Range) const;
  static constexpr uint64_t LargeStepBytes = UINT64_C(2) * 1024 * 1024;

  /// Returns a copy whose `fetch` makes fewer and larger requests, for a
  /// high-latency device. The linker's own page faults in a mapping of such a
  /// file then also read more around them. Only Linux can do this; elsewhere
  /// the copy is no different.
  PageCache inLargeRequests() const;

  /// Returns a cache that maps no file if no program could then truncate it
  /// (Windows, MmCanFileBeTruncated): for files that a compiler may write.
  PageCache withoutMappings() const;

  /// Returns how much of \p Range of \p File is resident, by cachestat, or by
  /// mincore on a temporary mapping; nothing if the system supports neither.
  /// Does not read the file. A length past the end is cut to the end.
  ///
  /// Linux reports this only to the file's owner and to users who may write to
  /// it. For other users cachestat fails (6.14), and mincore reports every page
  /// as resident, which this function detects. An ordinary user thus gets no
  /// result for system libraries.
  std::optional<Residency> residency(const OpenFile &File,
                                     ByteRange Range) const;

  /// Returns whether a page of each 128 KiB of \p Ranges, and the last page of
  /// each range, is cached; for a file for which `residency` returns nothing.
  /// Returns nothing if the system cannot report it, or if \p File has no byte
  /// of the ranges. Linux reports it to every user who may read the file, by a
  /// read that does not wait (RWF_NOWAIT, Linux 4.14; not on every file
  /// system). Windows times reads of one byte. Stops at the first missing page,
  /// which that read may have loaded.
  std::optional<bool> seemsCached(const OpenFile &File,
                                  std::span<const ByteRange> Ranges) const;

  /// Requests that the system evicts all of \p File. Pages that are dirty,
  /// mapped or in use elsewhere stay: check with `residency`. First writes
  /// dirty pages (fdatasync), since the system evicts only clean ones; this
  /// blocks. On macOS by msync(MS_INVALIDATE) of a shared mapping (not run).
  ///
  /// On Windows a file system evicts a file's pages when the last buffered
  /// handle is closed while an unbuffered one is open (according to Windows's
  /// own sample of a file system, FastFAT's cleanup.c; not run there). \p
  /// File is therefore reopened, whatever its name is by now, and closed if
  /// that fails; no other thread may use it meanwhile. Success means that the
  /// opens succeeded. Under Wine nothing is evicted.
  std::error_code evict(OpenFile &File) const;

  /// Advises the system that \p Mapping will not be needed soon. This process's
  /// page-table entries are removed at once (on macOS they stay, and the pages
  /// are the first to be reclaimed); the pages stay cached until the system
  /// needs the memory. The contents stay readable. On Windows the pages leave
  /// the working set (VirtualUnlock).
  std::error_code dontNeed(const MappedFile &Mapping) const;

  /// \name Any memory of this process
  /// For memory that the caller has mapped. None of these functions can lose
  /// data, whatever the memory is.
  /// @{

  /// Requests that the system loads the pages of \p Memory, which lies in a
  /// mapped file, in steps and without waiting. Unsupported on macOS, where the
  /// call would wait.
  HintResult willNeed(std::span<const char> Memory) const;

  /// Advises the system that the whole pages inside \p Memory, which lies in a
  /// mapped file, are not needed soon. Linux evicts those in this process's
  /// page tables at once if no other process maps them and the caller may write
  /// the file (MADV_PAGEOUT, Linux 5.4). macOS reclaims them before others
  /// (MADV_DONTNEED). On Windows they leave the working set, as by `dontNeed`,
  /// and lose their locks.
  std::error_code adviseCold(std::span<const char> Memory) const;

  /// Returns how much of \p Memory is resident, by mincore; a lower bound on a
  /// Windows that reports only pages that this process has touched (Wine 8). If
  /// the caller lacks rights, Linux reports every page as resident. Only the
  /// query by file detects this; use it where that matters.
  std::optional<Residency> residency(std::span<const char> Memory) const;
  /// @}

private:
  PageCacheCapabilities Capabilities;
};

inline uint64_t Residency::missingBytes(uint64_t Length) const {
  return complete() ? 0
                    : std::min<uint64_t>(Length, (TotalPages - ResidentPages) *
                                                     PageCache::pageSize());
}

/// Evicts all that the system has cached of all files, after it has written
/// what was changed. Blocks for seconds. Linux drops names and inodes as well
/// (proc(5), drop_caches), for root. Windows empties all working sets, and the
/// modified and standby lists, for an administrator, and waits 5 s while the
/// system goes on writing (not run there). Unsupported on macOS.
std::error_code evictAll();

} // namespace headstart::os

#endif // HEADSTART_OS_PAGECACHE_H
