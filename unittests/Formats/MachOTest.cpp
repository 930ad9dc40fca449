//===- MachOTest.cpp - Mach-O files ---------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/MachO.h"
#include "MachOTestSupport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;
using namespace headstart::test;
using namespace llvm;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr uint32_t Code = MachO::S_ATTR_PURE_INSTRUCTIONS;
constexpr uint64_t Large = 1 << 20;

/// The parts of a file of \p FileSize bytes, except the first, the headers.
std::vector<LayoutPart> parts(const MachOWriter &Writer,
                              uint64_t FileSize = Large) {
  std::string Head = Writer.head();
  HeadOnly Bytes(Head, FileSize);
  std::optional<MachOFile> File = MachOFile::read(Bytes);
  EXPECT_TRUE(File);
  if (!File)
    return {};
  std::vector<LayoutPart> Parts = File->parts();
  EXPECT_EQ(Parts.at(0), (LayoutPart{{0, Head.size()}, PartKind::Headers}));
  return {Parts.begin() + 1, Parts.end()};
}

bool isRead(const std::string &Head, uint64_t FileSize = Large) {
  HeadOnly Bytes(Head, FileSize);
  return MachOFile::read(Bytes).has_value();
}

TEST(MachOTest, Reads32And64BitObjects) {
  for (bool Wide : {false, true}) {
    MachOWriter W(Wide, MachO::CPU_TYPE_X86_64);
    W.segment({{"__TEXT", "__text", 4096, 5000, 20000, 3, Code},
               {"__TEXT", "__const", 10000, 100},
               {"__DATA", "__bss", 0, 90000, 0, 0, MachO::S_ZEROFILL}});
    W.symbols(30000, 10, 40000, 500);
    EXPECT_THAT(
        parts(W),
        ElementsAre(LayoutPart{{4096, 5000}, PartKind::ParsedContents},
                    LayoutPart{{10000, 100}, PartKind::Contents},
                    LayoutPart{{20000, 24}, PartKind::Relocations},
                    LayoutPart{{30000, Wide ? 160U : 120U}, PartKind::Symbols},
                    LayoutPart{{40000, 500}, PartKind::Symbols}))
        << Wide;
  }
}

TEST(MachOTest, SectionAddendsAreParsed) {
  auto Kinds = [](uint32_t CPU) {
    MachOWriter W(/*Wide=*/true, CPU);
    W.segment({{"__TEXT", "__text", 10000, 10, 30000, 1, Code},
               {"__DATA", "__const", 20000, 10, 40000, 1}});
    std::vector<PartKind> Result;
    for (const LayoutPart &P : parts(W))
      Result.push_back(P.Kind);
    return Result;
  };
  // The addends of arm64's code are among its relocations.
  EXPECT_THAT(Kinds(MachO::CPU_TYPE_ARM64),
              ElementsAre(PartKind::Contents, PartKind::ParsedContents,
                          PartKind::Relocations, PartKind::Relocations));
  EXPECT_THAT(Kinds(MachO::CPU_TYPE_X86_64),
              ElementsAre(PartKind::ParsedContents, PartKind::ParsedContents,
                          PartKind::Relocations, PartKind::Relocations));
}

TEST(MachOTest, UnwindTablesAndLiteralsAreParsed) {
  MachOWriter W;
  W.segment({{"__TEXT", "__cstring", 1000, 10, 0, 0, MachO::S_CSTRING_LITERALS},
             {"__TEXT", "__literal8", 2000, 10, 0, 0, MachO::S_8BYTE_LITERALS},
             {"__LD", "__compact_unwind", 3000, 10},
             {"__TEXT", "__eh_frame", 4000, 10},
             {"__LLVM", "__cg_profile", 5000, 10},
             {"__LLVM", "__bitcode", 6000, 10}});
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{1000, 10}, PartKind::ParsedContents},
                          LayoutPart{{2000, 10}, PartKind::ParsedContents},
                          LayoutPart{{3000, 10}, PartKind::ParsedContents},
                          LayoutPart{{4000, 10}, PartKind::ParsedContents},
                          LayoutPart{{5000, 10}, PartKind::ParsedContents}));
}

