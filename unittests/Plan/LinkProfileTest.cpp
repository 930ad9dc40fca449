//===- LinkProfileTest.cpp - Profiles, written and read back --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/LinkProfile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;
using testing::HasSubstr;

namespace {

LinkProfile someProfile() {
  LinkProfile P;
  P.Tool = "lld-link";
  P.Output = "out/game.exe";
  P.Settings = "codeview";
  P.Recorded = 1800000000;
  P.PeakBytes = 3000000000;
  P.Names = {1, 300, UINT64_MAX};
  P.Files = {{"obj/a.obj",
              {100000, 1700000000123456789},
              {{0, 4096}, {8192, 4096}, {99000, 1000}},
              {}},
             {"obj/planned.obj",
              {100000, 1},
              {{0, 8192}, {12288, 100}},
              {{{4096, 4096}, LinkStage::Parse, PartKind::Symbols},
               {{12288, 100}, LinkStage::Parse, PartKind::Headers},
               {{0, 4096}, LinkStage::Types, PartKind::Types}}},
             {"obj/with \xff bytes.obj", {10, -5}, {}, {}},
             {"", {UINT64_MAX, INT64_MIN}, {{UINT64_MAX - 1, 1}}, {}}};
  return P;
}

std::string problemOf(llvm::StringRef Bytes) {
  llvm::Expected<LinkProfile> P = parseProfile(Bytes);
  if (P)
    return "";
  return llvm::toString(P.takeError());
}

/// Adds a valid checksum to changed bytes, so that the parser reads them.
std::string resealed(std::string Bytes) {
  Bytes.resize(Bytes.size() - 8);
  char Sum[8];
  llvm::support::endian::write64le(Sum, llvm::xxh3_64bits(Bytes));
  return Bytes + std::string(Sum, 8);
}

TEST(LinkProfileTest, RoundTrips) {
  LinkProfile P = someProfile();
  llvm::Expected<LinkProfile> Q = parseProfile(serializeProfile(P));
  ASSERT_TRUE(bool(Q)) << llvm::toString(Q.takeError());
  EXPECT_EQ(Q->Tool, P.Tool);
  EXPECT_EQ(Q->Output, P.Output);
  EXPECT_EQ(Q->Settings, P.Settings);
  EXPECT_EQ(Q->Names, P.Names);
  EXPECT_EQ(Q->Recorded, P.Recorded);
  EXPECT_EQ(Q->PeakBytes, P.PeakBytes);
  ASSERT_EQ(Q->Files.size(), P.Files.size());
  for (size_t I = 0; I != P.Files.size(); ++I) {
    EXPECT_EQ(Q->Files[I].Path, P.Files[I].Path);
    EXPECT_EQ(Q->Files[I].Version, P.Files[I].Version);
    EXPECT_EQ(Q->Files[I].Touched, P.Files[I].Touched);
    ASSERT_EQ(Q->Files[I].Plan.size(), P.Files[I].Plan.size());
    for (size_t J = 0; J != P.Files[I].Plan.size(); ++J) {
      EXPECT_EQ(Q->Files[I].Plan[J].Range, P.Files[I].Plan[J].Range);
      EXPECT_EQ(Q->Files[I].Plan[J].Stage, P.Files[I].Plan[J].Stage);
      EXPECT_EQ(Q->Files[I].Plan[J].Why, P.Files[I].Plan[J].Why);
    }
  }
  EXPECT_EQ(Q->touchedBytes(), 4096U + 4096 + 1000 + 8192 + 100 + 1);
}

TEST(LinkProfileTest, RoundTripsEmptyProfile) {
  EXPECT_TRUE(bool(parseProfile(serializeProfile({}))));
}

TEST(LinkProfileTest, RoundTripsManyFiles) {
  LinkProfile P;
  P.Files.resize(300'000); // the shortest entries
  llvm::Expected<LinkProfile> Q = parseProfile(serializeProfile(P));
  ASSERT_TRUE(bool(Q)) << llvm::toString(Q.takeError());
  EXPECT_EQ(Q->Files.size(), P.Files.size());
}

TEST(LinkProfileTest, RefusesForeignAndTruncatedFiles) {
  EXPECT_THAT(problemOf(""), HasSubstr("not a profile"));
  EXPECT_THAT(problemOf("!<arch>\n"), HasSubstr("not a profile"));
  std::string Bytes = serializeProfile(someProfile());
  for (size_t Length = 0; Length != Bytes.size(); ++Length)
    EXPECT_NE(problemOf(llvm::StringRef(Bytes).take_front(Length)), "");
  EXPECT_THAT(problemOf(Bytes + "x"), HasSubstr("checksum"));
}

TEST(LinkProfileTest, RefusesEveryChangedByte) {
  std::string Bytes = serializeProfile(someProfile());
  for (size_t I = 0; I != Bytes.size(); ++I) {
    std::string Changed = Bytes;
    Changed[I] = static_cast<char>(Changed[I] ^ 0x40);
    EXPECT_NE(problemOf(Changed), "") << I;
  }
}

TEST(LinkProfileTest, RefusesRangesOutsideFile) {
  LinkProfile P = someProfile();
  P.Files[0].Touched.push_back({100000, 1});
  EXPECT_THAT(
      problemOf(serializeProfile(P)),
      testing::AllOf(HasSubstr("outside of its file"), HasSubstr("at byte")));
}

TEST(LinkProfileTest, RefusesInvalidPlan) {
  auto With = [](PlannedRange Last) {
    LinkProfile P = someProfile();
    P.Files[1].Plan.push_back(Last);
    return problemOf(serializeProfile(P));
  };
  EXPECT_EQ(With({{4096, 1}, LinkStage::Types, PartKind::Types}), "");
  EXPECT_THAT(With({{100000, 1}, LinkStage::Types, PartKind::Types}),
              HasSubstr("outside of its file"));
  EXPECT_THAT(With({{4095, 1}, LinkStage::Types, PartKind::Types}),
              HasSubstr("out of order"));
  EXPECT_THAT(With({{50000, 1}, LinkStage::Parse, PartKind::Types}),
              HasSubstr("out of order"));
  EXPECT_THAT(With({{50000, 1}, LinkStage(NumFirstStages), PartKind::Types}),
              HasSubstr("unknown stage or kind"));
  EXPECT_THAT(With({{50000, 1}, LinkStage::Types, PartKind(NumPartKinds)}),
              HasSubstr("unknown stage or kind"));
}

TEST(LinkProfileTest, KeepsNumbersOfStoredKinds) {
  // A renumbered kind misreads the profiles of earlier builds, unless `Magic`
  // changes too.
  constexpr PartKind Kinds[] = {PartKind::Whole,
                                PartKind::Headers,
                                PartKind::Symbols,
                                PartKind::CompilerInfo,
                                PartKind::Contents,
                                PartKind::ParsedContents,
                                PartKind::Relocations,
                                PartKind::Types,
                                PartKind::DebugSymbols,
                                PartKind::DebugRelocs,
                                PartKind::TypeHashes,
                                PartKind::DWARF,
                                PartKind::DebugStrings,
                                PartKind::NeverRead,
                                PartKind::FoldableContents,
                                PartKind::Bitcode,
                                PartKind::BitcodeMetadata};
  static_assert(std::size(Kinds) == NumPartKinds);
  for (size_t I = 0; I != NumPartKinds; ++I) {
    LinkProfile P;
    P.Files = {{"a", {1, 1}, {}, {{{0, 1}, LinkStage::Types, Kinds[I]}}}};
    const std::string Bytes = serializeProfile(P);
    EXPECT_EQ(Bytes[Bytes.size() - 9], char(I)); // before the checksum
  }
}

TEST(LinkProfileTest, RefusesUnterminatedNumber) {
  std::string Bytes =
      "headstart profile 7\n" + std::string(200, '\x80') + std::string(8, 'x');
  EXPECT_THAT(problemOf(resealed(Bytes)), HasSubstr("malformed"));
}

TEST(LinkProfileTest, SurvivesRandomBytes) {
  std::mt19937 Random(5);
  std::string Bytes = serializeProfile(someProfile());
  unsigned Read = 0;
  for (int Round = 0; Round != 20000; ++Round) {
    std::string Changed = Bytes;
    for (int I = 0; I != 4; ++I)
      Changed[20 + Random() % (Changed.size() - 28)] =
          static_cast<char>(Random());
    llvm::Expected<LinkProfile> P = parseProfile(resealed(Changed));
    if (!P) {
      llvm::consumeError(P.takeError());
      continue;
    }
    ++Read;
    for (const RecordedFile &F : P->Files) {
      uint64_t End = 0;
      for (const ByteRange &R : F.Touched) {
        EXPECT_GE(R.Offset, End);
        EXPECT_LE(R.Length, F.Version.Size - R.Offset);
        End = R.end();
      }
    }
  }
  EXPECT_GT(Read, 0U); // some changes are harmless
}

TEST(LinkProfileTest, RecognizesAnotherLinkOfSameOutput) {
  auto Of = [](std::vector<std::string> Names) {
    LinkCommand Command;
    for (std::string &Name : Names) {
      Command.Inputs.emplace_back();
      Command.Inputs.back().Name = std::move(Name);
    }
    return Command;
  };
  LinkProfile P;
  P.Names = namesOf(Of({"main.o", "game", "main.o"}));
  EXPECT_EQ(P.Names.size(), 2U);
  EXPECT_TRUE(isRecordOf(P, Of({"game", "main.o"})));
  EXPECT_TRUE(isRecordOf(P, Of({"other.o", "game", "main.o"})));
  EXPECT_FALSE(isRecordOf(P, Of({"main.o"})));
  EXPECT_FALSE(isRecordOf(P, Of({"main.o", "other.o"})));
  EXPECT_FALSE(isRecordOf(P, Of({})));

  // Many names are sampled: one in ten is new in Edited, most are in Others.
  std::vector<std::string> Then, Edited, Others;
  for (int I = 0; I != 5000; ++I) {
    Then.push_back(std::to_string(I) + ".o");
    Edited.push_back(std::to_string(I) + (I % 10 ? ".o" : ".obj"));
    Others.push_back(std::to_string(I) + (I % 10 ? ".obj" : ".o"));
  }
  P.Names = namesOf(Of(Then));
  EXPECT_EQ(P.Names.size(), 256U);
  EXPECT_TRUE(isRecordOf(P, Of(Edited)));
  EXPECT_FALSE(isRecordOf(P, Of(Others)));

  // A command line that named no input (a script did) must not name one now.
  P.Names.clear();
  EXPECT_TRUE(isRecordOf(P, Of({})));
  EXPECT_FALSE(isRecordOf(P, Of({"main.o"})));
}

} // namespace
