//===- COFFTest.cpp - The layout of a COFF object -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/COFF.h"
#include "COFFTestSupport.h"
#include "FormatsTestSupport.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;
using namespace headstart::test;
using namespace llvm;
using testing::ElementsAre;

namespace {

std::optional<COFFObject> read(const std::string &Head, uint64_t FileSize) {
  HeadOnly Bytes(Head, FileSize);
  return COFFObject::read(Bytes);
}

TEST(COFFTest, FindsEachPartOfObject) {
  std::string Head = plainHead({{".text", 1000, 500, 1500, 10},
                                {".debug$S", 2000, 300, 2300, 5},
                                {".debug$S", 2350, 50},
                                {".debug$T", 2400, 1400},
                                {".drectve", 3800, 20}},
                               /*SymbolTable=*/4000, /*NumSymbols=*/50);
  std::optional<COFFObject> R = read(Head, 6000);
  ASSERT_TRUE(R);
  EXPECT_THAT(R->Parts,
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

TEST(COFFTest, ReadsBigObjects) {
  std::vector<COFFSection> Sections(70000, {".text$a", 0, 0});
  Sections[69999] = {".debug$T", 3000000, 4000};
  std::string Head = bigHead(Sections, 3500000, 10);
  std::optional<COFFObject> R = read(Head, 3600000);
  ASSERT_TRUE(R);
  EXPECT_THAT(R->Parts,
              ElementsAre(LayoutPart{{0, 56 + 40 * 70000}, PartKind::Headers},
                          LayoutPart{{3000000, 1024}, PartKind::CompilerInfo},
                          LayoutPart{{3001024, 2976}, PartKind::Types},
                          LayoutPart{{3500000, 100000}, PartKind::Symbols}));
}

TEST(COFFTest, UninitializedDataHasNoBytes) {
  std::string Head = plainHead(
      {{".bss", 500, 100000, 0, 0, COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA}}, 0,
      0);
  std::optional<COFFObject> R = read(Head, 1000);
  ASSERT_TRUE(R);
  EXPECT_THAT(R->Parts, ElementsAre(LayoutPart{{0, 60}, PartKind::Headers}));
}

TEST(COFFTest, DistinguishesDWARFAndRemovedSections) {
  std::string Head =
      plainHead({{"/4", 500, 100, 0, 0, COFF::IMAGE_SCN_MEM_DISCARDABLE},
                 {".llvm_ad", 600, 10, 0, 0, COFF::IMAGE_SCN_LNK_REMOVE},
                 {".info", 700, 10, 0, 0, COFF::IMAGE_SCN_LNK_REMOVE}},
                0, 0);
  std::optional<COFFObject> R = read(Head, 1000);
  ASSERT_TRUE(R);
  EXPECT_THAT(R->Parts,
              ElementsAre(LayoutPart{{0, 140}, PartKind::Headers},
                          LayoutPart{{500, 100}, PartKind::DWARF},
                          LayoutPart{{600, 10}, PartKind::NeverRead},
                          LayoutPart{{700, 10}, PartKind::NeverRead}));
}

TEST(COFFTest, RefusesOtherFiles) {
  std::string Archive = "!<arch>\n" + std::string(200, ' ');
  std::string Text(200, 'x');
  std::string Zeros(200, '\0');
  // An import library's member begins like a big object.
  std::string Import(200, '\0');
  Import[2] = Import[3] = '\xff';
  for (const std::string &File : {Archive, Text, Zeros, Import})
    EXPECT_FALSE(read(File, File.size()));
}

TEST(COFFTest, RefusesTablesPastTheEnd) {
  std::string Sections = plainHead({{".text", 100, 100}}, 0, 0);
  EXPECT_FALSE(read(Sections, 59));
  std::string Symbols = plainHead({{".text", 100, 100}}, 4000, 0xffffffff);
  EXPECT_FALSE(read(Symbols, 5000));
  std::string Table = plainHead({{".text", 100, 100}}, 6000, 0);
  EXPECT_FALSE(read(Table, 5000));
}

TEST(COFFTest, CutsSectionsPastTheEndAndOverlaps) {
  std::string Head =
      plainHead({{".text", 1000, 0xffffffff}, {".data", 1500, 100}}, 0, 0);
  std::optional<COFFObject> R = read(Head, 2000);
  ASSERT_TRUE(R);
  expectSane(R->Parts, 2000);
  EXPECT_THAT(R->Parts,
              ElementsAre(LayoutPart{{0, 100}, PartKind::Headers},
                          LayoutPart{{1000, 1000}, PartKind::Contents}));
}

TEST(COFFTest, RandomBytesStayInFile) {
  std::mt19937 Random(1);
  for (int Round = 0; Round != 2000; ++Round) {
    std::string Head =
        Round % 2 ? plainHead({{".text", 0, 0}, {".debug$S", 0, 0}}, 0, 0)
                  : bigHead({{".text", 0, 0}, {".debug$T", 0, 0}}, 0, 0);
    // Randomizes all bytes after the magic.
    for (size_t I = Round % 2 ? 2 : 28; I != Head.size(); ++I)
      Head[I] = static_cast<char>(Random());
    uint64_t FileSize = Head.size() + Random() % 10000;
    std::optional<COFFObject> R = read(Head, FileSize);
    if (R)
      expectSane(R->Parts, FileSize);
  }
}

} // namespace
