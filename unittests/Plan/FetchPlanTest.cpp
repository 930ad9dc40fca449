//===- FetchPlanTest.cpp - From layouts to ranges in the order of need ----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace headstart;
using testing::ElementsAre;
using testing::IsEmpty;

namespace headstart {
static void PrintTo(const PlannedRange &R, std::ostream *OS) {
  *OS << "phase " << int(R.Stage) << " [" << R.Range.Offset << ", "
      << R.Range.end() << ")";
}
} // namespace headstart

namespace {

constexpr uint64_t KiB = 1024;
constexpr uint64_t MiB = 1024 * KiB;

MATCHER_P3(IsRange, Stage, Offset, End, "") {
  return arg.Stage == Stage && arg.Range.Offset == Offset &&
         arg.Range.end() == End;
}

/// An invented object of 4 MiB: headers, code, CodeView, symbols at the end.
std::vector<LayoutPart> largeObject() {
  std::vector<LayoutPart> L = {{{0, 100 * KiB}, PartKind::Headers},
                               {{100 * KiB, 924 * KiB}, PartKind::Contents},
                               {{1 * MiB, 1 * MiB}, PartKind::DebugSymbols},
                               {{2 * MiB, 1 * MiB}, PartKind::Types},
                               {{3 * MiB, 1 * MiB}, PartKind::Symbols}};
  return L;
}

TEST(FetchPlanTest, FileWithoutLayoutIsPlannedFirst) {
  EXPECT_THAT(planFile({}, 10 * MiB + 1, {}),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 10 * MiB + 1)));
}

TEST(FetchPlanTest, EmptyFileHasEmptyPlan) {
  EXPECT_THAT(planFile({}, 0, {}), IsEmpty());
}

TEST(FetchPlanTest, SmallFileIsPlannedWhole) {
  std::vector<LayoutPart> L = {{{0, 60}, PartKind::Headers},
                               {{5000, 100}, PartKind::Types}};
  EXPECT_THAT(planFile(L, 128 * KiB, {}),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 128 * KiB)));
  EXPECT_EQ(planFile(L, 129 * KiB, {}).size(), 2U);
}

TEST(FetchPlanTest, OrdersRangesByStage) {
  std::vector<LayoutPart> L = largeObject();
  PlanOptions Options;
  Options.MergeGapBytes = 0;
  EXPECT_THAT(planFile(L, 4 * MiB, Options),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 100 * KiB),
                          IsRange(LinkStage::Parse, 3 * MiB, 4 * MiB),
                          IsRange(LinkStage::Contents, 100 * KiB, 1 * MiB),
                          IsRange(LinkStage::Types, 2 * MiB, 3 * MiB),
                          IsRange(LinkStage::DebugSymbols, 1 * MiB, 2 * MiB)));
}

TEST(FetchPlanTest, OmitsCodeViewWithoutPDB) {
  std::vector<LayoutPart> L = largeObject();
  PlanOptions Options;
  Options.ReadsCodeView = false;
  EXPECT_THAT(planFile(L, 4 * MiB, Options),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 100 * KiB),
                          IsRange(LinkStage::Parse, 3 * MiB, 4 * MiB),
                          IsRange(LinkStage::Contents, 100 * KiB, 1 * MiB)));
}

TEST(FetchPlanTest, MarkingLiveSectionsReadsDebugRelocations) {
  std::vector<LayoutPart> L = {{{100 * KiB, 8 * KiB}, PartKind::DebugSymbols},
                               {{200 * KiB, 8 * KiB}, PartKind::DebugRelocs}};
  PlanOptions Options;
  Options.ReadsCodeView = false;
  EXPECT_THAT(planFile(L, 1 * MiB, Options), IsEmpty());
  Options.DropsUnreferenced = true;
  EXPECT_THAT(planFile(L, 1 * MiB, Options),
              ElementsAre(IsRange(LinkStage::Contents, 200 * KiB, 208 * KiB)));
  Options.ReadsCodeView = true;
  EXPECT_THAT(
      planFile(L, 1 * MiB, Options),
      ElementsAre(IsRange(LinkStage::Contents, 200 * KiB, 208 * KiB),
                  IsRange(LinkStage::DebugSymbols, 100 * KiB, 108 * KiB)));
}

