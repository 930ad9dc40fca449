//===- ThinArchive.cpp - The members of a thin archive --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not llvm::object::Archive: it wants the whole file in memory, symbol table
// included, and opens the members itself. The rules for names are those of LLVM
// 22 Object/Archive.cpp (getName, getFullName). lld's ELF driver opens every
// member when it comes to the archive, wanted or not (getArchiveMembers).
//
//===----------------------------------------------------------------------===//

#include "ThinArchive.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// Header: name 16, date 12, user 6, group 6, mode 8, size 10, "`\n".
static constexpr uint64_t HeaderSize = 60; // bytes
static constexpr uint64_t NameSize = 16;   // bytes
static constexpr uint64_t SizeAt = 48;     // bytes
/// A million members with names of 64 characters.
static constexpr uint64_t LargestNames = uint64_t(64) << 20; // bytes
static constexpr size_t MostMembers = 1000000;
/// Of all names together, for each byte of the file: an archive may name one
/// long name a million times.
static constexpr uint64_t NameBytesForByte = 16;

namespace {
class Reader {
public:
  explicit Reader(const os::OpenFile &File) : File(File) {}
  std::vector<std::string> members();

private:
  /// The \p Size bytes at \p Offset, fewer at the end of the file.
  StringRef at(uint64_t Offset, uint64_t Size);
  bool readNames(uint64_t Offset, uint64_t Size);
  StringRef memberName(StringRef Field) const;

  const os::OpenFile &File;
  std::string Window; ///< what lies at WindowAt
  uint64_t WindowAt = 0;
  std::string LongNames;
};
} // namespace

StringRef Reader::at(uint64_t Offset, uint64_t Size) {
  if (Offset < WindowAt || Offset + Size > WindowAt + Window.size()) {
    Window.resize(std::min<uint64_t>(
        64 << 10, File.size() - std::min(Offset, File.size())));
    WindowAt = Offset;
    std::error_code Error;
    Window.resize(File.readAt(Offset, Window, Error));
  }
  return StringRef(Window).substr(Offset - WindowAt, Size);
}

bool Reader::readNames(uint64_t Offset, uint64_t Size) {
  if (Size > LargestNames || Offset + Size > File.size())
    return false;
  LongNames.resize(Size);
  std::error_code Error;
  return File.readAt(Offset, LongNames, Error) == Size;
}

/// Empty if it has none.
StringRef Reader::memberName(StringRef Field) const {
  if (!Field.consume_front("/"))
    return Field.take_until([](char C) { return C == '/'; }).rtrim(' ');
  uint64_t Offset;
  if (Field.rtrim(' ').getAsInteger(10, Offset) || Offset >= LongNames.size())
    return {};
  // The name ends with "/\n".
  auto [Name, Behind] = StringRef(LongNames).substr(Offset).split('\n');
  return Name.consume_back("/") ? Name : StringRef();
}

std::vector<std::string> Reader::members() {
  std::vector<std::string> Result;
  if (at(0, 8) != "!<thin>\n")
    return Result;
  uint64_t NameBytesLeft =
      std::min(LargestNames, NameBytesForByte * File.size());
  for (uint64_t Offset = 8; Result.size() < MostMembers;) {
    StringRef Header = at(Offset, HeaderSize);
    uint64_t Size;
    if (Header.size() != HeaderSize || !Header.ends_with("`\n") ||
        Header.substr(SizeAt, 10).rtrim(' ').getAsInteger(10, Size))
      break;
    Offset += HeaderSize;
    StringRef Field = Header.take_front(NameSize);
    StringRef Kind = Field.rtrim(' ');
    // "/<ECSYMBOLS>/" and its like are COFF's.
    if (Kind != "/" && Kind != "//" && Kind != "/SYM64/" &&
        !Kind.starts_with("/<")) {
      // A member's bytes lie elsewhere.
      StringRef Name = memberName(Field);
      if (Name.empty() || Name.size() > NameBytesLeft)
        break;
      NameBytesLeft -= Name.size();
      Result.push_back(Name.str());
      continue;
    }
    // Header points into the window, which the next read replaces.
    if (Kind == "//" && !readNames(Offset, Size))
      break;
    if (Size > File.size())
      break;
    Offset += Size + Size % 2;
  }
  return Result;
}

std::vector<std::string> readThinArchive(const os::OpenFile &File,
                                         StringRef Path) {
  std::vector<std::string> Members = Reader(File).members();
  for (std::string &Member : Members) {
    if (sys::path::is_absolute(Member))
      continue;
    SmallString<256> Full = sys::path::parent_path(Path);
    sys::path::append(Full, Member);
    Member = Full.str().str();
  }
  return Members;
}

} // namespace headstart
