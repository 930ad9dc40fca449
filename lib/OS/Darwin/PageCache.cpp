//===- PageCache.cpp - Ask about and change the page cache (macOS) --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageCache.h"

#include "../Posix/PageRanges.h"
#include "../Shared.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::detail;

/// The longest hint in one call. `ra_count` is an int, and no smaller limit is
/// known (XNU's advisory_read continues to the end of the range). The step is
/// shorter, since HFS+ keeps the file from changing its size during the call.
/// Not measured.
static constexpr uint64_t HintStep = UINT64_C(1024) * 1024;

size_t PageCache::pageSize() {
  return static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

PageCache PageCache::withoutMappings() const { return *this; }

PageCacheCapabilities PageCache::probe() {
  PageCacheCapabilities Found;
  Found.HintStepBytes = HintStep;
  // Each hint reports whether its file system takes advice. All of these calls
  // are older than any macOS that Headstart can be built for.
  Found.Hint = true;
  Found.Mincore = true;
  Found.Evict = true;
  return Found;
}

// F_RDADVISE starts the reads and returns; MADV_WILLNEED waits for them.
HintResult PageCache::hint(const OpenFile &File,
                           std::span<const ByteRange> Ranges,
                           const MappedFile *) const {
  const auto Query = [&File](uint64_t At, uint64_t Length) {
    radvisory Advice = {};
    Advice.ra_offset = static_cast<off_t>(At);
    Advice.ra_count = static_cast<int>(Length);
    // EFBIG: the file now ends before the range. ENOTTY and ENOTSUP: the file
    // system takes no advice.
    if (retry([&] { return ::fcntl(descriptor(File), F_RDADVISE, &Advice); }) >=
            0 ||
        errno == EFBIG)
      return 0;
    return errno == ENOTTY || errno == ENOTSUP ? ENOSYS : errno;
  };
  return hintInSteps(File, Ranges, Capabilities, Query);
}

HintResult PageCache::fetch(const OpenFile &File, ByteRange Range,
                            const MappedFile * /*Mapping*/) const {
  return fetchClipped(File, Range, [&](ByteRange Clipped, HintResult &Result) {
    if (Capabilities.Hint) {
      File.expectScatteredReads();
      Result.Calls += 1 + hint(File, {&Clipped, 1}).Calls;
    }
    fetchByReading(File, Clipped, Result);
  });
}

// mincore looks up each page in the file's memory object and in the object that
// it was copied from. It thus reports the page cache, not this process, and to
// every user who may map the file (XNU, vm_map_page_range_info_internal).
std::optional<Residency> PageCache::residency(const OpenFile &File,
                                              ByteRange Range) const {
  if (!File.isOpen() || !Capabilities.Mincore)
    return std::nullopt;
  const ByteRange Clipped = Range.clippedTo(File.size());
  if (Clipped.empty())
    return Residency{};
  const uint64_t From = roundDown(Clipped.Offset);
  const uint64_t Length = Clipped.end() - From;
  const ScratchMapping Mapping(descriptor(File), From, Length);
  if (!Mapping.isMapped())
    return std::nullopt;
  return residencyOf({Mapping.data() + (Clipped.Offset - From),
                      static_cast<size_t>(Clipped.Length)});
}

std::optional<bool> PageCache::seemsCached(const OpenFile &,
                                           std::span<const ByteRange>) const {
  return std::nullopt;
}

// F_NOCACHE does not work: it keeps later reads of the descriptor from being
// cached, and uses what is cached already. MS_INVALIDATE drops the pages of the
// mapped object. For a private mapping this is a copy without pages
// (vm_map_msync skips internal objects), so the mapping is shared, of a
// read-only descriptor.
std::error_code PageCache::evict(OpenFile &File) const {
  if (!Capabilities.Evict)
    return std::make_error_code(std::errc::function_not_supported);
  if (!File.isOpen())
    return std::make_error_code(std::errc::bad_file_descriptor);
  std::error_code Error;
  // msync writes dirty pages before it drops them. fsync also writes what msync
  // cannot see, and reports what cannot be written. A read-only descriptor
  // suffices.
  if (::fsync(descriptor(File)) != 0)
    Error = lastError();
  // Saves address space for large files. A multiple of every page size.
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

/// MADV_DONTNEED only moves pages to the queue of those that are reclaimed
/// first (VM_SYNC_DEACTIVATE in XNU's vm_map_msync). It loses no data, whatever
/// the memory is; MADV_FREE would.
static std::error_code deactivate(std::span<char> Pages) {
  if (!Pages.empty() &&
      ::madvise(Pages.data(), Pages.size(), MADV_DONTNEED) != 0)
    return lastError();
  return {};
}

std::error_code PageCache::dontNeed(const MappedFile &Mapping) const {
  return deactivate({const_cast<char *>(Mapping.data()), Mapping.size()});
}

// Without a descriptor there is only MADV_WILLNEED, which waits for the disk.
// No hint is better than one that blocks the linker.
HintResult PageCache::willNeed(std::span<const char>) const { return {}; }

std::error_code PageCache::adviseCold(std::span<const char> Memory) const {
  return deactivate(wholePages(Memory));
}

std::optional<Residency>
PageCache::residency(std::span<const char> Memory) const {
  if (!Capabilities.Mincore)
    return std::nullopt;
  return residencyOf(Memory);
}
