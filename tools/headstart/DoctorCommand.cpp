//===- DoctorCommand.cpp - headstart doctor -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Doctor.h"
#include "Options.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <utility>

using namespace llvm;

namespace headstart {

static StringRef nameOf(Verdict V) {
  static constexpr std::array Names = {"ok", "note", "problem"};
  return Names.at(static_cast<size_t>(V));
}

static size_t countOf(ArrayRef<CheckGroup> Groups, Verdict V) {
  size_t Sum = 0;
  for (const CheckGroup &Group : Groups)
    Sum += llvm::count_if(Group.Checks,
                          [V](const Check &C) { return C.Status == V; });
  return Sum;
}

/// Prints the checks of \p Group that found something; with \p Verbose, all.
static void printGroup(const CheckGroup &Group, bool Verbose) {
  SmallVector<const Check *> Shown;
  for (const Check &C : Group.Checks)
    if (!C.Text.empty() && (C.Status != Verdict::Ok || Verbose))
      Shown.push_back(&C);
  if (Shown.empty())
    return;
  outs() << Group.Heading << "\n";
  for (size_t I = 0; I != Shown.size(); ++I) {
    const Check &C = *Shown[I];
    outs() << "  ";
    if (C.Status == Verdict::Ok)
      outs() << "ok     ";
    else
      printColoured(
          C.Status == Verdict::Note ? "note   " : "problem",
          C.Status == Verdict::Note ? Severity::Note : Severity::Error, outs());
    outs() << "  " << C.Text << "\n";
    // Several compilers may share one fix.
    if (I + 1 != Shown.size() && C.Costs == Shown[I + 1]->Costs &&
        C.Do == Shown[I + 1]->Do)
      continue;
    for (const auto &[Lead, Text] :
         {std::pair("effect: ", StringRef(C.Costs)), {"fix:    ", C.Do}})
      if (!Text.empty())
        (outs().indent(11) << Lead << Text) << "\n";
  }
  outs() << "\n";
}

static void printText(ArrayRef<CheckGroup> Groups, bool Verbose) {
  size_t Passed = 0;
  for (const CheckGroup &Group : Groups) {
    printGroup(Group, Verbose);
    Passed += llvm::count_if(Group.Checks, [](const Check &C) {
      return C.Status == Verdict::Ok && !C.Text.empty();
    });
  }
  outs() << counted(countOf(Groups, Verdict::Problem), "problem") << ", "
         << counted(countOf(Groups, Verdict::Note), "note") << "; "
         << counted(Passed, "other check") << " passed"
         << (Verbose ? "" : " (--verbose lists them)") << "\n";
}

static void writeJSON(ArrayRef<CheckGroup> Groups) {
  printJSON([&](json::OStream &J) {
    J.attribute("problems", countOf(Groups, Verdict::Problem));
    J.attribute("notes", countOf(Groups, Verdict::Note));
    J.attributeArray("checks", [&] {
      for (const CheckGroup &Group : Groups)
        for (const Check &C : Group.Checks)
          J.object([&] {
            J.attribute("group", Group.Name);
            J.attribute("path", textOrNull(Group.Subject));
            J.attribute("name", C.Name);
            J.attribute("status", nameOf(C.Status));
            J.attribute("value", C.Value);
            J.attribute("text", json::fixUTF8(C.Text));
            J.attribute("costs", textOrNull(C.Costs));
            J.attribute("do", textOrNull(C.Do));
          });
    });
  });
}

Exit runDoctor(const CommandArguments &Arguments) {
  PrefetchSettings Settings;
  std::vector<CheckGroup> Groups;
  Groups.push_back(checkProgram(Settings));
  Groups.push_back(checkLinkers());
  Groups.push_back(checkSystem());
  Groups.push_back(checkMemory(Settings));
  Groups.push_back(checkProcessors(Settings));
  Groups.push_back(checkRecords(Settings));
  Exit Status = Exit::Done;
  std::vector<std::string> Paths = Arguments.Operands;
  if (Paths.empty())
    Paths.push_back(".");
  for (const std::string &Path : Paths) {
    std::string Problem;
    Groups.push_back(checkDirectory(Path, Problem));
    if (!Problem.empty())
      Status = fail((Twine(Path) + ": " + Problem).str());
  }
  if (Arguments.JSON)
    writeJSON(Groups);
  else
    printText(Groups, Arguments.has(OPT_verbose));
  return Status;
}

} // namespace headstart
