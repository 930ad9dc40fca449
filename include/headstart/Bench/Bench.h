//===- Bench.h - The comparison of headstart bench --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs one link repeatedly, cold and warm, in alternating variants, reports
/// the differences, and redirects the link's outputs to a temporary directory.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_BENCH_BENCH_H
#define HEADSTART_BENCH_BENCH_H

#include "headstart/Link/ForeignCommand.h"
#include "headstart/Report/BenchReport.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headstart {

/// The variants of a link, in the order in which they run.
inline constexpr const char *BenchVariants[] = {"stock", "stock-prefetch",
                                                "off", "on", "on+profile"};

/// The progress of a comparison when a link begins.
struct BenchProgress {
  std::string What; ///< "cold round 2 of 5, on"
  unsigned Done = 0;
  unsigned Total = 0; ///< 0: not yet known
  std::optional<double> SecondsLeft;
};

struct BenchOptions {
  std::vector<std::string> Args; ///< the linker and its arguments
  std::optional<Flavour> Forced;
  std::string Self; ///< the headstart program, for other linkers' links
  /// A subset of BenchVariants; empty: all that this linker supports.
  std::vector<std::string> Variants;
  PerCacheState<unsigned> Rounds = {5, 5};
  std::string Stock; ///< the stock linker; empty: search for it
  /// The shell command to run before each cold link, after evicting the inputs.
  /// With it, a link counts as cold even if the system reports no residency.
  std::string Prepare;
  bool Watch = true; ///< whether to sample one more link of each variant
  // The next three must be set.
  /// Receives announcements and discarded rounds, a line each.
  std::function<void(llvm::StringRef)> Progress;
  /// Receives the progress when each link begins.
  std::function<void(const BenchProgress &)> Step;
  /// Returns whether to stop; called about five times a second.
  std::function<bool()> Stopped;
};

/// A command line or an option that headstart bench cannot use.
class BenchUsageError
    : public llvm::ErrorInfo<BenchUsageError, llvm::StringError> {
public:
  static char ID;
  explicit BenchUsageError(const llvm::Twine &Message)
      : ErrorInfo(Message, std::make_error_code(std::errc::invalid_argument)) {}
};

/// Runs the comparison on the calling thread. Leaves no file or process
/// behind. Errors: a BenchUsageError; a link that fails, with its output;
/// `errc::interrupted` if it was stopped.
llvm::Expected<BenchReport> runBench(const BenchOptions &Options);

/// \name The redirection of a link's outputs
/// Changes a link so that it reads the same inputs and writes elsewhere. It can
/// then run repeatedly without harm.
/// @{

/// A command line whose outputs are all in one directory.
struct RedirectedLink {
  std::vector<std::string> Args; ///< the program first
  LinkCommand Command;           ///< the meaning of Args
};

/// Adds arguments to \p Args, from which \p Link was read, that redirect its
/// outputs to \p Directory, and reads the result again. \p Link has outputs. If
/// one would still be outside of \p Directory, the error names it. Blocks like
/// readForeignCommand.
llvm::Expected<RedirectedLink> redirect(llvm::ArrayRef<std::string> Args,
                                        const ForeignCommand &Link,
                                        std::optional<Flavour> Forced,
                                        llvm::StringRef Directory);

/// @}

/// \name Statistics of few noisy timings
/// Medians, spread, outliers and ratios. Pure functions.
/// @{

/// Returns the median of \p Values; 0 if there are none.
double medianOf(std::vector<double> Values);

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

/// @}

} // namespace headstart

#endif // HEADSTART_BENCH_BENCH_H
