//===- TuningTable.cpp - Numbers of the engine, by name ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "llvm/ADT/StringExtras.h"

using namespace headstart;
using llvm::StringRef;

/// One name for each field of Tuning that is a number or a duration.
#define HEADSTART_TUNING(NUMBER)                                               \
  NUMBER(StreakObjects)                                                        \
  NUMBER(StreakStride)                                                         \
  NUMBER(MaxStreakStride)                                                      \
  NUMBER(AlmostCachedShare)                                                    \
  NUMBER(MaxDependencyScans)                                                   \
  NUMBER(FewArchivesShare)                                                     \
  NUMBER(SymbolsShare)                                                         \
  NUMBER(CostSampleBytes)                                                      \
  NUMBER(RemoteCostSampleBytes)                                                \
  NUMBER(LookSeconds)                                                          \
  NUMBER(RangeSecondsPerByte)                                                  \
  NUMBER(SymbolsSecondsPerByte)                                                \
  NUMBER(ExpectedRanges)                                                       \
  NUMBER(WholeFileWorth)                                                       \
  NUMBER(ProbeFiles)                                                           \
  NUMBER(SlowFile)                                                             \
  NUMBER(ProbeWorthPercent)                                                    \
  NUMBER(ProbeMinGain)                                                         \
  NUMBER(HighLatency)                                                          \
  NUMBER(FirstWindow)                                                          \
  NUMBER(MaxWindow)                                                            \
  NUMBER(MaxLargeRequests)                                                     \
  NUMBER(FirstRate)                                                            \
  NUMBER(FirstBytes)                                                           \
  NUMBER(MaxBalance)                                                           \
  NUMBER(MinListedInputs)                                                      \
  NUMBER(MaxEntriesPerInput)                                                   \
  NUMBER(RefreshAhead)                                                         \
  NUMBER(FreshFor)                                                             \
  NUMBER(MinEndBytes)                                                          \
  NUMBER(MinRoomToCombine)                                                     \
  NUMBER(MinLargeSteps)                                                        \
  NUMBER(StepBytes)                                                            \
  NUMBER(ShortMemoryShare)                                                     \
  NUMBER(WindowShare)                                                          \
  NUMBER(MeasureBytes)                                                         \
  NUMBER(MeasureAfter)                                                         \
  NUMBER(HighPressurePercent)                                                  \
  NUMBER(StallTime)                                                            \
  NUMBER(OpenTimeout)

template <class T> static void set(T &Number, double Value) {
  Number = static_cast<T>(Value);
}
/// Durations are given in seconds.
template <class Rep, class Period>
static void set(std::chrono::duration<Rep, Period> &Number, double Value) {
  Number = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(
      Tuning::Seconds(Value));
}

bool simulation::setTuning(Tuning &Numbers, StringRef Name, StringRef Value) {
  double Number = 0;
  if (!llvm::to_float(Value, Number))
    return false;
#define SET(FIELD)                                                             \
  if (Name == #FIELD) {                                                        \
    set(Numbers.FIELD, Number);                                                \
    return true;                                                               \
  }
  HEADSTART_TUNING(SET)
#undef SET
  return false;
}