TEST(FetchPlanTest, ELFContentsFollowRelocationsAndDWARF) {
  std::vector<LayoutPart> L = {{{0, 64 * KiB}, PartKind::Contents},
                               {{200 * KiB, 8 * KiB}, PartKind::DWARF},
                               {{300 * KiB, 8 * KiB}, PartKind::ParsedContents},
                               {{400 * KiB, 8 * KiB}, PartKind::Relocations}};
  PlanOptions Options;
  Options.Kind = Flavour::ELF;
  EXPECT_THAT(planFile(L, 1 * MiB, Options),
              ElementsAre(IsRange(LinkStage::Contents, 300 * KiB, 308 * KiB),
                          IsRange(LinkStage::Contents, 400 * KiB, 408 * KiB),
                          IsRange(LinkStage::Types, 200 * KiB, 208 * KiB),
                          IsRange(LinkStage::DebugSymbols, 0U, 64 * KiB)));
  // One thread copies the sections in the order of the output.
  Options.HasOneThread = true;
  EXPECT_THAT(
      planFile(L, 1 * MiB, Options),
      ElementsAre(IsRange(LinkStage::Contents, 300 * KiB, 308 * KiB),
                  IsRange(LinkStage::Contents, 400 * KiB, 408 * KiB),
                  IsRange(LinkStage::Types, 0U, 64 * KiB),
                  IsRange(LinkStage::DebugSymbols, 200 * KiB, 208 * KiB)));
}

TEST(FetchPlanTest, ELFSectionsThatMayBeFoldedAreReadFirst) {
  std::vector<LayoutPart> L = {{{0, 64 * KiB}, PartKind::FoldableContents},
                               {{200 * KiB, 8 * KiB}, PartKind::Contents}};
  PlanOptions Options;
  Options.Kind = Flavour::ELF;
  for (bool Folds : {false, true}) {
    Options.FoldsContents = Folds;
    EXPECT_THAT(
        planFile(L, 1 * MiB, Options),
        ElementsAre(
            IsRange(Folds ? LinkStage::Contents : LinkStage::DebugSymbols, 0U,
                    64 * KiB),
            IsRange(LinkStage::DebugSymbols, 200 * KiB, 208 * KiB)));
  }
}

TEST(FetchPlanTest, CompiledBitcodeHasMetadata) {
  std::vector<LayoutPart> L = {
      {{0, 64}, PartKind::Symbols},
      {{64, 64 * KiB - 64}, PartKind::Bitcode},
      {{64 * KiB, 600 * KiB}, PartKind::BitcodeMetadata},
      {{664 * KiB, 300 * KiB}, PartKind::Bitcode},
      {{964 * KiB, 60 * KiB}, PartKind::Symbols}};
  for (Flavour Kind : {Flavour::COFF, Flavour::ELF, Flavour::MachO}) {
    PlanOptions Options;
    Options.Kind = Kind;
    EXPECT_THAT(planFile(L, 1 * MiB, Options),
                ElementsAre(IsRange(LinkStage::Parse, 0U, 4 * KiB),
                            IsRange(LinkStage::Parse, 964 * KiB, 1 * MiB),
                            IsRange(LinkStage::Contents, 4 * KiB, 964 * KiB)));
    Options.HasLTOCache = true;
    EXPECT_THAT(
        planFile(L, 1 * MiB, Options),
        ElementsAre(IsRange(LinkStage::Parse, 0U, 4 * KiB),
                    IsRange(LinkStage::Parse, 964 * KiB, 1 * MiB),
                    IsRange(LinkStage::Contents, 4 * KiB, 64 * KiB),
                    IsRange(LinkStage::Contents, 664 * KiB, 964 * KiB)));
  }
}

TEST(FetchPlanTest, ClosesSmallGaps) {
  std::vector<LayoutPart> L = {{{0, 8 * KiB}, PartKind::Headers},
                               {{24 * KiB, 8 * KiB}, PartKind::Symbols},
                               {{900 * KiB, 8 * KiB}, PartKind::Symbols}};
  EXPECT_THAT(planFile(L, 1 * MiB, {}),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 32 * KiB),
                          IsRange(LinkStage::Parse, 900 * KiB, 908 * KiB)));
}

TEST(FetchPlanTest, RoundsToPagesWithinFile) {
  std::vector<LayoutPart> L = {{{5000, 100}, PartKind::Symbols},
                               {{1 * MiB + 10, 50}, PartKind::Types}};
  EXPECT_THAT(planFile(L, 1 * MiB + 60, {}),
              ElementsAre(IsRange(LinkStage::Parse, 4096U, 8192U),
                          IsRange(LinkStage::Types, 1 * MiB, 1 * MiB + 60)));
}

