//===- LinkerMain.cpp - main() of the drop-in linkers ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerMain.h"
#include "Seam.h"
#include "headstart/Link/LinkSession.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <optional>

using namespace llvm;

// Not in an installed header; lldCommon exports both.
namespace lld {
extern bool inTestOutputDisabled; // NOLINT: lld's name
int unsafeLldMain(ArrayRef<const char *> Args, raw_ostream &StdoutOS,
                  raw_ostream &StderrOS, ArrayRef<DriverDef> Drivers,
                  bool ExitEarly);
} // namespace lld

namespace headstart {

/// How often to link in this process: LLD_IN_TEST as stock lld reads it. 0
/// when lld is not under test, and need not clean up.
static unsigned repetitions() {
  unsigned Count = 0;
  StringRef(::getenv("LLD_IN_TEST")).getAsInteger(10, Count);
  return Count;
}

/// The program's name as lld puts it before its messages.
static std::string messageName(ArrayRef<const char *> Args) {
  StringRef Name = sys::path::filename(Args[0]);
  Name.consume_back_insensitive(".exe");
  return Name.str();
}

/// Takes our options out of the command line proper, as if they had never been
/// there: lld compares its length before and after expansion (/verbose).
///
/// What stands before the first response file goes into \p Settings at once;
/// what stands after it is given back, to be applied when the session knows the
/// options in between. (Between two response files the order is lost: there,
/// the command line proper wins.)
static Expected<std::vector<PrefetchOption>>
takeDirectOptions(Flavour F, SmallVectorImpl<const char *> &Words,
                  PrefetchSettings &Settings) {
  auto *FirstResponse = llvm::find_if(
      llvm::drop_begin(Words), [](const char *Word) { return Word[0] == '@'; });
  // LINK's words come first of all, and without a response file nothing else
  // can come in between.
  if (FirstResponse == Words.end())
    FirstResponse = std::next(Words.begin());
  SmallVector<const char *, 256> Head(Words.begin(), FirstResponse);
  // The program's name stands in for the first word of the tail.
  SmallVector<const char *, 256> Tail = {Words.front()};
  Tail.append(FirstResponse, Words.end());
  std::vector<PrefetchOption> Before = takePrefetchOptions(F, Head);
  std::vector<PrefetchOption> After = takePrefetchOptions(F, Tail);
  if (Error E = applyOptions(Before, Settings))
    return E;
  // Bad values are told before anything runs.
  PrefetchSettings Scratch = Settings;
  if (Error E = applyOptions(After, Scratch))
    return E;
  Words = std::move(Head);
  Words.append(std::next(Tail.begin()), Tail.end());
  return After;
}

int runLinker(const LinkerProgram &Program, ArrayRef<const char *> Args,
              TraceClock::time_point Origin) {
  CommandLineContext Context = CommandLineContext::fromProcess();
  PrefetchSettings Settings;
  auto Fail = [&](Error E) {
    errs() << messageName(Args) << ": error: " << toString(std::move(E))
           << "\n";
    return 1;
  };
  if (Error E = applyEnvironment(Program.Kind, Context, Settings))
    return Fail(std::move(E));

  SmallVector<const char *, 256> Words(Args);
  Expected<std::vector<PrefetchOption>> Final =
      takeDirectOptions(Program.Kind, Words, Settings);
  if (!Final)
    return Fail(Final.takeError());

  // As in stock lld's main: a way to test the crash reporter.
  if (::getenv("FORCE_LLD_DIAGNOSTICS_CRASH")) {
    errs()
        << "crashing due to environment variable FORCE_LLD_DIAGNOSTICS_CRASH\n";
    LLVM_BUILTIN_TRAP;
  }

  unsigned Times = repetitions();
  if (Times == 0) {
    LinkSession Session(Program.Tool, Program.Kind, Settings, *Final, Origin);
    InstalledSession Here(Session, messageName(Args), Words.front());
    return lld::unsafeLldMain(Words, outs(), errs(), Program.Drivers,
                              /*exitEarly=*/true);
  }

  CrashRecoveryContext::Enable();
  std::optional<int> First;
  for (unsigned I = Times; I > 0; --I) {
    // Only the last run prints.
    lld::inTestOutputDisabled = I != 1;
    LinkSession Session(Program.Tool, Program.Kind, Settings, *Final, Origin);
    InstalledSession Here(Session, messageName(Args), Words.front());
    lld::Result Result = lld::lldMain(Words, outs(), errs(), Program.Drivers);
    Session.end(/*Succeeded=*/Result.retCode == 0);
    if (!Result.canRunAgain)
      sys::Process::Exit(Result.retCode, /*NoCleanup=*/true);
    if (First && *First != Result.retCode)
      return Result.retCode;
    First = Result.retCode;
  }
  return *First;
}

} // namespace headstart
