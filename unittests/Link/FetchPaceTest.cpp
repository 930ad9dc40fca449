//===- FetchPaceTest.cpp - A share of a disk ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/BuildFetcher.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace headstart;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

/// One thread that fetches from a disk.
class FetchPaceTest : public testing::Test {
protected:
  /// Fetches a step. Returns how long it waited for its turn.
  FetchPace::Seconds fetch(FetchPace::Time::duration Latency = {}) {
    const uint64_t Bytes = Pace.stepBytes();
    const FetchPace::Time Begin = Pace.reserve(Now, Bytes);
    const FetchPace::Seconds Waited = Begin - Now;
    Now = Begin;
    Pace.begin(Now);
    Now += Latency + microseconds(Bytes / BytesInMicrosecond);
    Pace.end(Now, Bytes);
    Fetched += Bytes;
    return Waited;
  }

  /// Returns the bytes per second of \p Steps steps.
  double rateOf(unsigned Steps, milliseconds Latency = milliseconds(0)) {
    const FetchPace::Time Begin = Now;
    Fetched = 0;
    for (unsigned I = 0; I != Steps; ++I)
      fetch(Latency);
    return static_cast<double>(Fetched) /
           FetchPace::Seconds(Now - Begin).count();
  }

  Tuning Numbers;
  FetchPace Pace{Numbers};
  FetchPace::Time Now{std::chrono::hours(1)};
  uint64_t Fetched = 0;
  uint64_t BytesInMicrosecond = 100;
};

TEST_F(FetchPaceTest, UsesShareOfMeasuredBandwidth) {
  while (Now.time_since_epoch() < std::chrono::hours(1) + Numbers.ProbeTime)
    EXPECT_EQ(fetch().count(), 0);
  const uint64_t Probed = Fetched;
  fetch(); // it may begin at once
  const FetchPace::Time Begin = Now;
  Fetched = 0;
  while (Fetched < Probed * (Numbers.PacedProbes - 1))
    EXPECT_GT(fetch().count(), 0);
  EXPECT_NEAR(static_cast<double>(Fetched) /
                  FetchPace::Seconds(Now - Begin).count(),
              Numbers.BuildShare * 1e8, 1e6);
  EXPECT_EQ(Pace.stepBytes(), Numbers.MinBuildStep);
  while (fetch().count() > 0) {
  }
  // The next probe has begun.
  EXPECT_EQ(fetch().count(), 0);
  EXPECT_LE(Fetched,
            (Probed * Numbers.PacedProbes) + (2 * Numbers.MaxBuildStep));
}

TEST_F(FetchPaceTest, SlowRequestsEnlargeSteps) {
  const milliseconds Latency(5);
  const double Full = 1e9 * Numbers.MaxBuildStep /
                      (5e6 + (Numbers.MaxBuildStep * 1e3 / BytesInMicrosecond));
  EXPECT_GT(rateOf(5000, Latency), 0.7 * Full);
  EXPECT_GT(Pace.stepBytes(), 2 * Numbers.MinBuildStep);
}

TEST_F(FetchPaceTest, RecoversFromSleepingDisk) {
  fetch(std::chrono::minutes(5));
  const double Slow = rateOf(100), Later = rateOf(1000);
  EXPECT_GT(Slow, 1e6);
  EXPECT_GT(Later, 70e6);
}

TEST_F(FetchPaceTest, MeasuresAgainAfterSlowdown) {
  const double Before = rateOf(1000);
  BytesInMicrosecond = 10;
  (void)rateOf(200); // late, and then the bandwidth is measured again
  EXPECT_NEAR(rateOf(1000), Before / 10, Before / 100);
}

} // namespace
