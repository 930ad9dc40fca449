//===- InputFiles.h - The inputs of a link, in and out of memory -*- C++
//-*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_BENCH_INPUTFILES_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_BENCH_INPUTFILES_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Report/BenchReport.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// How much of a set of files is in memory; bytes.
struct ResidentPart {
  uint64_t Resident = 0;
  uint64_t Known = 0;   ///< the size of the files of which the system tells
  uint64_t Unknown = 0; ///< the size of the others
  /// The size of shared libraries that others use; counted in neither. Only
  /// where cold is asked for.
  uint64_t InUse = 0;
  std::vector<uint64_t> OfEach; ///< 0 where the system does not tell
  size_t FirstUnknown = 0;      ///< one of the others, where there is one

  double share() const {
    return Known == 0
               ? 0
               : static_cast<double>(Resident) / static_cast<double>(Known);
  }
};

/// The files that one link reads.
class InputFiles {
public:
  /// Finds them; blocks for the disk. What is no regular file is left out.
  explicit InputFiles(const LinkCommand &Command);

  const std::vector<BenchInput> &files() const { return Files; }
  uint64_t bytes() const { return Bytes; }

  /// How much of them is in memory now. Without \p WithLibraries shared
  /// libraries of which something is there are left out: every program uses
  /// them, so that no link ever finds them cold.
  ResidentPart residency(bool WithLibraries) const;
  /// Why the system does not tell of \p Part's Unknown, with a path. Blocks.
  std::string whyUnknown(const ResidentPart &Part) const;
  /// Why \p Part, found after `evict`, is not cold, with a path. Blocks.
  std::string whyNotCold(const ResidentPart &Part) const;
  /// Asks for all of them to be evicted, until \p Stopped. Blocks.
  void evict(llvm::function_ref<bool()> Stopped) const;
  /// Brings all of them into memory, until \p Stopped. Blocks.
  void fetch(llvm::function_ref<bool()> Stopped) const;

  /// The number of the file that the linker, or the system, calls \p Path.
  std::optional<size_t> indexOf(llvm::StringRef Path) const;

private:
  std::vector<BenchInput> Files;
  llvm::StringMap<size_t> ByPath; ///< also by the system's own names
  uint64_t Bytes = 0;
  os::PageCache Cache;
};

} // namespace headstart

#endif // HEADSTART_LIB_BENCH_INPUTFILES_H
