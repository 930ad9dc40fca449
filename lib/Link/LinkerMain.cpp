//===- LinkerMain.cpp - main() of the drop-in linker ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerMain.h"
#include "Seam.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/LinkSession.h"
#include "headstart/Link/LinkerName.h"
#include "headstart/Report/Message.h"
#include "lld/Common/Driver.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <optional>

using namespace llvm;

LLD_HAS_DRIVER(coff)
LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(mingw)
LLD_HAS_DRIVER(macho)
LLD_HAS_DRIVER(wasm)

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
takeDirectOptions(Flavour F, SmallVectorImpl<const char *> &CommandArgs,
                  PrefetchSettings &Settings) {
  auto *FirstResponse =
      llvm::find_if(llvm::drop_begin(CommandArgs),
                    [](const char *Arg) { return Arg[0] == '@'; });
  // LINK's words come first of all, and without a response file nothing else
  // can come in between.
  if (FirstResponse == CommandArgs.end())
    FirstResponse = std::next(CommandArgs.begin());
  SmallVector<const char *, 256> Head(CommandArgs.begin(), FirstResponse);
  // The program's name stands in for the first word of the tail.
  SmallVector<const char *, 256> Tail = {CommandArgs.front()};
  Tail.append(FirstResponse, CommandArgs.end());
  std::vector<PrefetchOption> Before =
      LinkerModel::of(F).takePrefetchOptions(Head);
  std::vector<PrefetchOption> After =
      LinkerModel::of(F).takePrefetchOptions(Tail);
  if (Error E = applyOptions(Before, Settings))
    return E;
  // Bad values are told before anything runs.
  PrefetchSettings Scratch = Settings;
  if (Error E = applyOptions(After, Scratch))
    return E;
  CommandArgs = std::move(Head);
  CommandArgs.append(std::next(Tail.begin()), Tail.end());
  return After;
}

namespace {

/// One run of lld: what must outlive the driver. The session ends when lld
/// leaves, and lld's own context, which may refer to the words, with it.
struct Run {
  explicit Run(TraceClock::time_point Origin);
  ~Run();
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  TraceClock::time_point Origin;
  SmallVector<const char *, 256> CommandArgs;
  std::optional<LinkSession> Session;
  std::optional<InstalledSession> Here;
  /// What lld writes to standard output when it is asked for --help.
  std::string Help;
  raw_string_ostream HelpOut{Help};

  /// Takes our options out of the words, and starts the session of a link by
  /// lld's driver for \p F. Warnings go to \p Err.
  Error begin(Flavour F, ArrayRef<const char *> Args, raw_ostream &Err);
};

/// lld's drivers are plain functions: this cannot be handed to them.
Run *Running = nullptr;

} // namespace

Run::Run(TraceClock::time_point Origin) : Origin(Origin) { Running = this; }
Run::~Run() { Running = nullptr; }

Error Run::begin(Flavour F, ArrayRef<const char *> Args, raw_ostream &Err) {
  CommandArgs.assign(Args.begin(), Args.end());
  PrefetchSettings Settings;
  applyEnvironment(F, CommandLineContext::fromProcess(), Settings,
                   [&](const std::string &Problem) {
                     printMessage(messageName(Args), Severity::Warning, Problem,
                                  Err);
                   });
  Expected<std::vector<PrefetchOption>> Final =
      takeDirectOptions(F, CommandArgs, Settings);
  if (!Final)
    return Final.takeError();
  Session.emplace(LinkerModel::of(F).Program.str(), F, Settings, *Final,
                  Origin);
  Here.emplace(*Session, messageName(CommandArgs), CommandArgs.front());
  return Error::success();
}

/// What \p CommandArgs, without response files, ask lld's driver for \p F to
/// tell. Which words may ask for anything shows without reading the command
/// line.
static LinkCommand::Answer answerTo(Flavour F,
                                    ArrayRef<const char *> CommandArgs) {
  const auto MayRequest = [](StringRef Arg) {
    return any_of(
               ArrayRef<StringRef>{"help", "help-hidden", "version", "?"},
               [&](StringRef End) { return Arg.ends_with_insensitive(End); }) ||
           Arg == "-v" || Arg == "-V";
  };
  if (none_of(drop_begin(CommandArgs), MayRequest))
    return LinkCommand::Answer::None;
  std::vector<CommandLineArg> Read;
  for (const char *Arg : drop_begin(CommandArgs))
    Read.push_back({Arg, "", ""});
  return LinkerModel::of(F)
      .parse(Read, CommandLineContext::fromProcess())
      .Prints;
}

