//===- ArchiveLayout.cpp - The layout of an archive -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveMember.h"
#include "headstart/Plan/ObjectLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

namespace {

/// Whether a member is one of those that the linker reads to know the others:
/// symbol indexes (of System V, its 64-bit form, COFF's second, BSD's) and the
/// long names.
bool isIndex(StringRef Name) {
  return Name == "/" || Name == "//" || Name == "/SYM64/" ||
         Name == "/<ECSYMBOLS>/" || Name == "/<HYBRIDMAP>/" ||
         Name.starts_with("__.SYMDEF");
}

/// No index has a longer name, padding included; longer ones are not read.
constexpr uint64_t MaxIndexNameBytes = 32;

} // namespace

std::optional<ArchiveMember> readMemberHeader(ArrayRef<char> Bytes, uint64_t At,
                                              uint64_t FileSize) {
  if (Bytes.size() < sizeof(MemberHeader) || At > FileSize ||
      FileSize - At < sizeof(MemberHeader))
    return std::nullopt;
  const auto *Header = reinterpret_cast<const MemberHeader *>(Bytes.data());
  ArchiveMember Member;
  Member.Name = StringRef(Header->Name, sizeof(Header->Name)).rtrim(' ');
  uint64_t Size = 0;
  if (StringRef(Header->End, sizeof(Header->End)) != "`\n" ||
      !to_integer(StringRef(Header->Size, sizeof(Header->Size)).rtrim(' '),
                  Size, 10) ||
      Size > FileSize - At - sizeof(MemberHeader))
    return std::nullopt;
  Member.Body = {At + sizeof(MemberHeader), Size};
  // The form of BSD and of Darwin: the name is the first bytes of the body.
  StringRef Length = Member.Name;
  if (Length.consume_front("#1/") &&
      (!to_integer(Length, Member.NameBytes, 10) || Member.NameBytes > Size))
    return std::nullopt;
  return Member;
}

ByteRange ArchiveWalk::needs() const {
  if (At > FileSize || FileSize - At < sizeof(MemberHeader))
    return {};
  return {At, sizeof(MemberHeader)};
}

std::optional<ArchiveWalk::Member> ArchiveWalk::give(ArrayRef<char> Bytes) {
  std::optional<ArchiveMember> Header = readMemberHeader(Bytes, At, FileSize);
  At = FileSize; // whatever ends the walk
  if (!Header)
    return std::nullopt;
  // Members begin at even offsets.
  At = Header->Body.end() + Header->Body.Length % 2;
  Member Result{Member::File,
                {Header->Body.Offset + Header->NameBytes,
                 Header->Body.Length - Header->NameBytes}};
  if (Header->Name == "//")
    Result.Kind = Member::LongNames;
  else if (isIndex(Header->Name))
    Result.Kind = Member::SymbolIndex;
  return Result;
}

bool ArchiveIndexReader::isArchive(ArrayRef<char> Head) {
  StringRef Bytes(Head.data(), Head.size());
  return Bytes.starts_with(object::ArchiveMagic) ||
         Bytes.starts_with(object::ThinArchiveMagic);
}

ByteRange ArchiveIndexReader::needs() const {
  if (Done || At > FileSize || FileSize - At < sizeof(MemberHeader))
    return {};
  if (!LongNamed.empty())
    return LongNamed;
  return {At, sizeof(MemberHeader)};
}

void ArchiveIndexReader::give(ArrayRef<char> Bytes) {
  if (!LongNamed.empty()) {
    StringRef Name(Bytes.data(), Bytes.size());
    if (isIndex(Name.take_until([](char C) { return C == 0; })))
      addIndex(Name, MemberBytes);
    else
      Done = true;
    LongNamed = {};
    return;
  }
  std::optional<ArchiveMember> Member = readMemberHeader(Bytes, At, FileSize);
  if (!Member) {
    Done = true;
    return;
  }
  MemberBytes = Member->Body.end() - At;
  if (Member->NameBytes)
    LongNamed = {Member->Body.Offset,
                 std::min(Member->NameBytes, MaxIndexNameBytes)};
  else if (isIndex(Member->Name))
    addIndex(Member->Name, MemberBytes);
  else
    Done = true;
}

void ArchiveIndexReader::addIndex(StringRef Name, uint64_t Bytes) {
  ByteRange Member{At, Bytes};
  // One behind another kind of index is nobody's first.
  if (Name == "/" && FirstIndex.empty() && Indexes.empty()) {
    FirstIndex = Member;
  } else {
    // A second one of that name makes it an archive of Windows, where the first
    // is there for old programs and only passed over: 176 of 374 MB of indexes.
    if (Name == "/" && !FirstIndex.empty())
      FirstIndex.Length = sizeof(MemberHeader);
    Indexes.push_back(Member);
  }
  // Members begin at even offsets.
  At += Bytes + Bytes % 2;
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
