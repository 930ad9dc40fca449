//===- PageCache.cpp - Ask about and change the page cache ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageCache.h"

#include "../Posix/PageRanges.h"
#include "../Shared.h"
#include "FileSystems.h"
#include "PseudoFile.h"

#include <algorithm>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::detail;

// Older C libraries lack the name; probe() finds what the kernel supports.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace {

// Every architecture except Alpha has this number.
#ifdef SYS_cachestat
constexpr long CachestatNumber = SYS_cachestat;
#else
constexpr long CachestatNumber = 451;
#endif

// The types of <linux/mman.h> of 6.5, under our own names.
struct CachestatRange {
  uint64_t Offset;
  uint64_t Length; // 0: to the end
};
struct CachestatResult {
  uint64_t Cached;
  uint64_t Dirty;
  uint64_t Writeback;
  uint64_t Evicted;
  uint64_t RecentlyEvicted;
};

} // namespace

static bool cachestat(int Descriptor, CachestatRange Range,
                      CachestatResult &Result) {
  return ::syscall(CachestatNumber, Descriptor, &Range, &Result, 0U) == 0;
}

/// Returns the traits of the file system of \p File; MayStack if they are
/// unknown.
static uint32_t traitsOf(const OpenFile &File) {
  // A thread's files are mostly on one device.
  thread_local std::optional<std::pair<uint64_t, uint32_t>> Last;
  const uint64_t Device = File.identity().Device;
  if (Last && Last->first == Device)
    return Last->second;
  const std::optional<uint32_t> Traits = fileSystemTraits(descriptor(File));
  if (Traits)
    Last = {Device, *Traits};
  return Traits.value_or(MayStack);
}

/// Reports the pages of \p Range of \p File. Returns false if cachestat fails
/// or may have counted those of the wrong file: it counts the pages of the file
/// itself, but mincore those of the file below.
static bool countPages(const OpenFile &File, CachestatRange Range,
                       const PageCacheCapabilities &Capabilities,
                       CachestatResult &Result) {
  if (!Capabilities.Cachestat)
    return false;
  const uint32_t Traits = traitsOf(File);
  return !(Traits & Stacked) && cachestat(descriptor(File), Range, Result) &&
         (Result.Cached != 0 || Result.Evicted != 0 || !(Traits & MayStack));
}

/// Returns the offset of the guard page in a mapping of a file of \p Size
/// bytes: a page that is mapped although it is past the file's end.
///
/// It shows whether the results of mincore(2) are true. If a process neither
/// owns a file nor may write to it, mincore reports *every* page as resident
/// (can_do_mincore in mm/mincore.c) instead of failing, so that an ordinary
/// user would take a cold system library for a warm one. A page past the end is
/// never cached; if mincore reports it as resident, its results are false.
///
/// The file's last page may belong to a block of up to 64 KiB that is cached as
/// a whole, so the guard page is after that block.
static uint64_t guardOffset(uint64_t Size) {
  return roundUp(Size, std::max<size_t>(PageCache::pageSize(), 65536));
}

/// POSIX_FADV_SEQUENTIAL doubles the readahead of an open file, and the advice
/// after it does not undo that (mm/fadvise.c). With POSIX_FADV_RANDOM a read
/// reads what is requested and nothing after it. Returns the number of calls.
static unsigned advise(const OpenFile &File,
                       const PageCacheCapabilities &Capabilities) {
  if (Capabilities.Doubles)
    (void)::posix_fadvise(descriptor(File), 0, 0, POSIX_FADV_SEQUENTIAL);
  File.expectScatteredReads();
  return Capabilities.Doubles ? 2 : 1;
}

static HintResult hintRanges(const OpenFile &File,
                             std::span<const ByteRange> Ranges,
                             const PageCacheCapabilities &Capabilities) {
  const auto Query = [&File](uint64_t At, uint64_t Length) {
    return ::posix_fadvise(descriptor(File), static_cast<off_t>(At),
                           static_cast<off_t>(Length), POSIX_FADV_WILLNEED);
  };
  return hintInSteps(File, Ranges, Capabilities, Query);
}

