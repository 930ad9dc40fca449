//===- PolicyTest.cpp - Decides how to fetch a file -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/Policy.h"
#include "gtest/gtest.h"
#include <vector>

using namespace headstart;

namespace {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;
constexpr Tuning Numbers;

constexpr StorePrices LocalDisk{12e-6, 0.6e-9}, SlowDisk{12e-6, 10e-9},
    CountsRequests{500e-6, 1e-9}, Remote{20e-3 / 64, 5e-9};

FileFacts object(uint64_t Size, uint64_t Missing) {
  FileFacts Facts;
  Facts.Size = Size;
  Facts.Missing = Missing;
  Facts.MayBeLarge = true;
  return Facts;
}

/// Plans objects that need \p First bytes first and \p Later bytes later.
void learn(Policy &Choice, uint64_t Size, uint64_t First, uint64_t Later) {
  for (unsigned I = 0; I != 100; ++I)
    Choice.notePlan(Size,
                    {{{0, First}, LinkStage::Parse},
                     {{Size - Later, Later}, LinkStage::Contents}},
                    double(Size) * 0.4e-9, LocalDisk);
}

TEST(PolicyTest, FetchesSmallObjectWhole) {
  const Policy Choice(Numbers, 2, 2);
  EXPECT_EQ(Choice.choose(object(40 * KiB, 40 * KiB), LocalDisk),
            FetchMethod::Whole);
  for (const StorePrices &Store : {CountsRequests, Remote})
    EXPECT_EQ(Choice.choose(object(60 * KiB, 60 * KiB), Store),
              FetchMethod::Whole);
}

TEST(PolicyTest, InspectsObjectIfLittleIsNeeded) {
  Policy Choice(Numbers, 2, 2);
  learn(Choice, 2 * MiB, 100 * KiB, 300 * KiB);
  for (const StorePrices &Store : {LocalDisk, SlowDisk, Remote})
    EXPECT_EQ(Choice.choose(object(2 * MiB, 2 * MiB), Store),
              FetchMethod::Inspect);
}

TEST(PolicyTest, ExpensiveRequestsFetchLargerObjectWhole) {
  const Policy Choice(Numbers, 2, 2);
  const FileFacts Facts = object(600 * KiB, 600 * KiB);
  EXPECT_EQ(Choice.choose(Facts, SlowDisk), FetchMethod::Inspect);
  EXPECT_EQ(Choice.choose(Facts, CountsRequests), FetchMethod::Whole);
}

TEST(PolicyTest, ExpensiveRequestsSkipInspection) {
  Policy Choice(Numbers, 2, 3);
  learn(Choice, 200 * KiB, 80 * KiB, 115 * KiB);
  const FileFacts Facts = object(200 * KiB, 200 * KiB);
  EXPECT_EQ(Choice.choose(Facts, CountsRequests), FetchMethod::Whole);
  EXPECT_EQ(Choice.choose(Facts, SlowDisk), FetchMethod::Inspect);
}

TEST(PolicyTest, ProcessorTimeAddsToTheStores) {
  // The inspection takes longer than the bytes that it saves the linker from
  // waiting for, though less than the whole file takes the store.
  Policy Choice(Numbers, 2, 2);
  learn(Choice, 264 * KiB, 80 * KiB, 180 * KiB);
  const FileFacts Facts = object(264 * KiB, 264 * KiB);
  EXPECT_EQ(Choice.choose(Facts, {12e-6, 0.5e-9}), FetchMethod::Whole);
  EXPECT_EQ(Choice.choose(Facts, SlowDisk), FetchMethod::Inspect);
}

TEST(PolicyTest, MembersThatAreNotLinkedSaveTheirBytes) {
  // If the bytes of all members counted, the first would be fetched whole, too.
  const Policy Choice(Numbers, 2, 3);
  FileFacts Facts = object(8 * MiB, 8 * MiB);
  Facts.IsArchive = true;
  EXPECT_EQ(Choice.choose(Facts, {40e-6, 2e-9}), FetchMethod::Inspect);
  EXPECT_EQ(Choice.choose(Facts, {80e-6, 2e-9}), FetchMethod::Whole);
}

TEST(PolicyTest, EachMemberCostsRequest) {
  const Policy Choice(Numbers, 2, 3);
  FileFacts Facts = object(8 * MiB, 8 * MiB);
  EXPECT_EQ(Choice.choose(Facts, CountsRequests), FetchMethod::Inspect);
  Facts.IsArchive = true;
  EXPECT_EQ(Choice.choose(Facts, CountsRequests), FetchMethod::Whole);
  EXPECT_EQ(Choice.choose(Facts, SlowDisk), FetchMethod::Inspect);
}

TEST(PolicyTest, SlowStoreJustifiesReadingSymbols) {
  const Policy Choice(Numbers, 2, 3);
  const StorePrices At400MB = {10e-6, 2.5e-9};
  EXPECT_TRUE(Choice.isWorthSymbols(100 * MiB, 100, 300 * MiB, 100, At400MB));
  EXPECT_FALSE(Choice.isWorthSymbols(2 * MiB, 1000, 300 * MiB, 1000, At400MB));
}

TEST(PolicyTest, DoesNotInspectAlmostCachedFile) {
  const Policy Choice(Numbers, 2, 2);
  EXPECT_EQ(Choice.choose(object(4 * MiB, 4 * KiB), LocalDisk),
            FetchMethod::Whole);
}

TEST(PolicyTest, ProfileReplacesInspection) {
  const Policy Choice(Numbers, 2, 2);
  const std::vector<PlannedRange> Plan = {
      {{0, 64 * KiB}, LinkStage::Parse},
      {{MiB, 256 * KiB}, LinkStage::Contents}};
  FileFacts Facts = object(2 * MiB, 2 * MiB);
  Facts.Recorded = Plan;
  EXPECT_EQ(Choice.choose(Facts, LocalDisk), FetchMethod::Recorded);
  EXPECT_EQ(Choice.choose(Facts, SlowDisk), FetchMethod::Recorded);
}

TEST(PolicyTest, ClosesGapsCheaperThanRequest) {
  const Policy Choice(Numbers, 2, 2);
  EXPECT_GT(Choice.gapBytes(CountsRequests), Choice.gapBytes(LocalDisk));
  EXPECT_GT(Choice.gapBytes(LocalDisk), Choice.gapBytes(SlowDisk));
  EXPECT_LT(Choice.gapBytes(SlowDisk), 4 * KiB);
  // To close a larger gap takes as many requests as to leave it open.
  EXPECT_LT(Choice.gapBytes({1, 0}), 256 * KiB);
}

TEST(PolicyTest, CombinesRecordedRangesBeforeItPricesThem) {
  const Policy Choice(Numbers, 2, 2);
  std::vector<PlannedRange> Plan;
  for (uint64_t I = 0; I != 64; ++I)
    Plan.push_back({{I * 8 * KiB, 4 * KiB}, LinkStage::Parse});
  FileFacts Facts = object(4 * MiB, 4 * MiB);
  Facts.Recorded = Plan;
  Facts.MayBeLarge = false;
  EXPECT_EQ(Choice.choose(Facts, CountsRequests), FetchMethod::Recorded);
}

TEST(PolicyTest, ComparesLargePagesWithRanges) {
  const Policy Choice(Numbers, 2, 2);
  const ByteRange Page{0, 2 * MiB};
  EXPECT_TRUE(Choice.isLargeCheaper(Page, Page, LocalDisk));
  EXPECT_FALSE(Choice.isLargeCheaper({0, 64 * KiB}, Page, LocalDisk));
  EXPECT_TRUE(Choice.isLargeCheaper({0, 1900 * KiB}, Page, CountsRequests));
}

TEST(PolicyTest, ManyArchiveBytesJustifyReadingSymbols) {
  const Policy Choice(Numbers, 2, 3);
  EXPECT_TRUE(Choice.isWorthSymbols(400 * MiB, 100, 10 * MiB, 100, LocalDisk));
  EXPECT_FALSE(
      Choice.isWorthSymbols(4 * MiB, 3000, 400 * MiB, 3000, LocalDisk));
  EXPECT_FALSE(Choice.isWorthSymbols(0, 1, 0, 0, LocalDisk));
}

TEST(PolicyTest, HighLatencyAddsThreads) {
  const Policy Choice(Numbers, 2, 2);
  EXPECT_LE(Choice.threads(0), 8U);
  EXPECT_LE(Choice.threads(100e-6), 8U);
  EXPECT_GE(Choice.threads(20e-3), 64U);
}

TEST(PolicyTest, InspectsFewObjectsOfCachedRun) {
  const Policy Choice(Numbers, 2, 2);
  EXPECT_EQ(Choice.skipped(4, 100e3, 10e-6, LocalDisk), 0U);
  const unsigned Few = Choice.skipped(1000, 100e3, 10e-6, LocalDisk);
  EXPECT_GT(Few, 0U);
  EXPECT_GT(Choice.skipped(10000, 100e3, 10e-6, LocalDisk), Few);
  // Some objects are inspected whatever the prices are.
  EXPECT_EQ(Choice.skipped(UINT32_MAX, 0, 0, StorePrices()), 63U);
  // On such a store, a missed object costs a round trip.
  EXPECT_LT(Choice.skipped(1000, 100e3, 10e-6, Remote), Few);
  // The linker would wait for each name.
  EXPECT_EQ(Choice.skipped(10000, 100e3, 5e-3, Remote), 0U);
}

TEST(PolicyTest, FollowsRangesSlowerThanQuery) {
  EXPECT_TRUE(Policy::isWorthFollowing(512 * KiB, 60e-6, LocalDisk));
  EXPECT_FALSE(Policy::isWorthFollowing(512 * KiB, 20e-3, Remote));
  EXPECT_FALSE(Policy::isWorthFollowing(4 * KiB, 60e-6, LocalDisk));
  // The latency is unknown, but not the price of a request.
  EXPECT_TRUE(Policy::isWorthFollowing(512 * KiB, 0, LocalDisk));
  EXPECT_FALSE(Policy::isWorthFollowing(4 * KiB, 0, CountsRequests));
}

TEST(PolicyTest, ReadsTwiceIfLatencyIsHigh) {
  const Policy Choice(Numbers, 2, 2);
  EXPECT_FALSE(Choice.isWorthReadingTwice(60e-6, LocalDisk));
  EXPECT_TRUE(Choice.isWorthReadingTwice(20e-3, Remote));
  EXPECT_FALSE(Choice.isWorthReadingTwice(1e-3, CountsRequests));
}

TEST(PolicyTest, ListsAndRefreshesSlowPaths) {
  const Policy Choice(Numbers, 2, 2);
  EXPECT_FALSE(Choice.isWorthListing(1000, 10e-6));
  EXPECT_FALSE(Choice.isWorthListing(2, 5e-3));
  EXPECT_TRUE(Choice.isWorthListing(40, 1e-3));
  EXPECT_GT(Numbers.slowName(), 10e-6);
  EXPECT_LT(Numbers.slowName(), 1e-3);
}

TEST(PolicyTest, StopsUselessQueries) {
  Policy Choice(Numbers, 2, 2);
  EXPECT_TRUE(Choice.isWorthQuery(512 * KiB, Remote));
  for (unsigned I = 0; I != 10000; ++I)
    Choice.noteQuery(false);
  EXPECT_FALSE(Choice.isWorthQuery(64 * KiB, LocalDisk));
}

} // namespace
