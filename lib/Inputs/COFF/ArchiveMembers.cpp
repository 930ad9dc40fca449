//===- ArchiveMembers.cpp - The members of archives -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InsideObjects.h"

using namespace llvm;

namespace headstart::coff {

namespace {
/// The header of a member, its fields without the spaces that fill them.
struct MemberHeader {
  static constexpr uint64_t Bytes = 60;
  std::string Name;
  uint64_t Size = 0;

  /// Whether it is one of the archive's own tables: `/` (symbols), `//`
  /// (strings), `/SYM64/`, `/<ECSYMBOLS>/` and their like.
  bool isTable() const {
    return Name == "/" || Name == "//" || Name == "/SYM64/" ||
           StringRef(Name).starts_with("/<");
  }
};
} // namespace

static constexpr uint64_t MagicBytes = 8; ///< `!<arch>\n`, `!<thin>\n`

static bool readHeader(const FilePart &Archive, uint64_t Offset,
                       MemberHeader &Result) {
  StringRef Bytes = Archive.bytes(Offset, MemberHeader::Bytes);
  if (Bytes.empty() || !Bytes.ends_with("`\n"))
    return false;
  Result.Name = Bytes.take_front(16).rtrim(' ').str();
  return !Bytes.substr(48, 10).rtrim(' ').getAsInteger(10, Result.Size);
}

/// Where the header behind that of \p Bytes contents at \p Offset is: at an
/// even offset.
static uint64_t nextHeader(uint64_t Offset, uint64_t Bytes) {
  uint64_t End = Offset + MemberHeader::Bytes + Bytes;
  return End + End % 2;
}

void visitMembers(const FilePart &Archive,
                  function_ref<bool(const FilePart &)> Visit) {
  MemberHeader Header;
  for (uint64_t Offset = MagicBytes; readHeader(Archive, Offset, Header);
       Offset = nextHeader(Offset, Header.Size)) {
    if (Header.isTable())
      continue;
    FilePart Member = Archive.part(Offset + MemberHeader::Bytes, Header.Size);
    // BSD's way with long names: in front of the contents.
    uint64_t NameBytes = 0;
    StringRef Name = Header.Name;
    if (Name.consume_front("#1/") && !Name.getAsInteger(10, NameBytes))
      Member = Member.part(NameBytes, Member.size());
    if (!Visit(Member))
      return;
  }
}

} // namespace headstart::coff
