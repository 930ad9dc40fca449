//===- Problems.h - Counting what went wrong --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: counts problems by kind, and keeps the first and the
/// last of some moments. Any thread may add to both.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_PROBLEMS_H
#define HEADSTART_LIB_ENGINE_PROBLEMS_H

#include "headstart/Report/LinkStats.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace headstart {

/// Counts problems by kind, with the first path as an example.
class ProblemCounter {
public:
  void add(llvm::StringRef What, llvm::StringRef Path, llvm::StringRef Reason) {
    std::lock_guard<std::mutex> Lock(Mutex);
    CountedProblem &P = Problems[What.str()];
    if (P.Count++ == 0)
      P.Message = (What + " '" + Path + "': " + Reason).str();
  }

  std::vector<CountedProblem> list() const {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::vector<CountedProblem> Result;
    Result.reserve(Problems.size());
    for (const auto &P : Problems)
      Result.push_back(P.second);
    return Result;
  }

private:
  mutable std::mutex Mutex;
  std::map<std::string, CountedProblem> Problems; // guarded by Mutex
};

/// The earliest and the latest of some moments. Any thread.
class TimeSpan {
public:
  void note(TraceClock::time_point T) {
    int64_t Ticks = T.time_since_epoch().count();
    int64_t Old = First.load(std::memory_order_relaxed);
    while (Ticks < Old && !First.compare_exchange_weak(Old, Ticks))
      ;
    Old = Last.load(std::memory_order_relaxed);
    while (Ticks > Old && !Last.compare_exchange_weak(Old, Ticks))
      ;
  }
  bool empty() const { return First.load() == INT64_MAX; }
  TraceClock::time_point first() const { return at(First.load()); }
  TraceClock::time_point last() const { return at(Last.load()); }

private:
  static TraceClock::time_point at(int64_t Ticks) {
    return TraceClock::time_point(TraceClock::duration(Ticks));
  }
  std::atomic<int64_t> First{INT64_MAX};
  std::atomic<int64_t> Last{INT64_MIN};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_PROBLEMS_H
