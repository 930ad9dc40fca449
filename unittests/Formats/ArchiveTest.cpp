//===- ArchiveTest.cpp - Archives, thin and not ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/Archive.h"
#include "ArchiveTestSupport.h"
#include "FormatsTestSupport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;

namespace {

std::string member(const std::string &Name, size_t Size) {
  return test::member(Name, std::string(Size, 'x'));
}

std::vector<LayoutPart> indexOf(const std::string &Archive) {
  HeadOnly Bytes(Archive);
  return ArchiveReader(Bytes).readIndex();
}

/// The end of the index, which is read in one range.
uint64_t indexEnd(const std::string &Archive) {
  std::vector<LayoutPart> Parts = indexOf(Archive);
  EXPECT_EQ(Parts.size(), 1U);
  EXPECT_EQ(Parts[0].Kind, PartKind::Symbols);
  EXPECT_EQ(Parts[0].Range.Offset, 0U);
  return Parts[0].Range.end();
}

TEST(ArchiveTest, ReadsIndexesInOneRangeWithoutMembers) {
  std::string Index = "!<arch>\n" + member("/", 301) + member("//", 77);
  EXPECT_EQ(indexEnd(Index + member("/0", 100000) + member("a.obj/", 5000)),
            Index.size() - 1); // without the padding byte
}

TEST(ArchiveTest, ReadsSecondOfTwoSymbolIndexes) {
  std::string First = "!<arch>\n" + member("/", 301);
  std::string Archive = First + member("/", 500) + member("//", 78);
  std::string Whole = Archive + member("a.obj/", 5000);
  EXPECT_THAT(
      indexOf(Whole),
      ElementsAre(LayoutPart{{0, 8 + 60}, PartKind::Symbols},
                  LayoutPart{{First.size(), Archive.size() - First.size()},
                             PartKind::Symbols}));
}

TEST(ArchiveTest, UnusualIndexOrderStaysInFile) {
  std::string Index = "!<arch>\n" + member("__.SYMDEF", 186) +
                      member("/", 184) + member("//", 10);
  EXPECT_EQ(indexEnd(Index + member("a.o/", 1000)), Index.size());
}

TEST(ArchiveTest, ReadsOnlyHeaders) {
  std::string Archive =
      "!<arch>\n" + member("/", 100000) + member("//", 50) + member("a/", 9);
  HeadOnly Bytes(Archive);
  ArchiveReader Reader(Bytes);
  EXPECT_EQ(Reader.readIndex().at(0).Range, (ByteRange{0, 100178}));
  EXPECT_EQ(Bytes.Requested, (std::vector<ByteRange>{
                                 {0, 8}, {8, 60}, {100068, 60}, {100178, 60}}));
  std::optional<ArchiveMember> Member = Reader.next();
  ASSERT_TRUE(Member);
  EXPECT_EQ(Member->Kind, ArchiveMember::File);
  EXPECT_EQ(Member->Name, "a/");
  EXPECT_EQ(Member->Header, (ByteRange{100178, 60}));
  EXPECT_EQ(Member->Contents, (ByteRange{100238, 9}));
  EXPECT_FALSE(Reader.next());
}

TEST(ArchiveTest, RecognizesOtherIndexes) {
  for (const char *Name :
       {"/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "/<ECSYMBOLS>/"}) {
    std::string Index = "!<arch>\n" + member(Name, 300);
    EXPECT_EQ(indexEnd(Index + member("a.o/", 100)), Index.size()) << Name;
  }
}

std::string longNamed(const std::string &Name, size_t Size,
                      size_t NameBytes = 20) {
  return longNamedMember(Name, std::string(Size, 'x'), NameBytes);
}

TEST(ArchiveTest, RecognizesIndexByLongName) {
  for (const char *Name : {"__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64",
                           "__.SYMDEF_64 SORTED"}) {
    std::string Index = "!<arch>\n" + longNamed(Name, 300);
    EXPECT_EQ(indexEnd(Index + longNamed("a_long_name.o", 100)), Index.size())
        << Name;
  }
}

TEST(ArchiveTest, LongNamedMemberIsNoIndex) {
  EXPECT_EQ(indexEnd("!<arch>\n" + longNamed("a_long_name.o", 100)), 8U);
  EXPECT_EQ(indexEnd("!<arch>\n" + longNamed("__.SYM", 100, 500)), 8U);
  // Names that end after their member or the file.
  EXPECT_EQ(indexEnd("!<arch>\n" + member("#1/99999", 100)), 8U);
  EXPECT_EQ(indexEnd("!<arch>\n" + member("#1/-1", 100)), 8U);
  EXPECT_EQ(indexEnd(("!<arch>\n" + longNamed("__.SYMDEF", 9)).substr(0, 70)),
            8U);
}

TEST(ArchiveTest, LongNameIsNotPartOfContents) {
  std::string Archive =
      "!<arch>\n" + longNamed("__.SYMDEF", 1000) + longNamed("a.o", 9, 100);
  HeadOnly Bytes(Archive);
  ArchiveReader Reader(Bytes);
  EXPECT_EQ(Reader.next()->Kind, ArchiveMember::SymbolIndex);
  std::optional<ArchiveMember> Member = Reader.next();
  EXPECT_EQ(Member->Name, "a.o");
  EXPECT_EQ(Member->Header, (ByteRange{1088, 160}));
  EXPECT_EQ(Member->Contents, (ByteRange{1248, 9}));
}

TEST(ArchiveTest, ThinArchiveContainsNoMembers) {
  std::string Index = "!<thin>\n" + member("/", 300) + member("//", 50);
  // A thin member's size is that of another file.
  std::string Thin = Index + member("/0", 0);
  EXPECT_EQ(indexEnd(Thin), Index.size());
}

TEST(ArchiveTest, AcceptsArchivesWithoutIndexOrMembers) {
  EXPECT_EQ(indexEnd("!<arch>\n" + member("a.o/", 100)), 8U);
  EXPECT_EQ(indexEnd("!<arch>\n"), 8U);
}

TEST(ArchiveTest, ImpossibleSizesEndIndex) {
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

TEST(ArchiveTest, RandomBytesStayInFile) {
  std::mt19937 Random(3);
  for (int Round = 0; Round != 2000; ++Round) {
    std::string Archive = "!<arch>\n" + member("/", Random() % 500) +
                          member("//", Random() % 500);
    for (int I = 0; I != 10; ++I)
      Archive[8 + Random() % (Archive.size() - 8)] =
          static_cast<char>("0123456789/ `\nx"[Random() % 15]);
    for (const LayoutPart &Part : indexOf(Archive))
      EXPECT_LE(Part.Range.end(), Archive.size());
  }
}

} // namespace
