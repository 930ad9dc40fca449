//===- BuildReports.cpp - What the links of a build found -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildReports.h"
#include "Command.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/Program.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace headstart {

static constexpr const char *Variable = "HEADSTART_FLAGS";

BuildReports::BuildReports() {
  const std::string Flags = sys::Process::GetEnv(Variable).value_or("");
  const std::string Cache = profileDirectory();
  if (Cache.empty() || StringRef(Flags).contains("prefetch-stats"))
    return;
  // The same path each time: tools compare the environment with that of the
  // last build, and a compiler's server may start links after this one.
  Directory = hashedPath(Cache, "reports-", os::currentDirectory());
  clear();
  if (sys::fs::create_directories(Directory)) {
    Directory.clear();
    return;
  }
  std::string Quoted;
  raw_string_ostream OS(Quoted);
  sys::printArg(OS, "--prefetch-stats=" + Directory + "/",
                /*Quote=*/true);
  os::setVariable(Variable, Flags.empty() ? Quoted : Flags + " " + Quoted);
}

void BuildReports::clear() const {
  if (!Directory.empty())
    (void)sys::fs::remove_directories(Directory);
}

std::string BuildReports::summary() const {
  uint64_t Links = 0, Inputs = 0, Cached = 0;
  for (const std::string &Path : pathsIn(Directory, "")) {
    const auto Text = MemoryBuffer::getFile(Path);
    Expected<json::Value> Report =
        json::parse(Text ? (*Text)->getBuffer() : StringRef());
    if (!Report) {
      consumeError(Report.takeError());
      continue;
    }
    const json::Object *Of = Report->getAsObject();
    auto Bytes = [&](StringRef Name) {
      return Of ? Of->getInteger(Name).value_or(0) : 0;
    };
    if (Bytes("inputs_bytes") <= 0 || Bytes("unknown_bytes_before") != 0)
      continue;
    ++Links;
    Inputs += static_cast<uint64_t>(Bytes("inputs_bytes"));
    Cached += static_cast<uint64_t>(Bytes("resident_bytes_before"));
  }
  if (Links == 0)
    return "";
  return "; " + counted(Links, "link") + " began with " +
         utostr(Cached * 100 / Inputs) + "% of " +
         (Links == 1 ? "its " : "their ") + formatBytes(Inputs) +
         " of inputs cached";
}

} // namespace headstart