TEST(FetchPlanTest, SharedPageIsPlannedInEarlierStage) {
  std::vector<LayoutPart> L = {{{0, 10000}, PartKind::Headers},
                               {{10000, 1 * MiB}, PartKind::Contents}};
  EXPECT_THAT(planFile(L, 2 * MiB, {}),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 12288U),
                          IsRange(LinkStage::Contents, 12288U,
                                  (10000 + 1 * MiB + 4095) / 4096 * 4096)));
}

TEST(FetchPlanTest, EarlierStageSplitsLaterRange) {
  std::vector<LayoutPart> L = {{{0, 400 * KiB}, PartKind::Contents},
                               {{400 * KiB, 4 * KiB}, PartKind::Symbols},
                               {{404 * KiB, 400 * KiB}, PartKind::Contents}};
  EXPECT_THAT(planFile(L, 1 * MiB, {}),
              ElementsAre(IsRange(LinkStage::Parse, 400 * KiB, 404 * KiB),
                          IsRange(LinkStage::Contents, 0U, 400 * KiB),
                          IsRange(LinkStage::Contents, 404 * KiB, 804 * KiB)));
}

/// The parameter is the page size.
class FetchPlanPagesTest : public testing::TestWithParam<uint64_t> {
protected:
  const uint64_t Page = GetParam();
  PlanOptions Options;
  FetchPlanPagesTest() { Options.PageBytes = Page; }

  /// Expects that the ranges of \p Plan are whole pages, each at most once.
  void expectPagesOnce(const std::vector<PlannedRange> &Plan,
                       uint64_t FileSize) const {
    uint64_t Bytes = 0;
    for (const PlannedRange &R : Plan) {
      EXPECT_EQ(R.Range.Offset % Page, 0U);
      EXPECT_TRUE(R.Range.end() % Page == 0 || R.Range.end() == FileSize);
      Bytes += R.Range.Length;
    }
    EXPECT_EQ(Bytes, bytesOf(rangesOf(Plan)));
  }
};

INSTANTIATE_TEST_SUITE_P(Sizes, FetchPlanPagesTest,
                         testing::Values(4 * KiB, 16 * KiB, 64 * KiB));

TEST_P(FetchPlanPagesTest, PlansEveryNeededByteOnce) {
  // The kinds of parts in a COFF object.
  constexpr PartKind Kinds[] = {
      PartKind::Headers,     PartKind::Symbols,      PartKind::CompilerInfo,
      PartKind::Contents,    PartKind::Relocations,  PartKind::Types,
      PartKind::DebugRelocs, PartKind::DebugSymbols, PartKind::TypeHashes,
      PartKind::DWARF,       PartKind::NeverRead};
  std::mt19937 Random(7);
  for (int Round = 0; Round != 300; ++Round) {
    std::vector<LayoutPart> L;
    uint64_t Offset = 0;
    for (int I = 0; I != 40; ++I) {
      Offset += Random() % (64 * KiB);
      uint64_t Length = 1 + Random() % (96 * KiB);
      L.push_back({{Offset, Length}, Kinds[Random() % std::size(Kinds)]});
      Offset += Length;
    }
    Options.ReadsCodeView = Round % 2;
    std::vector<PlannedRange> Plan = planFile(L, Offset, Options);
    std::vector<int> Times(Offset / Page + 1, 0);
    expectPagesOnce(Plan, Offset);
    LinkStage Last = LinkStage::Parse;
    for (const PlannedRange &R : Plan) {
      EXPECT_GE(R.Stage, Last);
      Last = R.Stage;
      EXPECT_LE(R.Range.end(), Offset);
      for (uint64_t P = R.Range.Offset; P < R.Range.end(); P += Page)
        ++Times[P / Page];
    }
    for (int T : Times)
      EXPECT_LE(T, 1);
    for (const LayoutPart &P : L) {
      bool CodeView =
          P.Kind == PartKind::Types || P.Kind == PartKind::DebugSymbols ||
          P.Kind == PartKind::DebugRelocs || P.Kind == PartKind::TypeHashes;
      if (P.Kind == PartKind::NeverRead || (CodeView && !Options.ReadsCodeView))
        continue;
      for (uint64_t B = P.Range.Offset; B < P.Range.end(); B += Page)
        EXPECT_EQ(Times[B / Page], 1);
      EXPECT_EQ(Times[(P.Range.end() - 1) / Page], 1);
    }
  }
}

