//===- COFFLayoutTest.cpp - The layout of a COFF object -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ObjectLayout.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace headstart;
using namespace llvm;
using testing::ElementsAre;

namespace headstart {
// Found by argument-dependent look-up when a comparison fails.
static void PrintTo(const LayoutPart &P, std::ostream *OS) {
  *OS << partName(P.Kind).str() << " [" << P.Range.Offset << ", "
      << P.Range.end() << ")";
}
static bool operator==(const LayoutPart &A, const LayoutPart &B) {
  return A.Range == B.Range && A.Kind == B.Kind;
}
} // namespace headstart

namespace {

struct SectionSpec {
  const char *Name;
  uint32_t DataOffset, DataSize;
  uint32_t RelocOffset = 0;
  uint16_t NumRelocs = 0;
  uint32_t Characteristics = COFF::IMAGE_SCN_CNT_CODE;
};

void append(std::string &Bytes, const void *Data, size_t Size) {
  Bytes.append(static_cast<const char *>(Data), Size);
}

void appendSections(std::string &Bytes, ArrayRef<SectionSpec> Sections) {
  for (const SectionSpec &S : Sections) {
    object::coff_section Section = {};
    std::memcpy(Section.Name, S.Name, std::min<size_t>(8, strlen(S.Name)));
    Section.PointerToRawData = S.DataOffset;
    Section.SizeOfRawData = S.DataSize;
    Section.PointerToRelocations = S.RelocOffset;
    Section.NumberOfRelocations = S.NumRelocs;
    Section.Characteristics = S.Characteristics;
    append(Bytes, &Section, sizeof(Section));
  }
}

/// The head of a plain object: 20 bytes of header and 40 a section.
std::string plainHead(ArrayRef<SectionSpec> Sections, uint32_t SymbolTable,
                      uint32_t NumSymbols,
                      uint16_t Machine = COFF::IMAGE_FILE_MACHINE_AMD64) {
  object::coff_file_header Header = {};
  Header.Machine = Machine;
  Header.NumberOfSections = static_cast<uint16_t>(Sections.size());
  Header.PointerToSymbolTable = SymbolTable;
  Header.NumberOfSymbols = NumSymbols;
  std::string Bytes;
  append(Bytes, &Header, sizeof(Header));
  appendSections(Bytes, Sections);
  return Bytes;
}

/// The head of a big object: 56 bytes of header and 40 a section.
std::string bigHead(ArrayRef<SectionSpec> Sections, uint32_t SymbolTable,
                    uint32_t NumSymbols) {
  object::coff_bigobj_file_header Header = {};
  Header.Sig1 = COFF::IMAGE_FILE_MACHINE_UNKNOWN;
  Header.Sig2 = 0xffff;
  Header.Version = COFF::BigObjHeader::MinBigObjectVersion;
  Header.Machine = COFF::IMAGE_FILE_MACHINE_AMD64;
  std::memcpy(Header.UUID, COFF::BigObjMagic, sizeof(Header.UUID));
  Header.NumberOfSections = static_cast<uint32_t>(Sections.size());
  Header.PointerToSymbolTable = SymbolTable;
  Header.NumberOfSymbols = NumSymbols;
  std::string Bytes;
  append(Bytes, &Header, sizeof(Header));
  appendSections(Bytes, Sections);
  return Bytes;
}

ArrayRef<char> bytes(const std::string &S) { return {S.data(), S.size()}; }

/// Every part lies within the file, in order, and overlaps no other.
void expectSane(const ObjectLayout &Layout, uint64_t FileSize) {
  uint64_t End = 0;
  for (const LayoutPart &P : Layout.Parts) {
    EXPECT_GE(P.Range.Offset, End);
    EXPECT_GT(P.Range.Length, 0U);
    ASSERT_LE(P.Range.Length, FileSize);
    EXPECT_LE(P.Range.Offset, FileSize - P.Range.Length);
    End = P.Range.end();
  }
}

TEST(COFFLayoutTest, NamesEachPartOfAPlainObject) {
  std::string Head = plainHead({{".text", 1000, 500, 1500, 10},
                                {".debug$S", 2000, 300, 2300, 5},
                                {".debug$S", 2350, 50},
                                {".debug$T", 2400, 1400},
                                {".drectve", 3800, 20}},
                               /*SymbolTable=*/4000, /*NumSymbols=*/50);
  LayoutReading R = readCOFFLayout(bytes(Head), 6000);
  ASSERT_EQ(R.Result, LayoutReading::Read);
  EXPECT_THAT(R.Layout.Parts,
              ElementsAre(LayoutPart{{0, 220}, PartKind::Headers},
                          LayoutPart{{1000, 500}, PartKind::Contents},
                          LayoutPart{{1500, 100}, PartKind::Relocations},
                          LayoutPart{{2000, 300}, PartKind::CompilerInfo},
                          LayoutPart{{2300, 50}, PartKind::DebugRelocs},
                          LayoutPart{{2350, 50}, PartKind::DebugSymbols},
                          LayoutPart{{2400, 1024}, PartKind::CompilerInfo},
                          LayoutPart{{3424, 376}, PartKind::Types},
                          LayoutPart{{3800, 20}, PartKind::Symbols},
                          LayoutPart{{4000, 2000}, PartKind::Symbols}));
}

TEST(COFFLayoutTest, ReadsBigObjects) {
  std::vector<SectionSpec> Sections(70000, {".text$a", 0, 0});
  Sections[69999] = {".debug$T", 3000000, 4000};
  std::string Head = bigHead(Sections, 3500000, 10);
  LayoutReading R = readCOFFLayout(bytes(Head), 3600000);
  ASSERT_EQ(R.Result, LayoutReading::Read);
  EXPECT_THAT(R.Layout.Parts,
              ElementsAre(LayoutPart{{0, 56 + 40 * 70000}, PartKind::Headers},
                          LayoutPart{{3000000, 1024}, PartKind::CompilerInfo},
                          LayoutPart{{3001024, 2976}, PartKind::Types},
                          LayoutPart{{3500000, 100000}, PartKind::Symbols}));
}

TEST(COFFLayoutTest, AsksForTheWholeSectionTable) {
  std::vector<SectionSpec> Sections(2000, {".text$a", 0, 0});
  std::string Head = plainHead(Sections, 0, 0);
  LayoutReading R = readCOFFLayout(bytes(Head).take_front(64), 200000);
  EXPECT_EQ(R.Result, LayoutReading::NeedMore);
  EXPECT_EQ(R.BytesNeeded, 20U + 40 * 2000);
  R = readCOFFLayout(bytes(Head).take_front(R.BytesNeeded), 200000);
  EXPECT_EQ(R.Result, LayoutReading::Read);
}

TEST(COFFLayoutTest, AsksForTheHeaderFirst) {
  LayoutReading R = readCOFFLayout({}, 5000);
  EXPECT_EQ(R.Result, LayoutReading::NeedMore);
  EXPECT_EQ(R.BytesNeeded, 56U);
}

TEST(COFFLayoutTest, UninitializedDataHasNoBytes) {
  std::string Head = plainHead(
      {{".bss", 500, 100000, 0, 0, COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA}}, 0,
      0);
  LayoutReading R = readCOFFLayout(bytes(Head), 1000);
  ASSERT_EQ(R.Result, LayoutReading::Read);
  EXPECT_THAT(R.Layout.Parts,
              ElementsAre(LayoutPart{{0, 60}, PartKind::Headers}));
}

TEST(COFFLayoutTest, TellsDWARFAndRemovedSections) {
  std::string Head =
      plainHead({{"/4", 500, 100, 0, 0, COFF::IMAGE_SCN_MEM_DISCARDABLE},
                 {".llvm_ad", 600, 10, 0, 0, COFF::IMAGE_SCN_LNK_REMOVE},
                 {".info", 700, 10, 0, 0, COFF::IMAGE_SCN_LNK_REMOVE}},
                0, 0);
  LayoutReading R = readCOFFLayout(bytes(Head), 1000);
  ASSERT_EQ(R.Result, LayoutReading::Read);
  EXPECT_THAT(R.Layout.Parts,
              ElementsAre(LayoutPart{{0, 140}, PartKind::Headers},
                          LayoutPart{{500, 100}, PartKind::DWARF},
                          LayoutPart{{600, 10}, PartKind::NeverRead},
                          LayoutPart{{700, 10}, PartKind::NeverRead}));
}

TEST(COFFLayoutTest, LeavesOtherFilesAlone) {
  std::string Archive = "!<arch>\n" + std::string(200, ' ');
  std::string Text(200, 'x');
  std::string Zeros(200, '\0');
  // An import library's member opens like a big object.
  std::string Import(200, '\0');
  Import[2] = Import[3] = '\xff';
  for (const std::string &File : {Archive, Text, Zeros, Import})
    EXPECT_EQ(readCOFFLayout(bytes(File), File.size()).Result,
              LayoutReading::Unknown);
}

TEST(COFFLayoutTest, RefusesTablesPastTheEnd) {
  std::string Sections = plainHead({{".text", 100, 100}}, 0, 0);
  EXPECT_EQ(readCOFFLayout(bytes(Sections), 59).Result, LayoutReading::Unknown);
  std::string Symbols = plainHead({{".text", 100, 100}}, 4000, 0xffffffff);
  EXPECT_EQ(readCOFFLayout(bytes(Symbols), 5000).Result,
            LayoutReading::Unknown);
  std::string Table = plainHead({{".text", 100, 100}}, 6000, 0);
  EXPECT_EQ(readCOFFLayout(bytes(Table), 5000).Result, LayoutReading::Unknown);
}

TEST(COFFLayoutTest, CutsSectionsPastTheEndAndOverlaps) {
  std::string Head =
      plainHead({{".text", 1000, 0xffffffff}, {".data", 1500, 100}}, 0, 0);
  LayoutReading R = readCOFFLayout(bytes(Head), 2000);
  ASSERT_EQ(R.Result, LayoutReading::Read);
  expectSane(R.Layout, 2000);
  EXPECT_THAT(R.Layout.Parts,
              ElementsAre(LayoutPart{{0, 100}, PartKind::Headers},
                          LayoutPart{{1000, 1000}, PartKind::Contents}));
}

TEST(COFFLayoutTest, StaysWithinTheFileWhateverItSays) {
  std::mt19937 Random(1);
  for (int Round = 0; Round != 2000; ++Round) {
    std::string Head =
        Round % 2 ? plainHead({{".text", 0, 0}, {".debug$S", 0, 0}}, 0, 0)
                  : bigHead({{".text", 0, 0}, {".debug$T", 0, 0}}, 0, 0);
    // Everything but the magic at random.
    for (size_t I = Round % 2 ? 2 : 28; I != Head.size(); ++I)
      Head[I] = static_cast<char>(Random());
    uint64_t FileSize = Head.size() + Random() % 10000;
    LayoutReading R = readCOFFLayout(bytes(Head), FileSize);
    if (R.Result == LayoutReading::Read)
      expectSane(R.Layout, FileSize);
    if (R.Result == LayoutReading::NeedMore) {
      EXPECT_LE(R.BytesNeeded, FileSize);
    }
  }
}

} // namespace
