//===- LinkerMain.cpp - main() of the drop-in linker ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Seam.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/LinkSession.h"
#include "headstart/Report/Message.h"
#include "lld/Common/Driver.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <optional>

using namespace llvm;

LLD_HAS_DRIVER(coff)
LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(mingw)
LLD_HAS_DRIVER(macho)
LLD_HAS_DRIVER(wasm)

// No installed header declares these; lldCommon exports both.
namespace lld {
extern bool inTestOutputDisabled; // NOLINT: lld's name
int unsafeLldMain(ArrayRef<const char *> Args, raw_ostream &StdoutOS,
                  raw_ostream &StderrOS, ArrayRef<DriverDef> Drivers,
                  bool ExitEarly);
} // namespace lld

namespace headstart {

/// Removes Headstart's options from the command line itself without a trace,
/// because lld compares its length before and after expansion (/verbose).
///
/// Applies the options before the first response file to \p Settings at once.
/// Returns those after it; the session applies them when it knows the options
/// in between. (The order between two response files is lost: there, the
/// options of the command line itself win.)
static Expected<std::vector<PrefetchOption>>
takeDirectOptions(Flavour F, SmallVectorImpl<const char *> &CommandArgs,
                  PrefetchSettings &Settings) {
  auto *FirstResponse =
      llvm::find_if(llvm::drop_begin(CommandArgs),
                    [](const char *Arg) { return Arg[0] == '@'; });
  // The arguments in LINK come first of all. Without a response file, no other
  // arguments can come in between.
  if (FirstResponse == CommandArgs.end())
    FirstResponse = std::next(CommandArgs.begin());
  SmallVector<const char *, 256> Head(CommandArgs.begin(), FirstResponse);
  // takePrefetchOptions expects the program's name before the arguments.
  SmallVector<const char *, 256> Tail = {CommandArgs.front()};
  Tail.append(FirstResponse, CommandArgs.end());
  std::vector<PrefetchOption> Before =
      LinkerModel::of(F).takePrefetchOptions(Head);
  std::vector<PrefetchOption> After =
      LinkerModel::of(F).takePrefetchOptions(Tail);
  if (Error E = applyOptions(Before, Settings))
    return E;
  // Bad values are reported before anything runs.
  PrefetchSettings Scratch = Settings;
  if (Error E = applyOptions(After, Scratch))
    return E;
  CommandArgs = std::move(Head);
  CommandArgs.append(std::next(Tail.begin()), Tail.end());
  return After;
}

namespace {

/// lld's drivers are plain functions, to which this cannot be passed.
struct Run *Running = nullptr;

/// One run of lld: the objects that must outlive the driver. The session ends
/// when lld leaves, with lld's own context, which may refer to the arguments.
struct Run {
  explicit Run(TraceClock::time_point Origin) : Origin(Origin) {
    Running = this;
  }
  ~Run() {
    install(nullptr, "");
    Running = nullptr;
  }

  TraceClock::time_point Origin;
  SmallVector<const char *, 256> CommandArgs;
  std::optional<LinkSession> Session;
  /// lld's standard output for --help and --version.
  std::string Help;
  raw_string_ostream HelpOut{Help};

