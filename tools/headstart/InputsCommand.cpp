//===- InputsCommand.cpp - headstart inputs -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LinkerCommandLine.h"
#include "Options.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ForeignCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace headstart {

void writeInputs(ArrayRef<ListedInput> Inputs, json::OStream &J) {
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

static void printText(ArrayRef<ListedInput> Inputs) {
  for (const ListedInput &Input : Inputs) {
    outs() << Input.Found.Path << "\t" << reasonName(Input.Named.Reason);
    if (!Input.Named.From.empty())
      outs() << " (" << Input.Named.From << ")";
    if (!Input.Found.exists())
      outs() << ", not found";
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

Exit reportMissing(const CommandArguments &Arguments,
                   const ForeignCommand &Command,
                   ArrayRef<ListedInput> Inputs) {
  Exit Status = Command.HasError ? Exit::Failed : Exit::Done;
  outs().flush();
  for (const ListedInput &Input : Inputs) {
    if (!Input.Problem)
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
    return fail("no linker given; usage: headstart " + Subcommand.str() +
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

Exit readLinkerCommandLine(const CommandArguments &Arguments,
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
  for (const std::string &Note : Command.Notes)
    note(Note);
  if (!Command.Problem.empty())
    return fail(Command.Problem,
                Command.IsUnknown ? Exit::WrongUsage : Exit::Failed);
  // A driver that only compiles counts as a link without inputs.
  if (!Command.Command) {
    note("'" + Arguments.Linker.front() +
         "' only compiles with these arguments and links nothing");
    Command.Command.emplace();
    Command.Command->Kind = Flavour::ELF;
    Command.Command->Links = false;
  }
  Result = std::move(Command);
  return Exit::Done;
}

Exit runInputs(const CommandArguments &Arguments) {
  std::optional<ForeignCommand> Foreign;
  Exit Status = readLinkerCommandLine(Arguments, "inputs", Foreign);
  if (!Foreign)
    return Status;
  const std::vector<ListedInput> Inputs = listInputs(*Foreign->Command);
  if (Arguments.JSON)
    printJSON([&](json::OStream &J) {
      J.attribute("flavour", Foreign->Command->model().Name);
      writeInputs(Inputs, J);
    });
  else
    printText(Inputs);
  return reportMissing(Arguments, *Foreign, Inputs);
}

} // namespace headstart