/// Calls MADV_POPULATE_READ, again after EINTR and EAGAIN. Returns 0 or errno.
static int populate(char *Begin, size_t Length) {
  // Bounded, since EAGAIN may also mean a lasting shortage.
  for (unsigned Try = 0; Try < 64; ++Try) {
    if (::madvise(Begin, Length, MADV_POPULATE_READ) == 0)
      return 0;
    if (errno != EINTR && errno != EAGAIN)
      return errno;
    ::sched_yield();
  }
  return EAGAIN;
}

/// Whether the byte at \p At is cached; nothing if the system does not say.
static std::optional<bool> isCached(const OpenFile &File, uint64_t At) {
  char Byte;
  iovec Into = {&Byte, 1};
  const ssize_t Got =
      ::preadv2(descriptor(File), &Into, 1, static_cast<off_t>(At), RWF_NOWAIT);
  if (Got == 1)
    return true;
  if (Got < 0 && errno == EAGAIN)
    return false;
  return std::nullopt;
}

/// Waits for the pages of \p Clipped, all of which are resident or being read,
/// by reading a byte of each piece that the disk may deliver separately. To
/// copy no more saves processor time, which two cores cannot spare (0.18 s
/// instead of 0.29 for 768 MB). Returns false if a byte cannot be read. If the
/// pages are not \p AreCounted, returns false too if the first page of a piece
/// or the one before the last is not cached: the hint was cut short, and the
/// read has brought the last one alone.
static bool waitForPages(const OpenFile &File, ByteRange Clipped,
                         const PageCacheCapabilities &Capabilities,
                         bool AreCounted, HintResult &Result) {
  // Some file systems do not support such reads.
  if (!AreCounted && !isCached(File, Clipped.Offset))
    return false;
  // The pieces are the steps of the hints.
  for (uint64_t At = Clipped.Offset; At < Clipped.end();) {
    const uint64_t First = At;
    At = std::min(Clipped.end(), roundDown(At) + hintStepOf(Capabilities));
    const uint64_t Last = At - 1;
    char Byte;
    std::error_code Error;
    ++Result.Calls;
    if (File.readAt(Last, {&Byte, 1}, Error) != 1)
      return false;
    if (AreCounted)
      continue;
    const uint64_t Before =
        Last - std::min<uint64_t>(Last - First, PageCache::pageSize());
    for (uint64_t Page : {First, Before}) {
      ++Result.Calls;
      if (!isCached(File, Page).value_or(false))
        return false;
    }
  }
  return true;
}

/// Reads \p Clipped into the page cache, but not into any page tables.
static void fetchIntoCache(const OpenFile &File, ByteRange Clipped,
                           const PageCacheCapabilities &Capabilities,
                           HintResult &Result) {
  if (Capabilities.Hint) {
    // The hints request all of it before the first read waits. Without the
    // advice the reads would read ahead past the range.
    Result.Calls += advise(File, Capabilities);
    // A hint for the whole range is one request, if the disk accepts one so
    // large. The steps load what one call does not (see HintStepBytes); they
    // cost next to nothing if everything is under way.
    if (Clipped.Length > Capabilities.HintStepBytes) {
      ++Result.Calls;
      (void)::posix_fadvise(
          descriptor(File), static_cast<off_t>(Clipped.Offset),
          static_cast<off_t>(Clipped.Length), POSIX_FADV_WILLNEED);
    }
    Result.Calls += hintRanges(File, {&Clipped, 1}, Capabilities).Calls;
    CachestatResult Stat;
    const bool AreCounted =
        countPages(File, {Clipped.Offset, Clipped.Length}, Capabilities, Stat);
    if ((!AreCounted || Stat.Cached >= pagesOf(Clipped)) &&
        waitForPages(File, Clipped, Capabilities, AreCounted, Result)) {
      Result.Outcome = HintOutcome::Accepted;
      Result.AcceptedBytes = Clipped.Length;
      return;
    }
  }
  // The file system takes no hints, memory is short, or the file has shrunk:
  // reading it works, or returns the error. While many requests are in flight,
  // FUSE skips hints that it takes for readahead, and then reads single pages
  // unless a read is sequential (fs/fuse/file.c, fuse_readahead).
  if (Capabilities.Doubles)
    (void)::posix_fadvise(descriptor(File), 0, 0, POSIX_FADV_SEQUENTIAL);
  fetchByReading(File, Clipped, Result);
  if (Capabilities.Doubles)
    File.expectScatteredReads();
}

