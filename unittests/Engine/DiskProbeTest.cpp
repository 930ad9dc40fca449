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

constexpr uint64_t WholeBytes = 1'000'000;
constexpr uint64_t PartBytes = 400'000;

/// Takes files from a disk to which the first ranges of one, and a whole one,
/// cost so much. Returns how many of 1,000 were fetched as a whole.
unsigned wholeFiles(DiskProbe &Probe, microseconds Parts, microseconds Whole) {
  DiskProbe::Time Now{std::chrono::hours(1)};
  unsigned Count = 0;
  for (size_t I = 0; I != 1000; ++I) {
    bool IsWhole = Probe.fetchesWhole(I, Now);
    Count += IsWhole;
    Now += IsWhole ? Whole : Parts;
    Probe.note(IsWhole ? WholeBytes : PartBytes);
  }
  return Count;
}

TEST(DiskProbeTest, AFastDiskIsNotProbed) {
  DiskProbe Probe;
  EXPECT_EQ(wholeFiles(Probe, microseconds(1900), microseconds(500)), 0U);
  EXPECT_FALSE(Probe.prefersWholeFiles());
}

TEST(DiskProbeTest, ADiskThatCountsBytesKeepsThePlan) {
  for (unsigned Cost : {11000, 6000, 4000}) {
    DiskProbe Probe;
    EXPECT_EQ(wholeFiles(Probe, microseconds(4400), microseconds(Cost)),
              Cost == 4000 ? 872U : 128U);
    EXPECT_EQ(Probe.prefersWholeFiles(), Cost == 4000);
  }
}

TEST(DiskProbeTest, ADiskThatCountsRequestsGetsWholeFiles) {
  DiskProbe Probe;
  EXPECT_EQ(wholeFiles(Probe, microseconds(2500), microseconds(1500)), 872U);
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
    Probe.note(IsWhole ? WholeBytes : PartBytes);
  }
  EXPECT_TRUE(Probe.prefersWholeFiles());
  EXPECT_GT(Count, 600U);
}

/// A disk of 300 MB/s that stops, and then has saved up for a while.
TEST(DiskProbeTest, ATryThatWasLuckyIsTakenBack) {
  DiskProbe Probe;
  DiskProbe::Time Now{std::chrono::hours(1)};
  unsigned Count = 0;
  for (size_t I = 0; I != 1000; ++I) {
    bool IsWhole = Probe.fetchesWhole(I, Now);
    Count += IsWhole;
    bool IsStopped = I < 128, IsLucky = I >= 128 && I < 256;
    Now += microseconds(IsStopped ? 2100 : IsLucky ? 1000 : 3300);
    Probe.note(IsWhole ? WholeBytes : PartBytes);
  }
  EXPECT_FALSE(Probe.prefersWholeFiles());
  EXPECT_LE(Count, 640U);
}

TEST(DiskProbeTest, WhenSomethingElseHeldItUpNothingIsLearned) {
  DiskProbe Probe;
  Probe.disturb();
  EXPECT_EQ(wholeFiles(Probe, microseconds(2500), microseconds(1500)), 0U);
  EXPECT_FALSE(Probe.prefersWholeFiles());
}

} // namespace
