//===- FetchPace.h - A share of a disk --------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Determines when the threads of BuildFetcher may fetch, so that the build has
/// the rest of the disk's bandwidth. A low priority is not enough where the
/// disk has a limit (a control group, a volume in the cloud): once fetches have
/// reached it, each read of a compiler waits, whatever its priority.
///
/// Threads fetch at full speed for a short time, which shows the bandwidth,
/// then several times as many bytes at a share of the bandwidth, then again at
/// full speed, as in BBR (Cardwell, Cheng, Gunn, Yeganeh, Jacobson: "BBR:
/// Congestion-Based Congestion Control", ACM Queue 2016). A compiler's read may
/// also wait behind one step of each thread, so paced steps are as small as the
/// threads can make them without falling behind.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_FETCHPACE_H
#define HEADSTART_LINK_FETCHPACE_H

#include "headstart/Plan/Tuning.h"
#include <chrono>
#include <cstdint>

namespace headstart {

/// Not thread-safe. Has no clock: each function takes the time.
class FetchPace {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Seconds = std::chrono::duration<double>;

  explicit FetchPace(const Tuning &Numbers)
      : Numbers(Numbers), Step(Numbers.MaxBuildStep) {}

  /// The bytes that one step should have.
  uint64_t stepBytes() const {
    return isProbing() ? Numbers.MaxBuildStep : Step;
  }
  /// Returns when the next step, of \p Bytes, may begin. Call it when a thread
  /// is free for that step.
  Time reserve(Time Now, uint64_t Bytes);
  /// Notes that a step begins.
  void begin(Time Now);
  /// Notes that a step has fetched \p Bytes.
  void end(Time Now, uint64_t Bytes);

private:
  bool isProbing() const { return PacedBytes == 0; }

  const Tuning Numbers;
  uint64_t Step;
  unsigned InFlight = 0;
  Time Since; ///< the last end of a step, or a later begin with none in flight
  // This probe:
  Seconds Busy{0}; ///< with steps in flight
  uint64_t ProbedBytes = 0;
  // After it:
  uint64_t PacedBytes = 0; ///< the bytes before the next probe; 0: it runs
  Seconds ByteTime{0};     ///< for one byte
  Time Next;               ///< when the next step may begin
  Time Until;              ///< the next probe begins, whatever was fetched
};

} // namespace headstart

#endif // HEADSTART_LINK_FETCHPACE_H
