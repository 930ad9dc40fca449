//===- FilePlanner.cpp - Plans files by looking into them -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/FilePlanner.h"
#include "headstart/Plan/MachOLayout.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

/// Enough of a file's head for 400 sections; more would be read in vain where
/// there are less.
static constexpr uint64_t HeadBytes = 16 * 1024;

/// Past this a section table is not read to plan a file: 1.6 million sections.
static constexpr uint64_t MaxHeadBytes = 64 * 1024 * 1024;

/// Past this symbols are not read to leave out what they show to be dropped.
static constexpr uint64_t MaxSymbolBytes = 64 * 1024 * 1024;

PlanOptions planOptionsOf(const LinkCommand &Command) {
  PlanOptions Options;
  Options.Kind = Command.Kind;
  // The gaps that ld64.lld leaves are the ends of small debug sections: closing
  // those of 16 KiB adds a quarter to what is read of objects at -O1 (60
  // objects, 6.9 MB touched: 8.7 MB in 321 ranges, 7.2 MB in 452 with these).
  if (Options.Kind == Flavour::MachO)
    Options.MergeGapBytes = 4 * 1024;
  Options.Arch = Command.MachO.Arch;
  Options.Wanted = Command.ELF.Wanted;
  Options.ReadsCodeView = Command.ReadsCodeView;
  Options.ReadsDWARF = Command.ReadsDWARF;
  Options.DropsUnreferenced = Command.DropsUnreferenced;
  return Options;
}

FilePlanner::FilePlanner(const PlanOptions &Options, const os::PageCache &Cache)
    : Options(Options), Cache(Cache) {
  for (const std::string &Name : Options.Wanted)
    Extracted.want(hashOfSymbol(Name));
}

/// An archive's layout, by the headers of its indexes alone.
static std::optional<ObjectLayout> readArchive(const os::OpenFile &File,
                                               ArrayRef<char> Head) {
  ArchiveIndexReader Reader(File.size());
  for (ByteRange Needed = Reader.needs(); !Needed.empty();
       Needed = Reader.needs()) {
    if (Needed.end() <= Head.size()) {
      Reader.give(Head.slice(Needed.Offset, Needed.Length));
      continue;
    }
    SmallVector<char, 64> Header;
    Header.resize_for_overwrite(Needed.Length);
    std::error_code Error;
    if (File.readAt(Needed.Offset, {Header.data(), Header.size()}, Error) !=
        Header.size())
      return std::nullopt;
    Reader.give(Header);
  }
  return Reader.layout();
}

std::optional<ObjectLayout> readLayoutOf(const os::OpenFile &File,
                                         SmallVectorImpl<char> &Head) {
  // Of an archive only the index is wanted, of an object the headers: what
  // lies behind them comes in an order of its own.
  File.expectScatteredReads();
  Head.clear();
  uint64_t Wanted = std::min(HeadBytes, File.size());
  for (;;) {
    size_t Have = Head.size();
    Head.resize_for_overwrite(Wanted);
    std::error_code Error;
    if (File.readAt(Have, {Head.data() + Have, Wanted - Have}, Error) !=
        Wanted - Have)
      return std::nullopt;
    if (ArchiveIndexReader::isArchive(Head))
      return readArchive(File, Head);
    LayoutReading Reading = readLayout(Head, File.size());
    if (Reading.Result == LayoutReading::Read)
      return std::move(Reading.Layout);
    if (Reading.Result == LayoutReading::Unknown ||
        Reading.BytesNeeded <= Wanted || Reading.BytesNeeded > MaxHeadBytes)
      return std::nullopt;
    Wanted = Reading.BytesNeeded;
  }
}

/// The layout of any input of ld64.lld: of all members, where all are read.
static std::optional<ObjectLayout> readMachO(const os::OpenFile &File,
                                             StringRef Arch, bool AllMembers,
                                             FileWindow &Window) {
  File.expectScatteredReads();
  Window.open(File);
  MachOFileReader Reader(File.size(), Arch, AllMembers);
  for (ByteRange Needed = Reader.needs(); !Needed.empty();
       Needed = Reader.needs()) {
    // Small members lie in what was read for the one before.
    std::optional<ArrayRef<char>> Bytes = Window.read(Needed);
    if (!Bytes)
      return std::nullopt;
    Reader.give(*Bytes);
  }
  return std::move(Reader).layout();
}

/// Asks for what the linker reads of a file while it parses: what is read next
/// is then under way as a whole.
static void askForParse(const os::OpenFile &File, const ObjectLayout &Layout,
                        const os::PageCache &Cache) {
  SmallVector<ByteRange, 8> Ranges;
  for (const LayoutPart &Part : Layout.Parts)
    if (Part.Kind == PartKind::CompilerInfo)
      Ranges.push_back(Part.Range);
  Ranges.push_back(Layout.SymbolTable);
  (void)Cache.hint(File, Ranges);
}

/// Takes out of \p Layout what the linker will drop for an earlier input's
/// copy. The symbols that tell are the next thing that the linker reads anyway.
void FilePlanner::dropUnlinked(const os::OpenFile &File, uint32_t Order,
                               SmallVectorImpl<char> &Symbols,
                               ObjectLayout &Layout) {
  if (Layout.Comdats.none() || Layout.SymbolTable.empty() ||
      Layout.SymbolTable.Length > MaxSymbolBytes)
    return;
  askForParse(File, Layout, Cache);
  Symbols.clear();
  Symbols.resize_for_overwrite(Layout.SymbolTable.Length);
  std::error_code Error;
  if (File.readAt(Layout.SymbolTable.Offset, {Symbols.data(), Symbols.size()},
                  Error) != Symbols.size())
    return;
  dropSections(Layout, Comdats.enter(readCOFFComdats(Layout, Symbols), Order));
}

std::vector<PlannedRange>
FilePlanner::plan(const os::OpenFile &File, const NamedInput &Named,
                  uint32_t Order, PlanScratch &Scratch,
                  const RecordedFile *Record, const SkimmedFile *Skimmed) {
  std::optional<ObjectLayout> Layout;
  bool Small = File.size() <= Options.WholeFileBytes;
  if (Options.Kind == Flavour::ELF) {
    std::shared_ptr<const SkimmedFile> Mine;
    if (!Skimmed) {
      Mine = skim(File, Scratch);
      Skimmed = Mine.get();
    }
    if (!Skimmed->Objects.empty())
      Layout =
          readELF(File, *Skimmed, Named, Order, Record != nullptr, Scratch);
  } else if (!Small && Options.Kind == Flavour::MachO) {
    Layout = readMachO(File, Options.Arch, Named.Whole, Scratch.HeaderWindow);
  } else if (!Small && !Named.Whole) {
    Layout = readLayoutOf(File, Scratch.Head);
    if (Layout && !Record)
      dropUnlinked(File, Order, Scratch.Symbols, *Layout);
  }
  std::vector<PlannedRange> Plan =
      planFile(Layout ? &*Layout : nullptr, File.size(), Options);
  if (Record && !Small)
    Plan = restrictPlan(Plan, Record->Touched, File.size(), Options);
  return Plan;
}

} // namespace headstart
