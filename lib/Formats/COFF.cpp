//===- COFF.cpp - COFF objects --------------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/COFF.h"
#include "NameTable.h"
#include "headstart/Formats/Bitcode.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/DebugInfo/CodeView/CodeView.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

using namespace llvm;

namespace headstart {

namespace {
/// The fields that both forms of the file header have.
struct FileHeader {
  uint16_t Machine = 0;
  uint64_t NumSections = 0;
  uint64_t FirstSection = 0; ///< offset of the section headers
  uint64_t SymbolTable = 0;  ///< offset; 0 if there is none
  uint32_t NumSymbols = 0;
  uint64_t SymbolBytes = 0;
  bool IsBig = false;
};
} // namespace

static bool isKnownMachine(uint16_t Machine) {
  return Machine == COFF::IMAGE_FILE_MACHINE_UNKNOWN ||
         Machine == COFF::IMAGE_FILE_MACHINE_AMD64 ||
         Machine == COFF::IMAGE_FILE_MACHINE_I386 ||
         Machine == COFF::IMAGE_FILE_MACHINE_ARMNT || COFF::isAnyArm64(Machine);
}

template <typename Symbol, typename Header>
static FileHeader fileHeader(const Header &From, uint64_t FirstSection) {
  return {.Machine = From.Machine,
          .NumSections = From.NumberOfSections,
          .FirstSection = FirstSection,
          .SymbolTable = From.PointerToSymbolTable,
          .NumSymbols = From.NumberOfSymbols,
          .SymbolBytes = uint64_t(From.NumberOfSymbols) * sizeof(Symbol),
          .IsBig = std::is_same_v<Symbol, object::coff_symbol32>};
}

static std::optional<FileHeader> readFileHeader(ByteSource &Object) {
  using namespace object;
  auto Big = Object.get<coff_bigobj_file_header>(0);
  if (Big && Big->Sig1 == COFF::IMAGE_FILE_MACHINE_UNKNOWN &&
      Big->Sig2 == 0xffff) {
    // A member of an import library begins with the same two words; the version
    // and the class ID distinguish them.
    if (Big->Version < COFF::BigObjHeader::MinBigObjectVersion ||
        std::memcmp(Big->UUID, COFF::BigObjMagic, sizeof(Big->UUID)) != 0 ||
        !isKnownMachine(Big->Machine))
      return std::nullopt;
    return fileHeader<coff_symbol32>(*Big, sizeof(*Big));
  }
  auto Plain = Object.get<coff_file_header>(0);
  if (!Plain || !isKnownMachine(Plain->Machine))
    return std::nullopt;
  return fileHeader<coff_symbol16>(*Plain, sizeof(*Plain) +
                                               Plain->SizeOfOptionalHeader);
}

/// Returns the kinds of the contents and of the relocations of \p Section.
/// Uses short names only: all names that matter fit into the header's 8 bytes,
/// except those of DWARF, which are in the string table and begin with `/`.
static std::pair<PartKind, PartKind>
kindsOf(const object::coff_section &Section) {
  // Most sections are code, data or unwind tables.
  constexpr std::pair Mostly(PartKind::Contents, PartKind::Relocations);
  if (Section.Name[0] == '.' && Section.Name[1] != 'd' &&
      Section.Name[1] != 'l' &&
      !(Section.Characteristics & COFF::IMAGE_SCN_LNK_REMOVE))
    return Mostly;
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
  // A discardable section with a long name is a DWARF section (MinGW).
  if (Discardable && (Name.starts_with("/") || Name.starts_with(".debug_")))
    return {PartKind::DWARF, PartKind::DWARF};
  if (Section.Characteristics & COFF::IMAGE_SCN_LNK_REMOVE)
    return {PartKind::NeverRead, PartKind::NeverRead};
  return Mostly;
}

namespace {
/// Reads the headers of an object's sections, in order.
class SectionReader {
public:
  SectionReader(COFFObject &Result, uint64_t FileSize)
      : Result(Result), FileSize(FileSize) {}

