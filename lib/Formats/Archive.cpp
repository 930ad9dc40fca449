//===- Archive.cpp - Archives, thin and not -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not llvm::object::Archive, which needs the whole file in memory, checks all
// of it, and opens the members of a thin archive itself.
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/Archive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

static constexpr uint64_t MagicBytes = 8;

namespace {
/// A member's header, as far as it matters here.
struct MemberHeader {
  char Name[16];
  char Dates[32];
  char Size[10]; ///< bytes, in decimal, padded with blanks
  char End[2];
};
static_assert(sizeof(MemberHeader) == 60);
} // namespace

static bool isSymbolIndex(StringRef Name) {
  // COFF has "/<ECSYMBOLS>/" and similar names.
  return Name == "/" || Name == "/SYM64/" || Name.starts_with("/<") ||
         Name.starts_with("__.SYMDEF");
}

/// Valid until \p File is read again; empty if the file is too short.
static StringRef magicOf(ByteSource &File) {
  return File.read({0, MagicBytes}).value_or("");
}

bool ArchiveReader::isThin(ByteSource &File) {
  return magicOf(File) == object::ThinArchiveMagic;
}

ArchiveReader::ArchiveReader(ByteSource &Archive)
    : Archive(Archive), At(Archive.size()) {
  StringRef Magic = magicOf(Archive);
  Thin = Magic == object::ThinArchiveMagic;
  if (Thin || Magic == object::ArchiveMagic)
    At = MagicBytes;
}

std::optional<ArchiveMember> ArchiveReader::next() {
  uint64_t Begin = std::exchange(At, Archive.size()); // if it ends here
  std::optional<StringRef> Bytes = Archive.read({Begin, sizeof(MemberHeader)});
  if (!Bytes)
    return std::nullopt;
  const auto *Header = reinterpret_cast<const MemberHeader *>(Bytes->data());
  uint64_t Size = 0;
  if (StringRef(Header->End, sizeof(Header->End)) != "`\n" ||
      !to_integer(StringRef(Header->Size, sizeof(Header->Size)).rtrim(' '),
                  Size, 10))
    return std::nullopt;
  ArchiveMember Member;
  Member.Name = StringRef(Header->Name, sizeof(Header->Name)).rtrim(' ');
  Member.Header = {Begin, sizeof(MemberHeader)};
  if (Member.Name == "//")
    Member.Kind = ArchiveMember::LongNames;
  else if (isSymbolIndex(Member.Name))
    Member.Kind = ArchiveMember::SymbolIndex;
  uint64_t Body = Member.Header.end();
  // In the form of BSD and Darwin the body begins with the name.
  StringRef Length = Member.Name;
  uint64_t NameBytes = 0;
  if (Length.consume_front("#1/")) {
    // No index has a longer name, padding included.
    constexpr uint64_t MaxIndexNameBytes = 32;
    if (!to_integer(Length, NameBytes, 10) || NameBytes > Size)
      return std::nullopt;
    Bytes = Archive.read({Body, std::min(NameBytes, MaxIndexNameBytes)});
    if (!Bytes)
      return std::nullopt;
    Member.Name = Bytes->split('\0').first;
    if (isSymbolIndex(Member.Name))
      Member.Kind = ArchiveMember::SymbolIndex;
  }
  if (Thin && Member.Kind == ArchiveMember::File) {
    Member.Contents = {Body, 0}; // they are in another file
    At = Body;
    return Member;
  }
  if (Size > Archive.size() - Body)
    return std::nullopt;
  Member.Header.Length += NameBytes;
  Member.Contents = {Body + NameBytes, Size - NameBytes};
  // Members begin at even offsets.
  At = Body + Size + Size % 2;
  return Member;
}

