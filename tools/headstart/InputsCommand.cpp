//===- InputsCommand.cpp - headstart inputs, headstart plan ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Options.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ForeignCommand.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/FilePlanner.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace headstart {

static void writeInputs(ArrayRef<ListedInput> Inputs, json::OStream &J) {
  J.attributeArray("inputs", [&] {
    for (const ListedInput &Input : Inputs)
      J.object([&] {
        J.attribute("path", json::fixUTF8(Input.Found.Path));
        J.attribute("why", reasonName(Input.Named.Reason));
        J.attribute("from", json::fixUTF8(Input.Named.From));
        J.attribute("exists", Input.Found.exists());
        J.attribute("size", Input.Found.Status.Identity.Size);
      });
  });
}

/// Whether \p Input, or the response file that it names, does not exist.
static bool isMissing(const ListedInput &Input) {
  StringRef Name = Input.Named.Name;
  return os::isMissing(Name.consume_front("@")
                           ? sys::fs::access(Name, sys::fs::AccessMode::Exist)
                           : Input.Problem);
}

static void printInputs(ArrayRef<ListedInput> Inputs) {
  for (const ListedInput &Input : Inputs) {
    outs() << Input.Found.Path << "\t" << reasonName(Input.Named.Reason);
    if (!Input.Named.From.empty())
      outs() << " (" << Input.Named.From << ")";
    if (!Input.Found.exists())
      outs() << (isMissing(Input) ? ", not found" : ", cannot be read");
    else if (Input.Found.Status.Kind != os::FileKind::Regular)
      outs() << ", not a regular file";
    else if (Input.Problem)
      outs() << ", cannot be read";
    outs() << "\n";
  }
}

/// The message for \p Input, which cannot be opened.
static std::string reasonOf(const ListedInput &Input) {
  std::string Text = Input.Found.Path + ": ";
  if (isSearched(Input.Named) &&
      Input.Problem == std::errc::no_such_file_or_directory)
    Text += "not found in the search paths";
  else
    Text += Input.Problem.message();
  // An option ("-l", "/defaultlib:") says nothing new.
  const StringRef From = Input.Named.From;
  if (!From.empty() && !From.starts_with("-") && !From.ends_with(":"))
    Text += (" (referenced by " + From + ")").str();
  return Text;
}

/// Prints to standard error which response files and \p Inputs of \p Command
/// cannot be read, and why. Returns Failed if the command line or a linker
/// script names one of them, or if the compiler driver reported an error.
static Exit reportMissing(const CommandArguments &Arguments,
                          const ForeignCommand &Command,
                          ArrayRef<ListedInput> Inputs) {
  Exit Status = Command.HasError ? Exit::Failed : Exit::Done;
  outs().flush();
  for (const std::string &Note : Command.Notes)
    Status = fail(Note);
  for (const ListedInput &Input : Inputs) {
    // The linker takes a response file that it cannot read for an input.
    StringRef File = Input.Named.Name;
    const bool IsReported =
        File.consume_front("@") && any_of(Command.Notes, [&](StringRef Note) {
          return Note.contains(File);
        });
    if (!Input.Problem || IsReported)
      continue;
    // This is the object of a source that the same command compiles.
    if (Command.AlsoCompiles &&
        Input.Named.Reason == InputReason::CommandLine &&
        !is_contained(Arguments.Linker, Input.Named.Name) &&
        !isSearched(Input.Named) && !Input.Found.exists()) {
      note(Input.Found.Path +
           ": this file does not exist yet; the compiler creates it");
    } else if (isOnCommandLine(Input.Named.Reason) ||
               Input.Named.Reason == InputReason::LinkerScript) {
      Status = fail(reasonOf(Input));
    } else {
      note(reasonOf(Input));
    }
  }
  return Status;
}

Exit checkLinkerCommandLine(const CommandArguments &Arguments,
                            StringRef Subcommand,
                            std::optional<Flavour> &Forced) {
  if (Arguments.Linker.empty())
    return fail("no linker given; usage: headstart " + Subcommand +
                    " [options] [--] LINKER ARGS...",
                Exit::WrongUsage);
  const std::string Name = Arguments.value(OPT_flavour_EQ).value_or("");
  if (Name.empty())
    return Exit::Done;
  const LinkerModel *Named = LinkerModel::named(Name);
  if (!Named)
    return fail("unknown flavour '" + Name + "': expected coff, elf or macho",
                Exit::WrongUsage);
  Forced = Named->Kind;
  return Exit::Done;
}

