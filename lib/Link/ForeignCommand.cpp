//===- ForeignCommand.cpp - Other linkers' inputs -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/ForeignCommand.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace headstart {

/// A driver may leave the link to another driver, which then starts a linker.
static constexpr unsigned MaxDrivers = 3;

static ForeignCommand problem(const Twine &What) {
  ForeignCommand Result;
  Result.Problem = What.str();
  return Result;
}

/// Whether \p Arg names a response file that can be read only once: the driver
/// must read it when it really runs.
static bool canBeReadOnce(const CommandLineArg &Arg) {
  StringRef Name = Arg.Text;
  if (Name.size() < 2 || !Name.consume_front("@"))
    return false;
  std::error_code Error;
  os::FileKind Kind = os::statFile(Name.str(), Error).Kind;
  return Kind != os::FileKind::Missing && Kind != os::FileKind::Regular;
}

/// The errors, warnings and notes in a driver's \p Answer.
static std::vector<std::string> diagnosticsIn(StringRef Answer) {
  std::vector<std::string> Found;
  for (const StringRef Line : llvm::split(Answer, '\n'))
    // A driver indents the commands that it would run.
    if (!Line.starts_with(" ") &&
        llvm::any_of(ArrayRef<StringRef>{"error: ", "warning: ", "note: "},
                     [&](StringRef Kind) { return Line.contains(Kind); }))
      Found.push_back(Line.rtrim().str());
  return Found;
}

/// Whether \p Line is a driver's error.
static bool isError(StringRef Line) { return Line.contains("error: "); }

/// Returns why the driver \p Name, with \p DriverDiagnostics, would not link.
static std::string whyNoLink(const std::string &Name,
                             ArrayRef<std::string> DriverDiagnostics) {
  const auto *First = llvm::find_if(DriverDiagnostics, isError);
  if (First != DriverDiagnostics.end())
    return "'" + Name + " -###' failed: " + *First;
  const ErrorOr<std::string> Program = sys::findProgramByName(Name);
  if (!Program)
    return "cannot run '" + Name + "': " + Program.getError().message();
  if (!sys::fs::can_execute(*Program))
    return "cannot run '" + Name + "': it does not exist or is not a program";
  return "'" + Name + " -###' names no known linker";
}

/// Drivers read GNU quoting; clang-cl's quoting differs only inside quotes.
static ExpandedCommandLine expandDriver(ArrayRef<std::string> Args) {
  return expandCommandLine(Flavour::ELF, Args.drop_front(),
                           CommandLineContext::fromProcess());
}

/// Queries the driver in front of \p Args for the command of the link, and
/// replaces \p Args by it. Returns false, with a problem or without, if it
/// finds no link.
static bool queryDriver(DriverKind Driver, std::vector<std::string> &Args,
                        const std::atomic<bool> *Cancelled,
                        ForeignCommand &Result) {
  const std::string Name = Args.front();
  auto Fail = [&](const Twine &What) {
    Result.Problem = ("'" + Twine(Name) + "' " + What).str();
    return false;
  };
  if (Driver == DriverKind::Rustc)
    return Fail(
        "does not report which linker it runs: configure a linker that runs "
        "headstart run (rustc -C linker=SCRIPT)");

  ExpandedCommandLine Expanded = expandDriver(Args);
  if (llvm::any_of(Expanded.Args, canBeReadOnce))
    return Fail("was not queried for its linker: one of its response files is "
                "a pipe, which can be read only once");
  std::vector<std::string> Plain = {Name};
  for (CommandLineArg &Arg : Expanded.Args)
    Plain.push_back(std::move(Arg.Text));
  if (onlyCompiles(Driver, Plain))
    return false;

  std::vector<std::string> Question = Args;
  // gcc passes a copy of a response file on, and removes the copy before
  // Headstart can read its answer. It therefore gets the expanded arguments.
  if (Driver == DriverKind::GCC)
    Question = std::move(Plain);
  Question.insert(std::next(Question.begin()), "-###");
  os::AnswerLimits Limits;
  Limits.Cancelled = Cancelled;
  std::string Answer;
  if (std::error_code Error = os::captureOutput(
          Question, os::ProgramStream::Error, Limits, Answer)) {
    Result.WasCancelled = Error == std::errc::operation_canceled;
    if (Result.WasCancelled)
      return false;
    return Fail("does not report what it would run (-###): " + Error.message());
  }
  std::vector<std::vector<std::string>> Commands = commandsIn(Answer);
  Result.AlsoCompiles = Result.AlsoCompiles || Commands.size() > 1;
  std::optional<std::vector<std::string>> Step =
      linkStepOf(std::move(Commands));
  std::vector<std::string> DriverDiagnostics = diagnosticsIn(Answer);
  Result.HasError = llvm::any_of(DriverDiagnostics, isError);
  if (!Step) {
    Result.Problem = whyNoLink(Name, DriverDiagnostics);
    llvm::erase_if(DriverDiagnostics, [&](const std::string &Line) {
      return StringRef(Result.Problem).ends_with(Line);
    });
  }
  llvm::append_range(Result.DriverDiagnostics, DriverDiagnostics);
  if (!Step)
    return false;
  Args = std::move(*Step);
  return true;
}