  void read(const object::coff_section &Section, uint32_t Number) {
    addParts(Section, Number);
    addNames(Section);
    if (Section.Characteristics & COFF::IMAGE_SCN_LNK_COMDAT)
      Result.Comdats.set(Number - 1);
  }

private:
  void addParts(const object::coff_section &Section, uint32_t Number) {
    const auto [Contents, Relocations] = kindsOf(Section);
    if (!(Section.Characteristics & COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA)) {
      uint64_t Early = bytesParsed(Section, Contents);
      addPart(Result.Parts, {Section.PointerToRawData, Early}, FileSize,
              PartKind::CompilerInfo);
      addPart(Result.Parts,
              {Section.PointerToRawData + Early, Section.SizeOfRawData - Early},
              FileSize, Contents, Number);
    }
    // With IMAGE_SCN_LNK_NRELOC_OVFL the first relocation has the true count.
    // The 65,535 of the header are a good lower bound.
    addPart(
        Result.Parts,
        {Section.PointerToRelocations, uint64_t(Section.NumberOfRelocations) *
                                           sizeof(object::coff_relocation)},
        FileSize, Relocations, Number);
  }

  /// Returns how much CodeView at the start of \p Section lld reads while it
  /// parses, whether or not it makes a PDB: all of the first .debug$S, whose
  /// subsections it walks in search of the compiler's flags
  /// (ObjFile::initializeFlags), and the first record of .debug$T, which may
  /// name a type server (initializeDependencies). Without these in the first
  /// stage the parse of an otherwise fetched object waits for the last stage:
  /// 1.9 s instead of 0.9 on a disk limited to 400 MB/s.
  uint64_t bytesParsed(const object::coff_section &Section, PartKind Kind) {
    // The magic and a record; a type server's record holds a path.
    constexpr uint64_t FirstRecordBytes = 1024;
    if (Kind == PartKind::DebugSymbols && !std::exchange(SeenSymbols, true))
      return Section.SizeOfRawData;
    if (Kind == PartKind::Types && !std::exchange(SeenTypes, true))
      return std::min<uint64_t>(Section.SizeOfRawData, FirstRecordBytes);
    return 0;
  }

  /// Notes the sections that name other inputs, as lld 22 reads them
  /// (COFF/InputFiles.cpp: readSection, initializeDependencies; checked against
  /// lld-link 22.1.8): lld uses the last .drectve and the first .debug$T, and
  /// an object with a .debug$P is itself a precompiled header without a type
  /// server. Only the linker knows which copy of a COMDAT counts; compilers
  /// write none of these sections as one.
  void addNames(const object::coff_section &Section) {
    StringRef Name(Section.Name, sizeof(Section.Name));
    if (Section.Characteristics & COFF::IMAGE_SCN_LNK_COMDAT)
      return;
    ByteRange Data;
    if (Section.PointerToRawData != 0)
      Data = {Section.PointerToRawData, Section.SizeOfRawData};
    if (Name == ".drectve")
      Result.Directives = Data;
    else if (Section.Characteristics & COFF::IMAGE_SCN_LNK_REMOVE)
      return;
    else if (Name == ".debug$T" && !std::exchange(HasTypeRecords, true))
      Result.TypeRecords = Data;
    else if (Name == ".debug$P" && !Data.empty()) {
      Result.TypeRecords = ByteRange();
      HasTypeRecords = true;
    }
  }

