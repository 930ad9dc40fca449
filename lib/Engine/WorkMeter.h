//===- WorkMeter.h - Processor time, by what it was for ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: how much processor time its threads take, and the
/// linker's own while they are in the engine. A thread has one meter, which a
/// `WorkPart` switches for as long as it lives: what is inside of it counts for
/// the inner one. Without a meter no clock is read.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_WORKMETER_H
#define HEADSTART_LIB_ENGINE_WORKMETER_H

#include "headstart/OS/Threads.h"
#include "headstart/Report/LinkStats.h"
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace headstart {

/// Nanoseconds, by PrefetchWork; any thread adds.
using WorkTimes = std::array<std::atomic<int64_t>, NumPrefetchWorks>;

/// Of the calling thread, from here to its end.
class WorkMeter {
public:
  /// Null \p Times: measures nothing.
  WorkMeter(WorkTimes *Times, PrefetchWork Now) : Times(Times), Now(Now) {
    if (!Times)
      return;
    Begin = os::processorTime();
    Current = this;
  }
  WorkMeter(const WorkMeter &) = delete;
  WorkMeter &operator=(const WorkMeter &) = delete;
  ~WorkMeter() {
    if (!Times)
      return;
    (void)enter(Now);
    Current = nullptr;
  }

private:
  friend class WorkPart;

  /// What is done from now on; returns what was done until now.
  PrefetchWork enter(PrefetchWork Next) {
    std::optional<std::chrono::nanoseconds> Time = os::processorTime();
    if (Time && Begin)
      Times->at(static_cast<size_t>(Now)) += (*Time - *Begin).count();
    Begin = Time;
    return std::exchange(Now, Next);
  }

  static inline thread_local WorkMeter *Current = nullptr;

  WorkTimes *Times;
  PrefetchWork Now;
  std::optional<std::chrono::nanoseconds> Begin;
};

/// A part of what the calling thread does.
class WorkPart {
public:
  explicit WorkPart(PrefetchWork Work) : Meter(WorkMeter::Current) {
    if (Meter)
      Before = Meter->enter(Work);
  }
  WorkPart(const WorkPart &) = delete;
  WorkPart &operator=(const WorkPart &) = delete;
  ~WorkPart() {
    if (Meter)
      (void)Meter->enter(Before);
  }

private:
  WorkMeter *Meter;
  PrefetchWork Before = PrefetchWork::Scheduling;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_WORKMETER_H
