//===- MachOLayoutTest.cpp - The layout of a Mach-O file ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/MachOLayout.h"
#include "MachOTestSupport.h"
#include "headstart/Plan/FetchPlan.h"
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

/// The parts of a file of \p FileSize bytes, without the first, its headers.
std::vector<LayoutPart> parts(const MachOWriter &Writer,
                              uint64_t FileSize = Large) {
  std::string Head = Writer.head();
  LayoutReading R = readMachOLayout(bytes(Head), FileSize);
  EXPECT_EQ(R.Result, LayoutReading::Read);
  if (R.Layout.Parts.empty())
    return {};
  EXPECT_EQ(R.Layout.Parts[0],
            (LayoutPart{{0, Head.size()}, PartKind::Headers}));
  return {R.Layout.Parts.begin() + 1, R.Layout.Parts.end()};
}

LayoutReading::Outcome outcome(const std::string &Head,
                               uint64_t FileSize = Large) {
  return readMachOLayout(bytes(Head), FileSize).Result;
}

TEST(MachOLayoutTest, AnObjectOfBothWidthsAndByteOrders) {
  for (bool Wide : {false, true})
    for (bool Swapped : {false, true}) {
      MachOWriter W(Wide, Swapped, MachO::CPU_TYPE_POWERPC);
      W.segment({{"__TEXT", "__text", 4096, 5000, 20000, 3, Code},
                 {"__TEXT", "__const", 10000, 100},
                 {"__DATA", "__bss", 0, 90000, 0, 0, MachO::S_ZEROFILL}});
      W.symbols(30000, 10, 40000, 500);
      EXPECT_THAT(
          parts(W),
          ElementsAre(
              LayoutPart{{4096, 5000}, PartKind::ParsedContents},
              LayoutPart{{10000, 100}, PartKind::Contents},
              LayoutPart{{20000, 24}, PartKind::Relocations},
              LayoutPart{{30000, Wide ? 160U : 120U}, PartKind::Symbols},
              LayoutPart{{40000, 500}, PartKind::Symbols}))
          << Wide << Swapped;
    }
}

TEST(MachOLayoutTest, AddendsInASectionAreReadWhileParsing) {
  auto Kinds = [](uint32_t CPU) {
    MachOWriter W(/*Wide=*/true, /*Swapped=*/false, CPU);
    W.segment({{"__TEXT", "__text", 10000, 10, 30000, 1, Code},
               {"__DATA", "__const", 20000, 10, 40000, 1}});
    std::vector<PartKind> Result;
    for (const LayoutPart &P : parts(W))
      Result.push_back(P.Kind);
    return Result;
  };
  // arm64's code has its addends among the relocations.
  EXPECT_THAT(Kinds(MachO::CPU_TYPE_ARM64),
              ElementsAre(PartKind::Contents, PartKind::ParsedContents,
                          PartKind::Relocations, PartKind::Relocations));
  EXPECT_THAT(Kinds(MachO::CPU_TYPE_X86_64),
              ElementsAre(PartKind::ParsedContents, PartKind::ParsedContents,
                          PartKind::Relocations, PartKind::Relocations));
}

TEST(MachOLayoutTest, UnwindTablesAndLiteralsAreReadWhileParsing) {
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

TEST(MachOLayoutTest, OfDebugInformationOnlyTheUnitsDieIsRead) {
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

TEST(MachOLayoutTest, ShortDebugSectionsAreNoLongerThanTheyAre) {
  MachOWriter W;
  W.segment({{"__DWARF", "__debug_info", 20000, 20},
             {"__DWARF", "__debug_str", 30000, 7}});
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{20000, 20}, PartKind::CompilerInfo},
                          LayoutPart{{30000, 7}, PartKind::DWARF}));
}

TEST(MachOLayoutTest, WhatIsReadOfTheLinkEditData) {
  MachOWriter W;
  W.linkEdit(MachO::LC_DATA_IN_CODE, 1000, 16);
  W.linkEdit(MachO::LC_LINKER_OPTIMIZATION_HINT, 2000, 32);
  W.linkEdit(MachO::LC_FUNCTION_STARTS, 3000, 64);
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{1000, 16}, PartKind::Contents},
                          LayoutPart{{2000, 32}, PartKind::Contents}));
}

