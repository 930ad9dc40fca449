//===- MachOPartsTest.cpp - Any input of ld64.lld -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveTestSupport.h"
#include "MachOTestSupport.h"
#include "headstart/Formats/MachO.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;
using namespace headstart::test;
using namespace llvm;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr uint32_t X86 = MachO::CPU_TYPE_X86_64;
constexpr uint32_t X86All = MachO::CPU_SUBTYPE_X86_64_ALL;
constexpr uint32_t Arm = MachO::CPU_TYPE_ARM64;
constexpr uint32_t ArmAll = MachO::CPU_SUBTYPE_ARM64_ALL;
constexpr uint32_t ArmE = MachO::CPU_SUBTYPE_ARM64E;

std::optional<ByteRange> find(const std::string &Head, StringRef Arch,
                              uint64_t FileSize = 100000) {
  HeadOnly Bytes(Head, FileSize);
  return findMachOSlice(Bytes, Arch);
}

TEST(MachOSliceTest, SelectsSliceOfArchitecture) {
  std::string Head = universalHead({{X86, X86All, 4096, 100},
                                    {Arm, ArmE | 0x80000000, 8192, 200},
                                    {Arm, ArmAll, 16384, 300},
                                    {Arm, ArmAll, 32768, 400}});
  EXPECT_EQ(find(Head, "x86_64"), (ByteRange{4096, 100}));
  EXPECT_EQ(find(Head, "arm64"), (ByteRange{16384, 300}));
  EXPECT_EQ(find(Head, "arm64e"), (ByteRange{8192, 200}));
  EXPECT_EQ(find(Head, "i386"), ByteRange());
  EXPECT_EQ(find(Head, "nonsense"), ByteRange());
  EXPECT_FALSE(find(Head, ""));
  EXPECT_EQ(find(universalHead({{X86, X86All, 4096, 100}}), ""),
            (ByteRange{4096, 100}));
}

TEST(MachOSliceTest, TruncatedSliceTableHasNoSlice) {
  std::string Head = universalHead({{X86, X86All, 4096, 100}});
  for (size_t Length = 0; Length != Head.size(); ++Length)
    EXPECT_FALSE(find(Head.substr(0, Length), "x86_64")) << Length;
}

TEST(MachOSliceTest, ImpossibleSlicesAreUnknown) {
  auto Result = [](std::initializer_list<Slice> Slices) {
    return find(universalHead(Slices), "x86_64");
  };
  EXPECT_TRUE(Result({{X86, X86All, 4096, 95904}}));
  EXPECT_FALSE(Result({{X86, X86All, 4096, 95905}}));
  EXPECT_FALSE(Result({{X86, X86All, 4096, 0xffffffff}}));
  EXPECT_FALSE(Result({{X86, X86All, 27, 100}}));
  EXPECT_FALSE(Result({{X86, X86All, 4096, 101}, {Arm, ArmAll, 4196, 100}}));
  EXPECT_FALSE(Result({{X86, X86All, 4096, 100}, {Arm, ArmAll, 4000, 97}}));
  EXPECT_FALSE(Result({}));
}

TEST(MachOSliceTest, OtherMagicsAndCountsAreUnknown) {
  EXPECT_FALSE(
      find(universalHead({{X86, X86All, 4096, 100}}, MachO::FAT_MAGIC_64),
           "x86_64"));
  // The head of a Java class of version 52.
  EXPECT_FALSE(find(big(MachO::FAT_MAGIC) + big(52), "x86_64"));
  EXPECT_FALSE(find(big(MachO::FAT_MAGIC) + big(0xffffffff), "x86_64"));
  EXPECT_FALSE(find(big(MachO::FAT_MAGIC) + big(2), "x86_64", 40));
}

