//===- Reports.cpp - What a link leaves behind for people -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/Reports.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace headstart {

/// A disk that is full costs the report, not the link.
static void writeTo(const std::string &File, StringRef Tool,
                    function_ref<void(raw_ostream &)> Write) {
  std::error_code Error;
  {
    raw_fd_ostream OS(File, Error, sys::fs::OF_None);
    if (!Error) {
      Write(OS);
      OS.flush();
      Error = OS.error();
      OS.clear_error();
    }
  }
  if (Error)
    errs() << Tool << ": warning: cannot write '" << File
           << "': " << Error.message() << "\n";
}

void writeReports(const PrefetchSettings &Settings, const LinkStats &Stats,
                  const TraceLog *Trace, StringRef Tool) {
  if (Settings.Stats && Settings.StatsFile.empty())
    writeStatsParagraph(Stats, errs());
  else if (Settings.Stats)
    writeTo(Settings.StatsFile, Tool,
            [&](raw_ostream &OS) { writeStatsJSON(Stats, OS); });
  if (Trace)
    writeTo(Settings.TraceFile, Tool,
            [&](raw_ostream &OS) { Trace->write(OS); });
}

} // namespace headstart
