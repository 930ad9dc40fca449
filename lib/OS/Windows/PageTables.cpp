//===- PageTables.cpp - The touched pages (Windows) -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageTables.h"

#include "WorkingSet.h"

namespace headstart::os {

using namespace detail;

PageTables::PageTables(const Capabilities &Allowed) : Allowed(Allowed) {}

PageTables::~PageTables() = default;

std::optional<std::vector<ByteRange>>
PageTables::present(std::span<const char> Memory) {
  // The working set is the only method; it stands for both of Linux's.
  if (!Allowed.Scan && !Allowed.Pagemap)
    return std::nullopt;
  std::vector<ByteRange> Pages;
  if (Memory.empty())
    return Pages;
  const auto Start = reinterpret_cast<uintptr_t>(Memory.data());
  const uintptr_t End = Start + Memory.size();
  const size_t PageSize = PageCache::pageSize();
  const auto Add = [&](uintptr_t Page, PagePlace Place) {
    if (Place != PagePlace::WorkingSet)
      return;
    const uint64_t From = std::max(Page, Start) - Start;
    const uint64_t To = std::min(Page + PageSize, End) - Start;
    addJoined(Pages, {From, To - From});
  };
  if (!forEachPage(Start - Start % PageSize, End, Add))
    return std::nullopt;
  return Pages;
}

} // namespace headstart::os
