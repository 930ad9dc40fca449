//===- InputsCommand.cpp - headstart inputs -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LinkerCommandLine.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ForeignCommand.h"
#include "headstart/Link/LinkerName.h"
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

static void printJSON(const LinkCommand &Command) {
  json::OStream J(outs(), /*IndentSize=*/2);
  J.object([&] {
    J.attribute("version", 1);
    J.attribute("flavour", Command.model().Name);
    writeInputs(listInputs(Command), J);
  });
  outs() << "\n";
}

static void printText(const LinkCommand &Command) {
  for (const ListedInput &Input : listInputs(Command)) {
    outs() << Input.Found.Path << "\t" << reasonName(Input.Named.Reason);
    if (!Input.Named.From.empty())
      outs() << " (" << Input.Named.From << ")";
    if (!Input.Found.exists())
      outs() << ", not found";
    else if (Input.Found.Status.Kind != os::FileKind::Regular)
      outs() << ", not a regular file";
    outs() << "\n";
  }
}

Exit checkLinkerCommandLine(const CommandArguments &Arguments,
                            StringRef Subcommand,
                            std::optional<Flavour> &Forced) {
  if (Arguments.Linker.empty())
    return fail("no linker: headstart " + Subcommand.str() +
                    " [options] [--] LINKER ARGS...",
                Exit::WrongUsage);
  if (Arguments.Flavour.empty())
    return Exit::Done;
  const LinkerModel *Named = LinkerModel::named(Arguments.Flavour);
  if (Named)
    Forced = Named->Kind;
  return Named ? Exit::Done
               : fail("unknown flavour '" + Arguments.Flavour +
                          "': expected coff, elf or macho",
                      Exit::WrongUsage);
}

Exit readLinkerCommandLine(const CommandArguments &Arguments,
                           StringRef Subcommand,
                           std::optional<LinkCommand> &Result) {
  std::optional<Flavour> Forced;
  Exit Status = checkLinkerCommandLine(Arguments, Subcommand, Forced);
  if (Status != Exit::Done)
    return Status;
  ForeignCommand Command =
      readForeignCommand(Arguments.Linker, Forced, /*Cancelled=*/nullptr);
  for (const std::string &Note : Command.Notes)
    errs() << "headstart: note: " << Note << "\n";
  if (!Command.Problem.empty())
    return fail(Command.Problem,
                Command.IsUnknown ? Exit::WrongUsage : Exit::Failed);
  // A driver that only compiles: a link of nothing.
  if (!Command.Command) {
    errs() << "headstart: note: '" << Arguments.Linker.front()
           << "' does not link here\n";
    Command.Command.emplace();
    Command.Command->Kind = Flavour::ELF;
    Command.Command->Links = false;
  }
  Result = std::move(Command.Command);
  return Exit::Done;
}

Exit runInputs(const CommandArguments &Arguments) {
  std::optional<LinkCommand> Command;
  Exit Status = readLinkerCommandLine(Arguments, "inputs", Command);
  if (!Command)
    return Status;
  if (Arguments.JSON)
    printJSON(*Command);
  else
    printText(*Command);
  return Status;
}

} // namespace headstart