  COFFObject &Result;
  const uint64_t FileSize;
  bool SeenSymbols = false;
  bool SeenTypes = false;
  bool HasTypeRecords = false; ///< Result.TypeRecords is final
};
} // namespace

std::optional<COFFObject> COFFObject::read(ByteSource &Object) {
  // Mostly all headers; the source also reads the rest of the last page.
  constexpr uint64_t HeadBytes = 16 * 1024 - 128;
  const uint64_t Size = Object.size();
  (void)Object.head(HeadBytes);
  std::optional<FileHeader> Header = readFileHeader(Object);
  if (!Header || Header->NumSections == 0)
    return std::nullopt;
  uint64_t TableBytes = Header->NumSections * sizeof(object::coff_section);
  uint64_t HeadersEnd = Header->FirstSection + TableBytes;
  if (HeadersEnd > Size || Header->SymbolTable > Size ||
      Header->SymbolBytes > Size - Header->SymbolTable)
    return std::nullopt;
  std::optional<StringRef> Table =
      Object.read({Header->FirstSection, TableBytes});
  if (!Table)
    return std::nullopt;

  COFFObject Result;
  addPart(Result.Parts, {0, HeadersEnd}, Size, PartKind::Headers);
  Result.Comdats.resize(Header->NumSections);
  SectionReader Reader(Result, Size);
  const auto *Sections =
      reinterpret_cast<const object::coff_section *>(Table->data());
  static_assert(alignof(object::coff_section) == 1);
  for (uint32_t I = 0; I != Header->NumSections; ++I)
    Reader.read(Sections[I], I + 1);
  // The string table, whose first word is its length, follows the symbols.
  // Compilers write nothing after it.
  if (Header->SymbolTable) {
    Result.SymbolTable = {Header->SymbolTable, Size - Header->SymbolTable};
    Result.NumSymbols = Header->NumSymbols;
    Result.IsBig = Header->IsBig;
    addPart(Result.Parts, Result.SymbolTable, Size, PartKind::Symbols);
  }
  settleParts(Result.Parts);
  return Result;
}

std::string COFFObject::readTypeServer(ByteSource &Object) const {
  // The signature is followed by the length and the kind of the first record;
  // the length does not include itself.
  constexpr uint64_t LengthOffset = 4;
  constexpr uint64_t KindOffset = 6;
  constexpr uint64_t NameOffset = KindOffset + 2 + 16 + 4; // GUID, age
  PartBytes Section(Object, TypeRecords);
  std::optional<StringRef> Start = Section.read({0, NameOffset});
  if (!Start ||
      support::endian::read32le(Start->data()) != COFF::DEBUG_SECTION_MAGIC)
    return {};
  uint64_t End =
      KindOffset + support::endian::read16le(Start->data() + LengthOffset);
  if (support::endian::read16le(Start->data() + KindOffset) !=
          codeview::LF_TYPESERVER2 ||
      End < NameOffset)
    return {};
  StringRef Name = Section.read({NameOffset, End - NameOffset}).value_or("");
  size_t Length = Name.find('\0');
  return Length == StringRef::npos ? "" : Name.take_front(Length).str();
}

namespace {
/// Walks a symbol table of either form (18 or 20 bytes per symbol).
template <typename Symbol> class SymbolWalk {
public:
  SymbolWalk(const BitVector &Comdats, uint32_t NumSymbols, StringRef Bytes)
      : Comdats(Comdats), NumSymbols(NumSymbols), Bytes(Bytes),
        Names(Bytes.drop_front(std::min<uint64_t>(
            Bytes.size(), uint64_t(NumSymbols) * sizeof(Symbol)))),
        Rules(Comdats.size()), Seen(Comdats.size()) {}

  std::vector<SectionRule> run() {
    uint64_t Count =
        std::min<uint64_t>(NumSymbols, Bytes.size() / sizeof(Symbol));
    for (uint64_t I = 0; I < Count;) {
      const Symbol &S = symbol(I);
      // Absolute, undefined and debug symbols have numbers below 1.
      int64_t Number = static_cast<int32_t>(S.SectionNumber);
      if constexpr (sizeof(S.SectionNumber) == 2)
        Number = static_cast<int16_t>(S.SectionNumber);
      if (Number > 0 && static_cast<uint64_t>(Number) <= Rules.size() &&
          Comdats[static_cast<unsigned>(Number) - 1])
        visit(S, I, static_cast<uint32_t>(Number) - 1, Count);
      I += 1 + uint64_t(S.NumberOfAuxSymbols);
    }
    return std::move(Rules);
  }

private:
  /// The first symbol of a COMDAT section defines it, the next one leads it.
  enum Progress : uint8_t { Nothing, Defined, Led };

  const Symbol &symbol(uint64_t I) const {
    static_assert(alignof(Symbol) == 1, "the file promises no alignment");
    return *reinterpret_cast<const Symbol *>(Bytes.data() + I * sizeof(Symbol));
  }

  void visit(const Symbol &S, uint64_t I, uint32_t Section, uint64_t Count) {
    if (Seen[Section] == Defined) {
      Seen[Section] = Led;
      if (S.StorageClass == COFF::IMAGE_SYM_CLASS_EXTERNAL)
        Rules[Section] = {SectionRule::Leader, 0, hashOfName(S)};
      return;
    }
    bool Defines = S.StorageClass == COFF::IMAGE_SYM_CLASS_STATIC &&
                   S.NumberOfAuxSymbols != 0 && S.Value == 0 && I + 1 < Count;
    if (Seen[Section] != Nothing || !Defines)
      return;
    const auto &Definition =
        *reinterpret_cast<const object::coff_aux_section_definition *>(
            &symbol(I + 1));
    if (Definition.Selection != COFF::IMAGE_COMDAT_SELECT_ASSOCIATIVE) {
      Seen[Section] = Defined;
      return;
    }
    Seen[Section] = Led;
    auto Parent = static_cast<uint32_t>(
        Definition.getNumber(sizeof(Symbol) == sizeof(object::coff_symbol32)));
    if (Parent != 0 && Parent <= Rules.size())
      Rules[Section] = {SectionRule::Follower, Parent, 0};
  }

  /// Short names are in the symbol, long ones in the string table after the
  /// symbols. A name that is not there is hashed by its offset.
  uint64_t hashOfName(const Symbol &S) {
    if (S.Name.Offset.Zeroes != 0)
      return hashOfSymbol({S.Name.ShortName, strnlen(S.Name.ShortName, 8)});
    if (std::optional<StringRef> Name = Names.at(S.Name.Offset.Offset))
      return hashOfSymbol(*Name);
    return hashOfSymbol({S.Name.ShortName, sizeof(S.Name)});
  }

  const BitVector &Comdats;
  uint32_t NumSymbols;
  StringRef Bytes;
  NameTable Names;
  std::vector<SectionRule> Rules;
  std::vector<uint8_t> Seen;
};
} // namespace

std::vector<SectionRule> COFFObject::readComdats(ByteSource &Object,
                                                 SymbolBuffers &Buffers) const {
  if (Comdats.none() || SymbolTable.empty())
    return {};
  std::optional<StringRef> Symbols = Object.read(SymbolTable, Buffers.Symbols);
  if (!Symbols)
    return {};
  if (IsBig)
    return SymbolWalk<object::coff_symbol32>(Comdats, NumSymbols, *Symbols)
        .run();
  return SymbolWalk<object::coff_symbol16>(Comdats, NumSymbols, *Symbols).run();
}

uint16_t readCOFFMachine(ByteSource &File) {
  const file_magic Kind = kindOf(File);
  if (Kind == file_magic::coff_object)
    if (std::optional<FileHeader> Header = readFileHeader(File))
      return Header->Machine;
  if (Kind != file_magic::bitcode)
    return COFF::IMAGE_FILE_MACHINE_UNKNOWN;
  switch (readBitcodeArch(File)) {
  case Triple::x86:
    return COFF::IMAGE_FILE_MACHINE_I386;
  case Triple::x86_64:
    return COFF::IMAGE_FILE_MACHINE_AMD64;
  case Triple::arm:
  case Triple::thumb:
    return COFF::IMAGE_FILE_MACHINE_ARMNT;
  case Triple::aarch64:
    return COFF::IMAGE_FILE_MACHINE_ARM64;
  default:
    return COFF::IMAGE_FILE_MACHINE_UNKNOWN;
  }
}

} // namespace headstart