std::vector<LayoutPart> ArchiveReader::readIndex() {
  std::vector<ByteRange> Read = {{0, std::min(MagicBytes, Archive.size())}};
  bool HasFirst = false;
  for (uint64_t Begin = At;; Begin = At) {
    std::optional<ArchiveMember> Member = next();
    if (!Member || Member->Kind == ArchiveMember::File) {
      At = Begin;
      break;
    }
    // A second "/" shows an archive of Windows, whose first "/" serves old
    // programs and is only skipped: 176 of 374 MB of indexes. A "/" after
    // another kind of index is not the first.
    if (Member->Name == "/" && HasFirst)
      Read[1].Length = sizeof(MemberHeader);
    HasFirst |= Member->Name == "/" && Read.size() == 1;
    Read.push_back({Begin, Member->Contents.end() - Begin});
  }
  std::vector<ByteRange> Joined;
  for (const ByteRange &Range : Read)
    addJoined(Joined, Range, /*Gap=*/1);
  std::vector<LayoutPart> Parts;
  Parts.reserve(Joined.size());
  for (const ByteRange &Range : Joined)
    Parts.push_back({Range, PartKind::Symbols});
  return Parts;
}

std::vector<uint32_t> readIndexedMembers(ByteSource &Archive, ByteRange Index) {
  constexpr uint64_t MaxOffsets = 1024 * 1024;
  using support::endian::read32be;
  PartBytes Table(Archive, Index);
  std::optional<StringRef> Bytes = Table.read({0, 4});
  uint64_t Count = Bytes ? read32be(Bytes->data()) : 0;
  if (Count > MaxOffsets)
    return {};
  SmallVector<char, 0> Buffer;
  Bytes = Table.read({4, Count * 4}, Buffer);
  if (!Bytes)
    return {};
  std::vector<uint32_t> Members;
  for (uint64_t I = 0; I != Count; ++I) {
    uint32_t Offset = read32be(Bytes->data() + I * 4);
    if (Members.empty() || Members.back() != Offset)
      Members.push_back(Offset);
  }
  llvm::sort(Members);
  Members.erase(llvm::unique(Members), Members.end());
  return Members;
}

/// Returns a member's name by the rules of LLVM 22 Object/Archive.cpp
/// (getName); empty if it has none.
static StringRef thinName(StringRef Column, StringRef LongNames) {
  if (!Column.consume_front("/"))
    return Column.take_until([](char C) { return C == '/'; });
  uint64_t Offset;
  if (Column.getAsInteger(10, Offset) || Offset >= LongNames.size())
    return {};
  // The name ends with "/\n".
  StringRef Name = LongNames.substr(Offset).split('\n').first;
  return Name.consume_back("/") ? Name : StringRef();
}

std::vector<std::string> readThinMembers(ByteSource &Archive, StringRef Path) {
  constexpr size_t MaxMembers = 1000000;
  // For all names together, per byte of the file: an archive may name one long
  // name a million times.
  constexpr uint64_t NameBytesForByte = 16;
  std::vector<std::string> Paths;
  if (!ArchiveReader::isThin(Archive))
    return Paths;
  uint64_t NameBytesLeft =
      std::min(MaxTableBytes, NameBytesForByte * Archive.size());
  ArchiveReader Reader(Archive);
  std::string LongNames;
  StringRef Directory = sys::path::parent_path(Path);
  while (std::optional<ArchiveMember> Member = Reader.next()) {
    if (Member->Kind == ArchiveMember::LongNames) {
      // A copy, because a source that is a file reuses the memory of its reads.
      std::optional<StringRef> Names = Archive.read(Member->Contents);
      if (!Names)
        break;
      LongNames = Names->str();
    }
    if (Member->Kind != ArchiveMember::File)
      continue;
    StringRef Name = thinName(Member->Name, LongNames);
    if (Name.empty() || Name.size() > NameBytesLeft ||
        Paths.size() == MaxMembers)
      break;
    NameBytesLeft -= Name.size();
    SmallString<256> Full;
    if (!sys::path::is_absolute(Name))
      Full = Directory;
    sys::path::append(Full, Name);
    Paths.push_back(Full.str().str());
  }
  return Paths;
}

} // namespace headstart
