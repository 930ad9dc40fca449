//===- LayoutFuzzer.cpp - Any bytes as the head of a file -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost.h"
#include "headstart/Plan/ComdatTable.h"
#include "headstart/Plan/ELFLayout.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/MachOLayout.h"
#include "headstart/Plan/ObjectLayout.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

using namespace headstart;

/// The same bytes as an archive and as an ELF file, read in steps.
static void readInSteps(llvm::ArrayRef<char> File) {
  auto At = [&](ByteRange R) { return File.slice(R.Offset, R.Length); };
  std::vector<ByteRange> Objects = {{0, File.size()}};
  ArchiveWalk Walk(File.size());
  while (!Walk.needs().empty())
    if (auto Member = Walk.give(At(Walk.needs())))
      Objects.push_back(Member->Contents);
  for (ByteRange Within : Objects) {
    if (Within.end() > File.size())
      abort();
    ELFLayoutReader Reader(Within);
    while (!Reader.needs().empty() && Reader.needs().end() <= File.size())
      Reader.give(At(Reader.needs()));
    const ELFLayout *Layout = Reader.layout();
    if (!Layout)
      continue;
    uint64_t End = Within.Offset;
    for (const LayoutPart &P : Layout->Parts) {
      if (P.Range.Offset < End || P.Range.end() > Within.end())
        abort();
      End = P.Range.end();
    }
    std::vector<llvm::ArrayRef<char>> Groups;
    for (const ELFGroup &G : Layout->Groups)
      Groups.push_back(At(G.Members));
    ELFSymbols Symbols = readELFSymbols(*Layout, At(Layout->Symbols),
                                        At(Layout->Strings), Groups);
    ComdatTable Comdats;
    ExtractionTable Extracted;
    (void)Comdats.enter(Symbols.Rules, 0);
    (void)Extracted.isLinked(Extracted.addLazy(Symbols.Uses));
  }
}

/// Parts in order, none past the end; the plan within the file.
static void check(const ObjectLayout &Layout, uint64_t FileSize,
                  const PlanOptions &Options) {
  uint64_t End = 0;
  for (const LayoutPart &P : Layout.Parts) {
    if (P.Range.Offset < End || P.Range.Offset > FileSize ||
        P.Range.Length > FileSize - P.Range.Offset)
      abort();
    End = P.Range.end();
  }
  for (const PlannedRange &R : planFile(&Layout, FileSize, Options))
    if (R.Range.Length > FileSize || R.Range.Offset > FileSize - R.Range.Length)
      abort();
}

/// The file is as long as its head, so that every step has its bytes.
static void readMachO(llvm::ArrayRef<char> File, bool AllMembers) {
  MachOFileReader Reader(File.size(), "x86_64", AllMembers);
  // Each member costs a step or two, and has a header of 60 bytes.
  size_t StepsLeft = File.size() / 10 + 10;
  for (ByteRange Needed = Reader.needs(); !Needed.empty();
       Needed = Reader.needs()) {
    if (Needed.Offset > File.size() ||
        Needed.Length > File.size() - Needed.Offset || StepsLeft-- == 0)
      abort();
    Reader.give(File.slice(Needed.Offset, Needed.Length));
  }
  PlanOptions Options;
  Options.Kind = Flavour::MachO;
  Options.WholeFileBytes = 0;
  if (auto Layout = std::move(Reader).layout())
    check(*Layout, File.size(), Options);
}

static constexpr fuzz::CostLimits Limits = {
    .Read = {0, 0},
    .Allocated = {64, 16 << 10},
    .Steps = {256, 20000},
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  fuzz::Cost Cost(Size, Limits);
  // The first byte says how much of the file is said to follow its head.
  if (Size == 0)
    return 0;
  llvm::ArrayRef<char> Head(reinterpret_cast<const char *>(Data) + 1, Size - 1);
  uint64_t FileSize = Head.size() + (uint64_t(Data[0]) << (Data[0] % 32));
  readInSteps(Head);
  readMachO(Head, Data[0] % 2);
  LayoutReading Reading = readLayout(Head, FileSize);
  if (Reading.Result == LayoutReading::NeedMore &&
      Reading.BytesNeeded > FileSize)
    abort();
  if (Reading.Result != LayoutReading::Read)
    return 0;
  // Whatever lies where the symbols are said to, as far as there is of it.
  const ObjectLayout &Layout = Reading.Layout;
  llvm::ArrayRef<char> Symbols = Head.drop_front(
      std::min<uint64_t>(Layout.SymbolTable.Offset, Head.size()));
  std::vector<SectionRule> Rules = readCOFFComdats(Layout, Symbols);
  ComdatTable Table;
  if (Table.enter(Rules, 1).size() != Rules.size() ||
      Table.enter(Rules, 0).count() > Rules.size())
    abort();
  dropSections(Reading.Layout, Table.enter(Rules, 2));

  PlanOptions Options;
  Options.WholeFileBytes = 0;
  check(Reading.Layout, FileSize, Options);
  return 0;
}
