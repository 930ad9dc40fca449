//===- Model.cpp - ld64.lld ----------------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/Threads.h"

using namespace llvm;

namespace headstart::macho {

Model::Model()
    : LinkerModel(Flavour::MachO, "macho", "ld64.lld", macho::optionTable()) {
  StockPrefetchOption =
      "--read-workers=" + std::to_string(os::usableProcessors());
  // ld64.lld skips the ends of small debug sections. Closing gaps of up to 16
  // KiB would add a quarter to the bytes read of objects at -O1: of 60
  // objects with 6.9 MB touched, 8.7 MB in 321 ranges; with 4 KiB, 7.2 MB in
  // 452 ranges.
  MergeGapBytes = 4 * 1024;
  StageNames[static_cast<size_t>(LinkStage::Contributions)] = "output";
}

/// lld 22's Mach-O driver assigns relocations, strings and unwind tables to
/// functions when it loads a file. It reads only the beginning of DWARF.
std::optional<LinkStage> Model::stageOf(PartKind K, const ReadKinds &O) const {
  switch (K) {
  case PartKind::Contents:
  case PartKind::Bitcode:
    return LinkStage::Contents;
  case PartKind::DWARF:
    return stageIf(O.ReadsDWARF, LinkStage::Contents);
  case PartKind::BitcodeMetadata:
    return stageIf(!O.HasLTOCache, LinkStage::Contents);
  case PartKind::Whole:
  case PartKind::Headers:
  case PartKind::Symbols:
  case PartKind::CompilerInfo:
  case PartKind::ParsedContents:
  case PartKind::Relocations:
    return LinkStage::Parse;
  case PartKind::Types: // no Mach-O file has these five
  case PartKind::DebugSymbols:
  case PartKind::DebugRelocs:
  case PartKind::TypeHashes:
  case PartKind::DebugStrings:
  case PartKind::NeverRead:
  case PartKind::FoldableContents: // ELF only
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace headstart::macho
