//===- PrefetchSettings.h - The user's settings -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The values of Headstart's own options, after they are checked.
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

namespace headstart {

/// The most memory to fetch ahead: a number of bytes, or a share of the memory
/// that is available when the link starts.
struct MemoryLimit {
  uint64_t Bytes = 0;
  unsigned Percent = 0; ///< 0: Bytes applies

  /// The limit in bytes on a machine like \p Memory.
  uint64_t on(const os::SystemMemory &Memory) const;
};

struct PrefetchSettings {
  bool On = true;
  /// `HEADSTART=off`: nothing is prefetched, and wrong values of options are
  /// ignored.
  bool IsSwitchedOff = false;
  /// The variable whose invalid value switched prefetching off; empty: none.
  std::string InvalidVariable;
  /// The number of threads. Cold storage answers many requests at a time (1.07
  /// GB in 800 files: 1.40 s with one reader, 0.74 s with 4, 0.66 s with 8).
  unsigned Jobs = 8;
  /// The number of threads for inputs on a high-latency store; equal to Jobs if
  /// the user set that.
  unsigned HighLatencyJobs = 64;
  std::optional<MemoryLimit> Memory; ///< absent: derived from the machine
  std::string Profile = "auto";      ///< "auto", "none", a file or a directory/
  /// Links wait for each other if they do not fit into this memory together;
  /// absent: the machine's memory; 0: they never wait.
  std::optional<uint64_t> QueueBytes;
  bool Stats = false;
  /// A file, or a directory for one file of each link. If it is empty, Stats
  /// writes a paragraph to standard error.
  std::string StatsFile;
  std::string TraceFile; ///< empty: no trace
  bool HandOver = true;  ///< developers only: see HACKING.md
  Tuning Numbers;        ///< developers only

  /// The user's limit, or else half of the available memory: the bytes that are
  /// fetched ahead must leave room for the linker's allocations.
  uint64_t budgetBytes(const os::SystemMemory &Memory) const;
};

/// Applies \p Options in order; a later one overrides an earlier one. The error
/// names the option as the user wrote it, and the expected value. There is none
/// if `HEADSTART=off`.
llvm::Error applyOptions(llvm::ArrayRef<PrefetchOption> Options,
                         PrefetchSettings &Settings);

/// Applies `HEADSTART` ("off" switches everything off) and the options in
/// `HEADSTART_FLAGS` (split like in a POSIX shell). A whole build has one
/// environment, so an error in it never fails a link: it is reported to
/// \p Warn, unless everything is off, and switches prefetching off.
void applyEnvironment(Flavour F, const CommandLineContext &Context,
                      PrefetchSettings &Settings,
                      llvm::function_ref<void(const std::string &)> Warn);

/// Whether `HEADSTART` ("off", "0", "no", "false") switches everything off.
bool isSwitchedOff(const CommandLineContext &Context);

/// The reason why prefetching is off, for a message: "HEADSTART=off"; empty if
/// \p Settings allow it.
std::string whyOff(const PrefetchSettings &Settings);

/// Reads a number of bytes such as "2G", "512mb" or "1000000", where \p Kilo is
/// the factor between units, but not "2.5G". Returns nothing for other texts
/// and for numbers of more than 64 bits.
std::optional<uint64_t> parseBytes(llvm::StringRef Text, uint64_t Kilo);

/// Reads "2G", "512M", "64k", "1000000" or "50%"; the units are powers of 1024.
/// Tools that take sizes use it, too.
llvm::Expected<MemoryLimit> parseMemoryLimit(llvm::StringRef Text);

} // namespace headstart

#endif // HEADSTART_LINK_PREFETCHSETTINGS_H
