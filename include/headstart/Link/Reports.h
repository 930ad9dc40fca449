//===- Reports.h - What a link leaves behind for people ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reports that the user has asked for: the figures and the trace.
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

/// Replaces what \p File names, be it a pipe or a device, by what \p Write
/// writes. Why it could not be written, or success. Blocks.
std::error_code writeFile(const std::string &File,
                          llvm::function_ref<void(llvm::raw_ostream &)> Write);

/// What a link that prefetches has, in this process or beside it: what the user
/// wants, an engine's options, and what is told in the end.
struct PrefetchRun {
  PrefetchRun(PrefetchSettings Settings, TraceClock::time_point Origin)
      : Settings(std::move(Settings)), Origin(Origin) {}

  /// Has the engine's doings traced, if the user wants that. \p Program is the
  /// name of the process in the trace.
  void beginTrace(const std::string &Program);
  /// For the link of \p Command, which is not changed any more. Reads memory's
  /// state.
  EngineOptions engineOptions(const LinkCommand &Command, bool HandOver);
  /// Adds what lld has written for --time-trace to the trace. What is no such
  /// trace, or another link's, is a problem, unless the link has failed. Reads
  /// all of it, and blocks.
  void mergeTimeTrace(bool Succeeded);
  /// Since Origin, in milliseconds.
  double milliseconds() const;
  void note(std::string Problem) {
    Problems.push_back({std::move(Problem), 1});
  }

  PrefetchSettings Settings;
  TraceClock::time_point Origin;
  std::shared_ptr<TraceLog> Trace; ///< null: not wanted
  /// Where the linker writes its own trace; empty: nowhere.
  std::string TimeTraceFile;
  std::vector<CountedProblem> Problems;
};

/// Has \p Trace hold what lld has written to \p File for --time-trace. What is
/// no such trace, or another link's, is an error that names the file. "-" is
/// standard output, which cannot be read again. Reads all of it, and blocks.
llvm::Error addTimeTrace(TraceLog &Trace, const std::string &File);

/// What of \p All, the use of a linker's process or processes, was the linker's
/// own and not that of the prefetcher's \p Threads: into \p Stats, unless the
/// file system seems not to be counted.
void addLinkersDiskUse(std::optional<os::DiskUse> All,
                       std::optional<os::DiskUse> Threads, LinkStats &Stats);

/// Whether a report may be written to \p File: nothing is there, or what begins
/// with one of \p Starts, or what is no file (a pipe, a device). A user's
/// own file, named by mistake, is not written over. Blocks.
bool mayReplaceReport(const std::string &File,
                      llvm::ArrayRef<llvm::StringRef> Starts);

/// Writes \p Stats and \p Trace (may be null) to where \p Settings say, if they
/// do; what of a time trace had to be left out is counted. Straight into what a
/// path names, be it a pipe or /dev/stderr. What cannot be written costs a
/// warning on standard error that begins with
/// \p Tool. Blocks.
void writeReports(const PrefetchSettings &Settings, LinkStats Stats,
                  const TraceLog *Trace, llvm::StringRef Tool);

} // namespace headstart

#endif // HEADSTART_LINK_REPORTS_H
