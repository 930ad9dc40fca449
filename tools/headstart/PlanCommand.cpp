//===- PlanCommand.cpp - headstart plan -----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LinkerCommandLine.h"
#include "Options.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/FilePlanner.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace headstart {

std::vector<PlannedFile> planInputs(const LinkCommand &Command,
                                    std::vector<ListedInput> &Inputs) {
  PlanOptions Options = planOptionsOf(Command);
  Options.PageBytes = os::PageCache().pageSize();
  FilePlanner Planner(Options);
  SymbolBuffers Buffers;
  std::vector<PlannedFile> Files;
  Inputs = listInputs(
      Command, [&](const ListedInput &Input, FileInspector &Inspector) {
        auto Order = static_cast<uint32_t>(Files.size());
        Files.push_back({Input.Found.Path,
                         Planner.plan(Inspector, Input.Named, Order, Buffers)});
      });
  for (PlannedFile &File : Files)
    llvm::erase_if(File.Ranges, [&](const PlannedRange &R) {
      return !Planner.isLinked(R.Member);
    });
  return Files;
}

/// Calls \p Visit with each range, in the order of fetching: one stage of all
/// inputs before the next stage of any.
static void
inOrder(ArrayRef<PlannedFile> Files,
        function_ref<void(const PlannedFile &, const PlannedRange &)> Visit) {
  for (unsigned P = 0; P != NumFirstStages; ++P)
    for (const PlannedFile &File : Files)
      for (const PlannedRange &Range : File.Ranges)
        if (static_cast<unsigned>(Range.Stage) == P)
          Visit(File, Range);
}

/// Writes the attribute "ranges" of an open object.
static void writeRanges(ArrayRef<PlannedFile> Files, json::OStream &J) {
  J.attributeArray("ranges", [&] {
    inOrder(Files, [&](const PlannedFile &File, const PlannedRange &R) {
      J.object([&] {
        J.attribute("path", json::fixUTF8(File.Path));
        J.attribute("offset", R.Range.Offset);
        J.attribute("length", R.Range.Length);
        J.attribute("phase", static_cast<unsigned>(R.Stage));
        J.attribute("why", partName(R.Why));
      });
    });
  });
}

static void printRanges(ArrayRef<PlannedFile> Files) {
  uint64_t Bytes = 0;
  inOrder(Files, [&](const PlannedFile &File, const PlannedRange &R) {
    Bytes += R.Range.Length;
    outs() << formatv("{0}  {1,12} +{2,-10} {3,-20} {4}\n",
                      static_cast<unsigned>(R.Stage), R.Range.Offset,
                      R.Range.Length, partName(R.Why), File.Path);
  });
  outs() << formatBytes(Bytes) << " in " << counted(Files.size(), "file")
         << "\n";
}

/// The plan of each file in \p Profile, or else the ranges that were touched.
static std::vector<PlannedFile> planRecorded(const LinkProfile &Profile) {
  std::vector<PlannedFile> Files;
  for (const RecordedFile &File : Profile.Files) {
    PlannedFile &Planned =
        Files.emplace_back(PlannedFile{File.Path, File.Plan});
    if (Planned.Ranges.empty())
      for (ByteRange Range : File.Touched)
        Planned.Ranges.push_back({Range});
  }
  return Files;
}

/// Prints the plan in the profile at \p Path. Its files need not exist.
static Exit planByRecord(const CommandArguments &Arguments,
                         const std::string &Path) {
  if (Arguments.HasLinker || !Arguments.Operands.empty())
    return fail("plan takes a linker's command line or --prefetch-profile, not "
                "both",
                Exit::WrongUsage);
  Expected<std::shared_ptr<const LinkProfile>> Loaded = loadProfile(Path);
  if (!Loaded)
    return fail(toString(Loaded.takeError()));
  const LinkProfile *Profile = Loaded->get();
  if (!Profile)
    return fail("'" + Path +
                "': no such file; --prefetch-profile takes a profile that a "
                "link has stored in a file");
  const std::vector<PlannedFile> Files = planRecorded(*Profile);
  if (!Arguments.JSON) {
    printRanges(Files);
    return Exit::Done;
  }
  printJSON([&](json::OStream &J) {
    J.attribute("tool", json::fixUTF8(Profile->Tool));
    J.attribute("output", json::fixUTF8(Profile->Output));
    J.attributeArray("inputs", [&] {
      for (const RecordedFile &File : Profile->Files)
        J.object([&] {
          J.attribute("path", json::fixUTF8(File.Path));
          J.attribute("why", "recorded");
          J.attribute("size", File.Identity.Size);
        });
    });
    writeRanges(Files, J);
  });
  return Exit::Done;
}

Exit runPlan(const CommandArguments &Arguments) {
  if (const auto Profile = Arguments.value(OPT_prefetch_profile_EQ))
    return planByRecord(Arguments, *Profile);
  std::optional<ForeignCommand> Foreign;
  Exit Status = readLinkerCommandLine(Arguments, "plan", Foreign);
  if (!Foreign)
    return Status;
  const LinkCommand &Command = *Foreign->Command;
  std::vector<ListedInput> Inputs;
  const std::vector<PlannedFile> Files = planInputs(Command, Inputs);
  if (!Arguments.JSON) {
    printRanges(Files);
    return reportMissing(Arguments, *Foreign, Inputs);
  }
  printJSON([&](json::OStream &J) {
    J.attribute("flavour", Command.model().Name);
    writeInputs(Inputs, J);
    writeRanges(Files, J);
  });
  return reportMissing(Arguments, *Foreign, Inputs);
}

} // namespace headstart
