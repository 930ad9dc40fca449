//===- StatisticsTest.cpp - Tests of medians and ratios -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Bench/Bench.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace headstart;

namespace {

TEST(StatisticsTest, ComputesMedians) {
  EXPECT_EQ(medianOf({}), 0);
  EXPECT_EQ(medianOf({3}), 3);
  EXPECT_EQ(medianOf({9, 1, 5}), 5);
  EXPECT_EQ(medianOf({9, 1, 5, 7}), 6);
}

TEST(StatisticsTest, IntervalExcludesAllowedExtremes) {
  // From the tables of the sign test: k for n at 95%.
  const std::pair<size_t, size_t> LeftOut[] = {
      {1, 0},  {5, 0},  {6, 0},  {8, 0},  {9, 1},
      {11, 1}, {12, 2}, {14, 2}, {15, 3}, {20, 5}};
  for (const auto &[Count, Less] : LeftOut) {
    std::vector<double> Values;
    for (size_t I = 0; I != Count; ++I)
      Values.push_back(static_cast<double>(I));
    const BenchRatio Interval = intervalOfMedian(Values);
    EXPECT_EQ(Interval.Low, static_cast<double>(Less)) << Count;
    EXPECT_EQ(Interval.High, static_cast<double>(Count - 1 - Less)) << Count;
  }
}

TEST(StatisticsTest, IntervalHasStatedCoverage) {
  std::mt19937 Random(7); // NOLINT: the same numbers each time
  std::exponential_distribution<double> Skewed(1);
  const double Median = std::log(2.0);
  for (const size_t Count : {6U, 9U, 15U}) {
    int Held = 0;
    constexpr int Trials = 4000;
    for (int I = 0; I != Trials; ++I) {
      std::vector<double> Values(Count);
      std::generate(Values.begin(), Values.end(),
                    [&] { return Skewed(Random); });
      const BenchRatio Interval = intervalOfMedian(Values);
      Held += Interval.Low <= Median && Median <= Interval.High ? 1 : 0;
    }
    EXPECT_GE(Held, Trials * 94 / 100) << Count;
  }
}

TEST(StatisticsTest, JudgesByIntervalAndSize) {
  EXPECT_EQ(judge({0.7, 0.6, 0.8}), Verdict::Faster);
  EXPECT_EQ(judge({1.4, 1.1, 1.5}), Verdict::Slower);
  EXPECT_EQ(judge({0.7, 0.5, 1.1}), Verdict::NoDifference);
  EXPECT_EQ(judge({1.4, 0.9, 1.5}), Verdict::NoDifference);
  // The interval excludes 1, but the difference is too small to matter.
  EXPECT_EQ(judge({0.99, 0.985, 0.995}), Verdict::NoDifference);
  EXPECT_EQ(judge({1.01, 1.005, 1.015}), Verdict::NoDifference);
}

BenchSeries seriesOf(std::initializer_list<double> Seconds) {
  BenchSeries Series;
  for (const double S : Seconds) {
    BenchRound Round;
    Round.Number = static_cast<unsigned>(Series.Rounds.size() + 1);
    Round.Seconds = S;
    Round.ReadBytes = static_cast<uint64_t>(S * 100);
    Series.Rounds.push_back(Round);
  }
  return Series;
}

TEST(StatisticsTest, ReportsOutliers) {
  BenchSeries Series = seriesOf({2.0, 2.1, 1.9, 2.0, 5.0});
  summarize(Series);
  EXPECT_EQ(Series.Median, 2.0);
  EXPECT_EQ(Series.Min, 1.9);
  EXPECT_EQ(Series.Max, 5.0);
  EXPECT_NEAR(Series.Deviation, 0.1, 1e-9);
  EXPECT_EQ(Series.MedianReadBytes, 200U);
  EXPECT_FALSE(Series.MedianMajorFaults);
  for (const BenchRound &R : Series.Rounds)
    EXPECT_EQ(R.Outlier, R.Seconds == 5.0);
  // The rounds are close together, although the deviation is almost zero.
  BenchSeries Tight = seriesOf({2.0, 2.0, 2.0, 2.0, 2.05});
  summarize(Tight);
  EXPECT_TRUE(std::none_of(Tight.Rounds.begin(), Tight.Rounds.end(),
                           [](const BenchRound &R) { return R.Outlier; }));
}

TEST(StatisticsTest, IgnoresDiscardedRuns) {
  BenchSeries Series = seriesOf({2.0, 100.0, 2.2});
  Series.Rounds[1].IsValid = false;
  summarize(Series);
  EXPECT_EQ(Series.Max, 2.2);
  EXPECT_NEAR(Series.Median, 2.1, 1e-9);
  BenchSeries Base = seriesOf({4.0, 4.0, 4.4});
  summarize(Base);
  const BenchComparison Half = compare(Base, Series);
  ASSERT_TRUE(Half.Ratio);
  EXPECT_NEAR(Half.Ratio->High, 0.5, 1e-9);
  // Two pairs are too few.
  EXPECT_EQ(Half.Found, Verdict::Unknown);
}

TEST(StatisticsTest, PairsRunsByNumber) {
  // The machine became slower, but no pair differs.
  BenchSeries Base = seriesOf({1.0, 2.0, 4.0, 8.0, 16.0, 32.0});
  const BenchComparison Same = compare(Base, Base);
  EXPECT_EQ(Same.Found, Verdict::NoDifference);
  EXPECT_EQ(Same.Ratio->Low, 1);
  EXPECT_EQ(Same.Ratio->High, 1);
  BenchSeries Nothing = Base;
  for (BenchRound &R : Nothing.Rounds)
    R.IsValid = false;
  EXPECT_EQ(compare(Base, Nothing).Found, Verdict::Unknown);
  EXPECT_FALSE(compare(Base, Nothing).Ratio);
}

TEST(StatisticsTest, SeparatesLinkerFromPrefetching) {
  // This linker starts faster, and its prefetching has no effect.
  std::vector<BenchVariant> Variants(3);
  const std::pair<const char *, double> Each[] = {
      {"stock", 1.0}, {"off", 0.7}, {"on", 0.7}};
  for (size_t I = 0; I != 3; ++I) {
    const double S = Each[I].second;
    Variants[I].Name = Each[I].first;
    Variants[I].Series[CacheState::Cold] = seriesOf({S, S, S, S, S});
  }
  summarizeAndCompare(Variants, CacheState::Cold);
  const BenchSeries &Off = Variants[1].Series[CacheState::Cold];
  EXPECT_EQ(Off.ToFirst.Found, Verdict::Faster);
  EXPECT_FALSE(Off.ToOff);
  const BenchSeries &On = Variants[2].Series[CacheState::Cold];
  EXPECT_EQ(On.ToFirst.Found, Verdict::Faster);
  EXPECT_NEAR(On.ToFirst.Ratio->Median, 0.7, 1e-9);
  ASSERT_TRUE(On.ToOff);
  EXPECT_EQ(On.ToOff->Found, Verdict::NoDifference);
  EXPECT_EQ(On.ToOff->Ratio->Median, 1);
  // The first variant is the base of both if it is the one without prefetching.
  Variants.erase(Variants.begin());
  summarizeAndCompare(Variants, CacheState::Cold);
  EXPECT_EQ(Variants[0].Series[CacheState::Cold].ToFirst.Found, Verdict::Base);
  EXPECT_EQ(Variants[1].Series[CacheState::Cold].ToFirst.Ratio->Median, 1);
  EXPECT_EQ(Variants[1].Series[CacheState::Cold].ToOff->Ratio->Median, 1);
  // Without that variant, prefetching is not judged.
  Variants.erase(Variants.begin());
  Variants[0].Series[CacheState::Cold].ToOff.reset();
  summarizeAndCompare(Variants, CacheState::Cold);
  EXPECT_FALSE(Variants[0].Series[CacheState::Cold].ToOff);
}

} // namespace
