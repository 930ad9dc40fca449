//===- Reports.h - Statistics and traces ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reports that the user has requested: the figures and the trace.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_REPORTS_H
#define HEADSTART_LINK_REPORTS_H

#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Link/PrefetchSettings.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/LinkStats.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace headstart {

/// Replaces the contents of \p File, which may be a pipe or a device, by the
/// output of \p Write. Returns an error, or success. Blocks.
std::error_code writeFile(const std::string &File,
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
  /// Adds lld's output for --time-trace to the trace. If it is no such trace,
  /// or another link's, notes a problem, unless the link has failed. Reads all
  /// of it, and blocks.
  void mergeTimeTrace(bool Succeeded);
  /// The milliseconds since Origin.
  double milliseconds() const;
  void note(std::string Problem) {
    Problems.push_back({std::move(Problem), 1});
  }

  PrefetchSettings Settings;
  TraceClock::time_point Origin;
  std::shared_ptr<TraceLog> Trace; ///< null: not requested
  /// The file to which the linker writes its own trace; empty: none.
  std::string TimeTraceFile;
  std::vector<CountedProblem> Problems;
};

/// Adds lld's output for --time-trace in \p File to \p Trace. If it is no such
/// trace, or another link's, returns an error that names the file. "-" is
/// standard output, which cannot be read again. Reads all of it, and blocks.
llvm::Error addTimeTrace(TraceLog &Trace, const std::string &File);

/// Stores the disk use of the linker itself in \p Stats: \p All, the use of its
/// process or processes, without that of the prefetcher's \p Threads. Stores
/// nothing if the system seems not to count the file system.
void addLinkersDiskUse(std::optional<os::DiskUse> All,
                       std::optional<os::DiskUse> Threads, LinkStats &Stats);

/// Whether a report may be written to \p File: it does not exist, begins with
/// one of \p Starts, or is not a regular file (a pipe, a device). A user's own
/// file, named by mistake, is not overwritten. Blocks.
bool mayReplaceReport(const std::string &File,
                      llvm::ArrayRef<llvm::StringRef> Starts);

/// Writes \p Stats and \p Trace (may be null) to the files in \p Settings, if
/// there are any, and counts the events of a time trace that it leaves out.
/// Writes directly to a path, which may be a pipe or /dev/stderr. If a file
/// cannot be written, prints a warning that begins with \p Tool to standard
/// error. Blocks.
void writeReports(const PrefetchSettings &Settings, LinkStats Stats,
                  const TraceLog *Trace, llvm::StringRef Tool);

} // namespace headstart

#endif // HEADSTART_LINK_REPORTS_H
