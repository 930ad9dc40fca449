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
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <iterator>

using namespace llvm;

namespace headstart {

namespace {

/// Programs of one kind.
struct ProgramKind {
  StringLiteral Names; ///< no name equals the end of another after a "-"
  std::optional<Flavour> Linker; ///< absent: that of the system's own linker
  std::optional<DriverKind> Driver;
};

} // namespace

static constexpr ProgramKind Programs[] = {
    {"lld-link", Flavour::COFF, std::nullopt},
    {"ld64.lld ld64.mold ld64 ld-classic ld-prime ld64.headstart",
     Flavour::MachO, std::nullopt},
    {"ld.lld ld.headstart ld.bfd ld.gold ld.mold ld.wild gold mold wild",
     Flavour::ELF, std::nullopt},
    // gcc starts collect2, which passes its arguments on to ld.
    {"collect2 ld", std::nullopt, std::nullopt},
    {"clang-cl", std::nullopt, DriverKind::ClangCL},
    {"clang++ clang flang-new flang", std::nullopt, DriverKind::Clang},
    {"gcc g++ gfortran gdc cc c++", std::nullopt, DriverKind::GCC},
    {"rustc", std::nullopt, DriverKind::Rustc},
};

/// Sets \p Target to what precedes the program's name in \p Name.
static const ProgramKind *findProgram(StringRef Name, StringRef &Target) {
  for (const ProgramKind &Kind : Programs)
    for (StringRef Each : llvm::split(Kind.Names, ' '))
      if (Target = Name; Target.consume_back(Each) &&
                         (Target.empty() || Target.ends_with("-")))
        return &Kind;
  return nullptr;
}

/// The flavour of the system's own ld.
static Flavour machinesOwn() {
  Triple Machine(sys::getProcessTriple());
  return Machine.isOSDarwin()    ? Flavour::MachO
         : Machine.isOSWindows() ? Flavour::COFF
                                 : Flavour::ELF;
}

/// The flavour for \p Value of -flavor (lld 22 Common/DriverDispatcher.cpp).
static std::optional<Flavour> flavourOfLLD(StringRef Value) {
  std::string Name = Value.lower();
  if (is_contained({"ld", "ld.lld", "gnu"}, Name))
    return Flavour::ELF;
  if (is_contained({"ld64", "ld64.lld", "darwin"}, Name))
    return Flavour::MachO;
  if (is_contained({"link", "lld-link"}, Name))
    return Flavour::COFF;
  return std::nullopt;
}

/// Whether \p Arg shows that `link` is link.exe: an option in its style, a
/// response file, or an object. coreutils' link takes two paths.
static bool isForLinkExe(StringRef Arg) {
  if (Arg.starts_with("@") || is_contained({".obj", ".lib", ".res", ".def"},
                                           sys::path::extension(Arg).lower()))
    return true;
  if (!Arg.starts_with("/") && !Arg.starts_with("-"))
    return false;
  StringRef Option = Arg.drop_front().take_while(isAlpha);
  StringRef Rest = Arg.drop_front(1 + Option.size());
  return !Option.empty() &&
         (Rest.starts_with(":") || (Rest.empty() && Arg[0] == '/'));
}

/// The arguments that \p Target in the name of a GNU ld for MinGW implies.
static std::vector<std::string> impliedByTarget(StringRef Target) {
  if (!Target.contains("mingw"))
    return {};
  StringRef Machine = StringSwitch<StringRef>(
                          Target.take_until([](char C) { return C == '-'; }))
                          .Case("x86_64", "i386pep")
                          .Case("i386", "i386pe")
                          .Case("i486", "i386pe")
                          .Case("i586", "i386pe")
                          .Case("i686", "i386pe")
                          .Case("aarch64", "arm64pe")
                          .Case("armv7", "thumb2pe")
                          .Default("");
  if (Machine.empty())
    return {};
  return {"-m", Machine.str()};
}

bool isFromClangCL(StringRef Arg) {
  return Arg.starts_with("-out:") || Arg.starts_with("@");
}

/// Recognizes `headstart` with \p Args: clang-cl's command, or `headstart
/// ld.lld ...`.
static std::optional<KnownProgram>
recognizeHeadstart(ArrayRef<std::string> Args) {
  std::optional<KnownProgram> Program;
  if (isFromClangCL(Args[1])) {
    Program.emplace().Linker = Flavour::COFF;
    return Program;
  }
  Program = recognizeProgram(Args.drop_front());
  if (!Program || Program->Driver)
    return std::nullopt;
  ++Program->LeadingArgs;
  return Program;
}

std::optional<KnownProgram> recognizeProgram(ArrayRef<std::string> Args) {
  if (Args.empty())
    return std::nullopt;
  StringRef Name = sys::path::filename(Args[0]);
  bool IsExe = Name.consume_back_insensitive(".exe");
  KnownProgram Result;

  if (Name == "headstart" && Args.size() > 1)
    return recognizeHeadstart(Args);

  // lld accepts -flavor under each of its names, also as Headstart's linkers.
  StringRef Unversioned = Name.rtrim("0123456789.").rtrim('-');
  if (Args.size() > 2 && Args[1] == "-flavor" &&
      (Unversioned.contains("lld") || Unversioned.ends_with(".headstart"))) {
    std::optional<Flavour> F = flavourOfLLD(Args[2]);
    if (!F)
      return std::nullopt;
    Result.Linker = *F;
    Result.LeadingArgs = 3;
    return Result;
  }

  if (Unversioned.equals_insensitive("link")) {
    if (!IsExe && machinesOwn() != Flavour::COFF &&
        llvm::none_of(Args.drop_front(), isForLinkExe))
      return std::nullopt;
    Result.Linker = Flavour::COFF;
    return Result;
  }

  // The full name comes first: the digits of "ld64" are no version.
  StringRef Target;
  const ProgramKind *Program = findProgram(Name, Target);
  if (!Program) {
    Name = Unversioned;
    Program = findProgram(Name, Target);
  }
  if (!Program && Name.equals_insensitive("lld-link"))
    Program = findProgram("lld-link", Target);
  if (!Program || Name == "wasm-ld")
    return std::nullopt;
  Result.Linker = Program->Linker.value_or(machinesOwn());
  Result.Driver = Program->Driver;
  if (!Result.Driver && Result.Linker != Flavour::COFF &&
      !llvm::is_contained(Args, "-m"))
    Result.ImpliedArgs = impliedByTarget(Target);
  // A cross linker's name has its target. All except Apple's read ELF's command
  // line; MinGW's has an implied -m.
  if (!Program->Linker && !Result.Driver && !Target.empty())
    Result.Linker = Target.contains("apple") ? Flavour::MachO : Flavour::ELF;
  return Result;
}

/// The output of the program; empty if the program does not end in time.
static std::string query(const std::vector<std::string> &Args,
                         os::ProgramStream Stream) {
  std::string Answer;
  os::AnswerLimits Limits;
  Limits.Bytes = 65536;
  if (os::captureOutput(Args, Stream, Limits, Answer))
    return "";
  return Answer;
}

static std::string firstLine(StringRef Text) {
  return Text.take_until([](char C) { return C == '\n'; }).rtrim().str();
}

LinkerVersion versionOf(const std::string &Program) {
  const std::string Text =
      query({Program, "--version"}, os::ProgramStream::Output);
  // The line after lld's own (LinkerMain.cpp).
  return {firstLine(Text), StringRef(Text).contains("\nHeadstart ")};
}

std::string linkerOf(std::vector<std::string> Args,
                     const std::string &GCCName) {
  Args.insert(std::next(Args.begin()), "-###");
  std::vector<std::vector<std::string>> Commands =
      commandsIn(query(Args, os::ProgramStream::Error));
  if (Commands.empty() || Commands.back().empty())
    return "";
  std::string Linker = Commands.back().front();
  // collect2 searches the linker in the driver's directories.
  if (sys::path::stem(Linker) == "collect2") {
    Args[1] = "-print-prog-name=" + GCCName;
    Linker = firstLine(query(Args, os::ProgramStream::Output));
  }
  ErrorOr<std::string> Found = sys::findProgramByName(Linker);
  return Found ? *Found : Linker;
}

/// Moves the next argument of the command at the front of \p Text to \p Arg.
/// Returns false at the end of the line.
static bool takeArg(StringRef &Text, std::string &Arg) {
  Text = Text.ltrim(" \t\r");
  if (Text.empty() || Text[0] == '\n')
    return false;
  Arg.clear();
  bool Quoted = false;
  size_t I = 0;
  for (; I != Text.size(); ++I) {
    char C = Text[I];
    if (Quoted && C == '\\' && I + 1 != Text.size())
      Arg += Text[++I];
    else if (C == '"')
      Quoted = !Quoted;
    else if (!Quoted && isSpace(C))
      break;
    else
      Arg += C;
  }
  Text = Text.drop_front(I);
  return true;
}

std::vector<std::vector<std::string>> commandsIn(StringRef Answer) {
  std::vector<std::vector<std::string>> Commands;
  std::string Arg;
  while (!Answer.empty()) {
    if (Answer[0] != ' ') {
      Answer = Answer.split('\n').second;
      continue;
    }
    std::vector<std::string> Args;
    while (takeArg(Answer, Arg))
      Args.push_back(Arg);
    if (!Args.empty())
      Commands.push_back(std::move(Args));
    Answer.consume_front("\n");
  }
  return Commands;
}

/// Whether \p Args run lld's linker for WebAssembly.
static bool isForWasm(ArrayRef<std::string> Args) {
  const bool HasFlavor = Args.size() > 2 && Args[1] == "-flavor";
  return sys::path::filename(Args[HasFlavor ? 2 : 0]).contains("wasm");
}

std::optional<std::vector<std::string>>
linkStepOf(std::vector<std::vector<std::string>> Commands) {
  for (std::vector<std::string> &Command : llvm::reverse(Commands)) {
    std::optional<KnownProgram> Program = recognizeProgram(Command);
    if (!Program && !isForWasm(Command))
      continue;
    // A driver runs itself as its compiler, with -cc1.
    if (Program && Program->Driver &&
        (onlyCompiles(*Program->Driver, Command) ||
         (Command.size() > 1 && StringRef(Command[1]).starts_with("-cc1"))))
      continue;
    return std::move(Command);
  }
  return std::nullopt;
}

bool onlyCompiles(DriverKind Driver, ArrayRef<std::string> Args) {
  static constexpr StringLiteral Common[] = {
      "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-###"};
  static constexpr StringLiteral CL[] = {"/c",  "/E", "/EP", "/P",
                                         "/Zs", "-P", "-EP", "-Zs"};
  return llvm::any_of(Args.drop_front(), [&](const std::string &Arg) {
    return llvm::is_contained(Common, StringRef(Arg)) ||
           (Driver == DriverKind::ClangCL &&
            llvm::is_contained(CL, StringRef(Arg)));
  });
}

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
  if (!Program || !sys::fs::can_execute(*Program))
    return "cannot run '" + Name + "': it does not exist or is not a program";
  return "'" + Name + " -###' names no known linker";
}

