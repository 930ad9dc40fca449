//===- ObjectNames.cpp - What COFF objects name ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As lld 22 reads it (COFF/InputFiles.cpp: readSection, initializeDependencies;
// checked against lld-link 22.1.8): of several .drectve sections only the last
// counts, of several .debug$T the first; an object with a .debug$P is itself a
// precompiled header and has no type server.
//
//===----------------------------------------------------------------------===//

#include "InsideObjects.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/DebugInfo/CodeView/CodeView.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart::coff {

/// More than any compiler writes: with 100,000 exports, a .drectve has some 6
/// MB; an object has a section for each function.
static constexpr uint64_t MostDirectiveBytes = 64 << 20;
static constexpr uint64_t MostSections = 1 << 21;

namespace {
struct SectionTable {
  uint64_t Offset = 0;
  uint64_t Count = 0;
};

/// Where a section's contents lie; at 0, as in the file, when it has none.
struct SectionData {
  uint64_t Offset = 0;
  uint64_t Size = 0;
};
} // namespace

/// Copies \p T from the start of \p Bytes, which holds it.
template <typename T> static T copy(StringRef Bytes) {
  T Result;
  std::copy_n(Bytes.begin(), sizeof(T), reinterpret_cast<char *>(&Result));
  return Result;
}

static SectionTable findSectionTable(const FilePart &Object) {
  SectionTable Table;
  StringRef Start = Object.bytes(0, sizeof(object::coff_file_header));
  if (Start.empty())
    return Table;
  if (Start.starts_with(StringRef("\0\0\xff\xff", 4))) {
    StringRef Bytes = Object.bytes(0, sizeof(object::coff_bigobj_file_header));
    if (Bytes.empty())
      return Table;
    auto Header = copy<object::coff_bigobj_file_header>(Bytes);
    Table.Offset = sizeof(Header);
    Table.Count = Header.NumberOfSections;
  } else {
    auto Header = copy<object::coff_file_header>(Start);
    Table.Offset = sizeof(Header) + Header.SizeOfOptionalHeader;
    Table.Count = Header.NumberOfSections;
  }
  if (Table.Count > MostSections || Table.Offset > Object.size() ||
      Table.Count >
          (Object.size() - Table.Offset) / sizeof(object::coff_section))
    Table.Count = 0;
  return Table;
}

/// The path in \p Section, a .debug$T, if its first record is a type server's.
static std::string readTypeServer(const FilePart &Section) {
  // The signature, and the length and the kind of the first record, which the
  // length does not count itself in.
  constexpr uint64_t LengthOffset = 4;
  constexpr uint64_t KindOffset = 6;
  constexpr uint64_t NameOffset = KindOffset + 2 + 16 + 4; // GUID, age
  StringRef Start = Section.bytes(0, NameOffset);
  if (Start.empty() ||
      support::endian::read32le(Start.data()) != COFF::DEBUG_SECTION_MAGIC)
    return {};
  uint64_t End =
      KindOffset + support::endian::read16le(Start.data() + LengthOffset);
  if (support::endian::read16le(Start.data() + KindOffset) !=
          codeview::LF_TYPESERVER2 ||
      End < NameOffset)
    return {};
  StringRef Name = Section.bytes(NameOffset, End - NameOffset);
  size_t Length = Name.find('\0');
  return Length == StringRef::npos ? "" : Name.take_front(Length).str();
}

ObjectNames readObject(const FilePart &Object, bool WantsDirectives,
                       bool WantsTypeServer) {
  SectionTable Table = findSectionTable(Object);
  SectionData Directives;
  SectionData Types;
  bool SeenTypes = false;
  bool IsPrecompiledHeader = false;
  for (uint64_t I = 0; I != Table.Count; ++I) {
    StringRef Bytes =
        Object.bytes(Table.Offset + I * sizeof(object::coff_section),
                     sizeof(object::coff_section));
    if (Bytes.empty())
      return {};
    // Every name that counts fills the header's eight bytes.
    bool IsDirectives = Bytes.starts_with(".drectve");
    bool IsTypes = Bytes.starts_with(".debug$T");
    if (!IsDirectives && !IsTypes && !Bytes.starts_with(".debug$P"))
      continue;
    auto Header = copy<object::coff_section>(Bytes);
    // Which copy of a COMDAT counts, only the linker knows; compilers write
    // none of these as one.
    if (Header.Characteristics & COFF::IMAGE_SCN_LNK_COMDAT)
      continue;
    SectionData Data;
    if (Header.PointerToRawData != 0)
      Data = {Header.PointerToRawData, Header.SizeOfRawData};
    if (IsDirectives) {
      Directives = Data;
      continue;
    }
    if (Header.Characteristics & COFF::IMAGE_SCN_LNK_REMOVE)
      continue;
    if (!IsTypes)
      IsPrecompiledHeader |= Data.Size != 0;
    else if (!std::exchange(SeenTypes, true))
      Types = Data;
  }

  ObjectNames Names;
  if (WantsDirectives && Directives.Size <= MostDirectiveBytes)
    Names.Directives = Object.bytes(Directives.Offset, Directives.Size).str();
  if (WantsTypeServer && !IsPrecompiledHeader)
    Names.TypeServer = readTypeServer(Object.part(Types.Offset, Types.Size));
  return Names;
}

} // namespace headstart::coff
