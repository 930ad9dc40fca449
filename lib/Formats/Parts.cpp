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
#include <array>
#include <utility>

using namespace llvm;

namespace headstart {

StringRef partName(PartKind K) {
  // In the order of the enumerators.
  static constexpr std::array<StringLiteral, NumPartKinds> Names = {
      "whole file",          "headers",
      "symbols and strings", "compiler information",
      "section contents",    "parsed contents",
      "relocations",         "type records",
      "debug symbols",       "debug relocations",
      "type hashes",         "DWARF",
      "debug strings",       "never read",
      "foldable contents",   "bitcode",
      "bitcode metadata"};
  return Names.at(static_cast<size_t>(K));
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
