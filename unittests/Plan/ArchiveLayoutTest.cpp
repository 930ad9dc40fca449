//===- ArchiveLayoutTest.cpp - The layout of an archive -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ObjectLayout.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;

namespace {

/// A member's header and its bytes.
std::string member(const std::string &Name, size_t Size) {
  std::string M = Name;
  M.resize(48, ' ');
  M += std::to_string(Size);
  M.resize(58, ' ');
  M += "`\n";
  M.append(Size + Size % 2, 'x');
  return M;
}

llvm::ArrayRef<char> bytes(const std::string &S) {
  return {S.data(), S.size()};
}

/// The end of what is read at once, or 0 when there is no layout.
uint64_t indexEnd(const std::string &Archive) {
  LayoutReading R = readLayout(bytes(Archive), Archive.size());
  if (R.Result != LayoutReading::Read)
    return 0;
  EXPECT_EQ(R.Layout.Parts.size(), 1U);
  EXPECT_EQ(R.Layout.Parts[0].Kind, PartKind::Symbols);
  EXPECT_EQ(R.Layout.Parts[0].Range.Offset, 0U);
  return R.Layout.Parts[0].Range.end();
}

TEST(ArchiveLayoutTest, TheIndexesAreReadAtOnceAndTheMembersAreNot) {
  std::string Index = "!<arch>\n" + member("/", 301) + member("//", 77);
  EXPECT_EQ(indexEnd(Index + member("/0", 100000) + member("a.obj/", 5000)),
            Index.size() - 1); // without the byte that makes it even
}

TEST(ArchiveLayoutTest, OfTwoSymbolIndexesTheSecondIsRead) {
  std::string First = "!<arch>\n" + member("/", 301);
  std::string Archive = First + member("/", 500) + member("//", 78);
  std::string Whole = Archive + member("a.obj/", 5000);
  LayoutReading R = readLayout(bytes(Whole), Whole.size());
  ASSERT_EQ(R.Result, LayoutReading::Read);
  ASSERT_EQ(R.Layout.Parts.size(), 2U);
  EXPECT_EQ(R.Layout.Parts[0].Range, (ByteRange{0, 8 + 60}));
  EXPECT_EQ(R.Layout.Parts[1].Range,
            (ByteRange{First.size(), Archive.size() - First.size()}));
}

TEST(ArchiveLayoutTest, IndexesInNoOrderOfAnyWriterStayInTheFile) {
  std::string Index = "!<arch>\n" + member("__.SYMDEF", 186) +
                      member("/", 184) + member("//", 10);
  EXPECT_EQ(indexEnd(Index + member("a.o/", 1000)), Index.size());
}

TEST(ArchiveLayoutTest, GoesFromHeaderToHeader) {
  std::string Archive =
      "!<arch>\n" + member("/", 100000) + member("//", 50) + member("a/", 9);
  ArchiveIndexReader Reader(Archive.size());
  std::vector<uint64_t> Asked;
  for (ByteRange N = Reader.needs(); !N.empty(); N = Reader.needs()) {
    Asked.push_back(N.Offset);
    Reader.give(bytes(Archive).slice(N.Offset, N.Length));
  }
  EXPECT_EQ(Asked, (std::vector<uint64_t>{8, 100068, 100178}));
  ASSERT_EQ(Reader.layout().Parts.size(), 1U);
  EXPECT_EQ(Reader.layout().Parts[0].Range, (ByteRange{0, 100178}));
}

TEST(ArchiveLayoutTest, KnowsTheOtherIndexes) {
  for (const char *Name :
       {"/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "/<ECSYMBOLS>/"}) {
    std::string Index = "!<arch>\n" + member(Name, 300);
    EXPECT_EQ(indexEnd(Index + member("a.o/", 100)), Index.size()) << Name;
  }
}

/// A member in the form of BSD and Darwin: its name opens its body.
std::string longNamed(std::string Name, size_t Size, size_t NameBytes = 20) {
  std::string M = member("#1/" + std::to_string(NameBytes), NameBytes + Size);
  Name.resize(NameBytes, '\0');
  return M.replace(60, NameBytes, Name);
}

TEST(ArchiveLayoutTest, KnowsAnIndexByTheNameBehindItsHeader) {
  for (const char *Name : {"__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64",
                           "__.SYMDEF_64 SORTED"}) {
    std::string Index = "!<arch>\n" + longNamed(Name, 300);
    EXPECT_EQ(indexEnd(Index + longNamed("a_long_name.o", 100)), Index.size())
        << Name;
  }
}

TEST(ArchiveLayoutTest, AMemberWithALongNameIsNoIndex) {
  EXPECT_EQ(indexEnd("!<arch>\n" + longNamed("a_long_name.o", 100)), 8U);
  EXPECT_EQ(indexEnd("!<arch>\n" + longNamed("__.SYM", 100, 500)), 8U);
  // Names that reach past their member or the file.
  EXPECT_EQ(indexEnd("!<arch>\n" + member("#1/99999", 100)), 8U);
  EXPECT_EQ(indexEnd("!<arch>\n" + member("#1/-1", 100)), 8U);
  EXPECT_EQ(indexEnd(("!<arch>\n" + longNamed("__.SYMDEF", 9)).substr(0, 70)),
            8U);
}

TEST(ArchiveLayoutTest, AsksForTheNameBehindAHeader) {
  std::string Archive =
      "!<arch>\n" + longNamed("__.SYMDEF", 1000) + longNamed("a.o", 9, 100);
  ArchiveIndexReader Reader(Archive.size());
  std::vector<ByteRange> Asked;
  for (ByteRange N = Reader.needs(); !N.empty(); N = Reader.needs()) {
    Asked.push_back(N);
    Reader.give(bytes(Archive).slice(N.Offset, N.Length));
  }
  EXPECT_EQ(Asked, (std::vector<ByteRange>{
                       {8, 60}, {68, 20}, {1088, 60}, {1148, 32}}));
  EXPECT_EQ(Reader.membersBegin(), 1088U);
}

TEST(ArchiveLayoutTest, AThinArchiveHasNoMembersInside) {
  std::string Index = "!<thin>\n" + member("/", 300) + member("//", 50);
  // A thin member's size is that of a file elsewhere.
  std::string Thin = Index + member("/0", 0);
  EXPECT_EQ(indexEnd(Thin), Index.size());
}

TEST(ArchiveLayoutTest, AnArchiveWithoutAnIndexAndAnEmptyOne) {
  EXPECT_EQ(indexEnd("!<arch>\n" + member("a.o/", 100)), 8U);
  EXPECT_EQ(indexEnd("!<arch>\n"), 8U);
}

TEST(ArchiveLayoutTest, AsksForMoreOfALongIndex) {
  std::string Archive = "!<arch>\n" + member("/", 100000) + member("a.o/", 100);
  LayoutReading R =
      readLayout(bytes(Archive).take_front(65536), Archive.size());
  EXPECT_EQ(R.Result, LayoutReading::NeedMore);
  EXPECT_EQ(R.BytesNeeded, 8U + 60 + 100000 + 60);
}

TEST(ArchiveLayoutTest, ImpossibleSizesEndTheIndex) {
  std::string Large = "!<arch>\n" + member("/", 10);
  Large.replace(8 + 48, 10, "9999999999");
  EXPECT_EQ(indexEnd(Large), 8U);
  std::string Letters = "!<arch>\n" + member("/", 10);
  Letters.replace(8 + 48, 2, "xx");
  EXPECT_EQ(indexEnd(Letters), 8U);
  std::string Truncated = ("!<arch>\n" + member("/", 500)).substr(0, 200);
  EXPECT_EQ(indexEnd(Truncated), 8U);
  EXPECT_EQ(indexEnd("!<arch>\nshort"), 8U);
}

TEST(ArchiveLayoutTest, StaysWithinTheFileWhateverItSays) {
  std::mt19937 Random(3);
  for (int Round = 0; Round != 2000; ++Round) {
    std::string Archive = "!<arch>\n" + member("/", Random() % 500) +
                          member("//", Random() % 500);
    for (int I = 0; I != 10; ++I)
      Archive[8 + Random() % (Archive.size() - 8)] =
          static_cast<char>("0123456789/ `\nx"[Random() % 15]);
    LayoutReading R = readLayout(bytes(Archive), Archive.size());
    for (const LayoutPart &Part : R.Layout.Parts)
      EXPECT_LE(Part.Range.end(), Archive.size());
  }
}

} // namespace
