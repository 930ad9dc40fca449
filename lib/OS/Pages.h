//===- Pages.h - Rounding to pages ---------------------------- -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_PAGES_H
#define HEADSTART_LIB_OS_PAGES_H

#include "headstart/OS/PageCache.h"

#include <algorithm>

namespace headstart::os::detail {

/// \p PageSize is a power of two in both functions.
inline uint64_t roundDown(uint64_t Value, size_t PageSize) {
  return Value & ~static_cast<uint64_t>(PageSize - 1);
}
inline uint64_t roundUp(uint64_t Value, size_t PageSize) {
  return roundDown(Value + PageSize - 1, PageSize);
}

/// Returns the bytes of one hint: whole pages, at least one.
inline uint64_t hintStepOf(const PageCacheCapabilities &Capabilities) {
  return std::max<uint64_t>(
      roundDown(Capabilities.HintStepBytes, Capabilities.PageSize),
      Capabilities.PageSize);
}

/// The number of pages that hold at least one byte of \p Range.
inline uint64_t pagesOf(ByteRange Range, size_t PageSize) {
  if (Range.empty())
    return 0;
  return (Range.end() - 1) / PageSize - Range.Offset / PageSize + 1;
}

/// Returns the whole pages inside \p Memory, or an empty span; for advice that
/// must not affect neighbouring data, which may be in use.
inline std::span<char> wholePages(std::span<const char> Memory,
                                  size_t PageSize) {
  const auto Start = reinterpret_cast<uintptr_t>(Memory.data());
  const uintptr_t Begin = roundUp(Start, PageSize);
  const uintptr_t End = roundDown(Start + Memory.size(), PageSize);
  if (Begin >= End)
    return {};
  return {const_cast<char *>(Memory.data()) + (Begin - Start), End - Begin};
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_PAGES_H
