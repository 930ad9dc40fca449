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

constexpr uint64_t MagicBytes = 8;

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

LayoutReading readArchiveLayout(ArrayRef<char> Head, uint64_t FileSize) {
  LayoutReading Reading;
  StringRef Bytes(Head.data(), Head.size());
  if (!Bytes.starts_with(object::ArchiveMagic) &&
      !Bytes.starts_with(object::ThinArchiveMagic))
    return Reading;

  uint64_t At = MagicBytes;
  while (At + sizeof(MemberHeader) <= FileSize) {
    if (At + sizeof(MemberHeader) > Head.size()) {
      Reading.Result = LayoutReading::NeedMore;
      Reading.BytesNeeded = At + sizeof(MemberHeader);
      return Reading;
    }
    const auto *Header =
        reinterpret_cast<const MemberHeader *>(Head.data() + At);
    StringRef Name = StringRef(Header->Name, sizeof(Header->Name)).rtrim(' ');
    uint64_t Size = 0;
    if (!isIndex(Name) ||
        StringRef(Header->End, sizeof(Header->End)) != "`\n" ||
        !to_integer(StringRef(Header->Size, sizeof(Header->Size)).rtrim(' '),
                    Size, 10) ||
        Size > FileSize - At - sizeof(MemberHeader))
      break;
    // Members begin at even offsets.
    At += sizeof(MemberHeader) + Size + Size % 2;
  }
  At = std::min(At, FileSize);
  Reading.Result = LayoutReading::Read;
  Reading.Layout.Parts.push_back({{0, At}, PartKind::Symbols});
  return Reading;
}

} // namespace headstart
