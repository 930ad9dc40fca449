//===- LinkerProbe.cpp - Which program is a linker? -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerProbe.h"
#include "headstart/OS/ChildProcess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
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
  if (Arg.starts_with("@"))
    return true;
  StringRef Extension = sys::path::extension(Arg);
  if (llvm::any_of(
          ArrayRef<StringRef>{".obj", ".lib", ".res", ".def"},
          [&](StringRef E) { return Extension.equals_insensitive(E); }))
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

/// Recognizes `headstart` with \p Args. tools/main.cpp distinguishes the same
/// two: `headstart ld.lld ...`, and the command that clang-cl runs for
/// -fuse-ld=headstart.
static std::optional<KnownProgram>
recognizeHeadstart(ArrayRef<std::string> Args) {
  std::optional<KnownProgram> Program;
  if (StringRef(Args[1]).starts_with("-out:") ||
      StringRef(Args[1]).starts_with("@")) {
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

/// The linker that the compiler driver in front of \p Args would run.
/// \p GCCName is the name that GCC's own helper, collect2, would search for.
static std::string startedBy(const std::vector<std::string> &Args,
                             const std::string &GCCName) {
  std::vector<std::string> Question = Args;
  Question.insert(std::next(Question.begin()), "-###");
  std::vector<std::vector<std::string>> Commands =
      commandsIn(query(Question, os::ProgramStream::Error));
  if (Commands.empty() || Commands.back().empty())
    return "";
  std::string Linker = Commands.back().front();
  // collect2 searches the linker in the driver's directories.
  if (sys::path::stem(Linker) == "collect2") {
    Question[1] = "-print-prog-name=" + GCCName;
    Linker = firstLine(query(Question, os::ProgramStream::Output));
  }
  ErrorOr<std::string> Found = sys::findProgramByName(Linker);
  return Found ? *Found : Linker;
}

std::string linkerOf(const std::string &Driver, const std::string &Option,
                     const std::string &Input) {
  std::vector<std::string> Args = {Driver, Input};
  if (!Option.empty())
    Args.push_back(Option);
  return startedBy(Args, "ld");
}

std::string linkerOf(const std::vector<std::string> &Link) {
  return startedBy(Link, "ld.lld");
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

std::optional<std::vector<std::string>>
linkStepOf(std::vector<std::vector<std::string>> Commands) {
  for (std::vector<std::string> &Command : llvm::reverse(Commands)) {
    std::optional<KnownProgram> Program = recognizeProgram(Command);
    if (!Program)
      continue;
    // A driver runs itself as its compiler, with -cc1.
    if (Program->Driver &&
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

} // namespace headstart