/// The number of bytes in \p Plan, whose ranges do not overlap.
uint64_t planned(const std::vector<PlannedRange> &Plan) {
  return bytesOf(rangesOf(Plan));
}

TEST_P(FetchPlanPagesTest, RoundsProfileOfOtherPageSize) {
  Options.MergeGapBytes = 0;
  std::mt19937 Random(11);
  for (int Round = 0; Round != 200; ++Round) {
    // A profile from a system with pages of 4 KiB.
    const uint64_t FileSize = 4 * MiB + 1 + Random() % (64 * KiB);
    std::vector<ByteRange> Touched, Early;
    for (uint64_t At = Random() % 16; At < 1024; At += 2 + Random() % 40)
      Touched.push_back({At * 4 * KiB, 4 * KiB});
    Touched.push_back({FileSize - 1, 1});
    std::vector<PlannedRange> Recorded;
    for (const ByteRange &R : Touched)
      if (Random() % 2) {
        Early.push_back(R);
        Recorded.push_back({R, LinkStage::Parse});
      }
    for (const ByteRange &R : Touched)
      if (!llvm::is_contained(Early, R))
        Recorded.push_back({R, LinkStage::Contents});
    // Each touched page, and no other.
    std::set<uint64_t> Pages;
    for (const ByteRange &R : Touched)
      Pages.insert(R.Offset / Page);
    uint64_t Expected = 0;
    for (uint64_t P : Pages)
      Expected += std::min((P + 1) * Page, FileSize) - P * Page;
    const std::vector<PlannedRange> Rounded =
        roundToPages(Recorded, FileSize, Options);
    for (const std::vector<PlannedRange> &Plan :
         {Rounded, restrictPlan({}, Touched, FileSize, Options),
          restrictPlan(Rounded, Touched, FileSize, Options),
          cutPlan(planFile({}, FileSize, Options), Touched, FileSize,
                  Options)}) {
      expectPagesOnce(Plan, FileSize);
      EXPECT_EQ(bytesOf(without(Touched, rangesOf(Plan))), 0U);
      EXPECT_EQ(planned(Plan), Expected);
    }
    // A page that two stages touch is planned in the earlier one.
    uint64_t First = 0;
    for (const PlannedRange &R : Rounded)
      First += R.Stage == LinkStage::Parse ? R.Range.Length : 0;
    EXPECT_EQ(First, planned(restrictPlan({}, Early, FileSize, Options)));
  }
}

TEST(FetchPlanTest, ProfileOmitsUntouchedRanges) {
  std::vector<LayoutPart> L = largeObject();
  PlanOptions Options;
  Options.MergeGapBytes = 64 * KiB;
  std::vector<PlannedRange> Plan = planFile(L, 4 * MiB, Options);
  std::vector<ByteRange> Touched = {{0, 100 * KiB},
                                    {200 * KiB, 4 * KiB},
                                    {240 * KiB, 4 * KiB},
                                    {800 * KiB, 4 * KiB},
                                    {3 * MiB, 1 * MiB}};
  EXPECT_THAT(restrictPlan(Plan, Touched, 4 * MiB, Options),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 100 * KiB),
                          IsRange(LinkStage::Parse, 3 * MiB, 4 * MiB),
                          IsRange(LinkStage::Contents, 200 * KiB, 244 * KiB),
                          IsRange(LinkStage::Contents, 800 * KiB, 804 * KiB)));
}

TEST(FetchPlanTest, ProfileAddsUnplannedRanges) {
  // The layout gives an archive's index, the profile gives its members.
  std::vector<LayoutPart> L = {{{0, 400 * KiB}, PartKind::Symbols}};
  PlanOptions Options;
  Options.MergeGapBytes = 4 * KiB;
  std::vector<PlannedRange> Plan = planFile(L, 4 * MiB, Options);
  EXPECT_THAT(
      restrictPlan(Plan,
                   std::vector<ByteRange>{{0, 500 * KiB}, {2 * MiB, 64 * KiB}},
                   4 * MiB, Options),
      ElementsAre(IsRange(LinkStage::Parse, 0U, 500 * KiB),
                  IsRange(LinkStage::Parse, 2 * MiB, 2 * MiB + 64 * KiB)));
}

