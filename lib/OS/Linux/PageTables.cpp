//===- PageTables.cpp - The touched pages (Linux) -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageTables.h"
#include "../Posix/Support.h"
#include "../Shared.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace headstart::os {

namespace {

// The types of <linux/fs.h> of 6.7, under our own names, since older headers
// lack them: https://docs.kernel.org/admin-guide/mm/pagemap.html
struct ScanRegion {
  uint64_t Start;
  uint64_t End;
  uint64_t Categories;
};
struct ScanArguments {
  uint64_t Size;
  uint64_t Flags;
  uint64_t Start;
  uint64_t End;
  uint64_t WalkEnd;
  uint64_t Regions;
  uint64_t RegionCount;
  uint64_t MaxPages;
  uint64_t CategoryInverted;
  uint64_t CategoryMask;
  uint64_t CategoryAnyOfMask;
  uint64_t ReturnMask;
};
constexpr unsigned long ScanRequest = _IOWR('f', 16, ScanArguments);
constexpr uint64_t IsPresent = uint64_t(1) << 3;

/// The bit of a present page in a word of /proc/self/pagemap.
constexpr uint64_t PresentBit = uint64_t(1) << 63;

} // namespace

PageTables::PageTables(const Capabilities &Allowed)
    : Allowed(Allowed),
      Descriptor(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

PageTables::~PageTables() {
  if (Descriptor >= 0)
    ::close(Descriptor);
}

bool PageTables::scan(uint64_t Begin, uint64_t End,
                      std::vector<ByteRange> &Pages) {
  std::array<ScanRegion, 512> Regions;
  while (Begin < End) {
    ScanArguments Arguments = {};
    Arguments.Size = sizeof(Arguments);
    Arguments.Start = Begin;
    Arguments.End = End;
    Arguments.Regions = reinterpret_cast<uintptr_t>(Regions.data());
    Arguments.RegionCount = Regions.size();
    Arguments.CategoryMask = IsPresent;
    Arguments.ReturnMask = IsPresent;
    const int Count = ::ioctl(Descriptor, ScanRequest, &Arguments);
    if (Count < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    for (const auto &Found :
         std::span(Regions).first(static_cast<size_t>(Count)))
      addJoined(Pages, {Found.Start, Found.End - Found.Start});
    // Without progress the loop would never end.
    if (Arguments.WalkEnd <= Begin)
      return false;
    Begin = Arguments.WalkEnd;
  }
  return true;
}

bool PageTables::readPagemap(uint64_t Begin, uint64_t End,
                             std::vector<ByteRange> &Pages) {
  const uint64_t PageSize = PageCache::pageSize();
  std::array<uint64_t, 4096> Words;
  while (Begin < End) {
    const uint64_t Count =
        std::min<uint64_t>((End - Begin) / PageSize, Words.size());
    const ssize_t Got = detail::retry([&] {
      return ::pread(Descriptor, Words.data(), Count * sizeof(uint64_t),
                     static_cast<off_t>(Begin / PageSize * sizeof(uint64_t)));
    });
    if (Got < static_cast<ssize_t>(sizeof(uint64_t)))
      return false;
    const uint64_t Read = static_cast<uint64_t>(Got) / sizeof(uint64_t);
    for (uint64_t I = 0; I < Read; ++I)
      if (Words[I] & PresentBit)
        addJoined(Pages, {Begin + I * PageSize, PageSize});
    Begin += Read * PageSize;
  }
  return true;
}

std::optional<std::vector<ByteRange>>
PageTables::present(std::span<const char> Memory) {
  if (Descriptor < 0 || (!Allowed.Scan && !Allowed.Pagemap))
    return std::nullopt;
  std::vector<ByteRange> Pages;
  if (Memory.empty())
    return Pages;
  const auto Start = reinterpret_cast<uintptr_t>(Memory.data());
  const uint64_t Begin = detail::roundDown(Start);
  const uint64_t End = detail::roundUp(Start + Memory.size());
  if (!Allowed.Scan || !scan(Begin, End, Pages)) {
    Allowed.Scan = false; // ENOTTY is permanent
    Pages.clear();
    if (!Allowed.Pagemap || !readPagemap(Begin, End, Pages))
      return std::nullopt;
  }
  for (ByteRange &Range : Pages) {
    const uint64_t From = std::max<uint64_t>(Range.Offset, Start);
    const uint64_t To = std::min<uint64_t>(Range.end(), Start + Memory.size());
    Range = {From - Start, To - From};
  }
  return Pages;
}

} // namespace headstart::os
