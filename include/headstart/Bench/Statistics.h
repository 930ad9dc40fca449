//===- Statistics.h - What a handful of timings says ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Medians, spread, outliers and ratios of few and noisy timings. Pure.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_BENCH_STATISTICS_H
#define HEADSTART_BENCH_STATISTICS_H

#include "headstart/Report/BenchReport.h"
#include <vector>

namespace headstart {

/// The median of \p Values; 0 of none.
double medianOf(std::vector<double> Values);

/// The median of the distances from the median.
double medianDeviation(const std::vector<double> &Values);

/// An interval for the median of \p Values that holds it in at least 95 of 100
/// cases, whatever the distribution: between the k-th smallest and the k-th
/// largest, k from the binomial distribution. With fewer than six values it is
/// from the smallest to the largest, and holds it in 1 - 2^(1-n) of them.
BenchRatio intervalOfMedian(std::vector<double> Values);

/// Differences below this share are not told from none: medians of the same
/// program, measured twice on a machine that does other things too, are so far
/// apart.
inline constexpr double MinDifference = 0.02;

/// Of fewer pairs nothing is said: of four that all point one way one in eight
/// does so by chance.
inline constexpr size_t MinPairs = 5;

/// What \p Ratio says: a difference only where the interval does not hold 1,
/// and the median is at least MinDifference away from it.
Verdict judge(const BenchRatio &Ratio);

/// Marks the kept rounds of \p Series that stand apart by a modified z-score
/// over 3.5 (Iglewicz and Hoaglin, 1993) and by a twentieth of the median at
/// least, and fills in what the kept rounds come to.
void summarize(BenchSeries &Series);

/// Compares \p Series with \p Base, pair by pair: rounds of the same number
/// that were both kept. The verdict is Unknown for fewer than MinPairs.
BenchComparison compare(const BenchSeries &Base, const BenchSeries &Series);

/// Fills in what the rounds of \p Variants in \p State come to, and their
/// comparisons: with the first of them, and of the linker that prefetches with
/// itself when it does not.
void summarizeAndCompare(std::vector<BenchVariant> &Variants, CacheState State);

} // namespace headstart

#endif // HEADSTART_BENCH_STATISTICS_H
