//===- PageCache.h - Ask about and change what is in memory -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The page cache: hint ranges of a file, fetch them and wait, ask how much of
/// them is resident, put them out. One source per platform in
/// `lib/OS/<Platform>/PageCache.cpp`; the standard library only, no LLVM.
///
/// A PageCache carries no state but its abilities, so one object may be used
/// from any number of threads at once.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_PAGECACHE_H
#define HEADSTART_OS_PAGECACHE_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

namespace headstart::os {

/// What this system can do. Found by probing at run time, never from version
/// numbers; a test may switch an ability off to force the fallback.
struct PageCacheCapabilities {
  bool Hint = false;         ///< asynchronous readahead of a range
  bool PopulateRead = false; ///< MADV_POPULATE_READ (Linux 5.14)
  bool Cachestat = false;    ///< cachestat(2) (Linux 6.5)
  /// mincore(2) on a mapping of one's own; on Windows QueryWorkingSetEx, where
  /// it tells of pages that this process has not touched.
  bool Mincore = false;
  /// posix_fadvise(POSIX_FADV_DONTNEED); MS_INVALIDATE on macOS; on Windows an
  /// unbuffered open.
  bool Evict = false;
  size_t PageSize = 4096; ///< bytes
  /// The most that one hint call loads, in bytes: Linux silently cuts a
  /// longer one to the device's readahead and returns success (measured: 8 MiB
  /// of 256 MiB with read_ahead_kb=8192), so longer ranges are hinted in steps.
  /// On Windows the longest entry of a call of PrefetchVirtualMemory (64 MiB,
  /// 512 entries to a call); under Wine, which hands each entry to Linux, as
  /// there.
  uint64_t HintStepBytes = UINT64_C(128) * 1024;
  /// Whether one call loads twice that, of a file that is said to be read in
  /// order (Linux): see `PageCache::inLargeRequests`.
  bool Doubles = false;
};

enum class HintOutcome : uint8_t {
  Accepted,    ///< the system took it; no promise that the bytes will come
  Unsupported, ///< this system cannot do that
  Failed,      ///< the system refused; see Error
};

/// What happened to one range.
struct HintResult {
  ByteRange Range;
  HintOutcome Outcome = HintOutcome::Unsupported;
  uint64_t AcceptedBytes = 0; ///< of Range, page-rounding left out
  unsigned Calls = 0;         ///< system calls made for it
  std::error_code Error;      ///< of the first call that failed
};

/// How much of a range is in memory, in pages of `pageSize()` bytes. By
/// cachestat a page counts from the moment its read is under way, by mincore
/// when it has arrived (measured: 65,536 and 15,136 pages right after hinting
/// 256 MiB).
struct Residency {
  uint64_t ResidentPages = 0;
  uint64_t TotalPages = 0;
  /// At least ResidentPages are; of the others the system does not tell. Only
  /// what is asked about memory is ever answered so, and never on Linux.
  bool IsLowerBound = false;
  /// How many of the resident ones have not been written to the disk yet; 0
  /// where the system does not tell (cachestat does).
  uint64_t UnwrittenPages = 0;

  /// All of it is, also where that is a lower bound. The opposite is no answer
  /// then.
  bool complete() const { return ResidentPages >= TotalPages; }
};

class PageCache {
public:
  /// Probes the system (a few microseconds on a scratch mapping; on Windows a
  /// scratch file in the temporary directory, once in a process).
  PageCache();
  /// Uses just these abilities.
  explicit PageCache(const PageCacheCapabilities &Capabilities);

  /// Probes what this system can do.
  static PageCacheCapabilities probe();

  const PageCacheCapabilities &capabilities() const { return Capabilities; }
  size_t pageSize() const { return Capabilities.PageSize; }

  /// Asks for \p Ranges of \p File to be read into memory, and returns without
  /// waiting for them (except on Windows, which does not promise that). A
  /// hint: the system may do less, or nothing. Ranges are split into steps of
  /// what one call really does; parts past the end of the file are ignored. One
  /// result per range, in order. Never fails as a whole. On Windows the file is
  /// mapped for the length of the call, and while the system says that it is
  /// short of memory the outcome is Failed with `errc::not_enough_memory`.
  std::vector<HintResult> hint(const OpenFile &File,
                               std::span<const ByteRange> Ranges) const;

  /// Brings \p Range of \p File into memory and waits until it is there (except
  /// for single pages that a disk brings out of order, which are then on their
  /// way). Nothing is entered into anybody's page tables. A closed file gives
  /// Unsupported, one that has shrunk Failed. A range with nothing in it, or
  /// past the end, is Accepted with 0 bytes.
  ///
  /// Windows hints \p Mapping, which is of \p File, and without it maps the
  /// range for the length of the call. It waits for the last page: the pages
  /// before it were requested earlier.
  HintResult fetch(const OpenFile &File, ByteRange Range,
                   const MappedFile *Mapping = nullptr) const;

