//===- WorkMeter.h - Processor time, by what it was for ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the processor time of its threads, and of the
/// linker's threads while they are in the engine. A thread has one meter, which
/// a `WorkPart` switches during its lifetime; of nested ones the innermost
/// counts. Without a meter no clock is read.
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

/// Nanoseconds by PrefetchWork; any thread adds to them.
using WorkTimes = std::array<std::atomic<int64_t>, NumPrefetchWorks>;

/// Measures the calling thread during its lifetime.
class WorkMeter {
public:
  /// Measures nothing if \p Times is null.
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

  /// Starts measuring \p Next; returns the work that was measured until now.
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

/// Measures the calling thread's time as one kind of work, during its lifetime.
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
