//===- LinkerProbe.cpp - Queries of a linker program ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/LinkerProbe.h"
#include "headstart/Link/DriverAnswer.h"
#include "headstart/OS/ChildProcess.h"
#include "llvm/ADT/StringRef.h"
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

} // namespace headstart
