//===- Tuning.cpp - The numbers that decisions use, by name ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/Tuning.h"

using llvm::StringRef;

namespace headstart {

/// The name of each field of Tuning that is a number or a duration.
#define HEADSTART_TUNING(NUMBER)                                               \
  NUMBER(OpenSeconds)                                                          \
  NUMBER(FileSeconds)                                                          \
  NUMBER(BusyThreads)                                                          \
  NUMBER(RequestSeconds)                                                       \
  NUMBER(RangeSecondsPerByte)                                                  \
  NUMBER(LargeSecondsPerByte)                                                  \
  NUMBER(SymbolsSecondsPerByte)                                                \
  NUMBER(QuerySeconds)                                                         \
  NUMBER(StatSeconds)                                                          \
  NUMBER(EntrySeconds)                                                         \
  NUMBER(GuessedRequest)                                                       \
  NUMBER(GuessedByte)                                                          \
  NUMBER(GuessedRequests)                                                      \
  NUMBER(GuessedBytes)                                                         \
  NUMBER(WindowRequests)                                                       \
  NUMBER(FirstWindowTime)                                                      \
  NUMBER(WindowTime)                                                           \
  NUMBER(Forgetting)                                                           \
  NUMBER(TripAging)                                                            \
  NUMBER(RatioWeight)                                                          \
  NUMBER(SlowAnswer)                                                           \
  NUMBER(FirstWindow)                                                          \
  NUMBER(MaxWindow)                                                            \
  NUMBER(WindowGain)                                                           \
  NUMBER(DearRequest)                                                          \
  NUMBER(LargeTrips)                                                           \
  NUMBER(GuessedLargeSteps)                                                    \
  NUMBER(RequestBytes)                                                         \
  NUMBER(LargeRequestBytes)                                                    \
  NUMBER(LinkSecondsPerByte)                                                   \
  NUMBER(GuessedFirstShare)                                                    \
  NUMBER(GuessedLaterShare)                                                    \
  NUMBER(GuessedRanges)                                                        \
  NUMBER(GuessedFiles)                                                         \
  NUMBER(GuessedSize)                                                          \
  NUMBER(GuessedInspectSecondsPerByte)                                         \
  NUMBER(MinStreak)                                                            \
  NUMBER(MaxStride)                                                            \
  NUMBER(TouchedShare)                                                         \
  NUMBER(MemberBytes)                                                          \
  NUMBER(MemberInspections)                                                    \
  NUMBER(LazyShare)                                                            \
  NUMBER(GuessedQueries)                                                       \
  NUMBER(MaxDependencyScans)                                                   \
  NUMBER(ListingTrips)                                                         \
  NUMBER(MaxEntriesPerInput)                                                   \
  NUMBER(RefreshAhead)                                                         \
  NUMBER(RefreshStep)                                                          \
  NUMBER(ForgottenShare)                                                       \
  NUMBER(FreshFor)                                                             \
  NUMBER(MinRoomToCombine)                                                     \
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

bool setTuning(Tuning &Numbers, StringRef Name, StringRef Value) {
  double Number = 0;
  if (Value.getAsDouble(Number))
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

} // namespace headstart
