//===- Parts.cpp - The parts of an input ----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/Parts.h"
#include "headstart/Formats/Symbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <utility>

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
  case PartKind::DebugStrings:
    return "debug strings";
  case PartKind::NeverRead:
    return "never read";
  }
  return "unknown";
}

void settleParts(std::vector<LayoutPart> &Parts) {
  auto Before = [](const LayoutPart &A, const LayoutPart &B) {
    return std::pair(A.Range.Offset, A.Range.Length) <
           std::pair(B.Range.Offset, B.Range.Length);
  };
  // Compilers write them in order, or in two ordered runs (clang: code and data
  // first, then unwind tables). Sorting those was half of a plan's cost.
  auto Second = std::is_sorted_until(Parts.begin(), Parts.end(), Before);
  if (std::is_sorted(Second, Parts.end(), Before)) {
    std::vector<LayoutPart> Merged(Parts.size());
    std::merge(Parts.begin(), Second, Second, Parts.end(), Merged.begin(),
               Before);
    Parts = std::move(Merged);
  } else {
    llvm::sort(Parts, Before);
  }
  uint64_t End = 0;
  std::vector<LayoutPart> Kept;
  Kept.reserve(Parts.size());
  for (LayoutPart Part : Parts) {
    uint64_t PartEnd = Part.Range.end();
    if (PartEnd <= End)
      continue;
    Part.Range.Offset = std::max(Part.Range.Offset, End);
    Part.Range.Length = PartEnd - Part.Range.Offset;
    End = PartEnd;
    if (!Kept.empty() && Kept.back().Kind == Part.Kind &&
        Kept.back().Section == Part.Section &&
        Kept.back().Member == Part.Member &&
        Kept.back().Range.end() == Part.Range.Offset)
      Kept.back().Range.Length += Part.Range.Length;
    else
      Kept.push_back(Part);
  }
  Parts = std::move(Kept);
}

uint64_t hashOfSymbol(StringRef Name) {
  // DenseMap reserves the two highest keys.
  return xxh3_64bits(Name) & ~(uint64_t(1) << 63);
}

} // namespace headstart