/// An object of \p Size bytes: headers, code at 4096, symbols at the end.
std::string object(size_t Size, uint32_t Sections = 0) {
  MachOWriter W;
  W.segment({{"__TEXT", "__text", 4096, 1000},
             {"__DWARF", "__debug_info", 6000, 5000}});
  for (uint32_t I = 0; I != Sections; ++I)
    W.segment({{"__TEXT", "__more", 5096, 8}});
  W.symbols(static_cast<uint32_t>(Size) - 100, 2, 0, 0);
  std::string Object = W.head();
  Object.resize(Size, 'x');
  return Object;
}

/// The parts of an input; empty if it has none.
std::vector<LayoutPart> partsOf(const std::string &File, bool AllMembers,
                                StringRef Arch = "arm64") {
  HeadOnly Bytes(File);
  return MachOInput::read(Bytes, Arch).readParts(Bytes, AllMembers);
}

/// The parts of one object, moved by \p Offset.
std::vector<LayoutPart> moved(const std::string &Object, uint64_t Offset) {
  std::vector<LayoutPart> Parts = partsOf(Object, false);
  for (LayoutPart &P : Parts)
    P.Range.Offset += Offset;
  return Parts;
}

TEST(MachOPartsTest, ReadsOnlyHeadersOfObject) {
  for (uint32_t Sections : {0, 100}) {
    std::string Object = object(50000, Sections);
    HeadOnly Bytes(Object);
    MachOInput Input = MachOInput::read(Bytes, "arm64");
    ASSERT_FALSE(Input.readParts(Bytes, false).empty());
    uint64_t Headers = partsOf(Object, false).at(0).Range.end();
    for (const ByteRange &R : Bytes.Requested)
      EXPECT_LE(R.end(), std::max<uint64_t>(Headers, 4096));
  }
}

TEST(MachOPartsTest, OtherFilesHaveNoLayout) {
  EXPECT_THAT(partsOf("--- !tapi-tbd\n", false, "arm64"), IsEmpty());
  EXPECT_THAT(partsOf("", false, "arm64"), IsEmpty());
  EXPECT_THAT(partsOf(std::string(9000, '\xca'), true, "arm64"), IsEmpty());
}

TEST(MachOPartsTest, ReadsIndexOfArchive) {
  std::string Index =
      "!<arch>\n" + longNamedMember("__.SYMDEF", std::string(5001, 'i'));
  std::string Archive = Index + longNamedMember("a.o", object(50000));
  EXPECT_THAT(
      partsOf(Archive, false),
      ElementsAre(LayoutPart{{0, Index.size() - 1}, PartKind::Symbols}));
}

TEST(MachOPartsTest, ReadsPartsOfAllMembers) {
  std::string A = object(50001);
  std::string B = object(60000, 100);
  std::string Index =
      "!<arch>\n" + longNamedMember("__.SYMDEF", std::string(5000, 'i'));
  std::string First = Index + longNamedMember("a.o", A);
  std::string Second = First + longNamedMember("text", "no object");
  std::string Archive = Second + longNamedMember("b.o", B, 28);

  std::vector<LayoutPart> Expected = {{{0, Index.size()}, PartKind::Symbols}};
  auto Add = [&](uint64_t At, const std::string &Object, uint64_t NameBytes) {
    Expected.push_back({{At, 60 + NameBytes}, PartKind::Headers});
    for (const LayoutPart &P : moved(Object, At + 60 + NameBytes))
      Expected.push_back(P);
  };
  Add(Index.size(), A, 20);
  Expected.push_back({{First.size(), 80}, PartKind::Headers});
  Expected.push_back({{First.size() + 80, 9}, PartKind::Whole});
  Add(Second.size(), B, 28);
  EXPECT_EQ(partsOf(Archive, true), Expected);
}

