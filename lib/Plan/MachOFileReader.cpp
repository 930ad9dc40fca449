//===- MachOFileReader.cpp - Any input of ld64.lld, step by step ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveMember.h"
#include "headstart/Plan/MachOLayout.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// Enough of a file's head for 45 sections, and no more than a page.
static constexpr uint64_t HeadBytes = 4096;

/// Enough of a member for 30 sections: each page more would be one of a
/// section's contents, which the linker may not want.
static constexpr uint64_t MemberHeadBytes = 2560;

/// Load commands past this are not read to plan a file.
static constexpr uint64_t MaxHeadBytes = 64 * 1024 * 1024;

/// Members past this many parts are fetched as they are, which bounds memory:
/// some 100,000 members.
static constexpr size_t MaxParts = 2 * 1024 * 1024;

MachOFileReader::MachOFileReader(uint64_t FileSize, StringRef Arch,
                                 bool AllMembers)
    : FileSize(FileSize), Arch(Arch), AllMembers(AllMembers),
      Inside{0, FileSize}, Index(FileSize) {
  need(0, HeadBytes);
}

void MachOFileReader::need(uint64_t Offset, uint64_t Length) {
  Needed = ByteRange{Offset, Length}.clippedTo(Inside.end());
  if (Needed.empty())
    At = Stage::Done;
}

void MachOFileReader::finish(bool Has) {
  HasLayout = Has;
  At = Stage::Done;
  Needed = {};
}

void MachOFileReader::give(ArrayRef<char> Bytes) {
  switch (At) {
  case Stage::File:
    return giveHead(Bytes);
  case Stage::Slice:
    return giveSlice(Bytes);
  case Stage::Index:
    return giveIndex(Bytes);
  case Stage::Member:
    return giveMember(Bytes);
  case Stage::Done:
    return;
  }
}

void MachOFileReader::giveHead(ArrayRef<char> Bytes) {
  SliceReading Reading = findMachOSlice(Bytes, FileSize, Arch);
  switch (Reading.Result) {
  case SliceReading::Unknown:
    return giveSlice(Bytes);
  case SliceReading::NeedMore:
    return need(0, Reading.BytesNeeded);
  case SliceReading::Missing:
    // The linker looks no further.
    addPart(0, Bytes.size(), PartKind::Headers);
    return finish(true);
  case SliceReading::Found:
    // Slices begin at pages of their own: of the head nothing else is read.
    addPart(0, std::min(Bytes.size(), Reading.Slice.Offset), PartKind::Headers);
    Inside = Reading.Slice;
    At = Stage::Slice;
    return need(Inside.Offset, HeadBytes);
  }
}

void MachOFileReader::giveSlice(ArrayRef<char> Bytes) {
  if (ArchiveIndexReader::isArchive(Bytes)) {
    Thin = Bytes[2] == 't';
    Index = ArchiveIndexReader(Inside.Length);
    At = Stage::Index;
    ByteRange First = Index.needs();
    if (First.empty())
      return giveIndex({});
    return need(Inside.Offset + First.Offset, First.Length);
  }
  LayoutReading Reading = readMachOLayout(Bytes, Inside.Length);
  if (Reading.Result == LayoutReading::NeedMore &&
      Reading.BytesNeeded > Bytes.size() && Reading.BytesNeeded <= MaxHeadBytes)
    return need(Inside.Offset, Reading.BytesNeeded);
  if (Reading.Result == LayoutReading::Read)
    addParts(Reading.Layout, Inside.Offset);
  // Of a universal file only the slice is read, whatever it is.
  else if (Inside.Offset != 0)
    addPart(Inside.Offset, Inside.Length, PartKind::Whole);
  finish(Reading.Result == LayoutReading::Read || Inside.Offset != 0);
}

void MachOFileReader::giveIndex(ArrayRef<char> Bytes) {
  if (!Bytes.empty())
    Index.give(Bytes);
  ByteRange Next = Index.needs();
  if (!Next.empty())
    return need(Inside.Offset + Next.Offset, Next.Length);
  addParts(Index.layout(), Inside.Offset);
  if (Thin || !AllMembers)
    return finish(true);
  At = Stage::Member;
  HasLayout = true;
  beginMember(Inside.Offset + Index.membersBegin());
}

void MachOFileReader::beginMember(uint64_t Offset) {
  if (Layout.Parts.size() > MaxParts) {
    addPart(Offset, Inside.end() - Offset, PartKind::Whole);
    return finish(true);
  }
  need(Offset, MemberHeadBytes);
}

void MachOFileReader::giveMember(ArrayRef<char> Bytes) {
  std::optional<ArchiveMember> Member =
      readMemberHeader(Bytes, Needed.Offset, Inside.end());
  if (!Member)
    return finish(true);
  uint64_t Begin = Member->Body.Offset + Member->NameBytes;
  uint64_t Size = Member->Body.Length - Member->NameBytes;
  uint64_t HeadAt = Begin - Needed.Offset;
  LayoutReading Reading =
      readMachOLayout(Bytes.drop_front(std::min<uint64_t>(HeadAt, Bytes.size()))
                          .take_front(Size),
                      Size);
  if (Reading.Result == LayoutReading::NeedMore &&
      HeadAt + Reading.BytesNeeded > Bytes.size() &&
      HeadAt + Reading.BytesNeeded <= MaxHeadBytes)
    return need(Needed.Offset, HeadAt + Reading.BytesNeeded);
  addPart(Needed.Offset, HeadAt, PartKind::Headers);
  if (Reading.Result == LayoutReading::Read)
    addParts(Reading.Layout, Begin);
  else
    addPart(Begin, Size, PartKind::Whole);
  // Members begin at even places of the archive.
  uint64_t End = Member->Body.end();
  beginMember(End + (End - Inside.Offset) % 2);
}

void MachOFileReader::addPart(uint64_t Offset, uint64_t Length, PartKind Kind) {
  ByteRange Range = ByteRange{Offset, Length}.clippedTo(FileSize);
  if (!Range.empty())
    Layout.Parts.push_back({Range, Kind, 0});
}

void MachOFileReader::addParts(const ObjectLayout &Of, uint64_t Offset) {
  for (const LayoutPart &Part : Of.Parts)
    addPart(Offset + Part.Range.Offset, Part.Range.Length, Part.Kind);
}

std::optional<ObjectLayout> MachOFileReader::layout() && {
  if (!HasLayout)
    return std::nullopt;
  return std::move(Layout);
}

} // namespace headstart
