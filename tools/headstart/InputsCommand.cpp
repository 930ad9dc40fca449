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
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace headstart {

/// The flavour by the linker's name: "lld-link", "lld-link-22", "link.exe".
static std::optional<Flavour> flavourOfProgram(StringRef Program) {
  StringRef Name = sys::path::filename(Program);
  Name.consume_back_insensitive(".exe");
  Name = Name.rtrim("0123456789.").rtrim('-');
  if (Name.equals_insensitive("lld-link") || Name.equals_insensitive("link"))
    return Flavour::COFF;
  if (Name == "ld64.lld")
    return Flavour::MachO;
  if (is_contained({"ld", "ld.lld", "ld.bfd", "ld.gold", "gold", "mold",
                    "ld.mold", "wild"},
                   Name))
    return Flavour::ELF;
  return std::nullopt;
}

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
    J.attribute("flavour", flavourName(Command.Kind));
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

Exit readLinkerCommandLine(const CommandArguments &Arguments,
                           StringRef Subcommand,
                           std::optional<LinkCommand> &Result) {
  if (!Arguments.Operands.empty())
    return fail("unexpected '" + Arguments.Operands.front() +
                    "': the linker's command line stands after --",
                Exit::WrongUsage);
  if (Arguments.Linker.empty())
    return fail("no linker: headstart " + Subcommand.str() +
                    " -- LINKER ARGS...",
                Exit::WrongUsage);
  const std::string &Program = Arguments.Linker.front();
  std::optional<Flavour> F =
      Arguments.Flavour.empty()
          ? flavourOfProgram(Program)
          : StringSwitch<std::optional<Flavour>>(Arguments.Flavour)
                .Case("coff", Flavour::COFF)
                .Case("elf", Flavour::ELF)
                .Case("macho", Flavour::MachO)
                .Default(std::nullopt);
  if (!F)
    return fail(Arguments.Flavour.empty()
                    ? "cannot tell what kind of linker '" + Program +
                          "' is: --flavour=coff, elf or macho says so"
                    : "unknown flavour '" + Arguments.Flavour +
                          "': expected coff, elf or macho",
                Exit::WrongUsage);

  CommandLineContext Context = CommandLineContext::fromProcess();
  if (ErrorOr<std::string> Path = sys::findProgramByName(Program)) {
    SmallString<256> Real;
    Context.ToolPath =
        sys::fs::real_path(*Path, Real) ? *Path : std::string(Real);
  }
  ExpandedCommandLine Expanded =
      expandCommandLine(*F, ArrayRef(Arguments.Linker).drop_front(), Context);
  for (const std::string &Note : Expanded.Notes)
    errs() << "headstart: note: " << Note << "\n";
  Result = parseCommandLine(*F, Expanded.Words, Context);
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
