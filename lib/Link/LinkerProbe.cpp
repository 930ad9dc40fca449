//===- LinkerProbe.cpp - Queries of a linker program ----------------------===//
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
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <iterator>

using namespace llvm;

namespace headstart {

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
