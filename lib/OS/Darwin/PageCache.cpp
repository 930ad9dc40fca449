//===- PageCache.cpp - Ask about and change the page cache (macOS) --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageCache.h"

#include "../FetchByReading.h"
#include "../Posix/PageRanges.h"

#include <algorithm>
#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::detail;

/// The longest hint in one call: `ra_count` is an int, and nothing is known to
/// be cut below that (XNU's advisory_read goes on to the end of the range).
/// Shorter, since HFS+ keeps the file from changing its size meanwhile. Not
/// measured.
static constexpr uint64_t HintStep = UINT64_C(1024) * 1024;

static int descriptor(const OpenFile &File) {
  return static_cast<int>(File.nativeHandle());
}

/// F_RDADVISE starts the reads and returns; MADV_WILLNEED waits for them.
static HintResult hintOne(const OpenFile &File, ByteRange Range,
                          const PageCacheCapabilities &Capabilities) {
  const auto Query = [&File](uint64_t At, uint64_t Length) {
    radvisory Advice = {};
    Advice.ra_offset = static_cast<off_t>(At);
    Advice.ra_count = static_cast<int>(Length);
    int Result;
    do
      Result = ::fcntl(descriptor(File), F_RDADVISE, &Advice);
    while (Result < 0 && errno == EINTR);
    if (Result >= 0)
      return 0;
    // EFBIG: the file ends before the range now. ENOTTY and ENOTSUP: its file
    // system takes no advice.
    if (errno == EFBIG)
      return 0;
    return errno == ENOTTY || errno == ENOTSUP ? ENOSYS : errno;
  };
  PageCacheCapabilities Bounded = Capabilities;
  Bounded.HintStepBytes =
      std::min<uint64_t>(Capabilities.HintStepBytes,
                         uint64_t(std::numeric_limits<int>::max()) / 2);
  return hintInSteps(File, Range, Bounded, Query);
}

PageCache::PageCache() : Capabilities(probe()) {}

PageCache::PageCache(const PageCacheCapabilities &Capabilities)
    : Capabilities(Capabilities) {
  // Not an ability but a fact, without which no call here is aligned.
  this->Capabilities.PageSize = systemPageSize();
}

PageCacheCapabilities PageCache::probe() {
  PageCacheCapabilities Found;
  Found.PageSize = systemPageSize();
  Found.HintStepBytes = HintStep;
  Found.PopulateRead = false;
  Found.Cachestat = false;
  // Whether a file system takes the advice is seen for each file. All of these
  // are older than any macOS that this can be built for.
  Found.Hint = true;
  Found.Mincore = true;
  Found.Evict = true;
  return Found;
}

std::vector<HintResult>
PageCache::hint(const OpenFile &File, std::span<const ByteRange> Ranges) const {
  std::vector<HintResult> Results;
  Results.reserve(Ranges.size());
  for (const ByteRange &Range : Ranges)
    Results.push_back(hintOne(File, Range, Capabilities));
  return Results;
}

HintResult PageCache::fetch(const OpenFile &File, ByteRange Range,
                            const MappedFile * /*Mapping*/) const {
  return fetchClipped(File, Range, [&](ByteRange Clipped, HintResult &Result) {
    if (Capabilities.Hint) {
      File.expectScatteredReads();
      Result.Calls += 1 + hintOne(File, Clipped, Capabilities).Calls;
    }
    fetchByReading(File, Clipped, Result);
  });
}

// mincore looks each page up in the file's memory object and what that was
// copied from, and so tells of the page cache, not of this process, and to
// everybody who may map the file (XNU, vm_map_page_range_info_internal).
std::optional<Residency> PageCache::residency(const OpenFile &File,
                                              ByteRange Range) const {
  if (!File.isOpen() || !Capabilities.Mincore)
    return std::nullopt;
  const ByteRange Clipped = Range.clippedTo(File.size());
  if (Clipped.empty())
    return Residency{};
  const uint64_t From = roundDown(Clipped.Offset, Capabilities.PageSize);
  const uint64_t Length = Clipped.end() - From;
  const ScratchMapping Mapping(descriptor(File), From, Length);
  if (!Mapping.isMapped())
    return std::nullopt;
  return residencyOf({Mapping.data() + (Clipped.Offset - From),
                      static_cast<size_t>(Clipped.Length)},
                     Capabilities.PageSize);
}

std::optional<bool> PageCache::seemsCached(const OpenFile &,
                                           std::span<const ByteRange>) const {
  return std::nullopt;
}

// F_NOCACHE would not do: it keeps later reads of the descriptor from being
// cached, and uses what is cached already. MS_INVALIDATE drops the pages of the
// object that is mapped, which for a private mapping is a copy without any
// (vm_map_msync leaves internal objects out): so a shared one, of a descriptor
// that may only read.
std::error_code PageCache::evict(OpenFile &File) const {
  if (!Capabilities.Evict)
    return std::make_error_code(std::errc::function_not_supported);
  if (!File.isOpen())
    return std::make_error_code(std::errc::bad_file_descriptor);
  std::error_code Error;
  // msync writes what is dirty before it drops it; this is for what it cannot
  // see, and says what could not be written. A descriptor to read with will do.
  if (::fsync(descriptor(File)) != 0)
    Error = lastError();
  // Address space for files of any size; a multiple of every page size.
  constexpr uint64_t StepBytes = UINT64_C(1) << 30;
  for (uint64_t At = 0; At < File.size(); At += StepBytes) {
    const uint64_t Length = std::min(StepBytes, File.size() - At);
    const ScratchMapping Mapping(descriptor(File), At, Length, MAP_SHARED);
    if (!Mapping.isMapped() ||
        ::msync(Mapping.data(), Length, MS_INVALIDATE) != 0)
      return Error ? Error : lastError();
  }
  return Error;
}

/// MADV_DONTNEED only moves pages to the queue of those that go first
/// (VM_SYNC_DEACTIVATE in XNU's vm_map_msync): it loses no data, whatever the
/// memory is. MADV_FREE would.
static std::error_code deactivate(std::span<char> Pages) {
  if (!Pages.empty() &&
      ::madvise(Pages.data(), Pages.size(), MADV_DONTNEED) != 0)
    return lastError();
  return {};
}

std::error_code PageCache::dontNeed(const MappedFile &Mapping,
                                    ByteRange Range) const {
  const ByteRange Pages =
      wholePages(Mapping.size(), Range, Capabilities.PageSize);
  return deactivate({const_cast<char *>(Mapping.data()) + Pages.Offset,
                     static_cast<size_t>(Pages.Length)});
}

// Without a descriptor there is MADV_WILLNEED alone, which waits for the disk:
// nothing is better than a hint that blocks the linker.
HintResult PageCache::willNeed(std::span<const char> Memory) const {
  HintResult Result;
  Result.Range = {0, Memory.size()};
  return Result;
}

std::error_code PageCache::setReadAround(const MappedFile &, bool) const {
  return std::make_error_code(std::errc::function_not_supported);
}

std::error_code PageCache::adviseCold(std::span<const char> Memory) const {
  return deactivate(wholePages(Memory, Capabilities.PageSize));
}

std::optional<Residency>
PageCache::residency(std::span<const char> Memory) const {
  if (!Capabilities.Mincore)
    return std::nullopt;
  return residencyOf(Memory, Capabilities.PageSize);
}