/// lld's \p Help, where what is said of options that are ours now gives way to
/// a section of our own.
static void printHelp(Flavour F, StringRef Help, raw_ostream &Out) {
  bool IsOurs = false;
  while (!Help.empty()) {
    const size_t Length = std::min(Help.find('\n'), Help.size() - 1) + 1;
    const StringRef Line = Help.take_front(Length);
    Help = Help.drop_front(Length);
    // An entry's further lines are indented more.
    if (!Line.starts_with("   ")) {
      const StringRef Name = Line.ltrim(" /-");
      IsOurs = Line.starts_with("  ") && (Name.starts_with("prefetch-inputs") ||
                                          Name.starts_with("read-workers"));
    }
    if (!IsOurs)
      Out << Line;
  }
  std::string Ours;
  raw_string_ostream OS(Ours);
  LinkerModel::of(F).options().printHelp(OS, "", "");
  // Behind an overview and the usage, which lld has printed.
  Out << "\n" << StringRef(Ours).drop_front(Ours.find("HEADSTART:"));
}

/// Behind lld's version, whose line build systems read.
static void printVersion(raw_ostream &Out) {
  Out << "Headstart " HEADSTART_VERSION " (prefetches the inputs of links)\n";
  Out.flush();
}

/// lld's \p Driver with a session beside it. lld's dispatcher has found out
/// that it is this driver's turn, and has taken `-flavor` out of \p Args.
template <Flavour F, lld::Driver Driver>
static bool linkWithPrefetcher(ArrayRef<const char *> Args, raw_ostream &Out,
                               raw_ostream &Err, bool ExitEarly,
                               bool DisableOutput) {
  raw_ostream &Messages = DisableOutput ? nulls() : Err;
  if (Error E = Running->begin(F, Args, Messages)) {
    printMessage(messageName(Args), Severity::Error, toString(std::move(E)),
                 Messages);
    return false;
  }
  const LinkCommand::Answer Requested = answerTo(F, Running->CommandArgs);
  const bool IsHelp = Requested == LinkCommand::Answer::Help;
  const bool Succeeded =
      Driver(Running->CommandArgs, IsHelp ? Running->HelpOut : Out, Err,
             ExitEarly, DisableOutput);
  if (DisableOutput)
    return Succeeded;
  if (IsHelp && Succeeded)
    printHelp(F, Running->Help, Out);
  else if (IsHelp)
    Out << Running->Help;
  else if (Succeeded && Requested == LinkCommand::Answer::Version)
    printVersion(Out);
  Out.flush(); // lld knows of its own stream only
  return Succeeded;
}

/// lld's driver for WebAssembly, beside which there is nothing.
static bool linkWasm(ArrayRef<const char *> Args, raw_ostream &Out,
                     raw_ostream &Err, bool ExitEarly, bool DisableOutput) {
  const bool Succeeded =
      lld::wasm::link(Args, Out, Err, ExitEarly, DisableOutput);
  const auto IsVersion = [](StringRef Arg) {
    return Arg == "--version" || Arg == "-version";
  };
  if (Succeeded && !DisableOutput &&
      (any_of(drop_begin(Args), IsVersion) ||
       (Args.size() == 2 && StringRef(Args[1]) == "-v")))
    printVersion(Out);
  return Succeeded;
}

/// All of lld's, as stock has them; nothing is known of WebAssembly's inputs.
static constexpr lld::DriverDef Drivers[] = {
    {lld::WinLink, linkWithPrefetcher<Flavour::COFF, lld::coff::link>},
    {lld::Gnu, linkWithPrefetcher<Flavour::ELF, lld::elf::link>},
    // ld.lld with `-m i386pep` and its like.
    {lld::MinGW, linkWithPrefetcher<Flavour::ELF, lld::mingw::link>},
    {lld::Darwin, linkWithPrefetcher<Flavour::MachO, lld::macho::link>},
    {lld::Wasm, linkWasm},
};

int runLinker(ArrayRef<const char *> Args, TraceClock::time_point Origin) {
  // As in stock lld's main: a way to test the crash reporter.
  if (::getenv("FORCE_LLD_DIAGNOSTICS_CRASH")) {
    errs()
        << "crashing due to environment variable FORCE_LLD_DIAGNOSTICS_CRASH\n";
    LLVM_BUILTIN_TRAP;
  }

  unsigned Times = repetitions();
  if (Times == 0) {
    Run Only(Origin);
    return lld::unsafeLldMain(Args, outs(), errs(), Drivers,
                              /*exitEarly=*/true);
  }

  CrashRecoveryContext::Enable();
  std::optional<int> First;
  for (unsigned I = Times; I > 0; --I) {
    // Only the last run prints.
    lld::inTestOutputDisabled = I != 1;
    Run One(Origin);
    lld::Result Result = lld::lldMain(Args, outs(), errs(), Drivers);
    // Through lld, which ends by the signal that a crash was caught from.
    if (!Result.canRunAgain)
      lld::exitLld(Result.retCode);
    if (One.Session)
      One.Session->end(/*Succeeded=*/Result.retCode == 0);
    if (First && *First != Result.retCode)
      return Result.retCode;
    First = Result.retCode;
  }
  return *First;
}

} // namespace headstart
