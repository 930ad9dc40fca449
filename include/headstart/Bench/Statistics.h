//===- Statistics.h - Statistics of a few timings ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Medians, spread, outliers and ratios of few noisy timings. Pure functions.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_BENCH_STATISTICS_H
#define HEADSTART_BENCH_STATISTICS_H

#include "headstart/Report/BenchReport.h"
#include <vector>

namespace headstart {

/// Returns the median of \p Values; 0 if there are none.
double medianOf(std::vector<double> Values);

/// Returns the median of the distances from the median.
double medianDeviation(const std::vector<double> &Values);

/// Returns an interval that contains the true median in at least 95 of 100
/// cases, for any distribution: from the k-th smallest to the k-th largest of
/// \p Values, with k from the binomial distribution. For n < 6 values it is the
/// smallest to the largest, and contains the median in 1 - 2^(1-n) of cases.
BenchRatio intervalOfMedian(std::vector<double> Values);

/// Smaller differences count as none. Two medians of the same program can
/// differ by this share on a machine that also does other work.
inline constexpr double MinDifference = 0.02;

/// Fewer pairs get no verdict: four pairs all point in one direction by chance
/// in one case of eight.
inline constexpr size_t MinPairs = 5;

/// Returns a difference only if the interval of \p Ratio does not contain 1,
/// and its median is at least MinDifference away from 1.
Verdict judge(const BenchRatio &Ratio);

/// Fills in the summary of the kept rounds of \p Series. Marks outliers: rounds
/// with a modified z-score over 3.5 (Iglewicz and Hoaglin, 1993) that differ
/// from the median by more than a twentieth.
void summarize(BenchSeries &Series);

/// Compares \p Series with \p Base by pairs of kept rounds with the same
/// number. The verdict is Unknown for fewer than MinPairs.
BenchComparison compare(const BenchSeries &Base, const BenchSeries &Series);

/// Fills in the summaries of \p Variants in \p State, and their comparisons
/// with the first variant. Variants that prefetch are also compared with "off".
void summarizeAndCompare(std::vector<BenchVariant> &Variants, CacheState State);

} // namespace headstart

#endif // HEADSTART_BENCH_STATISTICS_H
