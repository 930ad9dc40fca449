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
#include "headstart/OS/ControlGroup.h"
#include "headstart/Report/BenchReport.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
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
  /// The medians of this state's rounds so far, by variant, in seconds.
  std::vector<std::pair<std::string, double>> Medians;
  std::optional<double> SecondsLeft;
};

struct BenchOptions {
  std::vector<std::string> Args; ///< the linker and its arguments
  std::optional<Flavour> Forced;
  std::string Self; ///< the headstart program, for other linkers' links
  /// A subset of BenchVariants; empty: all that this linker supports.
  std::vector<std::string> Variants;
  std::array<unsigned, NumCacheStates> Rounds = {5, 5}; ///< by CacheState
  std::string Stock; ///< the stock linker; empty: search for it
  os::GroupLimits Limits;
  /// The shell command to run before each cold link, after evicting the inputs.
  /// With it, a link counts as cold even if the system reports no residency.
  std::string Prepare;
  bool Watch = true; ///< whether to sample one more link of each variant
  /// Receives announcements and discarded rounds, a line each.
  std::function<void(llvm::StringRef)> Progress;
  /// Receives the progress when each link begins.
  std::function<void(const BenchProgress &)> Step;
  /// Returns whether to stop; called about five times a second.
  std::function<bool()> Stopped;
};

/// A command line or an option that headstart bench cannot use.
class BenchUsageError : public llvm::ErrorInfo<BenchUsageError> {
public:
  static char ID;
  explicit BenchUsageError(std::string Message) : Message(std::move(Message)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Message; }
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::invalid_argument);
  }

private:
  std::string Message;
};

/// Runs the comparison on the calling thread. Leaves no file, control group or
/// process behind. Errors: a BenchUsageError; a link that fails, with its
/// output; a limit that cannot be set; `errc::interrupted` if it was stopped.
llvm::Expected<BenchReport> runBench(const BenchOptions &Options);

} // namespace headstart

#endif // HEADSTART_BENCH_BENCH_H