TEST(MachOLayoutTest, OfALibraryTheExportsAreRead) {
  MachOWriter Old(true, false, MachO::CPU_TYPE_ARM64, MachO::MH_DYLIB);
  Old.segment({{"__TEXT", "__text", 16384, 50000}});
  Old.exports(100000, 5000).symbols(200000, 500, 300000, 9000);
  EXPECT_THAT(parts(Old),
              ElementsAre(LayoutPart{{100000, 5000}, PartKind::Symbols}));
  MachOWriter New(true, false, MachO::CPU_TYPE_ARM64, MachO::MH_DYLIB);
  New.linkEdit(MachO::LC_DYLD_CHAINED_FIXUPS, 100000, 5000);
  New.linkEdit(MachO::LC_DYLD_EXPORTS_TRIE, 200000, 600);
  EXPECT_THAT(parts(New),
              ElementsAre(LayoutPart{{200000, 600}, PartKind::Symbols}));
}

TEST(MachOLayoutTest, AsksForAllLoadCommands) {
  std::string Head = MachOWriter().symbols(5000, 1, 6000, 1).head();
  for (size_t Length = 0; Length != Head.size(); ++Length) {
    LayoutReading R = readMachOLayout(bytes(Head).take_front(Length), Large);
    ASSERT_EQ(R.Result, LayoutReading::NeedMore) << Length;
    EXPECT_GT(R.BytesNeeded, Length);
    EXPECT_LE(R.BytesNeeded, Head.size());
  }
  EXPECT_EQ(outcome(Head), LayoutReading::Read);
}

TEST(MachOLayoutTest, IsNothingElse) {
  EXPECT_EQ(outcome(std::string(4096, 'x')), LayoutReading::Unknown);
  EXPECT_EQ(outcome("", 0), LayoutReading::Unknown);
  EXPECT_EQ(outcome("\xcf\xfa\xed", 3), LayoutReading::Unknown);
  // A header cut off, and a kind of file that is no input.
  EXPECT_EQ(outcome(MachOWriter().head().substr(0, 20), 20),
            LayoutReading::Unknown);
  EXPECT_EQ(outcome(MachOWriter(true, false, 0, MachO::MH_CORE).head()),
            LayoutReading::Unknown);
}

TEST(MachOLayoutTest, NothingReachesPastTheEnd) {
  MachOWriter W;
  W.segment({{"__TEXT", "__text", 1000, 0xffffffff, 0xfffffff0, 0xffffffff},
             {"__DATA", "__data", 0xffffffff, 0xffffffff},
             {"__DWARF", "__debug_info", 4999, 0xffffffff}});
  W.symbols(2000, 0xffffffff, 0xfffffffe, 0xffffffff);
  EXPECT_THAT(parts(W, 5000),
              ElementsAre(LayoutPart{{1000, 4000}, PartKind::ParsedContents}));
}

TEST(MachOLayoutTest, OverlapsAreCut) {
  MachOWriter W;
  W.segment({{"__TEXT", "a", 1000, 500}, {"__TEXT", "b", 1200, 1000}});
  W.symbols(1100, 2, 2100, 500);
  EXPECT_THAT(parts(W),
              ElementsAre(LayoutPart{{1000, 1200}, PartKind::Contents},
                          LayoutPart{{2200, 400}, PartKind::Symbols}));
}

TEST(MachOLayoutTest, ImpossibleCommandsAreNoLayout) {
  // No command at all is none too few.
  EXPECT_EQ(outcome(MachOWriter().head()), LayoutReading::Read);
  EXPECT_EQ(outcome(MachOWriter().raw(MachO::LC_UUID, 0).head()),
            LayoutReading::Unknown);
  EXPECT_EQ(outcome(MachOWriter().raw(MachO::LC_UUID, 7).head()),
            LayoutReading::Unknown);
  EXPECT_EQ(outcome(MachOWriter().raw(MachO::LC_UUID, 9).head()),
            LayoutReading::Unknown);
  // Too short for what they are.
  for (uint32_t Command :
       {uint32_t(MachO::LC_SEGMENT_64), uint32_t(MachO::LC_SYMTAB),
        uint32_t(MachO::LC_DATA_IN_CODE)})
    EXPECT_EQ(outcome(MachOWriter().raw(Command, 8).head()),
              LayoutReading::Unknown);
  for (uint32_t Command : {uint32_t(MachO::LC_DYLD_INFO_ONLY),
                           uint32_t(MachO::LC_DYLD_EXPORTS_TRIE)})
    EXPECT_EQ(outcome(MachOWriter(true, false, 0, MachO::MH_DYLIB)
                          .raw(Command, 8)
                          .head()),
              LayoutReading::Unknown);
  // More commands, and more bytes of them, than there are.
  MachOWriter W;
  W.symbols(1000, 1, 2000, 1);
  EXPECT_EQ(outcome(W.head(/*CountMore=*/0xfffffff0)), LayoutReading::Unknown);
  EXPECT_EQ(outcome(W.head(0, /*BytesMore=*/0xfffffff0 - 24)),
            LayoutReading::Unknown);
}