/// Reads the linker's command line into \p Result; queries compiler drivers for
/// the commands that they would run. If there is no command line, or it cannot
/// be read, prints an error and leaves \p Result empty.
static Exit readLinkerCommandLine(const CommandArguments &Arguments,
                                  StringRef Subcommand,
                                  std::optional<ForeignCommand> &Result) {
  std::optional<Flavour> Forced;
  Exit Status = checkLinkerCommandLine(Arguments, Subcommand, Forced);
  if (Status != Exit::Done)
    return Status;
  ForeignCommand Command =
      readForeignCommand(Arguments.Linker, Forced, /*Cancelled=*/nullptr);
  for (const std::string &Line : Command.DriverDiagnostics)
    errs() << Line << "\n";
  if (!Command.Problem.empty())
    return fail(Command.Problem,
                Command.IsUnknown ? Exit::WrongUsage : Exit::Failed);
  // A driver that only compiles counts as a link without inputs.
  if (!Command.Command) {
    note(linksNothing(Arguments.Linker.front()));
    Command.Command.emplace();
    Command.Command->Kind = Flavour::ELF;
    Command.Command->Links = false;
  }
  Result = std::move(Command);
  return Exit::Done;
}

std::vector<PlannedFile> planInputs(const LinkCommand &Command,
                                    std::vector<ListedInput> &Inputs) {
  PlanOptions Options = planOptionsOf(Command);
  Options.PageBytes = os::PageCache().pageSize();
  FilePlanner Planner(Options, /*EntersAll=*/true);
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

/// Prints the plan of each file in the profile at \p Path, or else the ranges
/// that were touched. The files need not exist.
static Exit planByRecord(const CommandArguments &Arguments,
                         const std::string &Path) {
  if (Arguments.HasLinker || Path.empty())
    return fail("plan takes either a linker's command line or "
                "--prefetch-profile=FILE",
                Exit::WrongUsage);
  Expected<std::shared_ptr<const LinkProfile>> Loaded = loadProfile(Path);
  if (!Loaded)
    return fail(Loaded.takeError());
  const LinkProfile *Profile = Loaded->get();
  if (!Profile)
    return fail("'" + Path +
                "': no such file; --prefetch-profile takes a profile that a "
                "link has stored in a file");
  std::vector<PlannedFile> Files;
  for (const RecordedFile &File : Profile->Files) {
    PlannedFile &Planned =
        Files.emplace_back(PlannedFile{File.Path, File.Plan});
    if (Planned.Ranges.empty())
      for (ByteRange Range : File.Touched)
        Planned.Ranges.push_back({Range});
  }
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
          J.attribute("size", File.Version.Size);
        });
    });
    writeRanges(Files, J);
  });
  return Exit::Done;
}

/// Prints the inputs of a link; if \p Plans, as the ranges to fetch.
static Exit showLink(const CommandArguments &Arguments, bool Plans) {
  std::optional<ForeignCommand> Foreign;
  Exit Status =
      readLinkerCommandLine(Arguments, Plans ? "plan" : "inputs", Foreign);
  if (!Foreign)
    return Status;
  const LinkCommand &Command = *Foreign->Command;
  std::vector<ListedInput> Inputs;
  std::vector<PlannedFile> Files;
  if (Plans)
    Files = planInputs(Command, Inputs);
  else
    Inputs = listInputs(Command);
  if (Arguments.JSON)
    printJSON([&](json::OStream &J) {
      J.attribute("flavour", Command.model().Name);
      writeInputs(Inputs, J);
      if (Plans)
        writeRanges(Files, J);
    });
  else if (Plans)
    printRanges(Files);
  else
    printInputs(Inputs);
  return reportMissing(Arguments, *Foreign, Inputs);
}

Exit runInputs(const CommandArguments &Arguments) {
  return showLink(Arguments, /*Plans=*/false);
}

Exit runPlan(const CommandArguments &Arguments) {
  const auto Profile = Arguments.value(OPT_prefetch_profile_EQ);
  return Profile ? planByRecord(Arguments, *Profile)
                 : showLink(Arguments, /*Plans=*/true);
}

} // namespace headstart