TEST(MachOPartsTest, ReadsArchiveInSlice) {
  std::string Archive = "!<arch>\n" +
                        longNamedMember("__.SYMDEF", std::string(5000, 'i')) +
                        longNamedMember("a.o", object(50001)) +
                        longNamedMember("b.o", object(50000));
  // Members are aligned relative to the archive, wherever it begins.
  for (uint32_t Offset : {16384U, 16385U}) {
    std::string File =
        universalHead({{X86, X86All, 4096, 100},
                       {Arm, ArmAll, Offset, uint32_t(Archive.size())}});
    File.resize(Offset);
    File += Archive + std::string(5000, 'x');
    std::vector<LayoutPart> Expected = {{{0, 4096}, PartKind::Headers}};
    for (LayoutPart P : partsOf(Archive, true)) {
      P.Range.Offset += Offset;
      Expected.push_back(P);
    }
    EXPECT_GT(Expected.size(), 10U);
    EXPECT_EQ(partsOf(File, true), Expected);
    // If no slice fits, only the head is read; without Arch there is no layout.
    EXPECT_THAT(partsOf(File, true, "i386"),
                ElementsAre(LayoutPart{{0, 4096}, PartKind::Headers}));
    EXPECT_THAT(partsOf(File, true, ""), IsEmpty());
  }
}

TEST(MachOPartsTest, ReadsOtherSliceWhole) {
  std::string File = universalHead({{Arm, ArmAll, 4096, 6000}});
  File.resize(4096);
  File += "BC" + std::string(9000, 'x');
  EXPECT_THAT(partsOf(File, false),
              ElementsAre(LayoutPart{{0, 4096}, PartKind::Headers},
                          LayoutPart{{4096, 6000}, PartKind::Whole}));
}

TEST(MachOPartsTest, ThinArchiveContainsNoMembers) {
  std::string Index = longNamedMember("__.SYMDEF", std::string(5000, 'i'));
  std::string Thin =
      "!<thin>\n" + Index + longNamedMember("a.o", object(50000));
  EXPECT_THAT(partsOf(Thin, true), ElementsAre(LayoutPart{{0, 8 + Index.size()},
                                                          PartKind::Symbols}));
}

TEST(MachOPartsTest, BrokenMemberEndsArchive) {
  std::string Index =
      "!<arch>\n" + longNamedMember("__.SYMDEF", std::string(50, 'i'));
  std::string Whole = Index + longNamedMember("a.o", object(50000));
  std::string Broken = Whole + longNamedMember("b.o", object(50000));
  Broken.replace(Whole.size() + 48, 10, "9999999999");
  EXPECT_EQ(partsOf(Broken, true), partsOf(Whole, true));
  EXPECT_EQ(partsOf(Whole + "short", true), partsOf(Whole, true));
}

TEST(MachOPartsTest, RandomBytesStayInFile) {
  std::mt19937 Random(11);
  std::string Archive = "!<arch>\n" +
                        longNamedMember("__.SYMDEF", std::string(200, 'i')) +
                        longNamedMember("a.o", object(12000)) +
                        longNamedMember("b.o", object(13000, 30));
  std::string Good =
      universalHead({{X86, X86All, 4096, 100},
                     {Arm, ArmAll, 8192, uint32_t(Archive.size())}});
  Good.resize(8192);
  Good += Archive;
  for (int Round = 0; Round != 3000; ++Round) {
    std::string File = Good;
    for (int I = 0; I != 8; ++I) {
      // Headers of all kinds are changed more often than contents.
      size_t Places[] = {Random() % 60, 8192 + Random() % 700,
                         8192 + 12000 + Random() % 1000};
      size_t Place = Places[Random() % 3];
      File[Place] = static_cast<char>(
          Random() % 2 ? Random() : "0123456789/ `\n#1"[Random() % 16]);
    }
    if (Random() % 4 == 0)
      File.resize(Random() % File.size());
    uint64_t End = 0;
    for (const LayoutPart &P : partsOf(File, true)) {
      EXPECT_GE(P.Range.Offset, End);
      End = P.Range.end();
    }
    EXPECT_LE(End, File.size());
  }
}

} // namespace
