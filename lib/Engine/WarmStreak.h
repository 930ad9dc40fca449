//===- WarmStreak.h - Small inputs that are all in memory -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine. To look at a small file, and to hand a copy of it
/// over, costs as much as the linker's own reading of it. So after some objects
/// that are small and in memory, one after the other, most are left to the
/// linker; one of eight is looked at, and when that is large or missing all are
/// again. docs/Benchmarks.md has what that saves of a warm link.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_WARMSTREAK_H
#define HEADSTART_LIB_ENGINE_WARMSTREAK_H

#include <atomic>

namespace headstart {

/// Every function may be called from any thread.
class WarmStreak {
public:
  /// Of how many objects one is looked at, when all were small and in memory.
  static constexpr unsigned Stride = 8;

  /// How many objects behind the next one are left to the linker.
  unsigned skipped() const { return isWarm() ? Stride - 1 : 0; }
  bool isWarm() const {
    return Streak.load(std::memory_order_relaxed) >= Length;
  }
  /// An object was looked at.
  void note(bool IsSmallAndResident) {
    if (IsSmallAndResident)
      Streak.fetch_add(1, std::memory_order_relaxed);
    else
      Streak.store(0, std::memory_order_relaxed);
  }

private:
  static constexpr unsigned Length = 64;

  std::atomic<unsigned> Streak{0};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_WARMSTREAK_H