TEST(MachOLayoutTest, MoreSectionsThanTheSegmentHoldsAreNoLayout) {
  for (bool Wide : {false, true}) {
    MachOWriter W(Wide);
    W.segment({{"__TEXT", "__text", 1000, 10}});
    std::string Head = W.head();
    // nsects is the last but one word of the segment's command.
    size_t Count = Wide ? 32 + 64 : 28 + 48;
    EXPECT_EQ(outcome(Head), LayoutReading::Read);
    for (char Sections : {'\2', '\xff'}) {
      Head[Count] = Sections;
      EXPECT_EQ(outcome(Head), LayoutReading::Unknown);
    }
    Head.replace(Count, 4, "\xff\xff\xff\xff");
    EXPECT_EQ(outcome(Head), LayoutReading::Unknown);
  }
}

TEST(MachOLayoutTest, PartsAreInOrderWhateverTheFileSays) {
  std::mt19937 Random(7);
  for (int Round = 0; Round != 5000; ++Round) {
    bool Wide = Random() % 2;
    MachOWriter W(Wide, Random() % 2, MachO::CPU_TYPE_X86_64);
    W.segment({{"__TEXT", "__text", 1000, 3000, 9000, 20},
               {"__DWARF", "__debug_info", 4000, 3000, 9500, 20},
               {"__TEXT", "__eh_frame", 7000, 2000}});
    W.symbols(12000, 100, 15000, 900);
    W.linkEdit(MachO::LC_DATA_IN_CODE, 11000, 16);
    std::string Head = W.head();
    for (int I = 0; I != 6; ++I)
      Head[4 + Random() % (Head.size() - 4)] = static_cast<char>(Random());
    LayoutReading R = readMachOLayout(bytes(Head), 20000);
    uint64_t End = 0;
    for (const LayoutPart &P : R.Layout.Parts) {
      EXPECT_GE(P.Range.Offset, End);
      EXPECT_GT(P.Range.Length, 0U);
      End = P.Range.end();
    }
    EXPECT_LE(End, 20000U);
    if (R.Result != LayoutReading::Read) {
      EXPECT_THAT(R.Layout.Parts, IsEmpty());
    }
  }
}

TEST(MachOLayoutTest, ThePhasesAreThoseOfLd64) {
  ObjectLayout L;
  L.Parts = {{{0, 4096}, PartKind::Headers},
             {{1 * Large, 4096}, PartKind::Contents},
             {{2 * Large, 4096}, PartKind::ParsedContents},
             {{3 * Large, 4096}, PartKind::Relocations},
             {{4 * Large, 4096}, PartKind::CompilerInfo},
             {{5 * Large, 4096}, PartKind::DWARF}};
  PlanOptions Options;
  auto Offsets = [&](FetchPhase Phase) {
    std::vector<uint64_t> Result;
    for (const PlannedRange &R : planFile(&L, 6 * Large, Options))
      if (R.Phase == Phase)
        Result.push_back(R.Range.Offset / Large);
    return Result;
  };
  Options.Kind = Flavour::MachO;
  EXPECT_THAT(Offsets(FetchPhase::Parse), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(Offsets(FetchPhase::Contents), ElementsAre(1, 5));
  // -S: no source is named in the output.
  Options.ReadsDWARF = false;
  EXPECT_THAT(Offsets(FetchPhase::Contents), ElementsAre(1));
  Options.Kind = Flavour::COFF;
  EXPECT_THAT(Offsets(FetchPhase::Contents), ElementsAre(1, 3));
}

} // namespace
