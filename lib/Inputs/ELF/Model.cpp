//===- Model.cpp - ld.lld ------------------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Private.h"
#include "Options.h"
#include "Parse.h"
#include "headstart/Inputs/LinkerModel.h"

using namespace llvm;

namespace headstart {

namespace {
class ELFModel final : public LinkerModel {
public:
  ELFModel() : LinkerModel(Flavour::ELF, "elf", "ld.lld") {
    PlansTogether = true;
  }

  Expansion expansionOf(ArrayRef<std::string> Args) const override {
    Expansion Result;
    if (elf::usesWindowsQuoting(Args))
      Result.Tokenizer = cl::TokenizeWindowsCommandLine;
    return Result;
  }

  /// `-m i386pep` and the like turn ld.lld into MinGW's linker; the result is
  /// then a COFF command.
  LinkCommand parse(ArrayRef<CommandLineArg> CommandArgs,
                    const CommandLineContext &Context) const override {
    return elf::parse(CommandArgs, Context);
  }

  std::vector<PrefetchOption>
  takePrefetchOptions(SmallVectorImpl<const char *> &Args) const override {
    return elf::takePrefetchOptions(Args);
  }

  const GenericOptionTable &
  optionTable(ArrayRef<std::string> Args) const override {
    std::vector<CommandLineArg> CommandArgs;
    for (const std::string &Arg : Args)
      CommandArgs.push_back({Arg, "", ""});
    return elf::isMinGW(CommandArgs) ? elf::mingw::optionTable()
                                     : elf::optionTable();
  }

  ResolvedInput resolve(const NamedInput &Input,
                        const InputResolver &Resolver) const override {
    return elf::resolve(Input, Resolver);
  }

  std::vector<FoundInput> scan(const ScanRequest &Request) const override {
    return elf::scan(Request);
  }

  /// lld 22's ELF driver splits strings into pieces, scans relocations and the
  /// instructions that they modify, and then writes the output. It only copies
  /// debug information.
  std::optional<LinkStage> stageOf(PartKind K,
                                   const ReadKinds &O) const override {
    switch (K) {
    case PartKind::Contents:
    case PartKind::Relocations:
      return LinkStage::Contents;
    case PartKind::DebugStrings:
      if (O.ReadsDWARF)
        return LinkStage::Contents;
      return std::nullopt;
    case PartKind::DWARF:
    case PartKind::DebugRelocs:
      if (O.ReadsDWARF)
        return LinkStage::DebugSymbols;
      return std::nullopt;
    case PartKind::NeverRead:
      return std::nullopt;
    default:
      return LinkStage::Parse;
    }
  }

  bool isBackward(LinkStage Stage) const override {
    return Stage == LinkStage::Contents;
  }
};
} // namespace

const LinkerModel &elf::model() {
  static const ELFModel Model;
  return Model;
}

} // namespace headstart