/// Expands the response files of a driver's \p Args, and then replaces \p Args
/// by the result's texts. Drivers read GNU quoting; clang-cl's quoting differs
/// only inside quotes.
static std::vector<CommandLineArg>
expandDriver(std::vector<std::string> &Args) {
  ExpandedCommandLine Expanded =
      expandCommandLine(Flavour::ELF, ArrayRef(Args).drop_front(),
                        CommandLineContext::fromProcess());
  Args.resize(1);
  for (const CommandLineArg &Arg : Expanded.Args)
    Args.push_back(Arg.Text);
  return std::move(Expanded.Args);
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

  std::vector<std::string> Plain = Args;
  if (llvm::any_of(expandDriver(Plain), canBeReadOnce))
    return Fail("was not queried for its linker: one of its response files is "
                "a pipe, which can be read only once");
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
    return Fail("does not report what it would run (-###): " +
                (Error == std::errc::timed_out ? "it did not end in time"
                                               : Error.message()));
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

std::string realProgramPath(StringRef Program) {
  ErrorOr<std::string> Path = sys::findProgramByName(Program);
  if (!Path)
    return "";
  SmallString<256> Real;
  return sys::fs::real_path(*Path, Real) ? *Path : std::string(Real);
}

std::string linksNothing(StringRef Program) {
  return ("'" + Program +
          "' only compiles with these arguments and links nothing")
      .str();
}

ForeignCommand readForeignCommand(std::vector<std::string> Args,
                                  std::optional<Flavour> Forced,
                                  const std::atomic<bool> *Cancelled) {
  ForeignCommand Result;
  std::optional<KnownProgram> Program;
  if (Forced)
    Program.emplace().Linker = *Forced;
  else
    Program = recognizeProgram(Args);
  // A driver may leave the link to another driver, which then starts a linker.
  constexpr unsigned MaxDrivers = 3;
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
                     (isForWasm(Args)
                          ? "' links for WebAssembly, whose inputs "
                            "Headstart does not know"
                          : "' is not a known linker or compiler; begin with "
                            "one, or name the linker's kind with "
                            "--flavour=coff|elf|macho"));
    Result.IsUnknown = true;
    return Result;
  }

  CommandLineContext Context = CommandLineContext::fromProcess();
  Context.ToolPath = realProgramPath(Args.front());
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

std::optional<LinkCommand> guessLink(std::vector<std::string> Args,
                                     std::optional<Flavour> Forced) {
  std::optional<KnownProgram> Program = recognizeProgram(Args);
  if (Forced || !Program || !Program->Driver)
    return readForeignCommand(std::move(Args), Forced, /*Cancelled=*/nullptr)
        .Command;
  if (Program->Driver == DriverKind::Rustc) // its arguments are not a linker's
    return std::nullopt;
  const std::vector<CommandLineArg> Expanded = expandDriver(Args);
  if (onlyCompiles(*Program->Driver, Args))
    return std::nullopt;
  return LinkerModel::of(Flavour::ELF)
      .parse(Expanded, CommandLineContext::fromProcess());
}

} // namespace headstart
