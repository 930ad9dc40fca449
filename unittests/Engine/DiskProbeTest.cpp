//===- DiskProbeTest.cpp - Whether the disk counts requests or bytes ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/DiskProbe.h"
#include "gtest/gtest.h"

using namespace headstart;
using std::chrono::microseconds;

namespace {

/// Takes files from a disk to which the first ranges of one, and a whole one,
/// cost so much. Returns how many of 200 were fetched as a whole.
unsigned wholeFiles(DiskProbe &Probe, microseconds Parts, microseconds Whole) {
  DiskProbe::Time Now{std::chrono::hours(1)};
  unsigned Count = 0;
  for (size_t I = 0; I != 200; ++I) {
    bool IsWhole = Probe.fetchesWhole(I, Now);
    Count += IsWhole;
    Now += IsWhole ? Whole : Parts;
  }
  return Count;
}

TEST(DiskProbeTest, AFastDiskIsNotProbed) {
  DiskProbe Probe;
  EXPECT_EQ(wholeFiles(Probe, microseconds(1900), microseconds(500)), 0U);
  EXPECT_FALSE(Probe.prefersWholeFiles());
}

TEST(DiskProbeTest, ADiskThatCountsBytesKeepsThePlan) {
  DiskProbe Probe;
  EXPECT_EQ(wholeFiles(Probe, microseconds(6400), microseconds(11000)), 32U);
  EXPECT_FALSE(Probe.prefersWholeFiles());
}

TEST(DiskProbeTest, ADiskThatCountsRequestsGetsWholeFiles) {
  DiskProbe Probe;
  EXPECT_EQ(wholeFiles(Probe, microseconds(2500), microseconds(1500)), 168U);
  EXPECT_TRUE(Probe.prefersWholeFiles());
}

TEST(DiskProbeTest, ADiskThatBeginsWithABurstIsFoundOutLater) {
  DiskProbe Probe;
  DiskProbe::Time Now{std::chrono::hours(1)};
  unsigned Count = 0;
  for (size_t I = 0; I != 1000; ++I) {
    bool IsWhole = Probe.fetchesWhole(I, Now);
    Count += IsWhole;
    Now += microseconds(I < 100 ? 800 : IsWhole ? 1500 : 4000);
  }
  EXPECT_TRUE(Probe.prefersWholeFiles());
  EXPECT_GT(Count, 800U);
}

TEST(DiskProbeTest, WhenSomethingElseHeldItUpNothingIsLearned) {
  DiskProbe Probe;
  Probe.disturb();
  EXPECT_EQ(wholeFiles(Probe, microseconds(2500), microseconds(1500)), 0U);
  EXPECT_FALSE(Probe.prefersWholeFiles());
}

} // namespace
