//===- COFFLayout.cpp - The layout of a COFF object -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutParts.h"
#include "headstart/Plan/ObjectLayout.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace llvm;

namespace headstart {

namespace {

/// What both forms of the file header say, in one form.
struct FileHeader {
  uint64_t NumSections = 0;
  uint64_t FirstSection = 0; ///< offset of the section headers
  uint64_t SymbolTable = 0;  ///< offset; 0 when there is none
  uint32_t NumSymbols = 0;
  uint64_t SymbolBytes = 0;
  bool Big = false;
};

template <typename T> const T *at(ArrayRef<char> Head, uint64_t Offset) {
  static_assert(alignof(T) == 1, "the file promises no alignment");
  if (Offset > Head.size() || Head.size() - Offset < sizeof(T))
    return nullptr;
  return reinterpret_cast<const T *>(Head.data() + Offset);
}

/// True for the machines that lld's COFF driver links. The machine number is
/// all the magic that a plain COFF object has, so a list keeps text files out.
bool isKnownMachine(uint16_t Machine) {
  return Machine == COFF::IMAGE_FILE_MACHINE_UNKNOWN ||
         Machine == COFF::IMAGE_FILE_MACHINE_AMD64 ||
         Machine == COFF::IMAGE_FILE_MACHINE_I386 ||
         Machine == COFF::IMAGE_FILE_MACHINE_ARMNT || COFF::isAnyArm64(Machine);
}

bool readFileHeader(ArrayRef<char> Head, FileHeader &Result) {
  const auto *Big = at<object::coff_bigobj_file_header>(Head, 0);
  if (Big && Big->Sig1 == COFF::IMAGE_FILE_MACHINE_UNKNOWN &&
      Big->Sig2 == 0xffff) {
    // The same two words open an import library's member, told apart by the
    // version and the class id.
    if (Big->Version < COFF::BigObjHeader::MinBigObjectVersion ||
        std::memcmp(Big->UUID, COFF::BigObjMagic, sizeof(Big->UUID)) != 0 ||
        !isKnownMachine(Big->Machine))
      return false;
    Result.NumSections = Big->NumberOfSections;
    Result.FirstSection = sizeof(*Big);
    Result.SymbolTable = Big->PointerToSymbolTable;
    Result.NumSymbols = Big->NumberOfSymbols;
    Result.Big = true;
    Result.SymbolBytes =
        uint64_t(Big->NumberOfSymbols) * sizeof(object::coff_symbol32);
    return true;
  }
  const auto *Plain = at<object::coff_file_header>(Head, 0);
  if (!Plain || !isKnownMachine(Plain->Machine))
    return false;
  Result.NumSections = Plain->NumberOfSections;
  Result.FirstSection = sizeof(*Plain) + Plain->SizeOfOptionalHeader;
  Result.SymbolTable = Plain->PointerToSymbolTable;
  Result.NumSymbols = Plain->NumberOfSymbols;
  Result.SymbolBytes =
      uint64_t(Plain->NumberOfSymbols) * sizeof(object::coff_symbol16);
  return true;
}

struct SectionKinds {
  PartKind Contents;
  PartKind Relocations;
};

/// Short names only: all the names that matter fit into the header's 8 bytes
/// but DWARF's, which stand in the string table; `/` opens those.
SectionKinds kindsOf(const object::coff_section &Section) {
  StringRef Name(Section.Name, strnlen(Section.Name, sizeof(Section.Name)));
  if (Name == ".debug$S" || Name == ".debug$F")
    return {PartKind::DebugSymbols, PartKind::DebugRelocs};
  if (Name == ".debug$T" || Name == ".debug$P")
    return {PartKind::Types, PartKind::DebugRelocs};
  if (Name == ".debug$H")
    return {PartKind::TypeHashes, PartKind::DebugRelocs};
  // lld reads directives while it parses.
  if (Name == ".drectve")
    return {PartKind::Symbols, PartKind::NeverRead};
  if (Name == ".llvm_ad" || Name == ".llvm.ad")
    return {PartKind::NeverRead, PartKind::NeverRead};
  bool Discardable = Section.Characteristics & COFF::IMAGE_SCN_MEM_DISCARDABLE;
  // A long name in a discardable section is a DWARF section's (mingw).
  if (Discardable && (Name.starts_with("/") || Name.starts_with(".debug_")))
    return {PartKind::DWARF, PartKind::DWARF};
  if (Section.Characteristics & COFF::IMAGE_SCN_LNK_REMOVE)
    return {PartKind::NeverRead, PartKind::NeverRead};
  return {PartKind::Contents, PartKind::Relocations};
}

/// Adds a part, when it is one: nothing past the end, nothing empty.
void add(ObjectLayout &Layout, uint64_t Offset, uint64_t Length,
         uint64_t FileSize, PartKind Kind, uint32_t Section = 0) {
  if (Offset >= FileSize || Length == 0)
    return;
  Layout.Parts.push_back(
      {{Offset, std::min(Length, FileSize - Offset)}, Kind, Section});
}

/// What lld reads of CodeView while it parses, whether or not a PDB is made:
/// all of the first .debug$S, whose subsections it walks in search of the
/// compiler's flags (ObjFile::initializeFlags), and the first record of
/// .debug$T, which may name a type server (initializeDependencies). Without
/// these in the first phase the parse of an otherwise fetched object waits for
/// the last phase: 1.9 s instead of 0.9 on a disk held to 400 MB/s.
class FirstCodeView {
public:
  /// How many bytes from the start of \p Section the parse will read.
  uint64_t bytesRead(const object::coff_section &Section, PartKind Kind) {
    if (Kind == PartKind::DebugSymbols && !std::exchange(SeenSymbols, true))
      return Section.SizeOfRawData;
    if (Kind == PartKind::Types && !std::exchange(SeenTypes, true))
      return std::min<uint64_t>(Section.SizeOfRawData, FirstRecordBytes);
    return 0;
  }

private:
  /// The magic and a record; a type server's record holds a path.
  static constexpr uint64_t FirstRecordBytes = 1024;
  bool SeenSymbols = false;
  bool SeenTypes = false;
};

void addSection(ObjectLayout &Layout, const object::coff_section &Section,
                uint32_t Number, FirstCodeView &First, uint64_t FileSize) {
  SectionKinds Kinds = kindsOf(Section);
  if (!(Section.Characteristics & COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA)) {
    uint64_t Early = First.bytesRead(Section, Kinds.Contents);
    add(Layout, Section.PointerToRawData, Early, FileSize,
        PartKind::CompilerInfo);
    add(Layout, Section.PointerToRawData + Early, Section.SizeOfRawData - Early,
        FileSize, Kinds.Contents, Number);
  }
  // With IMAGE_SCN_LNK_NRELOC_OVFL the true count stands in the first
  // relocation: the 65,535 that the header names are a good lower bound.
  add(Layout, Section.PointerToRelocations,
      uint64_t(Section.NumberOfRelocations) * sizeof(object::coff_relocation),
      FileSize, Kinds.Relocations, Number);
}

} // namespace

LayoutReading readCOFFLayout(ArrayRef<char> Head, uint64_t FileSize) {
  LayoutReading Reading;
  uint64_t HeaderBytes =
      std::min<uint64_t>(sizeof(object::coff_bigobj_file_header), FileSize);
  if (Head.size() < HeaderBytes) {
    Reading.Result = LayoutReading::NeedMore;
    Reading.BytesNeeded = HeaderBytes;
    return Reading;
  }
  FileHeader Header;
  if (!readFileHeader(Head, Header) || Header.NumSections == 0)
    return Reading;
  uint64_t HeadersEnd =
      Header.FirstSection + Header.NumSections * sizeof(object::coff_section);
  if (HeadersEnd > FileSize || Header.SymbolTable > FileSize ||
      Header.SymbolBytes > FileSize - Header.SymbolTable)
    return Reading;
  if (Head.size() < HeadersEnd) {
    Reading.Result = LayoutReading::NeedMore;
    Reading.BytesNeeded = HeadersEnd;
    return Reading;
  }

  add(Reading.Layout, 0, HeadersEnd, FileSize, PartKind::Headers);
  Reading.Layout.Comdats.resize(Header.NumSections);
  FirstCodeView First;
  for (uint32_t I = 0; I != Header.NumSections; ++I) {
    const auto &Section = *at<object::coff_section>(
        Head, Header.FirstSection + I * sizeof(object::coff_section));
    addSection(Reading.Layout, Section, I + 1, First, FileSize);
    if (Section.Characteristics & COFF::IMAGE_SCN_LNK_COMDAT)
      Reading.Layout.Comdats.set(I);
  }
  // The string table follows the symbols; its length stands in its first word,
  // which is not in Head: compilers write nothing after it.
  if (Header.SymbolTable) {
    Reading.Layout.SymbolTable = {Header.SymbolTable,
                                  FileSize - Header.SymbolTable};
    Reading.Layout.NumSymbols = Header.NumSymbols;
    Reading.Layout.BigObject = Header.Big;
    add(Reading.Layout, Header.SymbolTable, FileSize - Header.SymbolTable,
        FileSize, PartKind::Symbols);
  }
  settleParts(Reading.Layout.Parts);
  Reading.Result = LayoutReading::Read;
  return Reading;
}

} // namespace headstart
