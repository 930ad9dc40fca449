//===- WarmStreak.h - Inputs that are all in memory -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine. To look at a file that is in memory, and to hand it
/// over, costs as much as the linker's own opening of it. So after some objects
/// that are in memory, one after the other, most are left to the linker: one of
/// eight is looked at, later one of 64, and when that is missing all are again.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_WARMSTREAK_H
#define HEADSTART_LIB_ENGINE_WARMSTREAK_H

#include "headstart/Plan/Tuning.h"
#include <algorithm>
#include <atomic>

namespace headstart {

/// Every function may be called from any thread.
class WarmStreak {
public:
  /// \p Numbers must outlive it.
  explicit WarmStreak(const Tuning &Numbers) : Numbers(Numbers) {}

  /// How many objects behind the next one are left to the linker.
  unsigned skipped() const {
    const unsigned Lengths =
        Streak.load(std::memory_order_relaxed) / Numbers.StreakObjects;
    return Lengths == 0 ? 0
                        : std::min(Lengths * Numbers.StreakStride,
                                   Numbers.MaxStreakStride) -
                              1;
  }
  bool isWarm() const { return skipped() != 0; }
  /// An object was looked at.
  void note(bool IsResident) {
    if (IsResident)
      Streak.fetch_add(1, std::memory_order_relaxed);
    else
      Streak.store(0, std::memory_order_relaxed);
  }

private:
  const Tuning &Numbers;
  std::atomic<unsigned> Streak{0};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_WARMSTREAK_H