TEST(FetchPlanTest, ClosesGapsAroundPlannedRanges) {
  // Touched bytes before, between and after the plan's ranges.
  std::vector<LayoutPart> L = {{{100 * KiB, 8 * KiB}, PartKind::Symbols},
                               {{140 * KiB, 8 * KiB}, PartKind::Symbols}};
  PlanOptions Options;
  Options.MergeGapBytes = 0;
  std::vector<PlannedRange> Plan = planFile(L, 4 * MiB, Options);
  Options.MergeGapBytes = 64 * KiB;
  EXPECT_THAT(restrictPlan(Plan,
                           std::vector<ByteRange>{{96 * KiB, 4 * KiB},
                                                  {100 * KiB, 8 * KiB},
                                                  {120 * KiB, 4 * KiB},
                                                  {140 * KiB, 8 * KiB},
                                                  {160 * KiB, 4 * KiB}},
                           4 * MiB, Options),
              ElementsAre(IsRange(LinkStage::Parse, 96 * KiB, 164 * KiB)));
}

TEST(FetchPlanTest, EmptyProfileHasEmptyPlan) {
  std::vector<LayoutPart> L = largeObject();
  EXPECT_THAT(restrictPlan(planFile(L, 4 * MiB, {}), {}, 4 * MiB, {}),
              IsEmpty());
}

TEST(FetchPlanTest, CountsUnnecessaryBytes) {
  std::vector<ByteRange> Fetched = {{0, 100}, {200, 100}};
  EXPECT_EQ(bytesOf(Fetched), 200U);
  EXPECT_EQ(bytesOf(without(Fetched, std::vector<ByteRange>{{0, 300}})), 0U);
  EXPECT_EQ(bytesOf(without(Fetched, std::vector<ByteRange>{{50, 170}})), 130U);
}

TEST(FetchPlanTest, MachOUsesStagesOfLd64) {
  constexpr uint64_t Large = 1 << 20;
  std::vector<LayoutPart> Parts = {
      {{0, 4096}, PartKind::Headers},
      {{1 * Large, 4096}, PartKind::Contents},
      {{2 * Large, 4096}, PartKind::ParsedContents},
      {{3 * Large, 4096}, PartKind::Relocations},
      {{4 * Large, 4096}, PartKind::CompilerInfo},
      {{5 * Large, 4096}, PartKind::DWARF}};
  PlanOptions Options;
  auto Offsets = [&](LinkStage Stage) {
    std::vector<uint64_t> Result;
    for (const PlannedRange &R : planFile(Parts, 6 * Large, Options))
      if (R.Stage == Stage)
        Result.push_back(R.Range.Offset / Large);
    return Result;
  };
  Options.Kind = Flavour::MachO;
  EXPECT_THAT(Offsets(LinkStage::Parse), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(Offsets(LinkStage::Contents), ElementsAre(1, 5));
  // With -S, the output names no source.
  Options.ReadsDWARF = false;
  EXPECT_THAT(Offsets(LinkStage::Contents), ElementsAre(1));
  Options.Kind = Flavour::COFF;
  EXPECT_THAT(Offsets(LinkStage::Contents), ElementsAre(1, 3));
}

TEST(FetchPlanTest, ExpensiveRequestsCloseGaps) {
  const std::vector<PlannedRange> Plan = {
      {{0, 8 * KiB}, LinkStage::Parse},
      {{64 * KiB, 8 * KiB}, LinkStage::Parse},
      {{512 * KiB, 8 * KiB}, LinkStage::Parse},
      {{72 * KiB, 16 * KiB}, LinkStage::Contents},
      {{520 * KiB, 900 * KiB}, LinkStage::Contents}};
  EXPECT_THAT(coalesceRanges(Plan, 100 * KiB),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 88 * KiB),
                          IsRange(LinkStage::Parse, 512 * KiB, 520 * KiB),
                          // Too many bytes to read early for a request.
                          IsRange(LinkStage::Contents, 520 * KiB, 1420 * KiB)));
  EXPECT_EQ(5U, coalesceRanges(Plan, 0).size());
  EXPECT_THAT(coalesceRanges(Plan, 1 * MiB),
              ElementsAre(IsRange(LinkStage::Parse, 0U, 1420 * KiB)));
  EXPECT_THAT(coalesceRanges({}, 1 * MiB), IsEmpty());
}

TEST(FetchPlanTest, DoesNotCoalesceOptionalMembers) {
  std::vector<PlannedRange> Plan = {
      {{0, 8 * KiB}, LinkStage::Contents, PartKind::Contents, 1},
      {{8 * KiB, 8 * KiB}, LinkStage::Contents, PartKind::Contents, 2}};
  EXPECT_EQ(2U, coalesceRanges(Plan, 1 * MiB).size());
}

} // namespace
