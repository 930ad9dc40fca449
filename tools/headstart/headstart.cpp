//===- headstart.cpp - Prefetching for any linker, file and tree ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/StopSignals.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/InitLLVM.h"
#include <algorithm>
#include <atomic>

using namespace llvm;
using namespace llvm::opt;
using namespace headstart;

namespace {

/// The sets of options that a subcommand takes; Options.td has the same names.
enum OptionSet : unsigned {
  DefaultVis = llvm::opt::DefaultVis,
  JSONOption = 1U << 1,
  LinkerOption = 1U << 2,
  RunOption = 1U << 3,
  WalkOption = 1U << 4,
  StatusOption = 1U << 5,
  WarmOption = 1U << 6,
  BenchOption = 1U << 7,
  CacheOption = 1U << 8,
  PlanOption = 1U << 9,
  DoctorOption = 1U << 10,
  BuildOption = 1U << 11,
  EvictOption = 1U << 12,
};

#define HEADSTART_OPTIONS "Options.inc"
#include "headstart/Inputs/OptionTable.inc"

constexpr Subcommand Subcommands[] = {
    {"run", "headstart run [options] [--] LINKER ARGS...",
     "Run any linker, or a compiler that links, and prefetch its inputs "
     "meanwhile; the exit status is the linker's",
     runRun, DefaultVis | LinkerOption | RunOption,
     /*TakesCommand=*/true},
    {"build", "headstart build [options] [--] COMMAND... | --status [--json]",
     "Run a build (ninja, cmake --build, make, cargo, ...) and fetch meanwhile "
     "what its links will read; the exit status is the build's",
     runBuild, DefaultVis | JSONOption | BuildOption,
     /*TakesCommand=*/true},
    {"inputs", "headstart inputs [--json] [--flavour=KIND] [--] LINKER ARGS...",
     "List the files that a link will read, in order, with the reason for "
     "each",
     runInputs, DefaultVis | JSONOption | LinkerOption,
     /*TakesCommand=*/true},
    {"plan",
     "headstart plan [--json] [--flavour=KIND] [--] LINKER ARGS... | "
     "--prefetch-profile=FILE",
     "List the byte ranges that Headstart would fetch, in order (phase, "
     "offset, length)",
     runPlan, DefaultVis | JSONOption | LinkerOption | PlanOption,
     /*TakesCommand=*/true},
    {"warm", "headstart warm [options] PATH...",
     "Fetch files and whole trees into the page cache, within a memory budget; "
     "ignore files apply (.ignore; in a git repository also .gitignore)",
     runWarm, DefaultVis | JSONOption | WarmOption},
    {"walk", "headstart walk [options] [PATH...]",
     "List the files and directories of trees, in the order of discovery",
     runWalk, DefaultVis | JSONOption | WalkOption},
    {"status", "headstart status [options] --since=MANIFEST [PATH...]",
     "List the files added (A), removed (D) or modified (M) since headstart "
     "walk wrote a manifest",
     runStatus, DefaultVis | JSONOption | StatusOption},
    {"profile", "headstart profile [--json] show OUTPUT|FILE... | list | prune",
     "Show what an earlier link touched; list or prune the stored profiles",
     runProfile, DefaultVis | JSONOption, /*TakesCommand=*/false,
     "show,list,prune"},
    {"queue", "headstart queue [--json]",
     "List the links that run or wait because together they do not fit in "
     "memory",
     runQueue, DefaultVis | JSONOption, /*TakesCommand=*/false, ""},
    {"residency", "headstart residency [--json] [--summary] PATH...",
     "Print how much of each file is cached; if PATH is a directory, of each "
     "file in it",
     runResidency, DefaultVis | JSONOption | CacheOption},
    {"evict", "headstart evict [--json] [--summary] PATH... | --all",
     "Evict files from the page cache; if PATH is a directory, all files in "
     "it",
     runEvict, DefaultVis | JSONOption | CacheOption | EvictOption},
    {"bench", "headstart bench [options] [--] LINKER ARGS...",
     "Measure a link: run it repeatedly, cold and warm, alternately with and "
     "without prefetching; outputs go to a temporary directory",
     runBenchCommand, DefaultVis | JSONOption | LinkerOption | BenchOption,
     /*TakesCommand=*/true},
    {"doctor", "headstart doctor [--json] [--verbose] [PATH...]",
     "Check this machine for causes of slow prefetching, and report the effect "
     "and the fix of each; PATH is the inputs' directory (default: the current "
     "directory)",
     runDoctor, DefaultVis | JSONOption | DoctorOption},
};

/// Writes \p Text in lines of at most 80 columns. The rest of a longer line is
/// indented by \p Indent columns if the line itself is indented.
void printWrapped(raw_ostream &OS, StringRef Text, size_t Indent) {
  constexpr size_t Columns = 80;
  for (const StringRef Line : llvm::split(Text.rtrim('\n'), '\n')) {
    const size_t Begin = Line.starts_with(" ") ? Indent : 0;
    std::string Rest = Line.str();
    while (Rest.size() > Columns) {
      const size_t End = Rest.rfind(' ', Columns);
      if (End == std::string::npos || End <= Begin)
        break; // one long word
      OS << StringRef(Rest).take_front(End) << "\n";
      Rest.replace(0, End + 1, Begin, ' ');
    }
    OS << Rest << "\n";
  }
}

void printUsage(raw_ostream &OS) {
  std::string Text =
      "usage: headstart SUBCOMMAND [options] ...\n\n"
      "Headstart fetches a link's inputs before the linker needs them.\n\n"
      "Subcommands:\n";
  for (const Subcommand &S : Subcommands)
    Text += (Twine("  ") + S.Usage + "\n      " + S.Summary + "\n").str();
  Text += "\nheadstart and each subcommand have -h (--help) and -V (--version)."
          "\nExit status: 0 success, 1 failure, 2 wrong usage; status "
          "--exit-code returns 3 if something changed; build and run return "
          "the status of their program, or 126 or 127 if they cannot start "
          "it.\n";
  printWrapped(OS, Text, /*Indent=*/6);
}

void printHelp(const Subcommand &S, const OptionTable &Table) {
  std::string Help;
  raw_string_ostream OS(Help);
  Table.printHelp(OS, S.Usage, S.Summary, /*ShowHidden=*/false,
                  /*ShowAllAliases=*/false, Visibility(S.Takes));
  // Every subcommand has the option --help, whose text begins in the column of
  // all texts.
  const size_t Text = Help.find("Print this help");
  printWrapped(outs(), Help, Text - Help.rfind('\n', Text) - 1);
}

/// Returns the prefetch options, which the drop-in linkers also take.
std::vector<PrefetchOption> prefetchOptions(const InputArgList &Args) {
  std::vector<PrefetchOption> Options;
  for (const Arg *A : Args)
    if (A->getOption().hasVisibilityFlag(RunOption)) {
      Options.push_back(makePrefetchOption(*A));
      Options.back().Spelling = A->getAsString(Args); // `--NAME VALUE`, too
    }
  return Options;
}

std::string hint(StringRef Nearest, const std::string &Help) {
  return Nearest.empty() ? "; see " + Help
                         : "; did you mean '" + Nearest.str() + "'?";
}

Exit unknownOption(const Subcommand &S, const OptionTable &Table,
                   const std::string &Arg) {
  std::string Nearest;
  const auto Longer = Table.findByPrefix(Arg, Visibility(S.Takes), 0);
  if (Longer.size() == 1)
    Nearest = StringRef(Longer.front()).split('\t').first;
  else if (Table.findNearest(Arg, Nearest, Visibility(S.Takes)) > 2)
    Nearest.clear();
  if (Nearest.empty() && S.Run == runRun &&
      StringRef(Arg).contains("prefetch")) {
    auto Names = Table.findByPrefix("--prefetch-", Visibility(RunOption), 0);
    append_range(
        Names, Table.findByPrefix("--no-prefetch-", Visibility(RunOption), 0));
    for (std::string &Name : Names)
      Name.resize(Name.find('\t')); // the help follows
    return fail("headstart run does not support '" +
                    StringRef(Arg).split('=').first + "'; it supports " +
                    join(Names, ", "),
                Exit::WrongUsage);
  }
  return fail("unknown option '" + Arg + "'" +
                  hint(Nearest, ("headstart " + S.Name + " --help").str()),
              Exit::WrongUsage);
}

Exit unknownSubcommand(StringRef Name) {
  std::vector<StringRef> Known;
  for (const Subcommand &S : Subcommands)
    Known.push_back(S.Name);
  Known.insert(Known.end(), {"help", "version"});
  const auto Distance = [&](StringRef Other) {
    const bool IsPart =
        Name.size() > 2 && (Name.starts_with(Other) || Other.starts_with(Name));
    return IsPart ? 1 : Name.edit_distance(Other);
  };
  const StringRef Nearest = *std::ranges::min_element(Known, {}, Distance);
  constexpr unsigned Max = 2; // a more distant name is a different one
  return fail(
      "unknown subcommand '" + Name + "'" +
          hint(Distance(Nearest) <= Max ? Nearest : "", "headstart --help"),
      Exit::WrongUsage);
}

Exit printVersion() {
  outs() << versionText() << "\n";
  return Exit::Done;
}

Exit runSubcommand(const Subcommand &S, ArrayRef<const char *> Args,
                   TraceClock::time_point Origin) {
  OptionTable Table;
  const auto *Separator = S.TakesCommand
                              ? Args.begin() + endOfOptions(S, Table, Args)
                              : llvm::find_if(Args, [](const char *A) {
                                  return StringRef(A) == "--";
                                });
  unsigned MissingIndex = 0;
  unsigned MissingCount = 0;
  InputArgList Parsed =
      Table.ParseArgs(ArrayRef(Args.begin(), Separator), MissingIndex,
                      MissingCount, Visibility(S.Takes));
  if (Parsed.hasArg(OPT_help)) {
    printHelp(S, Table);
    return Exit::Done;
  }
  if (Parsed.hasArg(OPT_version))
    return printVersion();
  if (const Arg *Unknown = Parsed.getLastArg(OPT_UNKNOWN))
    return unknownOption(S, Table, Unknown->getAsString(Parsed));
  if (MissingCount != 0)
    return fail(Twine(Parsed.getArgString(MissingIndex)) +
                    ": this option requires a value",
                Exit::WrongUsage);
  CommandArguments Arguments(Parsed);
  Arguments.Origin = Origin;
  Arguments.JSON = Parsed.hasArg(OPT_json);
  Arguments.Prefetch = prefetchOptions(Parsed);
  Arguments.Operands = Parsed.getAllArgValues(OPT_INPUT);
  Arguments.HasLinker = Separator != Args.end();
  if (Arguments.HasLinker && StringRef(*Separator) == "--")
    ++Separator;
  const ArrayRef<const char *> Rest(Separator, Args.end());
  if (S.TakesCommand) {
    Arguments.Linker.assign(Rest.begin(), Rest.end());
    return S.Run(Arguments);
  }
  // LLVM omits empty arguments ("$NOTHING"), and a command without operands
  // would do something else.
  if (llvm::any_of(Args, [](StringRef A) { return A.empty(); }))
    return fail("an argument is an empty string", Exit::WrongUsage);
  llvm::append_range(Arguments.Operands, Rest);
  return S.Run(Arguments);
}

} // namespace

