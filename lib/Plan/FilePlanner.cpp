//===- FilePlanner.cpp - Plans files by their layouts ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/FilePlanner.h"
#include "headstart/Formats/Archive.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

using namespace llvm;

namespace headstart {

FilePlanner::FilePlanner(const PlanOptions &Options, bool EntersAll)
    : Options(Options), EntersAll(EntersAll) {
  for (const std::string &Name : Options.Wanted)
    Extracted.addLinked(SymbolUse{hashOfSymbol(Name), /*Defines=*/false});
}

/// Hints the ranges that the linker reads while it parses a file, so that the
/// following reads are all requested at once.
static void hintParse(ByteSource &Bytes, const COFFObject &Object) {
  SmallVector<ByteRange, 8> Ranges;
  for (const LayoutPart &Part : Object.Parts)
    if (Part.Kind == PartKind::CompilerInfo)
      Ranges.push_back(Part.Range);
  Ranges.push_back(Object.SymbolTable);
  Bytes.willRead(Ranges);
}

static void hintParse(ByteSource &Bytes, const ELFObject &Object,
                      uint64_t PageBytes) {
  SmallVector<ByteRange, 4> Ranges;
  for (const LayoutPart &Part : Object.Parts)
    if (Part.Kind == PartKind::Symbols || Part.Kind == PartKind::Headers)
      addJoined(Ranges, Part.Range, PageBytes);
  Bytes.willRead(Ranges);
}

/// Returns the parts of an object, without the sections that the linker will
/// drop for an earlier input's copy. The symbols that decide this are what the
/// linker reads next anyway.
std::vector<LayoutPart> FilePlanner::readCOFF(FileInspector &Inspector,
                                              uint32_t Order,
                                              SymbolBuffers &Buffers) {
  ByteSource &Bytes = Inspector.bytes();
  const COFFObject *Object = Inspector.coff();
  if (!Object) {
    // An archive's plan has only the index.
    if (Inspector.kind() != file_magic::archive)
      return {};
    return ArchiveReader(Bytes).readIndex();
  }
  std::vector<LayoutPart> Parts = Object->Parts;
  if (Object->Comdats.any() && !Object->SymbolTable.empty()) {
    hintParse(Bytes, *Object);
    dropSections(Parts,
                 Comdats.enter(Object->readComdats(Bytes, Buffers), Order));
  }
  return Parts;
}

/// Returns the parts of the objects in a file. The linker reads the contents of
/// a lazy one only if it is linked, which is known once all symbols are.
std::vector<LayoutPart> FilePlanner::readELF(FileInspector &Inspector,
                                             const NamedInput &Named,
                                             uint32_t Order, bool Recorded,
                                             bool Enters,
                                             SymbolBuffers &Buffers) {
  const ELFFile &File = *Inspector.elf();
  const bool Lazy = isLazy(Named, File.IsArchive);
  std::vector<LayoutPart> Parts;
  for (const ELFFile::Object &Object : File.Objects) {
    if (!Object.Header.empty())
      Parts.push_back({Object.Header, PartKind::Headers});
    if (!Object.Headers) {
      Parts.push_back({Object.Within, Object.Otherwise});
      continue;
    }
    std::vector<LayoutPart> Mine = Object.Headers->Parts;
    // A profile has the members that are read, so symbols are not needed.
    if (!(Recorded && File.IsArchive) && !Object.Headers->Symbols.empty()) {
      PartBytes Contents(Inspector.bytes(), Object.Within);
      hintParse(Contents, *Object.Headers, Options.PageBytes);
      ELFSymbols Symbols =
          Object.Headers->readSymbols(Contents, Buffers, Lazy || Enters);
      if (Lazy) {
        // A lazy input keeps its groups. It is the first with a name only if it
        // is linked, which is not known yet.
        const uint32_t Number = Extracted.addLazy(std::move(Symbols.Uses));
        for (LayoutPart &Part : Mine)
          if (Part.Kind != PartKind::Headers && Part.Kind != PartKind::Symbols)
            Part.Member = Number;
      } else {
        if (!Symbols.Rules.empty())
          dropSections(Mine, Comdats.enter(Symbols.Rules, Order));
        Extracted.addLinked(Symbols.Uses);
      }
    }
    addParts(Parts, Mine, Object.Within.Offset);
  }
  return Parts;
}

void FilePlanner::enterSymbols(FileInspector &Inspector,
                               const NamedInput &Named,
                               SymbolBuffers &Buffers) {
  // The order is after all others: `plan` has entered the groups of what is
  // fetched.
  (void)readELF(Inspector, Named, UINT32_MAX, /*Recorded=*/false,
                /*Enters=*/true, Buffers);
}

std::vector<PlannedRange> FilePlanner::plan(FileInspector &Inspector,
                                            const NamedInput &Named,
                                            uint32_t Order,
                                            SymbolBuffers &Buffers,
                                            const RecordedFile *Record) {
  std::vector<LayoutPart> Parts;
  const uint64_t FileSize = Inspector.bytes().size();
  bool Small = FileSize <= Options.WholeFileBytes;
  const bool IsBitcode = !Small && Inspector.kind() == file_magic::bitcode;
  // The bytes after the headers or an index are not read in file order.
  if (!Small && !IsBitcode && !plansTogether())
    Inspector.expectScatteredReads();
  if (IsBitcode)
    Parts = Inspector.bitcode();
  else if (plansTogether())
    Parts =
        readELF(Inspector, Named, Order, Record != nullptr, EntersAll, Buffers);
  else if (Options.Kind == Flavour::MachO && !Small)
    Parts =
        Inspector.machO(Options.Arch).readParts(Inspector.bytes(), Named.Whole);
  else if (!Small && !Named.Whole)
    Parts = readCOFF(Inspector, Order, Buffers);
  std::vector<PlannedRange> Plan = planFile(Parts, FileSize, Options);
  // The layout of an object is complete; that of an archive lacks the members,
  // that of bitcode what the linker reads if it compiles.
  if (Record && !Small)
    Plan = Inspector.isObject() && !IsBitcode
               ? cutPlan(Plan, Record->Touched, FileSize, Options)
               : restrictPlan(Plan, Record->Touched, FileSize, Options);
  return Plan;
}

} // namespace headstart