TEST(MachOTest, ReadsOnlyUnitDieOfDebugInformation) {
  MachOWriter W;
  W.segment({{"__DWARF", "__debug_abbrev", 10000, 900},
             {"__DWARF", "__debug_info", 20000, 90000, 300000, 500},
             {"__DWARF", "__debug_str_offs", 120000, 5000},
             {"__DWARF", "__debug_str", 130000, 9000},
             {"__DWARF", "__debug_line", 140000, 9000, 310000, 5},
             {"__DWARF", "__apple_names", 150000, 9000}});
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{10000, 900}, PartKind::DWARF},
                          LayoutPart{{20000, 32}, PartKind::CompilerInfo},
                          LayoutPart{{20032, 128}, PartKind::DWARF},
                          LayoutPart{{120000, 64}, PartKind::DWARF},
                          LayoutPart{{130000, 512}, PartKind::DWARF}));
}

TEST(MachOTest, ShortDebugSectionsKeepTheirLength) {
  MachOWriter W;
  W.segment({{"__DWARF", "__debug_info", 20000, 20},
             {"__DWARF", "__debug_str", 30000, 7}});
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{20000, 20}, PartKind::CompilerInfo},
                          LayoutPart{{30000, 7}, PartKind::DWARF}));
}

TEST(MachOTest, ReadsPartsOfLinkEdit) {
  MachOWriter W;
  W.linkEdit(MachO::LC_DATA_IN_CODE, 1000, 16);
  W.linkEdit(MachO::LC_LINKER_OPTIMIZATION_HINT, 2000, 32);
  W.linkEdit(MachO::LC_FUNCTION_STARTS, 3000, 64);
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{1000, 16}, PartKind::Contents},
                          LayoutPart{{2000, 32}, PartKind::Contents}));
}

TEST(MachOTest, ReadsExportsOfLibrary) {
  MachOWriter Old(true, MachO::CPU_TYPE_ARM64, MachO::MH_DYLIB);
  Old.segment({{"__TEXT", "__text", 16384, 50000}});
  Old.exports(100000, 5000).symbols(200000, 500, 300000, 9000);
  EXPECT_THAT(parts(Old),
              ElementsAre(LayoutPart{{100000, 5000}, PartKind::Symbols}));
  MachOWriter New(true, MachO::CPU_TYPE_ARM64, MachO::MH_DYLIB);
  New.linkEdit(MachO::LC_DYLD_CHAINED_FIXUPS, 100000, 5000);
  New.linkEdit(MachO::LC_DYLD_EXPORTS_TRIE, 200000, 600);
  EXPECT_THAT(parts(New),
              ElementsAre(LayoutPart{{200000, 600}, PartKind::Symbols}));
}

TEST(MachOTest, TruncatedLoadCommandsHaveNoLayout) {
  std::string Head = MachOWriter().symbols(5000, 1, 6000, 1).head();
  for (size_t Length = 0; Length != Head.size(); ++Length)
    EXPECT_FALSE(isRead(Head.substr(0, Length))) << Length;
  EXPECT_TRUE(isRead(Head));
}

TEST(MachOTest, RefusesOtherFiles) {
  EXPECT_FALSE(isRead(std::string(4096, 'x')));
  EXPECT_FALSE(isRead("", 0));
  EXPECT_FALSE(isRead("\xcf\xfa\xed", 3));
  // A truncated header, and a file type that is no input.
  EXPECT_FALSE(isRead(MachOWriter().head().substr(0, 20), 20));
  EXPECT_FALSE(isRead(MachOWriter(true, 0, MachO::MH_CORE).head()));
}

