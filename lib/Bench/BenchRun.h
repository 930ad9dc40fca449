//===- BenchRun.h - The state of one comparison -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_BENCH_BENCHRUN_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_BENCH_BENCHRUN_H

#include "InputFiles.h"
#include "LinkWatch.h"
#include "Scratch.h"
#include "Variants.h"
#include "headstart/Bench/Bench.h"
#include "headstart/OS/MeasuredProgram.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// One comparison from its command to its report.
class Bench {
public:
  explicit Bench(const BenchOptions &Options) : Options(Options) {}

  llvm::Expected<BenchReport> run();

private:
  llvm::Error readCommand();
  llvm::Error setLimits();
  llvm::Error checkCold();
  llvm::Error linkFirst();
  llvm::Error chooseVariants();
  llvm::Error runRounds(CacheState State);
  llvm::Error runRound(CacheState State, size_t Variant, unsigned Number);
  llvm::Error watch(CacheState State);
  llvm::Error waitForOthers();
  llvm::Error settleWarm();
  llvm::Expected<os::ProgramUsage> link(os::ProgramStart Start,
                                        LinkWatch *Watch);
  /// What a link by \p Variant is given when nothing is asked of it.
  ReportFiles profileFor(const LinkVariant &Variant) const;
  /// Links by \p Variant within the limits.
  llvm::Expected<os::ProgramUsage> linkHeld(size_t Variant);
  /// Brings the inputs into \p State; nothing when they would not go, and why.
  std::optional<ResidentPart> prepare(CacheState State, std::string &Why);
  llvm::Error keepOutputs(size_t Variant);
  llvm::Error compareOutputs();
  llvm::Error compareOutputs(llvm::ArrayRef<size_t> Group);
  void noteDiscarded();
  void checkUsersOutputs();
  void describe();

  /// One more link by \p Variant whose outputs are kept and nothing else.
  llvm::Error linkForOutputs(size_t Variant);
  bool isStopped() const { return Options.Stopped && Options.Stopped(); }
  static llvm::Error stopped() {
    return llvm::createStringError(std::errc::interrupted, "stopped");
  }
  void say(const llvm::Twine &Line) const {
    if (Options.Progress)
      Options.Progress(Line.str());
  }
  void announce();
  /// Reports that the link \p What begins, with the medians so far of \p State.
  void step(const llvm::Twine &What,
            std::optional<CacheState> State = std::nullopt) const;
  void note(const llvm::Twine &Text) { Report.Notes.push_back(Text.str()); }
  std::string text(const std::string &File) const;

  const BenchOptions &Options;
  BenchReport Report;
  LinkerFacts Facts;
  Scratch Place;
  os::ControlGroup Group;
  /// How long this process itself did not run during the last link; seconds.
  double Paused = 0;
  double FirstSeconds = 0;      ///< what the link took that is not counted
  unsigned Done = 0, Total = 0; ///< links
  std::chrono::steady_clock::time_point Begin; ///< of those that are counted
  int Lock = -1; ///< a descriptor, held as long as the process
  std::optional<LinkCommand> Command; ///< with its outputs moved
  std::optional<InputFiles> Inputs;
  std::vector<LinkVariant> Variants;
  /// What links by each way have written, each set of outputs once.
  std::vector<std::vector<OutputFiles>> Written;
  /// What the user has where the link would write.
  std::vector<std::pair<std::string, os::FileStatus>> UsersOutputs;
};

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_BENCHRUN_H
