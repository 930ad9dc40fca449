//===- InputsCommand.cpp - headstart inputs -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
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
  return std::nullopt;
}

static void printJSON(const LinkCommand &Command) {
  InputResolver Resolver(Command);
  json::OStream J(outs(), /*IndentSize=*/2);
  J.object([&] {
    J.attribute("version", 1);
    J.attribute("flavour", flavourName(Command.Kind));
    J.attributeArray("inputs", [&] {
      for (const NamedInput &Input : Command.Inputs)
        J.object([&] {
          ResolvedInput Found = Resolver.resolve(Input);
          J.attribute("path", json::fixUTF8(Found.Path));
          J.attribute("why", reasonName(Input.Reason));
          J.attribute("from", json::fixUTF8(Input.From));
          bool Exists = Found.Status.Kind != os::FileKind::Missing;
          J.attribute("exists", Exists);
          J.attribute("size", Found.Status.Identity.Size);
        });
    });
  });
  outs() << "\n";
}

static void printText(const LinkCommand &Command) {
  InputResolver Resolver(Command);
  for (const NamedInput &Input : Command.Inputs) {
    ResolvedInput Found = Resolver.resolve(Input);
    outs() << Found.Path << "\t" << reasonName(Input.Reason);
    if (!Input.From.empty())
      outs() << " (" << Input.From << ")";
    if (Found.Status.Kind == os::FileKind::Missing)
      outs() << ", not found";
    else if (Found.Status.Kind != os::FileKind::Regular)
      outs() << ", not a regular file";
    outs() << "\n";
  }
}

Exit runInputs(const CommandArguments &Arguments) {
  if (!Arguments.Operands.empty())
    return fail("unexpected '" + Arguments.Operands.front() +
                    "': the linker's command line stands after --",
                Exit::WrongUsage);
  if (Arguments.Linker.empty())
    return fail("no linker: headstart inputs -- LINKER ARGS...",
                Exit::WrongUsage);
  const std::string &Program = Arguments.Linker.front();
  std::optional<Flavour> F =
      Arguments.Flavour.empty()
          ? flavourOfProgram(Program)
          : StringSwitch<std::optional<Flavour>>(Arguments.Flavour)
                .Case("coff", Flavour::COFF)
                .Default(std::nullopt);
  if (!F)
    return fail(Arguments.Flavour.empty()
                    ? "cannot tell what kind of linker '" + Program +
                          "' is: only COFF linkers are known so far; "
                          "--flavour=coff says so"
                    : "unknown flavour '" + Arguments.Flavour +
                          "': only 'coff' is known so far",
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
  LinkCommand Command = parseCOFFCommandLine(Expanded.Words, Context);
  if (Arguments.JSON)
    printJSON(Command);
  else
    printText(Command);
  return Exit::Done;
}

} // namespace headstart
