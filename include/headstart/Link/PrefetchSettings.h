//===- PrefetchSettings.h - The user's settings and reports -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The values of Headstart's own options, after they are checked, and the
/// reports that they request: the figures and the trace.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_PREFETCHSETTINGS_H
#define HEADSTART_LINK_PREFETCHSETTINGS_H

#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

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
  /// The option or variable that switched prefetching off, for a message;
  /// empty: none. See whyOff.
  std::string OffBecause;
  /// `HEADSTART=off`: nothing is prefetched, and wrong values of options are
  /// ignored.
  bool IsSwitchedOff = false;
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
/// environment, so an error in it never fails a link: it switches prefetching
/// off. Returns a warning about it; empty: none, as if everything is off.
std::string applyEnvironment(Flavour F, const CommandLineContext &Context,
                             PrefetchSettings &Settings);

/// Whether `HEADSTART` ("off", "0", "no", "false") switches everything off.
bool isSwitchedOff(const CommandLineContext &Context);

/// The reason why prefetching is off, for a message: "HEADSTART=off"; empty if
/// \p Settings allow it.
std::string whyOff(const PrefetchSettings &Settings);

/// Reads "2G", "512mb", "64k", "1000000" or "50%", but not "2.5G"; the units
/// are powers of 1024. Tools that take sizes use it, too.
llvm::Expected<MemoryLimit> parseMemoryLimit(llvm::StringRef Text);

/// Replaces the contents of \p File by the output of \p Write, at once; appends
/// it to a pipe, a device, or the open file that /dev/stderr or /dev/fd/N
/// stands for. Returns an error, or success. Blocks.
std::error_code writeFile(const std::string &File,
                          llvm::function_ref<void(llvm::raw_ostream &)> Write);
/// Likewise, but always writes into \p File: a failure costs its contents.
std::error_code
writeInPlace(const std::string &File,
             llvm::function_ref<void(llvm::raw_ostream &)> Write);

/// The state of prefetching for a link that runs in this process or alongside
/// it: the user's settings, the engine's options, and the final reports.
struct PrefetchRun {
  /// Must be called before the process starts its first thread.
  PrefetchRun(PrefetchSettings Settings, TraceClock::time_point Origin);

  /// Traces the engine, if the user requested a trace. \p Program is the name
  /// of the process in the trace.
  void beginTrace(const std::string &Program);
  /// Returns the options for the link of \p Command, which does not change any
  /// more. Reads the state of the memory.
  EngineOptions engineOptions(const LinkCommand &Command, bool HandOver);
  /// The milliseconds since Origin.
  double milliseconds() const;
  void note(std::string Problem) {
    Problems.push_back({std::move(Problem), 1});
  }

  PrefetchSettings Settings;
  TraceClock::time_point Origin;
  std::shared_ptr<TraceLog> Trace; ///< null: not requested
  std::vector<CountedProblem> Problems;
};

/// Stores the disk use of the linker itself, \p Linkers, in \p Stats, unless
/// the system seems not to count the file system. \p Threads is the use of the
/// prefetcher's threads.
void addLinkersDiskUse(const os::DiskUse &Linkers, const os::DiskUse &Threads,
                       LinkStats &Stats);

/// Whether a report may be written to \p File: it does not exist, begins with
/// \p Start (empty: no file does), is not a regular file (a pipe, a device), or
/// stands for an open one (/dev/stderr). A user's own file, named by mistake,
/// is not overwritten. Blocks.
bool mayReplaceReport(const std::string &File, llvm::StringRef Start);

/// Writes \p Stats and \p Trace (may be null) to the files in \p Settings, if
/// there are any. If a file cannot be written, prints a warning that begins
/// with \p Tool to standard error. Blocks.
void writeReports(const PrefetchSettings &Settings, const LinkStats &Stats,
                  const TraceLog *Trace, llvm::StringRef Tool);

} // namespace headstart

#endif // HEADSTART_LINK_PREFETCHSETTINGS_H
