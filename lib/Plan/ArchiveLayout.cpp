//===- ArchiveLayout.cpp - The layout of an archive -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ObjectLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

namespace {

/// A member's header, as far as it matters here: the name's and the size's
/// columns, and the two bytes that end every header.
struct MemberHeader {
  char Name[16];
  char Dates[32];
  char Size[10]; ///< bytes, in decimal, padded with blanks
  char End[2];
};
static_assert(sizeof(MemberHeader) == 60);

/// Whether a member is one of those that the linker reads to know the others:
/// symbol indexes (of System V, its 64-bit form, COFF's second, BSD's) and the
/// long names.
bool isIndex(StringRef Name) {
  return Name == "/" || Name == "//" || Name == "/SYM64/" ||
         Name == "/<ECSYMBOLS>/" || Name == "/<HYBRIDMAP>/" ||
         Name.starts_with("__.SYMDEF");
}

} // namespace

bool ArchiveWalk::isArchive(ArrayRef<char> Head) {
  StringRef Bytes(Head.data(), Head.size());
  return Bytes.starts_with(object::ArchiveMagic) ||
         Bytes.starts_with(object::ThinArchiveMagic);
}

ByteRange ArchiveWalk::needs() const {
  if (At > FileSize || FileSize - At < sizeof(MemberHeader))
    return {};
  return {At, sizeof(MemberHeader)};
}

std::optional<ArchiveWalk::Member> ArchiveWalk::give(ArrayRef<char> Bytes) {
  const auto *Header = reinterpret_cast<const MemberHeader *>(Bytes.data());
  StringRef Name = StringRef(Header->Name, sizeof(Header->Name)).rtrim(' ');
  uint64_t Begin = At + sizeof(MemberHeader);
  uint64_t Size = 0;
  At = FileSize; // whatever ends the walk
  if (StringRef(Header->End, sizeof(Header->End)) != "`\n" ||
      !to_integer(StringRef(Header->Size, sizeof(Header->Size)).rtrim(' '),
                  Size, 10) ||
      Size > FileSize - Begin)
    return std::nullopt;
  // Members begin at even offsets.
  At = Begin + Size + Size % 2;
  Member Result{Member::File, {Begin, Size}};
  if (Name == "//")
    Result.Kind = Member::LongNames;
  else if (isIndex(Name))
    Result.Kind = Member::SymbolIndex;
  return Result;
}

bool ArchiveIndexReader::isArchive(ArrayRef<char> Head) {
  return ArchiveWalk::isArchive(Head);
}

ByteRange ArchiveIndexReader::needs() const {
  return Done ? ByteRange() : Walk.needs();
}

void ArchiveIndexReader::give(ArrayRef<char> Bytes) {
  ByteRange Header = Walk.needs();
  std::optional<ArchiveWalk::Member> Member = Walk.give(Bytes);
  if (!Member || Member->Kind == ArchiveWalk::Member::File) {
    Done = true;
    return;
  }
  ByteRange All{Header.Offset, Header.Length + Member->Contents.Length};
  bool IsFirstKind = Bytes.take_front(2) == ArrayRef<char>({'/', ' '});
  if (IsFirstKind && FirstIndex.empty()) {
    FirstIndex = All;
    return;
  }
  // A second one of that name makes it an archive of Windows, where the first
  // is there for old programs and only passed over: 176 of 374 MB of indexes.
  if (IsFirstKind)
    FirstIndex.Length = Header.Length;
  Indexes.push_back(All);
}

ObjectLayout ArchiveIndexReader::layout() const {
  ObjectLayout Layout;
  auto Add = [&](ByteRange Range) {
    if (!Layout.Parts.empty() &&
        Layout.Parts.back().Range.end() + 1 >= Range.Offset)
      Layout.Parts.back().Range.Length =
          Range.end() - Layout.Parts.back().Range.Offset;
    else
      Layout.Parts.push_back({Range, PartKind::Symbols});
  };
  Add({0, std::min<uint64_t>(ArchiveWalk::MagicBytes, FileSize)});
  if (!FirstIndex.empty())
    Add(FirstIndex);
  for (const ByteRange &Index : Indexes)
    Add(Index);
  return Layout;
}

LayoutReading readArchiveLayout(ArrayRef<char> Head, uint64_t FileSize) {
  LayoutReading Reading;
  if (!ArchiveIndexReader::isArchive(Head))
    return Reading;
  ArchiveIndexReader Reader(FileSize);
  for (ByteRange Needed = Reader.needs(); !Needed.empty();
       Needed = Reader.needs()) {
    if (Needed.end() > Head.size()) {
      Reading.Result = LayoutReading::NeedMore;
      Reading.BytesNeeded = Needed.end();
      return Reading;
    }
    Reader.give(Head.slice(Needed.Offset, Needed.Length));
  }
  Reading.Result = LayoutReading::Read;
  Reading.Layout = Reader.layout();
  return Reading;
}

} // namespace headstart
