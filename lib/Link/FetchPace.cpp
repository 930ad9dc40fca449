//===- FetchPace.cpp - A share of a disk ----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/FetchPace.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace headstart {

FetchPace::Time FetchPace::reserve(Time Now, uint64_t Bytes) {
  if (Now >= Until)
    PacedBytes = 0;
  if (isProbing())
    return Now;
  PacedBytes -= std::min(PacedBytes, Bytes);
  // No thread was free when the step could have begun: all were busy or paused.
  const bool IsLate = Next < Now;
  constexpr uint64_t LargestPage = UINT64_C(64) << 10;
  Step = llvm::alignDown(IsLate ? 2 * Step : Step - (Step / 8), LargestPage);
  Step = std::clamp(Step, Numbers.MinBuildStep, Numbers.MaxBuildStep);
  const Time Begin = std::max(Next, Now);
  Next = Begin + std::chrono::duration_cast<Time::duration>(
                     ByteTime * static_cast<double>(Bytes));
  return Begin;
}

void FetchPace::begin(Time Now) {
  if (InFlight++ == 0)
    Since = Now;
}

void FetchPace::end(Time Now, uint64_t Bytes) {
  const Seconds Part = Now - Since;
  Since = Now;
  --InFlight;
  if (!isProbing())
    return;
  constexpr Seconds TooLong(1); // the disk slept, or this process was stopped
  if (Part > TooLong) {
    Busy = Seconds(0);
    ProbedBytes = 0;
    return;
  }
  Busy += Part;
  ProbedBytes += Bytes;
  if (Busy < Numbers.ProbeTime || ProbedBytes == 0)
    return;
  ByteTime = Busy / (Numbers.BuildShare * static_cast<double>(ProbedBytes));
  PacedBytes = Numbers.PacedProbes * ProbedBytes;
  Next = Now;
  // Twice the expected time, in case the disk was faster than it usually is.
  Until = Now + std::chrono::duration_cast<Time::duration>(
                    2 * ByteTime * static_cast<double>(PacedBytes));
  Busy = Seconds(0);
  ProbedBytes = 0;
}

} // namespace headstart
