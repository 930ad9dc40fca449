//===- Statistics.cpp - Statistics of a few timings -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Bench/Bench.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace headstart {

double medianOf(std::vector<double> Values) {
  if (Values.empty())
    return 0;
  llvm::sort(Values);
  const size_t Middle = Values.size() / 2;
  return Values.size() % 2 != 0 ? Values[Middle]
                                : (Values[Middle - 1] + Values[Middle]) / 2;
}

BenchRatio intervalOfMedian(std::vector<double> Values) {
  BenchRatio Result;
  if (Values.empty())
    return Result;
  llvm::sort(Values);
  // The median is below the smallest of n values with probability 2^-n, and
  // above the largest likewise. Leave out as many on each side as 5% allow.
  const size_t Count = Values.size();
  const double EachSide = 0.025;
  double Term = std::pow(0.5, static_cast<double>(Count)); // C(n, k) / 2^n
  double Sum = Term;
  size_t LeftOut = 0;
  while (LeftOut + 1 < Count / 2) {
    Term *=
        static_cast<double>(Count - LeftOut) / static_cast<double>(LeftOut + 1);
    Sum += Term;
    if (Sum > EachSide)
      break;
    ++LeftOut;
  }
  Result.Low = Values[LeftOut];
  Result.High = Values[Count - 1 - LeftOut];
  Result.Median = medianOf(std::move(Values));
  return Result;
}

Verdict judge(const BenchRatio &Ratio) {
  if (Ratio.High < 1 && Ratio.Median <= 1 - MinDifference)
    return Verdict::Faster;
  if (Ratio.Low > 1 && Ratio.Median >= 1 + MinDifference)
    return Verdict::Slower;
  return Verdict::NoDifference;
}

static void markOutliers(BenchSeries &Series) {
  // The factor makes the deviation comparable to a standard deviation.
  constexpr double Factor = 0.6745;
  constexpr double Threshold = 3.5;
  constexpr double Share = 0.05;
  constexpr size_t Fewest = 4; // fewer do not show which one is unusual
  const size_t NumValid = Series.numValid();
  for (BenchRound &R : Series.Rounds) {
    const double Distance = std::abs(R.Seconds - Series.Median);
    R.Outlier = R.IsValid && NumValid >= Fewest &&
                Factor * Distance > Threshold * Series.Deviation &&
                Distance > Share * Series.Median;
  }
}

/// Returns the median of \p Figure, rounded, in the kept rounds that have it.
static std::optional<uint64_t>
medianIn(const BenchSeries &Series,
         std::optional<uint64_t> BenchRound::*Figure) {
  std::vector<double> Values;
  for (const BenchRound &R : Series.Rounds)
    if (R.IsValid && R.*Figure)
      Values.push_back(static_cast<double>(*(R.*Figure)));
  if (Values.empty())
    return std::nullopt;
  return static_cast<uint64_t>(std::llround(medianOf(std::move(Values))));
}

void summarize(BenchSeries &Series) {
  std::vector<double> Seconds;
  for (const BenchRound &R : Series.Rounds)
    if (R.IsValid)
      Seconds.push_back(R.Seconds);
  if (Seconds.empty())
    return;
  Series.Min = *llvm::min_element(Seconds);
  Series.Max = *llvm::max_element(Seconds);
  Series.Median = medianOf(Seconds);
  for (double &S : Seconds)
    S = std::abs(S - Series.Median);
  Series.Deviation = medianOf(std::move(Seconds));
  Series.MedianReadBytes = medianIn(Series, &BenchRound::ReadBytes);
  Series.MedianMajorFaults = medianIn(Series, &BenchRound::MajorFaults);
  markOutliers(Series);
}

BenchComparison compare(const BenchSeries &Base, const BenchSeries &Series) {
  std::vector<double> Ratios;
  for (const BenchRound &R : Series.Rounds) {
    if (!R.IsValid)
      continue;
    const auto Other = llvm::find_if(Base.Rounds, [&](const BenchRound &B) {
      return B.IsValid && B.Number == R.Number;
    });
    if (Other != Base.Rounds.end() && Other->Seconds > 0)
      Ratios.push_back(R.Seconds / Other->Seconds);
  }
  BenchComparison Result;
  if (Ratios.empty())
    return Result;
  const bool Suffice = Ratios.size() >= MinPairs;
  Result.Ratio = intervalOfMedian(std::move(Ratios));
  if (Suffice)
    Result.Found = judge(*Result.Ratio);
  return Result;
}

void summarizeAndCompare(std::vector<BenchVariant> &Variants,
                         CacheState State) {
  const BenchSeries &First = Variants.front().Series[State];
  const auto Off = llvm::find_if(
      Variants, [](const BenchVariant &V) { return V.Name == "off"; });
  for (BenchVariant &Variant : Variants) {
    BenchSeries &Series = Variant.Series[State];
    summarize(Series);
    if (&Series == &First)
      Series.ToFirst.Found = Verdict::Base;
    else
      Series.ToFirst = compare(First, Series);
    const bool Prefetches =
        Variant.Name == "on" || Variant.Name == "on+profile";
    if (Off != Variants.end() && Prefetches)
      Series.ToOff = compare(Off->Series[State], Series);
  }
}

} // namespace headstart
