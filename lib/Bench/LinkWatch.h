//===- LinkWatch.h - Samples of a running link ------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_BENCH_LINKWATCH_H
#define HEADSTART_LIB_BENCH_LINKWATCH_H

#include "InputFiles.h"
#include "headstart/OS/MeasuredProgram.h"
#include "headstart/Plan/LinkProfile.h"
#include "headstart/Report/BenchReport.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace headstart {

/// Collects the samples of one link. Only one thread may use it.
class LinkWatch {
public:
  /// \p Inputs must outlive this object.
  explicit LinkWatch(const InputFiles &Inputs) : Inputs(Inputs) {}

  /// Samples the running process \p Id, which was started at \p Begin.
  void sample(int Id, std::chrono::steady_clock::time_point Begin);

  /// Adds the fetches and stages of \p Trace, the text of --prefetch-trace. Any
  /// other text adds nothing.
  void addTrace(llvm::StringRef Trace);
  /// Adds the touched bytes of \p Profile, which are more exact than the
  /// samples from outside.
  void addProfile(const LinkProfile &Profile);

  /// Returns the result for a link with \p Usage. \p Before is the residency
  /// when the link began. Call once.
  WatchedLink finish(const os::ProgramUsage &Usage, const ResidentPart &Before);

private:
  uint64_t sampleMappings(int Id);

  const InputFiles &Inputs;
  WatchedLink Link;
  std::vector<uint64_t> TouchedNow, Faults, Read, Memory; ///< per sample
  std::vector<uint64_t> MaxMapped;                        ///< of each input
  bool SawMappings = false;
  uint64_t LastTouched = 0;
  std::chrono::steady_clock::time_point NextMappings;
  std::vector<std::pair<size_t, ByteRange>> Fetches; ///< input, and its range
  /// Times in milliseconds, and the sums of fetched bytes by then.
  std::vector<std::pair<double, uint64_t>> FetchedSoFar;
  bool HasTrace = false;
  std::vector<std::vector<ByteRange>> TouchedRanges; ///< of each input
  bool HasProfile = false;
};

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_LINKWATCH_H
