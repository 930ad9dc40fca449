//===- EngineFigures.h - The engine's counters ------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the counters of its parts, which any thread updates,
/// and the meters of its threads' processor time.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_ENGINEFIGURES_H
#define HEADSTART_LIB_ENGINE_ENGINEFIGURES_H

#include "headstart/OS/Threads.h"
#include "headstart/Report/Decisions.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace headstart {

/// Nanoseconds by PrefetchWork.
using WorkTimes = std::array<std::atomic<int64_t>, NumPrefetchWorks>;

/// Measures the processor time of the calling thread as one kind of work,
/// during its lifetime; of nested ones the innermost counts. The outermost one
/// has the times to which all add; if it has none, no clock is read.
class WorkPart {
public:
  explicit WorkPart(PrefetchWork Work) : Outer(Times), Before(Now) {
    change(Work);
  }
  /// The outermost one of a thread.
  WorkPart(PrefetchWork Work, WorkTimes *TheTimes)
      : Outer(nullptr), Before(Work) {
    Begin = std::nullopt;
    Times = TheTimes;
    change(Work);
  }
  WorkPart(const WorkPart &) = delete;
  WorkPart &operator=(const WorkPart &) = delete;
  ~WorkPart() {
    change(Before);
    Times = Outer;
  }

private:
  /// Measures \p Next from now on.
  static void change(PrefetchWork Next) {
    if (!Times)
      return;
    const std::optional<std::chrono::nanoseconds> Time = os::processorTime();
    if (Time && Begin)
      Times->at(static_cast<size_t>(Now)) += (*Time - *Begin).count();
    Begin = Time;
    Now = Next;
  }

  static inline thread_local WorkTimes *Times = nullptr;
  static inline thread_local PrefetchWork Now = PrefetchWork::Scheduling;
  static inline thread_local std::optional<std::chrono::nanoseconds> Begin;

  WorkTimes *const Outer;
  const PrefetchWork Before;
};

struct EngineFigures {
  // Bytes:
  std::atomic<uint64_t> Inputs{0}, Resident{0}, Unknown{0}, Hinted{0};
  std::atomic<uint64_t> SeemsResident{0}; ///< of Unknown, judged by a sample
  std::atomic<uint64_t> HintCalls{0}, HandedOver{0};
  std::atomic<uint64_t> Counted{0}; ///< files of Inputs
  /// Grows with each task that a thread requests, each step and copy that ends,
  /// and each read of an inspection, also of cached bytes. If it does not grow,
  /// the threads may hang.
  std::atomic<uint64_t> Progress{0};
  /// TraceClock's ticks at the first and at the last hint.
  std::atomic<int64_t> FirstHint{INT64_MAX}, LastHint{INT64_MIN};
  std::atomic<uint64_t> ReadBytes{0}, Stops{0}; ///< of threads that have ended
  std::atomic<bool> ReportsDiskUse{true};
  /// How long the linker waited for inputs that a thread was opening.
  std::atomic<TraceClock::duration::rep> Waited{0};
  std::atomic<bool> IsUnfinished{false};  ///< cancelled before all was done
  std::atomic<bool> IsOutOfMemory{false}; ///< an allocation has failed
  std::atomic<unsigned> Started{0};       ///< threads
  std::atomic<unsigned> Ended{0};
  std::atomic<unsigned> StartedFirst{0}; ///< before startMore; 0: not called
  std::atomic<double> Latency{0};        ///< seconds: the reason for startMore
  ProblemCounter Problems;
  DecisionCounts Decisions;
  WorkTimes Processor{};

  void addProblem(llvm::StringRef What, llvm::StringRef Path,
                  llvm::StringRef Reason) {
    Problems.add(What, What + " '" + Path + "': " + Reason);
  }
  void noteProgress() { Progress.fetch_add(1); }
  void noteHintAt(TraceClock::time_point Time) {
    const int64_t Ticks = Time.time_since_epoch().count();
    int64_t None = INT64_MAX;
    FirstHint.compare_exchange_strong(None, Ticks);
    LastHint.store(Ticks);
  }
  void addFetched(uint64_t Bytes, uint64_t Calls) {
    Hinted += Bytes;
    HintCalls += Calls;
    noteProgress();
  }
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_ENGINEFIGURES_H
