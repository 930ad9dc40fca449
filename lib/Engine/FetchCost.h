//===- FetchCost.h - A look, or the whole file ------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine. To know which part of a file is needed takes a look
/// into it and fetches ranges, which costs processor time; to fetch all of it
/// takes next to none, but the disk brings more. Which is cheaper depends on
/// how fast the disk is, and on how much of such files is needed: that is seen
/// while the first of them are looked into and fetched.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_FETCHCOST_H
#define HEADSTART_LIB_ENGINE_FETCHCOST_H

#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/Tuning.h"
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace headstart {

/// Every function may be called from any thread.
class FetchCost {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// \p Numbers must outlive it.
  explicit FetchCost(const Tuning &Numbers) : Numbers(Numbers) {}

  /// A thread begins to fetch, and has fetched \p Bytes.
  void begin(Time Now) {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Fetching++ == 0)
      BusySince = Now;
  }
  void end(uint64_t Bytes, Time Now) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Fetched += Bytes;
    Busy += Now - BusySince;
    BusySince = Now;
    --Fetching;
  }

  /// Of \p Size bytes of a file others may have \p Shared, which are not needed
  /// then.
  void noteLook(uint64_t Size, uint64_t Shared) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Looked += Size;
    Needed += Size - std::min(Size, Shared);
  }

  /// Of a file of \p Size bytes so many are planned, in so many requests.
  void notePlan(uint64_t Size, uint64_t Bytes, uint64_t Requests) {
    std::lock_guard<std::mutex> Lock(Mutex);
    PlannedFiles += 1;
    PlannedSize += Size;
    PlannedBytes += Bytes;
    PlannedRequests += Requests;
  }

  /// Whether all of a file of \p Size bytes is cheaper than \p Looks requests
  /// that tell what is needed of it, and that, on a device of this cost.
  bool isWholeCheaper(uint64_t Size, const RequestCost &Cost,
                      unsigned Looks) const {
    const uint64_t MinBytes = Numbers.RemoteCostSampleBytes;
    std::lock_guard<std::mutex> Lock(Mutex);
    double Share, Requests = Looks;
    if (PlannedSize >= MinBytes) {
      Share = double(PlannedBytes) / double(PlannedSize);
      Requests += double(PlannedRequests) / double(PlannedFiles);
    } else if (Looked >= MinBytes) {
      Share = double(Needed) / double(Looked);
      Requests += double(Numbers.ExpectedRanges);
    } else {
      return false;
    }
    const auto Part = static_cast<uint64_t>(Share * double(Size));
    return Cost.of(Size, LargeRequestBytes) <
           Numbers.WholeFileWorth *
               (Requests * Cost.Request + double(Part) * Cost.Byte);
  }
  static constexpr uint64_t LargeRequestBytes = UINT64_C(1) << 20;

  /// Whether all of a file of \p Size bytes is cheaper than a look and what is
  /// needed, if that is as much as of others.
  bool isWholeCheaper(uint64_t Size) const {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Fetched < Numbers.CostSampleBytes || Looked < Numbers.CostSampleBytes)
      return false;
    const auto All = static_cast<double>(Size);
    const double Part =
        All * static_cast<double>(Needed) / static_cast<double>(Looked);
    return secondsFor(All - Part) <
           Numbers.LookSeconds + Part * Numbers.RangeSecondsPerByte;
  }

  /// Whether \p Lazy bytes, some of which are perhaps not needed, are cheaper
  /// than to ask \p Files objects of so many bytes, \p Inputs, for their
  /// symbols; each has to be opened again, on a device of \p Far if not null.
  bool isCheaperThanSymbols(uint64_t Lazy, uint64_t Inputs, uint64_t Files,
                            const RequestCost &Far) const {
    if (double(Lazy) * Far.Byte < double(Files) * Far.Request)
      return true;
    std::lock_guard<std::mutex> Lock(Mutex);
    return Fetched >= Numbers.CostSampleBytes &&
           secondsFor(static_cast<double>(Lazy)) <
               static_cast<double>(Inputs) * Numbers.SymbolsSecondsPerByte;
  }

private:
  double secondsFor(double Bytes) const {
    return Bytes * std::chrono::duration<double>(Busy).count() /
           static_cast<double>(Fetched);
  }

  const Tuning &Numbers;
  mutable std::mutex Mutex; // guards all below
  unsigned Fetching = 0;    ///< threads
  Time BusySince;
  Time::duration Busy{}; ///< while any of them fetched
  uint64_t Fetched = 0;  ///< bytes, in that time
  uint64_t Looked = 0;   ///< bytes of files
  uint64_t Needed = 0;   ///< of these
  uint64_t PlannedFiles = 0, PlannedSize = 0, PlannedBytes = 0;
  uint64_t PlannedRequests = 0;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_FETCHCOST_H
