//===- Reports.cpp - Statistics and traces --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/Reports.h"
#include "headstart/FileTree/Record.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Plan/FilePlanner.h"
#include "headstart/Report/Message.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <chrono>

using namespace llvm;

namespace headstart {

std::error_code writeFile(const std::string &File,
                          function_ref<void(raw_ostream &)> Write) {
  std::error_code Error;
  raw_fd_ostream OS(File, Error, sys::fs::OF_None);
  if (!Error) {
    Write(OS);
    // If the destructor could not close the stream, it would end the program.
    OS.close();
    Error = OS.error();
    OS.clear_error();
  }
  return Error;
}

bool mayReplaceReport(const std::string &File, ArrayRef<StringRef> Starts) {
  std::error_code Error;
  // A pipe or device may be written to, and /dev/stderr may be a regular file.
  return StringRef(File).starts_with("/dev/") ||
         os::statFile(File, Error).Kind != os::FileKind::Regular ||
         any_of(Starts,
                [&](StringRef Start) { return mayReplaceRecord(File, Start); });
}

/// Writes a report, which may replace a file that begins with one of \p Starts.
/// A full disk costs the report, not the link.
static void writeTo(const std::string &File, StringRef Tool,
                    ArrayRef<StringRef> Starts,
                    function_ref<void(raw_ostream &)> Write) {
  const auto Warn = [&](const Twine &Why) {
    printMessage(Tool, Severity::Warning,
                 "cannot write '" + File + "': " + Why);
  };
  if (!mayReplaceReport(File, Starts))
    Warn("this file is not a report of Headstart, so Headstart does not "
         "replace it");
  else if (const std::error_code Error = writeFile(File, Write))
    Warn(Error.message());
}

PrefetchRun::PrefetchRun(PrefetchSettings Settings,
                         TraceClock::time_point Origin)
    : Settings(std::move(Settings)), Origin(Origin) {
  if (this->Settings.On)
    os::reserveDescriptors();
}

void PrefetchRun::beginTrace(const std::string &Program) {
  if (!Settings.TraceFile.empty())
    Trace = std::make_shared<TraceLog>(Origin, Program);
}

EngineOptions PrefetchRun::engineOptions(const LinkCommand &Command,
                                         bool HandOver) {
  TimeTraceFile = Command.TimeTrace;
  EngineOptions Options;
  Options.Jobs = Settings.Jobs;
  Options.HighLatencyJobs = Settings.HighLatencyJobs;
  Options.BudgetBytes = Settings.budgetBytes(os::SystemMemory::read());
  Options.HandOver = HandOver;
  Options.Plan = planOptionsOf(Command);
  Options.Numbers = Settings.Numbers;
  Options.Trace = Trace;
  Options.MeasuresProcessor = Settings.Stats;
  return Options;
}

double PrefetchRun::milliseconds() const {
  return std::chrono::duration<double, std::milli>(TraceClock::now() - Origin)
      .count();
}

Error addTimeTrace(TraceLog &Trace, const std::string &File) {
  auto Fail = [&](const Twine &Why) {
    return createStringError("time trace '" + File + "': " + Why);
  };
  if (File == "-")
    return Fail("the linker wrote it to standard output");
  // Not mapped: a process that truncates a mapped file would end the linker.
  Expected<std::unique_ptr<MemoryBuffer>> Text =
      readRecordFile(File, UINT64_MAX, "time trace");
  if (!Text)
    return Fail(toString(Text.takeError()));
  if (Error E = Trace.addTimeTrace(std::move(*Text)))
    return Fail(toString(std::move(E)));
  return Error::success();
}

void PrefetchRun::mergeTimeTrace(bool Succeeded) {
  if (TimeTraceFile.empty())
    return;
  Error E = addTimeTrace(*Trace, TimeTraceFile);
  if (E && Succeeded)
    note(toString(std::move(E)));
  else
    consumeError(std::move(E));
}

void addLinkersDiskUse(std::optional<os::DiskUse> All,
                       std::optional<os::DiskUse> Threads, LinkStats &Stats) {
  if (!All || !Threads)
    return;
  os::DiskUse Linkers = *All - *Threads;
  // If the system does not even count the fetched bytes, the rest is unknown.
  if (Stats.HintedBytes != 0 && Threads->Bytes == 0 && Linkers.Bytes == 0)
    return;
  Stats.LinkerReadBytes = Linkers.Bytes;
  Stats.LinkerStops = Linkers.Stops;
}

/// The file for the figures: \p Name, or, if that is a directory (or ends like
/// one), a new file in it, so that the links of a build do not replace each
/// other's figures.
static std::string statsFile(const std::string &Name, StringRef Tool) {
  std::error_code Error;
  if (sys::path::is_separator(Name.back()))
    // An error is reported when the file cannot be written.
    (void)sys::fs::create_directories(Name);
  else if (os::statFile(Name, Error).Kind != os::FileKind::Directory)
    return Name;
  // The sorted names are in the order of time.
  SmallString<256> Path(Name);
  sys::path::append(
      Path, Twine(std::chrono::system_clock::now().time_since_epoch().count()) +
                "-" + Twine(sys::Process::getProcessId()) + "-" + Tool +
                ".json");
  return std::string(Path);
}

static void writeAll(const PrefetchSettings &Settings, LinkStats Stats,
                     const TraceLog *Trace, StringRef Tool) {
  uint64_t LeftOut = 0;
  if (Trace)
    // lld's own trace may have the same name: Headstart's trace contains it.
    writeTo(Settings.TraceFile, Tool, {TraceStart, R"({"traceEvents":[)"},
            [&](raw_ostream &OS) { LeftOut = Trace->write(OS); });
  if (LeftOut != 0)
    Stats.Problems.push_back(
        {"Headstart could not read an event of the time trace", LeftOut});
  if (Settings.Stats && Settings.StatsFile.empty())
    writeStatsParagraph(Stats, errs());
  else if (Settings.Stats)
    writeTo(statsFile(Settings.StatsFile, Tool), Tool, {StatsStart},
            [&](raw_ostream &OS) { writeStatsJSON(Stats, OS); });
}

void writeReports(const PrefetchSettings &Settings, LinkStats Stats,
                  const TraceLog *Trace, StringRef Tool) {
  if (!Trace && !Settings.Stats)
    return;
  // Without signals, a file that grows past `ulimit -f` is an error, and does
  // not end the linker.
  os::runWithoutSignals(
      [&] { writeAll(Settings, std::move(Stats), Trace, Tool); });
}

} // namespace headstart
