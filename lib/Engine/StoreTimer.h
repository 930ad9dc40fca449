//===- StoreTimer.h - Times of a store --------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: how long the calling thread waited for a store, and
/// how much of that time it had no processor. On a machine with busy
/// processors, every store looks slow.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_STORETIMER_H
#define HEADSTART_LIB_ENGINE_STORETIMER_H

#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
#include <algorithm>
#include <chrono>
#include <optional>

namespace headstart {

struct StoreTime {
  Tuning::Seconds All{0};
  /// The most time that the thread was runnable but had no processor.
  Tuning::Seconds Unscheduled{0};
  /// Whether it took long and the system does not report such waits.
  bool IsUnsure = false;

  Tuning::Seconds scheduled() const { return All - Unscheduled; }
  /// Whether the time shows nothing about a latency.
  bool isMostlyUnscheduled() const { return Unscheduled > scheduled(); }
};

/// Times one thread from construction to `elapsed`. Querying its wait for a
/// processor at both ends would cost more than a fast store takes, so a thread
/// queries it at the end of a slow time and at the beginning of the next.
class StoreTimer {
public:
  StoreTimer() : Begin(begin()) {}

  StoreTime elapsed(const Tuning &Numbers) const {
    StoreTime Result{os::now() - Begin};
    WasSlow = Result.All >= Numbers.SlowAnswer;
    if (!WasSlow)
      return Result;
    const std::optional<Nanoseconds> Waited = newProcessorWait();
    Result.IsUnsure = !Waited;
    Result.Unscheduled =
        std::min<Tuning::Seconds>(Waited.value_or(Nanoseconds(0)), Result.All);
    return Result;
  }

private:
  using Nanoseconds = std::chrono::nanoseconds;

  static std::chrono::steady_clock::time_point begin() {
    if (WasSlow)
      (void)newProcessorWait();
    return os::now();
  }
  /// How long the thread has waited for a processor since the last call, or
  /// since the thread started.
  static std::optional<Nanoseconds> newProcessorWait() {
    const std::optional<Nanoseconds> Now = os::processorWait();
    if (!Now)
      return std::nullopt;
    const Nanoseconds Before(Known);
    Known = Now->count();
    return *Now - Before;
  }

  static inline thread_local bool WasSlow = false; ///< at the last time
  static inline thread_local Nanoseconds::rep Known = 0;

  const std::chrono::steady_clock::time_point Begin;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_STORETIMER_H
