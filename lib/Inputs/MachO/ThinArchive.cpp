//===- ThinArchive.cpp - The members of a thin archive --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin archive is `!<thin>` and headers of 60 bytes. Only its symbol table
// ("/", "/SYM64/") and its table of names ("//") have contents in the file; a
// member's name is `name/`, or `/offset` in the table of names, where it ends
// with "/\n" (LLVM 22 Object/Archive.cpp).
//
//===----------------------------------------------------------------------===//

#include "ThinArchive.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart::macho {

static constexpr size_t HeaderSize = 60;    // bytes
static constexpr size_t LongestPath = 4096; // bytes
/// Of names in all, so that an archive that names one long name a million times
/// does not fill the memory.
static constexpr size_t MostNames = 64 << 20; // bytes

static std::string memberName(StringRef Field, StringRef Names) {
  StringRef Name = Field;
  if (Field.consume_front("/")) {
    size_t Offset;
    if (Field.rtrim(' ').getAsInteger(10, Offset))
      return std::string();
    Name = Names.substr(Offset, LongestPath);
    Name = Name.take_front(Name.find('\n'));
  }
  return Name.rtrim(' ')
      .take_until([](char C) { return C == '\0'; })
      .rtrim('/')
      .str();
}

std::vector<std::string> readThinArchive(const Slice &Archive, StringRef Path) {
  std::vector<std::string> Members;
  StringRef Folder = sys::path::parent_path(Path);
  std::string Names;
  std::string Window;
  uint64_t WindowBegin = 0;
  size_t Left = MostNames;
  for (uint64_t Offset = 8; Offset < Archive.size();) {
    if (Offset < WindowBegin ||
        Offset + HeaderSize > WindowBegin + Window.size()) {
      Window = Archive.read(Offset, 64 << 10);
      WindowBegin = Offset;
    }
    StringRef Header =
        StringRef(Window).substr(Offset - WindowBegin, HeaderSize);
    uint64_t Size;
    if (Header.size() < HeaderSize || !Header.ends_with("`\n") ||
        Header.substr(48, 10).rtrim(' ').getAsInteger(10, Size))
      break;
    Offset += HeaderSize;
    StringRef Field = Header.take_front(16);
    StringRef Special = Field.rtrim(' ');
    if (Special == "/" || Special == "//" || Special == "/SYM64/") {
      if (Special == "//")
        Names = Archive.read(Offset, std::min<uint64_t>(Size, MostNames));
      if (Size > Archive.size() - Offset)
        break;
      Offset += Size + (Size & 1);
      continue;
    }
    SmallString<256> Member(memberName(Field, Names));
    if (Member.empty())
      continue;
    if (!sys::path::is_absolute(Member)) {
      SmallString<256> Full = Folder;
      sys::path::append(Full, Member);
      Member = Full;
    }
    if (Member.size() > Left)
      break;
    Left -= Member.size();
    Members.emplace_back(Member);
  }
  return Members;
}

} // namespace headstart::macho