/// Whether \p Args are link.exe's: clang for MSVC may have found another
/// linker, to which it passes the same arguments.
static bool areForLinkExe(ArrayRef<std::string> Args) {
  return llvm::any_of(Args.drop_front(),
                      [](StringRef Arg) { return Arg.starts_with("-out:"); });
}

static std::string placeOf(StringRef Program) {
  ErrorOr<std::string> Path = sys::findProgramByName(Program);
  if (!Path)
    return "";
  SmallString<256> Real;
  return sys::fs::real_path(*Path, Real) ? *Path : std::string(Real);
}

ForeignCommand readForeignCommand(std::vector<std::string> Args,
                                  std::optional<Flavour> Forced,
                                  const std::atomic<bool> *Cancelled) {
  if (Args.empty())
    return problem("the command is empty");
  ForeignCommand Result;
  std::optional<KnownProgram> Program;
  if (Forced) {
    Program.emplace();
    Program->Linker = *Forced;
  } else {
    Program = recognizeProgram(Args);
  }
  for (unsigned Drivers = 0; Program && Program->Driver; ++Drivers) {
    if (Drivers == MaxDrivers)
      return problem("'" + Args.front() +
                     "': too many compilers start each other");
    const DriverKind Driver = *Program->Driver;
    const bool IsCL = Driver == DriverKind::ClangCL;
    if (!queryDriver(Driver, Args, Cancelled, Result))
      return Result;
    if (!Result.Driver)
      Result.Driver = Driver;
    Program = recognizeProgram(Args);
    if (Program && !Program->Driver && (IsCL || areForLinkExe(Args))) {
      Program->Linker = Flavour::COFF;
      Program->ImpliedArgs.clear();
    }
  }
  if (!Program) {
    Result = problem("'" + Args.front() +
                     "' is not a known linker; name its kind with "
                     "--flavour=coff, elf or macho");
    Result.IsUnknown = true;
    return Result;
  }

  CommandLineContext Context = CommandLineContext::fromProcess();
  Context.ToolPath = placeOf(Args.front());
  std::vector<std::string> LinkerArgs = std::move(Program->ImpliedArgs);
  for (std::string &Arg : drop_begin(Args, Program->LeadingArgs))
    // collect2 does not pass this argument on.
    if (!Result.Driver || !StringRef(Arg).starts_with("-fuse-ld="))
      LinkerArgs.push_back(std::move(Arg));
  ExpandedCommandLine Expanded =
      expandCommandLine(Program->Linker, LinkerArgs, Context);
  Result.Notes = std::move(Expanded.Notes);
  Result.Command =
      LinkerModel::of(Program->Linker).parse(Expanded.Args, Context);
  Result.Args = std::move(Expanded.Args);
  Result.Style = Program->Linker;
  return Result;
}

std::optional<LinkCommand> guessLink(ArrayRef<std::string> Args,
                                     std::optional<Flavour> Forced) {
  std::optional<KnownProgram> Program = recognizeProgram(Args);
  if (Forced || !Program || !Program->Driver)
    return readForeignCommand(Args, Forced, /*Cancelled=*/nullptr).Command;
  if (Program->Driver == DriverKind::Rustc) // its arguments are not a linker's
    return std::nullopt;
  ExpandedCommandLine Expanded = expandDriver(Args);
  std::vector<std::string> Plain = {Args.front()};
  for (const CommandLineArg &Arg : Expanded.Args)
    Plain.push_back(Arg.Text);
  if (onlyCompiles(*Program->Driver, Plain))
    return std::nullopt;
  return LinkerModel::of(Flavour::ELF)
      .parse(Expanded.Args, CommandLineContext::fromProcess());
}

} // namespace headstart