  /// Brings \p Range of \p File into memory, and all that shares
  /// `LargeStepBytes` of the file with it, in pages as large as the file system
  /// has: that costs a quarter of the processor time of `fetch`. Waits for most
  /// of it. Reads nothing of a `LargeStepBytes` in the middle of which the page
  /// is cached: check with `residency`. Only Linux can; Unsupported elsewhere.
  /// A file that has shrunk gives Failed, never SIGBUS.
  HintResult fetchInLargePages(const OpenFile &File, ByteRange Range) const;
  static constexpr uint64_t LargeStepBytes = UINT64_C(2) * 1024 * 1024;

  /// The same, but `fetch` makes fewer and larger requests, for a high-latency
  /// device. The linker's own faults in a mapping of such a file then read more
  /// around them, too. Only Linux can; elsewhere no other.
  PageCache inLargeRequests() const;

  /// How much of \p Range of \p File is resident, by cachestat, or by mincore
  /// on a temporary mapping; nothing where the system tells neither. Does not
  /// read the file. A length past the end is cut to the end.
  ///
  /// Linux tells only the file's owner, and who may write to it: for anyone
  /// else cachestat fails (6.14) and mincore calls every page resident, which
  /// is seen through. An ordinary user thus gets no answer about system
  /// libraries.
  std::optional<Residency> residency(const OpenFile &File,
                                     ByteRange Range) const;

  /// Whether a page of each 128 KiB of \p Ranges, and the last one of each, is
  /// in memory, for a file of which `residency` says nothing; nothing if the
  /// system cannot tell, or \p File has nothing of the ranges. Linux tells
  /// anyone who may read the file, by a read that does not wait (RWF_NOWAIT,
  /// Linux 4.14; not on every file system). Windows times reads of one byte.
  /// Stops at the first page that is missing, which that read may have brought.
  std::optional<bool> seemsCached(const OpenFile &File,
                                  std::span<const ByteRange> Ranges) const;

  /// Asks for all of \p File to be dropped from memory. Pages that are dirty,
  /// mapped or in use elsewhere stay: check with `residency`. Dirty pages are
  /// written first (fdatasync), since the system drops clean pages only. Blocks
  /// for that. macOS: by msync(MS_INVALIDATE) of a shared mapping (not run).
  ///
  /// On Windows a file system drops what it has cached of a file when the last
  /// handle with buffering is closed while there is one without (so its own
  /// sample of a file system, FastFAT's cleanup.c; not run there). So \p File
  /// is opened anew, whatever its name is by now, and is not to be used by
  /// another thread meanwhile; it is closed if that fails. Success is that of
  /// the opens. Under Wine nothing is dropped.
  std::error_code evict(OpenFile &File) const;

  /// Tells the system that \p Range of \p Mapping will not be needed soon:
  /// this process's page-table entries go at once (on macOS they stay, and the
  /// pages are the first that may go), the page cache keeps the
  /// pages until it needs the memory. The contents stay readable. Only whole
  /// pages inside \p Range are meant; but where Linux has mapped a huge page,
  /// the entries of all of it go (measured: 512 for 1), to be faulted in again.
  /// On Windows the pages leave the working set (VirtualUnlock).
  std::error_code dontNeed(const MappedFile &Mapping, ByteRange Range) const;

  /// Whether an access to a page of \p Mapping that is not cached may read what
  /// lies around it, as it may from the start (MADV_NORMAL, MADV_RANDOM). If
  /// not, reclaim does not spare pages for having been accessed through the
  /// mapping (vma_has_recency, Linux 6.3). Not supported on Windows and macOS.
  std::error_code setReadAround(const MappedFile &Mapping,
                                bool IsAllowed) const;

  /// \name Any memory of this process
  /// For memory that the caller has mapped. Nothing here can lose data,
  /// whatever the memory is.
  /// @{

  /// Asks for the pages under \p Memory, which lies in a mapped file, to be
  /// read, in steps, without waiting. The result's range counts from the start
  /// of \p Memory. Unsupported on macOS, where it would wait.
  HintResult willNeed(std::span<const char> Memory) const;

  /// Tells the system that the whole pages inside \p Memory, which lies in a
  /// mapped file, are not needed soon. Linux takes those in this process's page
  /// tables out of memory at once if no other process maps them and the caller
  /// may write the file (MADV_PAGEOUT, Linux 5.4); macOS takes them before
  /// others (MADV_DONTNEED); on Windows they leave the working set, as by
  /// `dontNeed`, and lose the locks on them.
  std::error_code adviseCold(std::span<const char> Memory) const;

  /// How much of what is under \p Memory is in memory, by mincore; a lower
  /// bound on a Windows that tells only what this process has touched (Wine 8).
  /// Only a query by file shows when Linux answers "all of
  /// it" for want of rights; ask by file where that matters.
  std::optional<Residency> residency(std::span<const char> Memory) const;
  /// @}

private:
  PageCacheCapabilities Capabilities;
};

} // namespace headstart::os

#endif // HEADSTART_OS_PAGECACHE_H
