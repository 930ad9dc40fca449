//===- LayoutFuzzer.cpp - Any bytes as an input of a link -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost.h"
#include "headstart/Formats/Archive.h"
#include "headstart/Formats/Bitcode.h"
#include "headstart/Formats/COFF.h"
#include "headstart/Formats/ELF.h"
#include "headstart/Formats/MachO.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/SymbolTables.h"
#include <cstdint>
#include <cstdlib>

using namespace headstart;

/// Requires that parts are in order and in the file, and the plan in the file.
static void check(llvm::ArrayRef<LayoutPart> Parts, uint64_t FileSize,
                  Flavour Kind) {
  uint64_t End = 0;
  for (const LayoutPart &P : Parts) {
    if (P.Range.Offset < End || P.Range.Offset > FileSize ||
        P.Range.Length > FileSize - P.Range.Offset)
      abort();
    End = P.Range.end();
  }
  PlanOptions Options;
  Options.Kind = Kind;
  Options.WholeFileBytes = 0;
  for (const PlannedRange &R : planFile(Parts, FileSize, Options))
    if (R.Range.Length > FileSize || R.Range.Offset > FileSize - R.Range.Length)
      abort();
}

static void readELF(ByteSource &Bytes) {
  ELFObject::readAhead(Bytes);
  std::optional<ELFObject> Object = ELFObject::read(Bytes);
  if (!Object)
    return;
  check(Object->Parts, Bytes.size(), Flavour::ELF);
  SymbolBuffers Buffers;
  ELFSymbols Symbols = Object->readSymbols(Bytes, Buffers);
  ComdatTable Comdats;
  ExtractionTable Extracted;
  (void)Comdats.enter(Symbols.Rules, 0);
  (void)Extracted.isLinked(Extracted.addLazy(Symbols.Uses));
  (void)Object->readDependents(Bytes);
}

static void readCOFF(ByteSource &Bytes) {
  std::optional<COFFObject> Object = COFFObject::read(Bytes);
  if (!Object)
    return;
  check(Object->Parts, Bytes.size(), Flavour::COFF);
  (void)Bytes.read(Object->Directives);
  (void)Object->readTypeServer(Bytes);
  SymbolBuffers Buffers;
  std::vector<SectionRule> Rules = Object->readComdats(Bytes, Buffers);
  ComdatTable Table;
  if (Table.enter(Rules, 1).size() != Rules.size() ||
      Table.enter(Rules, 0).count() > Rules.size())
    abort();
  dropSections(Object->Parts, Table.enter(Rules, 2));
  check(Object->Parts, Bytes.size(), Flavour::COFF);
}

static void readMachO(ByteSource &Bytes, bool AllMembers) {
  MachOInput Input = MachOInput::read(Bytes, "x86_64");
  check(Input.readParts(Bytes, AllMembers), Bytes.size(), Flavour::MachO);
  if (Input.File)
    (void)Input.File->names();
}

static constexpr fuzz::CostLimits Limits = {
    .Read = {0, 0},
    .Allocated = {64, 16 << 10},
    .Steps = {256, 20000},
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  fuzz::Cost Cost(Size, Limits);
  // The first byte selects whether all members are read.
  if (Size == 0)
    return 0;
  MemoryBytes Bytes(
      llvm::StringRef(reinterpret_cast<const char *>(Data) + 1, Size - 1));
  ArchiveReader Archive(Bytes);
  while (std::optional<ArchiveMember> Member = Archive.next()) {
    if (Member->Contents.end() > Bytes.size())
      abort();
    PartBytes Contents(Bytes, Member->Contents);
    readELF(Contents);
    if (Member->Kind == ArchiveMember::SymbolIndex)
      (void)readIndexedMembers(Bytes, Member->Contents);
  }
  readELF(Bytes);
  readCOFF(Bytes);
  readMachO(Bytes, Data[0] % 2);
  (void)readThinMembers(Bytes, "a/b.a");
  (void)readBitcodeDirectives(Bytes, readBitcodeParts(Bytes));
  return 0;
}