TEST(MachOTest, CutsPartsPastTheEnd) {
  MachOWriter W;
  W.segment({{"__TEXT", "__text", 1000, 0xffffffff, 0xfffffff0, 0xffffffff},
             {"__DATA", "__data", 0xffffffff, 0xffffffff},
             {"__DWARF", "__debug_info", 4999, 0xffffffff}});
  W.symbols(2000, 0xffffffff, 0xfffffffe, 0xffffffff);
  EXPECT_THAT(parts(W, 5000),
              ElementsAre(LayoutPart{{1000, 4000}, PartKind::ParsedContents}));
}

TEST(MachOTest, CutsOverlaps) {
  MachOWriter W;
  W.segment({{"__TEXT", "a", 1000, 500}, {"__TEXT", "b", 1200, 1000}});
  W.symbols(1100, 2, 2100, 500);
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{1000, 1200}, PartKind::Contents},
                          LayoutPart{{2200, 400}, PartKind::Symbols}));
}

TEST(MachOTest, ImpossibleCommandsHaveNoLayout) {
  // A file with no commands is valid.
  EXPECT_TRUE(isRead(MachOWriter().head()));
  EXPECT_FALSE(isRead(MachOWriter().raw(MachO::LC_UUID, 0).head()));
  EXPECT_FALSE(isRead(MachOWriter().raw(MachO::LC_UUID, 7).head()));
  EXPECT_FALSE(isRead(MachOWriter().raw(MachO::LC_UUID, 9).head()));
  // Commands that are too short for their type have no parts.
  for (uint32_t Command :
       {uint32_t(MachO::LC_SEGMENT_64), uint32_t(MachO::LC_SYMTAB),
        uint32_t(MachO::LC_DATA_IN_CODE)})
    EXPECT_THAT(parts(MachOWriter().raw(Command, 8)), IsEmpty());
  for (uint32_t Command : {uint32_t(MachO::LC_DYLD_INFO_ONLY),
                           uint32_t(MachO::LC_DYLD_EXPORTS_TRIE)})
    EXPECT_THAT(parts(MachOWriter(true, 0, MachO::MH_DYLIB).raw(Command, 8)),
                IsEmpty());
  // The header claims more commands, or more bytes of them, than exist.
  MachOWriter W;
  W.symbols(1000, 1, 2000, 1);
  EXPECT_FALSE(isRead(W.head(/*CountMore=*/0xfffffff0)));
  EXPECT_FALSE(isRead(W.head(0, /*BytesMore=*/0xfffffff0 - 24)));
}

TEST(MachOTest, ReadsOnlySectionsThatFitSegment) {
  for (bool Wide : {false, true}) {
    MachOWriter W(Wide);
    W.segment({{"__TEXT", "__text", 1000, 10}});
    std::string Head = W.head();
    // nsects is the last but one 32-bit field of the segment's command.
    Head.replace(Wide ? 32 + 64 : 28 + 48, 4, "\xff\xff\xff\xff");
    HeadOnly Bytes(Head, Large);
    std::optional<MachOFile> File = MachOFile::read(Bytes);
    ASSERT_TRUE(File);
    EXPECT_EQ(File->parts().size(), 2U);
  }
}

TEST(MachOTest, RandomBytesGiveOrderedParts) {
  std::mt19937 Random(7);
  for (int Round = 0; Round != 5000; ++Round) {
    bool Wide = Random() % 2;
    MachOWriter W(Wide, MachO::CPU_TYPE_X86_64);
    W.segment({{"__TEXT", "__text", 1000, 3000, 9000, 20},
               {"__DWARF", "__debug_info", 4000, 3000, 9500, 20},
               {"__TEXT", "__eh_frame", 7000, 2000}});
    W.symbols(12000, 100, 15000, 900);
    W.linkEdit(MachO::LC_DATA_IN_CODE, 11000, 16);
    std::string Head = W.head();
    for (int I = 0; I != 6; ++I)
      Head[4 + Random() % (Head.size() - 4)] = static_cast<char>(Random());
    HeadOnly Bytes(Head, 20000);
    if (std::optional<MachOFile> File = MachOFile::read(Bytes))
      expectSane(File->parts(), 20000);
  }
}

} // namespace
