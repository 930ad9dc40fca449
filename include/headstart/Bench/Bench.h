//===- Bench.h - A link against itself, with and without prefetch --*- C++
//-*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs one link again and again, cold and warm, one way and another in turn,
/// and says what differs. What the link writes goes to a directory of its own.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_BENCH_BENCH_H
#define HEADSTART_BENCH_BENCH_H

#include "headstart/Link/ForeignCommand.h"
#include "headstart/OS/ControlGroup.h"
#include "headstart/Report/BenchReport.h"
#include "llvm/ADT/ArrayRef.h"
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

/// The ways to link, in the order in which they are run.
inline constexpr const char *BenchVariants[] = {"stock", "stock-prefetch",
                                                "off", "on", "on+profile"};

/// How far a comparison is: a link that begins.
struct BenchProgress {
  std::string What; ///< "cold round 2 of 5, on"
  unsigned Done = 0;
  unsigned Total = 0; ///< 0: not known yet
  /// The rounds of this state so far, by variant; in seconds.
  std::vector<std::pair<std::string, double>> Medians;
  std::optional<double> SecondsLeft;
};

struct BenchOptions {
  std::vector<std::string> Args; ///< the linker and its arguments
  std::optional<Flavour> Forced;
  std::string Self; ///< the headstart program, for links of other linkers
  /// Which of BenchVariants; empty: all that this linker has.
  std::vector<std::string> Variants;
  std::array<unsigned, NumCacheStates> Rounds = {5, 5}; ///< by CacheState
  std::string Stock; ///< the stock linker; empty: looked for
  os::GroupLimits Limits;
  /// Run by the shell before each cold link, after the inputs were evicted. A
  /// link is then cold also where the system does not tell what is in memory.
  std::string Prepare;
  bool Watch = true; ///< one link more of each, with samples
  /// Receives announcements and discarded rounds, a line each.
  std::function<void(llvm::StringRef)> Progress;
  /// Receives each link when it begins.
  std::function<void(const BenchProgress &)> Step;
  /// Whether to give up; asked some five times a second.
  std::function<bool()> Stopped;
};

/// The command line is not one that can be run like this.
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

/// Runs all of it on the calling thread, and leaves nothing behind: no file, no
/// control group, no process. Errors: a BenchUsageError; a link that fails,
/// with what it printed; a limit that cannot be set; `errc::interrupted` when
/// it was stopped.
llvm::Expected<BenchReport> runBench(const BenchOptions &Options);

} // namespace headstart

#endif // HEADSTART_BENCH_BENCH_H
