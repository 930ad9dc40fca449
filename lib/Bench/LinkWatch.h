//===- LinkWatch.h - The inputs of a link, and its samples ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_BENCH_LINKWATCH_H
#define HEADSTART_LIB_BENCH_LINKWATCH_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/MeasuredProgram.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/LinkProfile.h"
#include "headstart/Report/BenchReport.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// How much of a set of files is cached, in bytes.
struct ResidentPart {
  uint64_t Resident = 0;
  uint64_t Known = 0;   ///< the size of the files with known residency
  uint64_t Unknown = 0; ///< the size of the files with unknown residency
  /// The size of cached shared libraries, which neither Known nor Unknown
  /// includes. 0 if `residency` includes libraries.
  uint64_t InUse = 0;
  std::vector<uint64_t> OfEach; ///< resident bytes; 0 if unknown
  size_t FirstUnknown = 0;      ///< a file of Unknown, if there is one

  double share() const {
    return Known == 0
               ? 0
               : static_cast<double>(Resident) / static_cast<double>(Known);
  }
};

/// The files that one link reads.
class InputFiles {
public:
  /// Finds the inputs that are regular files. Blocks for the disk.
  explicit InputFiles(const LinkCommand &Command);

  const std::vector<BenchInput> &files() const { return Files; }

  /// Queries how much is cached now. Without \p WithLibraries it leaves out
  /// shared libraries that are cached in part or whole: other programs use
  /// them, so no link ever finds them cold. Blocks.
  ResidentPart residency(bool WithLibraries) const;
  /// Why the system does not report \p Part's Unknown, with a path. Blocks.
  std::string whyUnknown(const ResidentPart &Part) const;
  /// Why \p Part, queried after `evict`, is not cold, with a path. Blocks.
  std::string whyNotCold(const ResidentPart &Part) const;
  /// Requests the eviction of all files, until \p Stopped. Blocks.
  void evict(llvm::function_ref<bool()> Stopped) const;
  /// Fetches all files, until \p Stopped. Blocks.
  void fetch(llvm::function_ref<bool()> Stopped) const;

  /// The index of the file that the linker or the system calls \p Path.
  std::optional<size_t> indexOf(llvm::StringRef Path) const;

private:
  std::vector<BenchInput> Files;
  llvm::StringMap<size_t> ByPath; ///< also by the files' real paths
  os::PageCache Cache;
};

/// Collects the samples of one link. Only one thread may use it.
class LinkWatch {
public:
  /// \p Inputs must outlive this object.
  explicit LinkWatch(const InputFiles &Inputs) : Inputs(Inputs) {}

  /// Samples the running process \p Id, which was started at \p Begin.
  void sample(int Id, std::chrono::steady_clock::time_point Begin);

  /// Returns the result for a link with \p Usage. \p Before is the residency
  /// when the link began. \p Trace, the text of --prefetch-trace, adds its
  /// fetches and stages; any other text adds nothing. \p Profile, if it is not
  /// null, has more exact touched bytes than the samples from outside. Call
  /// once.
  WatchedLink finish(const os::ProgramUsage &Usage, const ResidentPart &Before,
                     llvm::StringRef Trace, const LinkProfile *Profile);

private:
  uint64_t sampleMappings(int Id);
  void addProfile(const LinkProfile &Profile);
  void addTrace(llvm::StringRef Trace);
  void addFetch(size_t Input, ByteRange Range);

  const InputFiles &Inputs;
  WatchedLink Link;
  std::vector<uint64_t> MaxMapped; ///< of each input
  bool SawMappings = false;
  std::chrono::steady_clock::time_point NextMappings;
  /// The ranges of each input in the profile; empty without a profile.
  std::vector<llvm::ArrayRef<ByteRange>> TouchedRanges;
};

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_LINKWATCH_H
