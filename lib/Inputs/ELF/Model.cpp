//===- Model.cpp - ld.lld ------------------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "headstart/Inputs/LinkerModel.h"

using namespace llvm;

namespace headstart::elf {

/// \p Args, which are not expanded yet.
static std::vector<CommandLineArg> plainArgs(ArrayRef<std::string> Args) {
  std::vector<CommandLineArg> Result;
  for (const std::string &Arg : Args)
    Result.push_back({Arg, "", ""});
  return Result;
}

Model::Model()
    : LinkerModel(Flavour::ELF, "elf", "ld.lld", elf::optionTable()) {
  PlansTogether = true;
  InspectionRequests = 3;
  StageNames = {"parse",  "relocations", "first copies", "other copies",
                "output", "names",       "commit"};
}

/// MinGW's linker does not know --rsp-quoting.
LinkerModel::Expansion Model::expansionOf(ArrayRef<std::string> Args) const {
  Expansion Result;
  std::vector<CommandLineArg> CommandArgs = plainArgs(Args);
  if (!isMinGW(CommandArgs) &&
      MatchedLine(CommandArgs, /*MinGW=*/false)
              .args()
              .getLastArgValue(OPT_rsp_quoting) == "windows")
    Result.Tokenizer = cl::TokenizeWindowsCommandLine;
  return Result;
}

/// lld 22's ELF driver splits strings and unwind tables into pieces, folds
/// identical sections, scans relocations, and then copies one section of the
/// output after the other. The first copies are those of debug information,
/// which is at the end of the output: Writer::writeSections spawns a task for
/// each section, and an idle thread takes the newest. One thread copies them
/// in the order of the output.
std::optional<LinkStage> Model::stageOf(PartKind K, const ReadKinds &O) const {
  switch (K) {
  case PartKind::FoldableContents:
    if (O.FoldsContents)
      return LinkStage::Contents;
    [[fallthrough]];
  case PartKind::Contents:
    return O.HasOneThread ? LinkStage::Types : LinkStage::DebugSymbols;
  case PartKind::ParsedContents:
  case PartKind::Relocations:
  case PartKind::Bitcode: // before all relocations
    return LinkStage::Contents;
  case PartKind::DebugStrings:
    return stageIf(O.ReadsDWARF, LinkStage::Contents);
  case PartKind::DWARF:
  case PartKind::DebugRelocs:
    return stageIf(O.ReadsDWARF,
                   O.HasOneThread ? LinkStage::DebugSymbols : LinkStage::Types);
  case PartKind::BitcodeMetadata:
    return stageIf(!O.HasLTOCache, LinkStage::Contents);
  case PartKind::Whole:
  case PartKind::Headers:
  case PartKind::Symbols:
  case PartKind::CompilerInfo:
    return LinkStage::Parse;
  case PartKind::Types: // these three: COFF only
  case PartKind::DebugSymbols:
  case PartKind::TypeHashes:
  case PartKind::NeverRead:
    return std::nullopt;
  }
  return std::nullopt;
}

bool Model::isBackward(LinkStage Stage) const {
  return Stage != LinkStage::Parse;
}

} // namespace headstart::elf
