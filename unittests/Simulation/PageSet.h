//===- PageSet.h - Which pages of a file are cached -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_PAGESET_H
#define HEADSTART_UNITTESTS_SIMULATION_PAGESET_H

#include "headstart/OS/ByteRange.h"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headstart::simulation {

/// The simulated page size: 4, 16 or 64 KiB. Set before the system has files.
inline uint64_t PageBytes = 4096;

/// A bit for each page of a file. Operations handle 64 pages at a time, because
/// a large link has a million pages.
class PageSet {
public:
  explicit PageSet(uint64_t FileSize = 0)
      : Pages((FileSize + PageBytes - 1) / PageBytes),
        Words((Pages + 63) / 64) {}

  uint64_t size() const { return Pages; }
  uint64_t count() const { return Cached; }
  bool all() const { return Cached == Pages; }
  bool has(uint64_t Page) const { return Words[Page / 64] >> (Page % 64) & 1; }

  /// Returns the number of pages of \p Range in the set.
  uint64_t count(ByteRange Range) const {
    uint64_t Found = 0;
    forEachWord(Range, [&](size_t Word, uint64_t Mask) {
      Found += static_cast<uint64_t>(std::popcount(Words[Word] & Mask));
    });
    return Found;
  }
  static uint64_t pagesOf(ByteRange Range) {
    return Range.empty()
               ? 0
               : (Range.end() - 1) / PageBytes - Range.Offset / PageBytes + 1;
  }

  /// Adds the pages of \p Range, and returns how many of them are new.
  uint64_t add(ByteRange Range) {
    uint64_t New = 0;
    forEachWord(Range, [&](size_t Word, uint64_t Mask) {
      New += static_cast<uint64_t>(std::popcount(Mask & ~Words[Word]));
      Words[Word] |= Mask;
    });
    Cached += New;
    return New;
  }
  /// Adds the pages of \p Mask, whose first bit is the page 64 * \p Word.
  void addWord(size_t Word, uint64_t Mask) {
    const uint64_t Left = Pages - Word * 64;
    Mask &= Left >= 64 ? ~uint64_t(0) : (uint64_t(1) << Left) - 1;
    Cached += static_cast<uint64_t>(std::popcount(Mask & ~Words[Word]));
    Words[Word] |= Mask;
  }
  /// Returns the first page in [\p From, \p To) that is not in the set, or To.
  uint64_t nextMissing(uint64_t From, uint64_t To) const {
    while (From < To) {
      const uint64_t Rest = ~Words[From / 64] >> (From % 64);
      if (Rest != 0)
        return std::min(To,
                        From + static_cast<uint64_t>(std::countr_zero(Rest)));
      From = (From / 64 + 1) * 64;
    }
    return To;
  }
  /// Returns the first page in [\p From, \p To) that is in the set, or To.
  uint64_t nextCached(uint64_t From, uint64_t To) const {
    while (From < To) {
      const uint64_t Rest = Words[From / 64] >> (From % 64);
      if (Rest != 0)
        return std::min(To,
                        From + static_cast<uint64_t>(std::countr_zero(Rest)));
      From = (From / 64 + 1) * 64;
    }
    return To;
  }
  /// Removes the 64 pages from 64 * \p Word on; returns how many were in the
  /// set.
  uint64_t removeWord(size_t Word) {
    const auto Removed = static_cast<uint64_t>(std::popcount(Words[Word]));
    Words[Word] = 0;
    Cached -= Removed;
    return Removed;
  }
  size_t words() const { return Words.size(); }
  void remove(uint64_t Page) {
    Cached -= has(Page);
    Words[Page / 64] &= ~(uint64_t(1) << (Page % 64));
  }
  void clear() {
    std::fill(Words.begin(), Words.end(), 0);
    Cached = 0;
  }

private:
  /// \p Range must lie within the file.
  template <class Function>
  static void forEachWord(ByteRange Range, Function Visit) {
    if (Range.empty())
      return;
    const uint64_t First = Range.Offset / PageBytes;
    const uint64_t Last = (Range.end() - 1) / PageBytes;
    for (uint64_t Word = First / 64; Word <= Last / 64; ++Word) {
      uint64_t Mask = ~uint64_t(0);
      if (Word == First / 64)
        Mask &= ~uint64_t(0) << (First % 64);
      if (Word == Last / 64)
        Mask &= ~uint64_t(0) >> (63 - Last % 64);
      Visit(Word, Mask);
    }
  }

  uint64_t Pages;
  uint64_t Cached = 0;
  std::vector<uint64_t> Words;
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_PAGESET_H
