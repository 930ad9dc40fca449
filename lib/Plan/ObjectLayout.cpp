//===- ObjectLayout.cpp - Where the parts of an object file lie -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ObjectLayout.h"
#include "headstart/Plan/MachOLayout.h"

using namespace llvm;

namespace headstart {

StringRef partName(PartKind K) {
  switch (K) {
  case PartKind::Whole:
    return "whole file";
  case PartKind::Headers:
    return "headers";
  case PartKind::Symbols:
    return "symbols and strings";
  case PartKind::CompilerInfo:
    return "compiler information";
  case PartKind::Contents:
    return "section contents";
  case PartKind::ParsedContents:
    return "parsed contents";
  case PartKind::Relocations:
    return "relocations";
  case PartKind::Types:
    return "type records";
  case PartKind::DebugSymbols:
    return "debug symbols";
  case PartKind::DebugRelocs:
    return "debug relocations";
  case PartKind::TypeHashes:
    return "type hashes";
  case PartKind::DWARF:
    return "DWARF";
  case PartKind::NeverRead:
    return "never read";
  }
  return "unknown";
}

LayoutReading readLayout(ArrayRef<char> Head, uint64_t FileSize) {
  LayoutReading Reading = readArchiveLayout(Head, FileSize);
  if (Reading.Result == LayoutReading::Unknown)
    Reading = readMachOLayout(Head, FileSize);
  if (Reading.Result == LayoutReading::Unknown)
    Reading = readCOFFLayout(Head, FileSize);
  return Reading;
}

} // namespace headstart
