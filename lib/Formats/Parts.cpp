//===- Parts.cpp - The parts of an input ----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/Parts.h"
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

/// Sorts \p Parts by offset and length. Compilers write a few sorted runs,
/// which may alternate: clang lists each section with its relocations, which it
/// writes after all sections. To merge the runs costs less than to sort.
static void sortParts(std::vector<LayoutPart> &Parts) {
  auto Before = [](const LayoutPart &A, const LayoutPart &B) {
    return std::pair(A.Range.Offset, A.Range.Length) <
           std::pair(B.Range.Offset, B.Range.Length);
  };
  constexpr size_t MaxRuns = 4;
  SmallVector<std::vector<LayoutPart>, MaxRuns> Runs;
  for (const LayoutPart &Part : Parts) {
    auto *Run = llvm::find_if(Runs, [&](const std::vector<LayoutPart> &R) {
      return !Before(Part, R.back());
    });
    if (Run != Runs.end()) {
      Run->push_back(Part);
    } else if (Runs.size() != MaxRuns) {
      Runs.push_back({Part});
    } else {
      llvm::sort(Parts, Before);
      return;
    }
  }
  while (Runs.size() > 1) {
    const std::vector<LayoutPart> Last = Runs.pop_back_val();
    std::vector<LayoutPart> Merged(Runs.back().size() + Last.size());
    std::merge(Runs.back().begin(), Runs.back().end(), Last.begin(), Last.end(),
               Merged.begin(), Before);
    Runs.back() = std::move(Merged);
  }
  if (!Runs.empty())
    Parts = std::move(Runs.back());
}

void settleParts(std::vector<LayoutPart> &Parts) {
  sortParts(Parts);
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
