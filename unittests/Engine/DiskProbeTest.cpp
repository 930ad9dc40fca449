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
constexpr Tuning Numbers;
DecisionCounts Decisions;

/// Takes 1,000 files from a disk to which one costs \p Cost(its number, whether
/// it is fetched whole). Returns how many were fetched as a whole.
template <class Function>
unsigned wholeFiles(DiskProbe &Probe, const Function &Cost) {
  DiskProbe::Time Now{std::chrono::hours(1)};
  unsigned Count = 0;
  for (size_t I = 0; I != 1000; ++I) {
    bool IsWhole = Probe.fetchesWhole(I, Now);
    Count += IsWhole;
    Now += Cost(I, IsWhole);
    Probe.note(IsWhole ? WholeBytes : PartBytes);
  }
  return Count;
}

/// The same of a disk to which all are alike.
unsigned wholeFiles(DiskProbe &Probe, microseconds Parts, microseconds Whole) {
  return wholeFiles(
      Probe, [&](size_t, bool IsWhole) { return IsWhole ? Whole : Parts; });
}

TEST(DiskProbeTest, AFastDiskIsNotProbed) {
  DiskProbe Probe(Numbers, Decisions);
  EXPECT_EQ(wholeFiles(Probe, microseconds(1900), microseconds(500)), 0U);
  EXPECT_FALSE(Probe.prefersWholeFiles());
}

TEST(DiskProbeTest, ADiskThatCountsBytesKeepsThePlan) {
  for (unsigned Cost : {11000, 6000, 4000}) {
    DiskProbe Probe(Numbers, Decisions);
    EXPECT_EQ(wholeFiles(Probe, microseconds(4400), microseconds(Cost)),
              Cost == 4000 ? 872U : 128U);
    EXPECT_EQ(Probe.prefersWholeFiles(), Cost == 4000);
  }
}

TEST(DiskProbeTest, ADiskThatCountsRequestsGetsWholeFiles) {
  DiskProbe Probe(Numbers, Decisions);
  EXPECT_EQ(wholeFiles(Probe, microseconds(2500), microseconds(1500)), 872U);
  EXPECT_TRUE(Probe.prefersWholeFiles());
}

TEST(DiskProbeTest, ADiskThatBeginsWithABurstIsFoundOutLater) {
  DiskProbe Probe(Numbers, Decisions);
  unsigned Count = wholeFiles(Probe, [](size_t I, bool IsWhole) {
    return microseconds(I < 100 ? 800 : IsWhole ? 1500 : 4000);
  });
  EXPECT_TRUE(Probe.prefersWholeFiles());
  EXPECT_GT(Count, 600U);
}

/// A disk of 300 MB/s that stops, and then has saved up for a while.
TEST(DiskProbeTest, ATryThatWasLuckyIsTakenBack) {
  DiskProbe Probe(Numbers, Decisions);
  unsigned Count = wholeFiles(Probe, [](size_t I, bool) {
    return microseconds(I < 128 ? 2100 : I < 256 ? 1000 : 3300);
  });
  EXPECT_FALSE(Probe.prefersWholeFiles());
  EXPECT_LE(Count, 640U);
}

TEST(DiskProbeTest, WhenSomethingElseHeldItUpNothingIsLearned) {
  DiskProbe Probe(Numbers, Decisions);
  Probe.disturb();
  EXPECT_EQ(wholeFiles(Probe, microseconds(2500), microseconds(1500)), 0U);
  EXPECT_FALSE(Probe.prefersWholeFiles());
}

} // namespace
