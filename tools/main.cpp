//===- main.cpp - One program under many names ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `ld.lld`, `lld-link`, `ld64.lld`, `wasm-ld`, `lld -flavor` and `headstart`
/// are one program (on Windows one library, with a small program for each
/// name). The name that starts it selects what it does. If links cannot be
/// created, the name may be the first argument: `headstart ld.lld ARGS...`.
///
//===----------------------------------------------------------------------===//

#include "headstart/Command.h"
#include "headstart/Link/ForeignCommand.h"
#include "headstart/Link/LinkSession.h"
#include "headstart/OS/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
// This header implements stock's option -mllvm -load=.
#include "llvm/Support/PluginLoader.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>

using namespace llvm;
using namespace headstart;

/// Maps the names that clang searches for with `-fuse-ld=headstart` to the
/// names that lld knows.
static StringRef stockName(StringRef Name) {
  if (Name.ends_with("ld64.headstart"))
    return "ld64.lld";
  return Name.ends_with("ld.headstart") ? "ld.lld" : Name;
}

/// Whether \p Name is the tool's. Any other name is lld's, or lld rejects it.
static bool isTool(StringRef Name) {
  return Name.starts_with("headstart") || Name.ends_with("-headstart");
}

/// Runs lld, which selects the linker by its first argument: \p Name replaces
/// it. The first \p Before arguments are not for lld.
static int runAsLinker(StringRef Name, int Count, char **Argv, size_t Before,
                       TraceClock::time_point Origin) {
  if (!isSwitchedOff(CommandLineContext::fromProcess()))
    setBugReportMsg(
        "Please run the link again with HEADSTART=off. If it does not crash, "
        "report a public\nissue of Headstart, with the command, the output of "
        "--version and this text.\nIf it still crashes, the error is lld's:\n"
        // lld's own tests expect this line.
        "PLEASE submit a bug report to "
        "https://github.com/llvm/llvm-project/issues/ and include the crash "
        "backtrace.\n");
  InitLLVM X(Count, Argv); // on Windows this reads all arguments again
  sys::Process::UseANSIEscapeCodes(true);
  SmallVector<const char *, 256> Args(Argv, Argv + Count);
  Args.erase(Args.begin(), Args.begin() + Before);
  SmallString<128> Path(Args[0]);
  if (const StringRef Stock = stockName(programName(Name));
      Stock != programName(Path)) {
    sys::path::remove_filename(Path);
    sys::path::append(Path, Stock);
    Args[0] = Path.c_str();
  }
  return runLinker(Args, Origin);
}

static int run(int argc, char **argv) {
  const TraceClock::time_point Origin = TraceClock::now();
  if (argc == 0)
    return 1;
  if (!isTool(programName(argv[0])))
    return runAsLinker(argv[0], argc, argv, 0, Origin);
  static constexpr StringLiteral Linkers[] = {
      "lld",     "ld.lld",       "lld-link",      "ld64.lld",
      "wasm-ld", "ld.headstart", "ld64.headstart"};
  const StringRef First = argc > 1 ? argv[1] : "";
  if (is_contained(Linkers, First))
    return runAsLinker(First, argc, argv, 1, Origin);
  if (isFromClangCL(First))
    return runAsLinker("lld-link", argc, argv, 0, Origin);
  setBugReportMsg("Please report this crash as a public issue of Headstart, "
                  "with the command,\nthe output of headstart version and this "
                  "text.\n");
  return runTool(argc, argv, Origin);
}

#ifdef HEADSTART_LIBRARY
/// The programs of Launcher.cpp call this. It ends the process at once, because
/// the library's destructors would run after its threads are gone.
extern "C" __declspec(dllexport) int headstartMain(int argc, char **argv) {
  const int Status = run(argc, argv);
  outs().flush();
  std::fflush(nullptr);
  os::leaveAtOnce(Status);
}
#else
int main(int argc, char **argv) { return run(argc, argv); }
#endif
