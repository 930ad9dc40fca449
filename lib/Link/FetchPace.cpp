//===- FetchPace.cpp - A share of a disk ----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/FetchPace.h"
#include <algorithm>

namespace headstart {

FetchPace::Time FetchPace::reserve(Time Now, uint64_t Bytes) {
  if (isProbing())
    return Now;
  PacedBytes -= std::min(PacedBytes, Bytes);
  // All threads were busy when the step could have begun.
  const bool IsLate = Next < Now;
  Step = std::clamp(IsLate ? 2 * Step : Step - (Step / 8), Numbers.MinBuildStep,
                    Numbers.MaxBuildStep);
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
  Busy += Part;
  ProbedBytes += Bytes;
  if (Busy < Numbers.ProbeTime || ProbedBytes == 0)
    return;
  ByteTime = Busy / (Numbers.BuildShare * static_cast<double>(ProbedBytes));
  PacedBytes = Numbers.PacedProbes * ProbedBytes;
  Next = Now;
  Busy = Seconds(0);
  ProbedBytes = 0;
}

} // namespace headstart
