//===- PrefetchSettings.h - What the user asked of the prefetcher --*- C++
//-*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Headstart's own options, checked and given their values.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_PREFETCHSETTINGS_H
#define HEADSTART_LINK_PREFETCHSETTINGS_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Plan/Tuning.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The most memory to fetch ahead: so many bytes, or a share of what is
/// available when the link starts.
struct MemoryLimit {
  uint64_t Bytes = 0;
  unsigned Percent = 0; ///< 0: Bytes holds

  /// The limit in bytes on a machine like \p Memory.
  uint64_t on(const os::SystemMemory &Memory) const;
};

struct PrefetchSettings {
  bool On = true;
  /// The variable whose invalid value switched prefetching off; empty: none.
  std::string InvalidVariable;
  /// Threads. Eight: cold storage answers many questions at a time (1.07 GB in
  /// 800 files: 1.40 s with one reader, 0.74 with 4, 0.66 with 8).
  unsigned Jobs = 8;
  /// The same for inputs on a high-latency store; as Jobs where that was asked
  /// for.
  unsigned HighLatencyJobs = 64;
  std::optional<MemoryLimit> Memory; ///< absent: decided from the machine
  std::string Profile = "auto";      ///< "auto", "none", a file or a directory/
  /// Whether links wait for each other: absent: when they do not fit into
  /// memory together; so many bytes in the place of that; 0: never.
  std::optional<uint64_t> QueueBytes;
  bool Stats = false;
  /// A file, or a directory for one file of each link; empty with Stats: a
  /// paragraph to standard error.
  std::string StatsFile;
  std::string TraceFile; ///< empty: no trace
  bool HandOver = true;  ///< developers only: see HACKING.md
  Tuning Numbers;        ///< the same

  /// Half of what is available, where the user set no limit: what is fetched
  /// ahead must leave room for what the linker allocates.
  uint64_t budgetBytes(const os::SystemMemory &Memory) const;
};

/// Applies \p Options in their order, the later winning. The error names the
/// option as it was written and what was expected.
llvm::Error applyOptions(llvm::ArrayRef<PrefetchOption> Options,
                         PrefetchSettings &Settings);

/// Applies `HEADSTART` ("off" switches everything off) and the options in
/// `HEADSTART_FLAGS` (words as a POSIX shell would split them). A whole build
/// has the same environment: what is wrong in it costs prefetching and is told
/// to \p Warn, and never fails a link.
void applyEnvironment(Flavour F, const CommandLineContext &Context,
                      PrefetchSettings &Settings,
                      llvm::function_ref<void(const std::string &)> Warn);

/// Whether `HEADSTART` ("off", "0", "no", "false") switches everything off.
bool isSwitchedOff(const CommandLineContext &Context);

/// Why there is no prefetching, for people: "HEADSTART=off"; empty where
/// \p Settings and the environment allow it.
std::string whyOff(const PrefetchSettings &Settings,
                   const CommandLineContext &Context);

/// Reads "2G", "512M", "64k", "1000000" or "50%"; powers of 1024. Exposed for
/// the tools that take sizes.
llvm::Expected<MemoryLimit> parseMemoryLimit(llvm::StringRef Text);

} // namespace headstart

#endif // HEADSTART_LINK_PREFETCHSETTINGS_H
