//===- ELFPlanner.cpp - Plans ELF objects and archives --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Of an archive lld's ELF driver passes over the symbol index: it goes from
/// member to member, and reads the symbols of each. So do we. The contents of a
/// member are read when it is linked, which is known when all symbols are.
///
//===----------------------------------------------------------------------===//

#include "headstart/Engine/FilePlanner.h"
#include "headstart/Plan/ELFLayout.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/Archive.h"

using namespace llvm;

namespace headstart {

/// Past this a section or symbol table is not read to plan a file.
static constexpr uint64_t MaxTableBytes = 64 * 1024 * 1024;

/// The layout of the object at \p Within; null for what is none.
static const ELFLayout *readLayout(FileWindow &Window,
                                   ELFLayoutReader &Reader) {
  while (!Reader.needs().empty()) {
    if (Reader.needs().Length > MaxTableBytes)
      return nullptr;
    std::optional<ArrayRef<char>> Bytes = Window.read(Reader.needs());
    if (!Bytes)
      return nullptr;
    Reader.give(*Bytes);
  }
  return Reader.layout();
}

/// Asks for what the linker reads of an object while it parses, all at once.
static void askForParse(const os::OpenFile &File, const ELFLayout &Layout,
                        const os::PageCache &Cache) {
  SmallVector<ByteRange, 4> Ranges;
  for (const LayoutPart &Part : Layout.Parts) {
    if (Part.Kind != PartKind::Symbols && Part.Kind != PartKind::Headers)
      continue;
    if (!Ranges.empty() && Part.Range.Offset <= Ranges.back().end() + 4096)
      Ranges.back().Length = Part.Range.end() - Ranges.back().Offset;
    else
      Ranges.push_back(Part.Range);
  }
  (void)Cache.hint(File, Ranges);
}

/// Reads the symbols of the object that \p Layout describes.
static ELFSymbols readSymbols(const ELFLayout &Layout, PlanScratch &Scratch) {
  if (Layout.Symbols.Length > MaxTableBytes ||
      Layout.Strings.Length > MaxTableBytes)
    return {};
  auto Symbols = Scratch.SymbolWindow.read(Layout.Symbols);
  auto Strings = Scratch.StringWindow.read(Layout.Strings);
  if (!Symbols || !Strings)
    return {};
  // Groups lie together; each is some words.
  constexpr uint64_t MaxGroupBytes = 1024 * 1024;
  SmallVector<ArrayRef<char>, 64> Groups;
  if (!Layout.Groups.empty()) {
    ByteRange All = Layout.Groups.front().Members;
    for (const ELFGroup &G : Layout.Groups) {
      uint64_t End = std::max(All.end(), G.Members.end());
      All.Offset = std::min(All.Offset, G.Members.Offset);
      All.Length = End - All.Offset;
    }
    std::optional<ArrayRef<char>> Bytes;
    if (All.Length <= MaxGroupBytes)
      Bytes = Scratch.GroupWindow.read(All);
    if (Bytes)
      for (const ELFGroup &G : Layout.Groups)
        Groups.push_back(
            Bytes->slice(G.Members.Offset - All.Offset, G.Members.Length));
  }
  return readELFSymbols(Layout, *Symbols, *Strings, Groups);
}

/// Adds the parts of the object at \p Within to \p Layout: without what an
/// earlier input has, and as a lazy input's when it is \p Lazy. False when it
/// is no object.
bool FilePlanner::addELFObject(const os::OpenFile &File, ByteRange Within,
                               bool Lazy, uint32_t Order, bool Recorded,
                               PlanScratch &Scratch, ObjectLayout &Layout) {
  ELFLayoutReader Reader(Within);
  const ELFLayout *Object = readLayout(Scratch.HeaderWindow, Reader);
  if (!Object)
    return false;
  ObjectLayout Mine;
  Mine.Parts = Object->Parts;
  // A record tells what is read; symbols need not be asked.
  if (!Recorded && !Object->Symbols.empty()) {
    askForParse(File, *Object, Cache);
    ELFSymbols Symbols = readSymbols(*Object, Scratch);
    // A lazy input keeps its groups: it is the first with a name only if it is
    // linked, and that is not known yet.
    if (!Lazy && !Symbols.Rules.empty())
      dropSections(Mine, Comdats.enter(Symbols.Rules, Order));
    if (Lazy) {
      uint32_t Number = Extracted.addLazy(std::move(Symbols.Uses));
      for (LayoutPart &Part : Mine.Parts)
        if (Part.Kind != PartKind::Headers && Part.Kind != PartKind::Symbols)
          Part.Member = Number;
    } else {
      Extracted.addLinked(Symbols.Uses);
    }
  }
  Layout.Parts.insert(Layout.Parts.end(), Mine.Parts.begin(), Mine.Parts.end());
  return true;
}

/// The layout of an archive: of each member what its kind asks for.
std::optional<ObjectLayout>
FilePlanner::readELFArchive(const os::OpenFile &File, bool Whole,
                            uint32_t Order, bool Recorded,
                            PlanScratch &Scratch) {
  ObjectLayout Layout;
  Layout.Parts.push_back({{0, ArchiveWalk::MagicBytes}, PartKind::Headers});
  ArchiveWalk Walk(File.size());
  while (!Walk.needs().empty()) {
    std::optional<ArrayRef<char>> Bytes =
        Scratch.HeaderWindow.read(Walk.needs());
    if (!Bytes)
      break;
    ByteRange Header = Walk.needs();
    std::optional<ArchiveWalk::Member> Member = Walk.give(*Bytes);
    if (!Member)
      break;
    Layout.Parts.push_back({Header, PartKind::Headers});
    if (Member->Kind == ArchiveWalk::Member::SymbolIndex)
      continue;
    if (Member->Kind == ArchiveWalk::Member::LongNames)
      Layout.Parts.push_back({Member->Contents, PartKind::Symbols});
    else if (!addELFObject(File, Member->Contents, /*Lazy=*/!Whole, Order,
                           Recorded, Scratch, Layout))
      Layout.Parts.push_back({Member->Contents, PartKind::Whole});
  }
  return Layout;
}

std::optional<ObjectLayout> FilePlanner::readELF(const os::OpenFile &File,
                                                 const NamedInput &Named,
                                                 uint32_t Order, bool Recorded,
                                                 PlanScratch &Scratch) {
  File.expectScatteredReads();
  Scratch.open(File);
  std::optional<ArrayRef<char>> Head = Scratch.HeaderWindow.read(
      {0, std::min(File.size(), ELFLayoutReader::HeaderBytes)});
  if (!Head)
    return std::nullopt;
  StringRef Magic(Head->data(), Head->size());
  // Of a thin archive there is nothing but headers and names.
  if (Magic.starts_with(object::ThinArchiveMagic))
    return std::nullopt;
  if (Magic.starts_with(object::ArchiveMagic))
    return readELFArchive(File, Named.Whole, Order, Recorded, Scratch);
  bool Lazy = Named.Lazy ||
              (Named.Reason == InputReason::ArchiveMember && !Named.Whole);
  ObjectLayout Layout;
  if (!addELFObject(File, {0, File.size()}, Lazy, Order, Recorded, Scratch,
                    Layout))
    return std::nullopt;
  return Layout;
}

void FilePlanner::enterSymbols(const os::OpenFile &File,
                               const NamedInput &Named, PlanScratch &Scratch) {
  // An order behind all others: nothing of it is fetched, so that its groups
  // need not be known.
  (void)readELF(File, Named, UINT32_MAX, /*Recorded=*/false, Scratch);
}

} // namespace headstart
