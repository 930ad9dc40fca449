//===- PlanCommand.cpp - headstart plan -----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LinkerCommandLine.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/FilePlanner.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace headstart {

namespace {

struct PlannedFile {
  std::string Path;
  std::vector<PlannedRange> Ranges;
};

} // namespace

/// Plans every input of \p Command that is there, as the engine would without a
/// profile and with nothing in memory. Adds them all to \p Inputs.
static std::vector<PlannedFile> planInputs(const LinkCommand &Command,
                                           std::vector<ListedInput> &Inputs) {
  FilePlanner Planner(planOptionsOf(Command));
  SymbolBuffers Buffers;
  std::vector<PlannedFile> Files;
  Inputs = listInputs(Command, [&](const ListedInput &Input, FileLook &Look) {
    auto Order = static_cast<uint32_t>(Files.size());
    Files.push_back(
        {Input.Found.Path, Planner.plan(Look, Input.Named, Order, Buffers)});
  });
  for (PlannedFile &File : Files)
    llvm::erase_if(File.Ranges, [&](const PlannedRange &R) {
      return !Planner.isLinked(R.Member);
    });
  return Files;
}

/// Calls \p Visit with each range, in the order of fetching: a phase of all
/// inputs before the next phase of any.
static void
inOrder(ArrayRef<PlannedFile> Files,
        function_ref<void(const PlannedFile &, const PlannedRange &)> Visit) {
  for (unsigned P = 0; P != NumFetchPhases; ++P)
    for (const PlannedFile &File : Files)
      for (const PlannedRange &Range : File.Ranges)
        if (static_cast<unsigned>(Range.Phase) == P)
          Visit(File, Range);
}

Exit runPlan(const CommandArguments &Arguments) {
  std::optional<LinkCommand> Command;
  Exit Status = readLinkerCommandLine(Arguments, "plan", Command);
  if (!Command)
    return Status;
  std::vector<ListedInput> Inputs;
  std::vector<PlannedFile> Files = planInputs(*Command, Inputs);
  if (Arguments.JSON) {
    json::OStream J(outs(), /*IndentSize=*/2);
    J.object([&] {
      J.attribute("version", 1);
      J.attribute("flavour", Command->model().Name);
      writeInputs(Inputs, J);
      J.attributeArray("ranges", [&] {
        inOrder(Files, [&](const PlannedFile &File, const PlannedRange &R) {
          J.object([&] {
            J.attribute("path", json::fixUTF8(File.Path));
            J.attribute("offset", R.Range.Offset);
            J.attribute("length", R.Range.Length);
            J.attribute("phase", static_cast<unsigned>(R.Phase));
            J.attribute("why", partName(R.Why));
          });
        });
      });
    });
    outs() << "\n";
    return Status;
  }
  uint64_t Bytes = 0;
  inOrder(Files, [&](const PlannedFile &File, const PlannedRange &R) {
    Bytes += R.Range.Length;
    outs() << formatv("{0}  {1,12} +{2,-10} {3,-20} {4}\n",
                      static_cast<unsigned>(R.Phase), R.Range.Offset,
                      R.Range.Length, partName(R.Why), File.Path);
  });
  outs() << formatBytes(Bytes) << " in " << Files.size()
         << (Files.size() == 1 ? " file\n" : " files\n");
  return Status;
}

} // namespace headstart