unsigned headstart::endOfOptions(const Subcommand &S,
                                 const GenericOptionTable &Table,
                                 ArrayRef<const char *> Args) {
  const InputArgList Argv(Args.begin(), Args.end());
  unsigned Index = 0;
  while (Index < Args.size() && StringRef(Args[Index]) != "--") {
    unsigned Next = Index;
    const std::unique_ptr<Arg> A =
        Table.ParseOneArg(Argv, Next, Visibility(S.Takes));
    if (A && A->getOption().getKind() == Option::InputClass)
      break;
    Index = Next;
  }
  return std::min<unsigned>(Index, Args.size()); // a value may be missing
}

std::string headstart::versionText() {
  return "headstart " HEADSTART_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

Exit headstart::fail(const Twine &Message, Exit Status) {
  printMessage("headstart", Severity::Error, Message);
  return Status;
}

Exit headstart::fail(Error Problem, Exit Status) {
  return fail(toString(std::move(Problem)), Status);
}

Exit headstart::cannotRun(const std::string &Program, std::error_code Error) {
  return fail("cannot run '" + Program + "': " + Error.message(),
              Error == std::errc::no_such_file_or_directory ? Exit::NotFound
                                                            : Exit::CannotRun);
}

Error headstart::readNumber(const CommandArguments &Arguments, unsigned Id,
                            unsigned Least, unsigned Most, unsigned &Number) {
  const Arg *A = Arguments.Options.getLastArg(Id);
  if (!A || (!StringRef(A->getValue()).getAsInteger(10, Number) &&
             Number >= Least && Number <= Most))
    return Error::success();
  return createStringError(A->getOption().getPrefixedName() + A->getValue() +
                           ": expected a number from " + Twine(Least) + " to " +
                           Twine(Most));
}

Error headstart::readMemoryLimit(const CommandArguments &Arguments,
                                 std::optional<MemoryLimit> &Result) {
  const std::optional<std::string> Text = Arguments.value(OPT_memory_EQ);
  if (!Text)
    return Error::success();
  Expected<MemoryLimit> Limit = parseMemoryLimit(*Text);
  if (!Limit)
    return createStringError("--memory=" + *Text + ": " +
                             toString(Limit.takeError()));
  Result = *Limit;
  return Error::success();
}

void headstart::forEachFile(size_t Count, function_ref<void(size_t)> Work) {
  // A thread for fewer files costs more than it helps.
  constexpr size_t MaxThreads = 8, FilesPerThread = 32;
  std::atomic<size_t> Next = 0;
  const auto WorkOn = [&] {
    for (size_t I; (I = Next.fetch_add(1)) < Count;)
      Work(I);
  };
  os::Threads Helpers;
  for (size_t I = 1; I < std::min(MaxThreads, Count / FilesPerThread); ++I)
    if (Helpers.start(WorkOn))
      break; // continue with fewer threads
  WorkOn();
  Helpers.join();
}

void headstart::printJSON(function_ref<void(json::OStream &)> Write) {
  json::OStream J(outs(), /*IndentSize=*/2);
  J.object([&] {
    J.attribute("version", 1);
    Write(J);
  });
  outs() << "\n";
}

void headstart::note(const Twine &Message) {
  printMessage("headstart", Severity::Note, Message);
}

Exit headstart::failOutput(std::error_code Error) {
  if (Error == std::errc::broken_pipe)
    os::endByClosedPipe();
  else
    fail("standard output: " + Error.message());
  return Exit::Failed;
}

Exit headstart::finishOutput(Exit Status) {
  outs().flush();
  const std::error_code Error = outs().error();
  if (!Error)
    return Status;
  outs().clear_error(); // otherwise the stream ends the program
  const Exit Failed = failOutput(Error);
  return Status == Exit::Done ? Failed : Status;
}

int headstart::runTool(int Count, char **Argv, TraceClock::time_point Origin) {
  ArrayRef<const char *> Args(Argv, static_cast<size_t>(Count));
  // LLVM's handlers also replace ignored signals. A linker must inherit those
  // (nohup), and Ctrl-C must not end a fetch in the background. LLVM's handler
  // for a closed pipe runs exit handlers while threads still walk, and ends the
  // process with a status of its own (74).
  StringRef Name = Args.size() < 2 ? "" : Args[1];
  // A linker must inherit closed descriptors, too.
  const bool Runs = Name == "run" || Name == "build";
  if (!Runs)
    os::holdStandardDescriptors();
  std::optional<InitLLVM> Handlers;
  if (!Runs && Name != "warm" && Name != "bench")
    Handlers.emplace(Count, Argv, /*InstallPipeSignalExitHandler=*/false);
  auto Run = [&] {
    if (Args.size() < 2) {
      printUsage(errs());
      return Exit::WrongUsage;
    }
    const bool IsHelp = Name == "--help" || Name == "-h" || Name == "help";
    if (IsHelp && (Args.size() < 3 || StringRef(Args[2]) == "help")) {
      printUsage(outs());
      return Exit::Done;
    }
    if (Name == "--version" || Name == "-V" || Name == "version")
      return printVersion();
    if (Name == "--autocomplete") { // for the scripts in completions/
      printCompletions(Args.drop_front(2), OptionTable(), Subcommands);
      return Exit::Done;
    }
    if (IsHelp)
      Name = Args[2];
    static constexpr const char *Help[] = {"--help"};
    const ArrayRef<const char *> Rest = IsHelp ? Help : Args.drop_front(2);
    for (const Subcommand &S : Subcommands)
      if (Name == S.Name)
        return runSubcommand(S, Rest, Origin);
    return unknownSubcommand(Name);
  };
  return static_cast<int>(finishOutput(Run()));
}