  /// Removes Headstart's options from \p Args, and starts the session of a link
  /// by lld's driver for \p F. Prints warnings to \p Err.
  Error begin(Flavour F, ArrayRef<const char *> Args, raw_ostream &Err);
};

} // namespace

Error Run::begin(Flavour F, ArrayRef<const char *> Args, raw_ostream &Err) {
  CommandArgs.assign(Args.begin(), Args.end());
  PrefetchSettings Settings;
  const std::string Warning =
      applyEnvironment(F, CommandLineContext::fromProcess(), Settings);
  if (!Warning.empty())
    printMessage(programName(Args.front()), Severity::Warning, Warning, Err);
  Expected<std::vector<PrefetchOption>> Final =
      takeDirectOptions(F, CommandArgs, Settings);
  if (!Final)
    return Final.takeError();
  Session.emplace(F, Settings, *Final, Origin);
  install(&*Session, CommandArgs.front());
  return Error::success();
}

/// Returns the information that \p CommandArgs, without response files, request
/// from lld's driver for \p F. If no argument can be such a request, this does
/// not parse the command line.
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

/// Prints lld's \p Help without its entries of options that Headstart has taken
/// over, and then Headstart's own section.
static void printHelp(Flavour F, StringRef Help, raw_ostream &Out) {
  bool IsOurs = false;
  while (!Help.empty()) {
    const size_t Length = std::min(Help.find('\n'), Help.size() - 1) + 1;
    const StringRef Line = Help.take_front(Length);
    Help = Help.drop_front(Length);
    // The other lines of an entry are indented more.
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
  LinkerModel::of(F).optionTable().printHelp(OS, "", "");
  // lld has already printed an overview and the usage.
  Out << "\n" << StringRef(Ours).drop_front(Ours.find("HEADSTART:"));
}

/// Prints Headstart's version after lld's, whose line build systems read.
static void printVersion(raw_ostream &Out, StringRef Does) {
  Out << "Headstart " HEADSTART_VERSION " (" << Does << ")\n";
  Out.flush();
}

/// Runs lld's \p Driver alongside a session. lld's dispatcher has selected this
/// driver, and has removed `-flavor` from \p Args.
template <Flavour F, lld::Driver Driver>
static bool linkWithPrefetcher(ArrayRef<const char *> Args, raw_ostream &Out,
                               raw_ostream &Err, bool ExitEarly,
                               bool DisableOutput) {
  raw_ostream &Messages = DisableOutput ? nulls() : Err;
  if (Error E = Running->begin(F, Args, Messages)) {
    printMessage(programName(Args.front()), Severity::Error,
                 toString(std::move(E)), Messages);
    return false;
  }
  const LinkCommand::Answer Requested = answerTo(F, Running->CommandArgs);
  const bool IsHelp = Requested == LinkCommand::Answer::Help;
  const bool IsVersion = Requested == LinkCommand::Answer::Version;
  // One write prints all: `head -1` does not wait for a second one.
  const bool Succeeded =
      Driver(Running->CommandArgs, IsHelp || IsVersion ? Running->HelpOut : Out,
             Err, ExitEarly, DisableOutput);
  if (DisableOutput)
    return Succeeded;
  if (IsHelp && Succeeded)
    printHelp(F, Running->Help, Out);
  else if (IsHelp || IsVersion)
    Out << Running->Help;
  if (Succeeded && IsVersion)
    printVersion(Out, "prefetches the inputs of links");
  Out.flush(); // lld flushes only its own stream
  return Succeeded;
}

/// Runs lld's driver for WebAssembly, without a session.
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
    printVersion(Out, "does not prefetch for WebAssembly");
  return Succeeded;
}

/// All drivers of stock lld. Headstart does not know WebAssembly's inputs.
static constexpr lld::DriverDef Drivers[] = {
    {lld::WinLink, linkWithPrefetcher<Flavour::COFF, lld::coff::link>},
    {lld::Gnu, linkWithPrefetcher<Flavour::ELF, lld::elf::link>},
    // ld.lld with `-m i386pep` and the like.
    {lld::MinGW, linkWithPrefetcher<Flavour::ELF, lld::mingw::link>},
    {lld::Darwin, linkWithPrefetcher<Flavour::MachO, lld::macho::link>},
    {lld::Wasm, linkWasm},
};

int runLinker(ArrayRef<const char *> Args, TraceClock::time_point Origin) {
  // Stock lld's main has this, too: it tests the crash reporter.
  if (::getenv("FORCE_LLD_DIAGNOSTICS_CRASH")) {
    errs()
        << "crashing due to environment variable FORCE_LLD_DIAGNOSTICS_CRASH\n";
    LLVM_BUILTIN_TRAP;
  }

  // The number of links in this process, as stock lld reads it. 0 if lld is not
  // under test, and need not clean up.
  unsigned Times = 0;
  StringRef(::getenv("LLD_IN_TEST")).getAsInteger(10, Times);
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
    // After a caught crash, exitLld ends the process by the crash's signal.
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
