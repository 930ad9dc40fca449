//===- PageRanges.h - Ranges of pages, hinted and counted -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_POSIX_PAGERANGES_H
#define HEADSTART_LIB_OS_POSIX_PAGERANGES_H

#include "../Shared.h"
#include "Support.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

namespace headstart::os::detail {

/// A mapping that lasts for one function.
class ScratchMapping {
public:
  ScratchMapping(int Descriptor, uint64_t Offset, uint64_t Length,
                 int Sharing = MAP_PRIVATE)
      : Length(static_cast<size_t>(Length)),
        Address(this->Length == Length
                    ? ::mmap(nullptr, this->Length, PROT_READ, Sharing,
                             Descriptor, static_cast<off_t>(Offset))
                    : MAP_FAILED) {}
  ScratchMapping(const ScratchMapping &) = delete;
  ScratchMapping &operator=(const ScratchMapping &) = delete;
  ~ScratchMapping() {
    if (isMapped())
      ::munmap(Address, Length);
  }

  bool isMapped() const { return Address != MAP_FAILED; }
  char *data() const { return static_cast<char *>(Address); }

private:
  size_t Length;
  void *Address;
};

/// Returns how many pages of [\p Begin, +\p Length) are resident, or nothing if
/// mincore fails. \p Begin is page-aligned.
inline std::optional<uint64_t> countResident(char *Begin, uint64_t Length) {
  const size_t PageSize = PageCache::pageSize();
  std::array<MincoreByte, 4096> Pages;
  uint64_t Resident = 0;
  for (uint64_t Done = 0; Done < Length;) {
    const uint64_t Step =
        std::min<uint64_t>(Length - Done, Pages.size() * PageSize);
    // EAGAIN (Linux): no page for the kernel's copy of the result. This is rare
    // enough to count as "unknown".
    if (::mincore(Begin + Done, Step, Pages.data()) != 0)
      return std::nullopt;
    const auto Count = static_cast<ptrdiff_t>((Step + PageSize - 1) / PageSize);
    Resident += static_cast<uint64_t>(
        std::count_if(Pages.begin(), Pages.begin() + Count,
                      [](MincoreByte Page) { return (Page & 1) != 0; }));
    Done += Step;
  }
  return Resident;
}

/// Requests \p Bytes in steps of `HintStepBytes` and adds them to \p Result.
/// \p Query takes a step's first byte, which is page-aligned, and length, and
/// returns 0 or an error number, which is ENOSYS if the system has no such
/// call.
template <typename Function>
void queryInSteps(ByteRange Bytes, const PageCacheCapabilities &Capabilities,
                  Function Query, HintResult &Result) {
  const uint64_t Step = hintStepOf(Capabilities);
  for (uint64_t At = roundDown(Bytes.Offset);
       !Bytes.empty() && At < Bytes.end();) {
    const uint64_t Length = std::min(Step, Bytes.end() - At);
    const int Error = Query(At, Length);
    ++Result.Calls;
    if (Error != 0) {
      Result.fail({Error, std::system_category()});
      if (Error == ENOSYS)
        Result.Outcome = HintOutcome::Unsupported;
      break;
    }
    Result.AcceptedBytes += At + Length - std::max(At, Bytes.Offset);
    At += Length;
  }
}

/// Hints \p Ranges of \p File; \p Query is that of `queryInSteps`.
template <typename Function>
HintResult hintInSteps(const OpenFile &File, std::span<const ByteRange> Ranges,
                       const PageCacheCapabilities &Capabilities,
                       Function Query) {
  HintResult Result = beginHint(File, Capabilities);
  if (Result.Outcome != HintOutcome::Accepted)
    return Result;
  for (const ByteRange &Range : Ranges)
    queryInSteps(Range.clippedTo(File.size()), Capabilities, Query, Result);
  return Result;
}

/// Returns the residency of \p Memory as mincore(2) reports it, unchecked.
inline std::optional<Residency> residencyOf(std::span<const char> Memory) {
  if (Memory.empty())
    return Residency{};
  const uint64_t Lead =
      reinterpret_cast<uintptr_t>(Memory.data()) % PageCache::pageSize();
  const std::optional<uint64_t> Resident = countResident(
      const_cast<char *>(Memory.data()) - Lead, Lead + Memory.size());
  if (!Resident)
    return std::nullopt;
  return Residency{*Resident, pagesOf({Lead, Memory.size()})};
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_POSIX_PAGERANGES_H
