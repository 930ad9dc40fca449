//===- EngineFigures.h - The engine's counters ------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the counters of its parts. Any thread updates them.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_ENGINEFIGURES_H
#define HEADSTART_LIB_ENGINE_ENGINEFIGURES_H

#include "Problems.h"
#include "WorkMeter.h"
#include "headstart/Report/Decisions.h"
#include "headstart/Report/TraceLog.h"
#include <atomic>
#include <cstdint>

namespace headstart {

struct EngineFigures {
  // Bytes:
  std::atomic<uint64_t> Inputs{0}, Resident{0}, Unknown{0}, Hinted{0};
  std::atomic<uint64_t> SeemsResident{0}; ///< of Unknown, judged by a sample
  std::atomic<uint64_t> HintCalls{0}, HandedOver{0};
  /// Grows with each task that a thread requests and each read that ends, also
  /// one of cached bytes. If it does not grow, the threads may hang.
  std::atomic<uint64_t> Progress{0};
  TimeSpan Hints;
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

  void noteProgress() { Progress.fetch_add(1, std::memory_order_relaxed); }
  void addHint(uint64_t Bytes, uint64_t Calls) {
    Hinted.fetch_add(Bytes, std::memory_order_relaxed);
    HintCalls.fetch_add(Calls, std::memory_order_relaxed);
    noteProgress();
  }
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_ENGINEFIGURES_H