size_t PageCache::pageSize() {
  return static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

PageCache PageCache::inLargeRequests() const {
  PageCache Other = *this;
  if (!std::exchange(Other.Capabilities.Doubles, true))
    Other.Capabilities.HintStepBytes *= 2;
  return Other;
}

PageCache PageCache::withoutMappings() const { return *this; }

static int createMemoryFile() {
  return static_cast<int>(
      ::syscall(SYS_memfd_create, "headstart", MFD_CLOEXEC));
}

/// EPERM has two reasons: the kernel does not report a file of another user,
/// or a container forbids the call. The kernel reports the caller's own memory.
static bool reportsOwnMemory() {
  const int Memory = createMemoryFile();
  CachestatResult Ignored;
  const bool Reports = Memory >= 0 && cachestat(Memory, {0, 0}, Ignored);
  if (Memory >= 0)
    ::close(Memory);
  return Reports;
}

PageCacheCapabilities PageCache::probe() {
  PageCacheCapabilities Found;
  // Our own program is resident, and these calls change nothing of it. Without
  // /proc, a memory file replaces it. It is not the first choice, since
  // `ulimit -f` limits it as well, and ends the program by a signal.
  int Scratch = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (Scratch < 0) {
    Scratch = createMemoryFile();
    if (Scratch >= 0 &&
        ::ftruncate(Scratch, static_cast<off_t>(pageSize())) != 0) {
      ::close(Scratch);
      return Found;
    }
  }
  if (Scratch < 0)
    return Found;

  const auto Length = static_cast<off_t>(pageSize());
  Found.Hint = ::posix_fadvise(Scratch, 0, Length, POSIX_FADV_WILLNEED) == 0;
  Found.Evict = ::posix_fadvise(Scratch, 0, Length, POSIX_FADV_DONTNEED) == 0;
  CachestatResult Ignored;
  Found.Cachestat = cachestat(Scratch, {0, 0}, Ignored) ||
                    (errno == EPERM && reportsOwnMemory());
  {
    const ScratchMapping Mapping(Scratch, 0, pageSize());
    if (Mapping.isMapped()) {
      unsigned char Page;
      Found.PopulateRead = populate(Mapping.data(), pageSize()) == 0;
      Found.Mincore = ::mincore(Mapping.data(), pageSize(), &Page) == 0;
    }
  }
  ::close(Scratch);
  return Found;
}

HintResult PageCache::hint(const OpenFile &File,
                           std::span<const ByteRange> Ranges,
                           const MappedFile *) const {
  if (Capabilities.Doubles)
    (void)advise(File, Capabilities);
  return hintRanges(File, Ranges, Capabilities);
}

HintResult PageCache::fetch(const OpenFile &File, ByteRange Range,
                            const MappedFile * /*Mapping*/) const {
  return fetchClipped(File, Range, [&](ByteRange Clipped, HintResult &Result) {
    fetchIntoCache(File, Clipped, Capabilities, Result);
  });
}

namespace {
/// Mappings of one thread, which are unmapped many at a time: each time, the
/// kernel interrupts all processors that run threads of the process. They lie
/// one after another in a reserved range.
class MappingBatch {
public:
  MappingBatch() = default;
  MappingBatch(const MappingBatch &) = delete;
  MappingBatch &operator=(const MappingBatch &) = delete;
  ~MappingBatch() { clear(); }

  /// Maps a part of a file until the thread ends, `clear`, or after some more
  /// calls. Returns null if the system refuses it.
  char *map(int Descriptor, uint64_t Offset, uint64_t Length) {
    const uint64_t Pages = roundUp(Length);
    if (Count == MaxCount || Pages > Size - Used) {
      clear();
      const uint64_t Wanted = std::max(Pages, MinSize);
      void *const New = ::mmap(nullptr, Wanted, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                               /*fd=*/-1, /*offset=*/0);
      if (New == MAP_FAILED)
        return nullptr;
      Begin = static_cast<char *>(New);
      Size = Wanted;
    }
    void *const At =
        ::mmap(Begin + Used, Length, PROT_READ, MAP_PRIVATE | MAP_FIXED,
               Descriptor, static_cast<off_t>(Offset));
    if (At == MAP_FAILED) {
      // Others may now use these addresses, so the range is given up.
      Size = Used = Count = 0;
      return nullptr;
    }
    Used += Pages;
    ++Count;
    return static_cast<char *>(At);
  }

  void clear() {
    if (Size != 0)
      ::munmap(Begin, Size);
    Size = Used = Count = 0;
  }

private:
  static constexpr uint64_t MinSize = UINT64_C(32) << 20;
  /// A process may have 65,530 mappings (vm.max_map_count), 64 threads fetch.
  static constexpr uint64_t MaxCount = 64;

  char *Begin = nullptr;
  uint64_t Size = 0, Used = 0; ///< bytes
  uint64_t Count = 0;
};
} // namespace

static thread_local MappingBatch LargePageMappings;

// A fault in a mapping with MADV_HUGEPAGE reads all of its 2 MiB of the file
// (do_sync_mmap_readahead, Linux 5.18), in pages as large as the file system
// has. Populating a page does the same and cannot raise SIGBUS. If the page is
// cached, the kernel reads nothing, so this populates the middle page of each
// step: an inspection reads the ends of a file. The last page arrives last, so
// populating it waits. The advice cannot be undone without forbidding large
// pages, so it applies to a mapping of its own: in the linker's, each access to
// a reclaimed page would read 4 MiB.
HintResult PageCache::fetchInLargePages(const OpenFile &File,
                                        ByteRange Range) const {
  HintResult Result;
  const ByteRange Clipped = Range.clippedTo(File.size());
  if (!File.isOpen() || Clipped.empty() || !Capabilities.PopulateRead)
    return Result;
  const uint64_t From = roundDown(Clipped.Offset, LargeStepBytes);
  char *const Mapping =
      LargePageMappings.map(descriptor(File), From, Clipped.end() - From);
  if (!Mapping || ::madvise(Mapping, Clipped.end() - From, MADV_HUGEPAGE) != 0)
    return Result;
  ++Result.Calls;
  const auto Enter = [&](uint64_t At) {
    ++Result.Calls;
    const int Error = populate(Mapping + roundDown(At - From), pageSize());
    if (Error != 0)
      Result.Error = {Error, std::system_category()};
    return Error == 0;
  };
  Result.Outcome = HintOutcome::Failed;
  for (uint64_t At = From; At < Clipped.end(); At += LargeStepBytes) {
    const uint64_t First = std::max(At, Clipped.Offset);
    const uint64_t End = std::min(At + LargeStepBytes, Clipped.end());
    if (!Enter(First + (End - First) / 2))
      return Result;
  }
  if (Enter(Clipped.end() - 1)) {
    Result.Outcome = HintOutcome::Accepted;
    Result.AcceptedBytes = Clipped.Length;
  }
  return Result;
}

std::optional<Residency> PageCache::residency(const OpenFile &File,
                                              ByteRange Range) const {
  if (!File.isOpen() || (!Capabilities.Cachestat && !Capabilities.Mincore))
    return std::nullopt;
  const ByteRange Clipped = Range.clippedTo(File.size());
  // For cachestat, a length of 0 means the whole file.
  if (Clipped.empty())
    return Residency{};

  CachestatResult Stat;
  if (countPages(File, {Clipped.Offset, Clipped.Length}, Capabilities, Stat))
    return Residency{Stat.Cached, pagesOf(Clipped),
                     /*IsLowerBound=*/false, Stat.Dirty + Stat.Writeback};

  if (!Capabilities.Mincore)
    return std::nullopt;
  const uint64_t From = roundDown(Clipped.Offset);
  const uint64_t Length = guardOffset(File.size()) + pageSize() - From;
  const ScratchMapping Mapping(descriptor(File), From, Length);
  if (!Mapping.isMapped())
    return std::nullopt;
  const std::optional<uint64_t> Lie =
      countResident(Mapping.data() + Length - pageSize(), pageSize());
  if (!Lie || *Lie != 0)
    return std::nullopt;
  return residencyOf({Mapping.data() + (Clipped.Offset - From),
                      static_cast<size_t>(Clipped.Length)});
}

std::optional<bool>
PageCache::seemsCached(const OpenFile &File,
                       std::span<const ByteRange> Ranges) const {
  if (!File.isOpen())
    return std::nullopt;
  // Otherwise a read that misses would also request what follows.
  File.expectScatteredReads();
  return sample(Ranges, File.size(),
                [&](uint64_t At) { return isCached(File, At); });
}

std::error_code os::evictAll() {
  ::sync(); // dirty pages are not dropped
  // Pages, names and inodes.
  return {detail::writePseudoFile("/proc/sys/vm/drop_caches", "3"),
          std::system_category()};
}

std::error_code PageCache::evict(OpenFile &File) const {
  if (!Capabilities.Evict)
    return std::make_error_code(std::errc::function_not_supported);

  // fdatasync also waits for the disk's own cache; input files are clean.
  std::error_code SyncError;
  CachestatResult Stat;
  const bool IsClean = countPages(File, {0, 0}, Capabilities, Stat) &&
                       Stat.Dirty == 0 && Stat.Writeback == 0;
  if (!IsClean && ::fdatasync(descriptor(File)) != 0)
    SyncError = lastError();

  // Mapped pages would stay.
  LargePageMappings.clear();
  // Evict the clean pages even if the dirty ones could not be written.
  const int Error =
      ::posix_fadvise(descriptor(File), 0, 0, POSIX_FADV_DONTNEED);
  return Error != 0 ? std::error_code(Error, std::system_category())
                    : SyncError;
}

std::error_code PageCache::dontNeed(const MappedFile &Mapping) const {
  if (Mapping.size() != 0 && ::madvise(const_cast<char *>(Mapping.data()),
                                       Mapping.size(), MADV_DONTNEED) != 0)
    return lastError();
  return {};
}

HintResult PageCache::willNeed(std::span<const char> Memory) const {
  HintResult Result;
  if (!Capabilities.Hint)
    return Result;
  Result.Outcome = HintOutcome::Accepted;
  const auto Start = reinterpret_cast<uintptr_t>(Memory.data());
  const uint64_t Lead = Start % pageSize();
  char *const Begin = const_cast<char *>(Memory.data()) - Lead;
  const auto Query = [&](uint64_t At, uint64_t Length) {
    return ::madvise(Begin + At, Length, MADV_WILLNEED) == 0 ? 0 : errno;
  };
  queryInSteps({Lead, Memory.size()}, Capabilities, Query, Result);
  return Result;
}

std::error_code PageCache::adviseCold(std::span<const char> Memory) const {
  const std::span<char> Pages = wholePages(Memory);
  if (!Pages.empty() &&
      ::madvise(Pages.data(), Pages.size(), MADV_PAGEOUT) != 0)
    return lastError();
  return {};
}

std::optional<Residency>
PageCache::residency(std::span<const char> Memory) const {
  if (!Capabilities.Mincore)
    return std::nullopt;
  return residencyOf(Memory);
}
