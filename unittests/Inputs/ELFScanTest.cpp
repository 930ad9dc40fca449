//===- ELFScanTest.cpp - Thin archives and dependent libraries ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats/ArchiveTestSupport.h"
#include "Formats/ELFTestSupport.h"
#include "TestSupport.h"
#include "headstart/Formats/FileInspector.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using namespace llvm;
using testing::ElementsAre;

namespace {

std::string thin(const std::string &Members) { return "!<thin>\n" + Members; }

/// Returns an object with a section that holds \p Libraries.
template <class ELFT>
std::string object(const std::string &Libraries, uint16_t Type = ELF::ET_REL,
                   bool ManySections = false) {
  return makeObject<ELFT>({{ELF::SHT_LLVM_DEPENDENT_LIBRARIES, 0, Libraries}},
                          Type, ManySections);
}

std::string twoLibraries() { return std::string("x\0y.a\0", 6); }

class ELFScanTest : public testing::Test {
protected:
  CurrentTestDirectory Directory;
};

TEST_F(ELFScanTest, FindsMembersOfThinArchives) {
  Directory.write("d/x.a",
                  thin(memberHeader("/", "3") + "abc\n" +
                       memberHeader("//", "23") + "a-member-of-its-own.o/\n\n" +
                       memberHeader("/0", "100") + memberHeader("b.o/", "0") +
                       memberHeader("/0", "5")));
  EXPECT_THAT(listed({"d/x.a", "c.o"}),
              ElementsAre("d/x.a", "d/a-member-of-its-own.o", "d/b.o", "c.o"));
}

TEST_F(ELFScanTest, AcceptsAbsoluteMembers) {
  Directory.write("x.a",
                  thin(memberHeader("//", "10") + "/nowhere/\n" +
                       memberHeader("/0", "1") + memberHeader("a.o/", "1")));
  EXPECT_THAT(listed({"x.a"}), ElementsAre("x.a", "/nowhere", "a.o"));
}

TEST_F(ELFScanTest, PlainArchivesHaveNoDependencies) {
  Directory.write("x.a", "!<arch>\n" + memberHeader("a.o/", "0"));
  EXPECT_THAT(listed({"x.a"}), ElementsAre("x.a"));
}

TEST_F(ELFScanTest, DoesNotScanMembers) {
  Directory.write("x.a",
                  thin(memberHeader("x.a/", "1") + memberHeader("y.ld/", "1") +
                       memberHeader("z.a/", "1")));
  Directory.write("y.ld", "INPUT(a.o)");
  Directory.write("z.a", thin(memberHeader("b.o/", "1")));
  EXPECT_THAT(listed({"x.a"}), ElementsAre("x.a", "y.ld", "z.a"));
}

TEST_F(ELFScanTest, FindsValidMembersOfHostileArchives) {
  const std::pair<std::string, unsigned> Cases[] = {
      {"", 0},
      {"short", 0},
      {memberHeader("a.o/", "x"), 0},
      {memberHeader("a.o/", "1") + memberHeader("b.o/", "-1"), 1},
      {memberHeader("//", "9999999999") + memberHeader("/0", "1"), 0},
      {memberHeader("/", "9999999999") + memberHeader("a.o/", "1"), 0},
      {memberHeader("/0", "1"), 0},
      {memberHeader("//", "4") + "ab/\n" + memberHeader("/4", "1"), 0},
      {memberHeader("//", "4") + "ab/\n" +
           memberHeader("/99999999999999999999", "1"),
       0},
      {memberHeader("//", "4") + "abcd" + memberHeader("/0", "1"), 0},
      {memberHeader("/", "18446744073709551615") + memberHeader("a.o/", "1"),
       0},
      {memberHeader("a.o/", "1").substr(0, 59) + "x", 0},
      {memberHeader("#1/20", "30"), 0},
  };
  for (const auto &[Members, Count] : Cases) {
    Directory.write("x.a", thin(Members));
    EXPECT_THAT(listed({"x.a"}), testing::SizeIs(1 + Count)) << Members;
  }
}

TEST_F(ELFScanTest, DependentLibrariesComeLast) {
  Directory.write("le64.o", object<object::ELF64LE>(twoLibraries()));
  Directory.write("libx.a");
  EXPECT_THAT(listed({"le64.o", "b.o", "-L", ""}),
              ElementsAre("le64.o", "b.o", "libx.a", "y.a"));
}

TEST_F(ELFScanTest, ScansEveryKindOfObject) {
  Directory.write("le32.o", object<object::ELF32LE>(twoLibraries()));
  Directory.write("be32.o", object<object::ELF32BE>(twoLibraries()));
  Directory.write("be64.o", object<object::ELF64BE>(twoLibraries()));
  for (const char *Name : {"le32.o", "be32.o", "be64.o"})
    EXPECT_THAT(listed({Name}), ElementsAre(Name, "x", "y.a"));
  Directory.write("x.so", object<object::ELF64LE>(twoLibraries(), ELF::ET_DYN));
  EXPECT_THAT(listed({"x.so"}), ElementsAre("x.so"));
}

TEST_F(ELFScanTest, SearchesDependentsLikeLld) {
  Directory.write("a.o", object<object::ELF64LE>(twoLibraries()));
  Directory.write("y.a");
  Directory.write("l/y.a");
  Directory.write("l/libx.so");
  Directory.write("l/libx.a");
  EXPECT_THAT(listed({"a.o", "-Ll"}), ElementsAre("a.o", "l/libx.so", "l/y.a"));
  EXPECT_THAT(listed({"a.o", "-Ll", "-static"}),
              ElementsAre("a.o", "l/libx.a", "l/y.a"));
  EXPECT_THAT(listed({"a.o"}), ElementsAre("a.o", "x", "y.a"));
}

TEST_F(ELFScanTest, IgnoresDependentsThatLldIgnores) {
  Directory.write("a.o", object<object::ELF64LE>(twoLibraries()));
  Directory.write("x.a", thin(memberHeader("a.o/", "1")));
  EXPECT_THAT(listed({"a.o", "--no-dependent-libraries"}), ElementsAre("a.o"));
  EXPECT_THAT(listed({"a.o", "-r"}), ElementsAre("a.o"));
  EXPECT_THAT(listed({"--start-lib", "a.o"}), ElementsAre("a.o"));
  EXPECT_THAT(listed({"x.a"}), ElementsAre("x.a", "a.o"));
  EXPECT_THAT(listed({"--whole-archive", "x.a"}),
              ElementsAre("x.a", "a.o", "x", "y.a"));
}

TEST_F(ELFScanTest, SurvivesHostileObjects) {
  std::string Good = object<object::ELF64LE>(twoLibraries());
  for (size_t Length = 0; Length < Good.size(); ++Length) {
    Directory.write("a.o", Good.substr(0, Length));
    EXPECT_THAT(listed({"a.o"}), ElementsAre("a.o")) << Length;
  }
  Directory.write("a.o", object<object::ELF64LE>("open"));
  EXPECT_THAT(listed({"a.o"}), ElementsAre("a.o"));
  for (size_t At = 16; At < Good.size(); ++At) {
    std::string Bad = Good;
    Bad[At] = '\xff';
    Directory.write("a.o", Bad);
    EXPECT_LE(listed({"a.o"}).size(), 3U) << At;
  }
}

TEST_F(ELFScanTest, ReadsExtendedSectionCount) {
  std::string None = object<object::ELF64LE>(twoLibraries());
  reinterpret_cast<object::ELF64LE::Ehdr *>(None.data())->e_shnum = 0;
  Directory.write("a.o", None);
  EXPECT_THAT(listed({"a.o"}), ElementsAre("a.o"));
  Directory.write("a.o", object<object::ELF64LE>(twoLibraries(), ELF::ET_REL,
                                                 /*ManySections=*/true));
  EXPECT_THAT(listed({"a.o"}), ElementsAre("a.o", "x", "y.a"));
}

/// Returns the total length of the references that a scan of \p Name finds.
uint64_t bytesOfReferences(const std::string &Name) {
  LinkCommand Command = parseELF({Name});
  InputResolver Resolver(Command);
  os::OpenFile File;
  EXPECT_FALSE(os::OpenFile::open(Name, File));
  FileInspector Inspector(File);
  uint64_t Bytes = 0;
  for (const FoundInput &Found :
       Resolver.scan(Command.Inputs.at(0), Name, Inspector))
    Bytes += Found.Input.Name.size();
  return Bytes;
}

TEST_F(ELFScanTest, BoundsNamesThatShareBytes) {
  // All sections end with the same zero.
  using Header = object::ELF64LE::Ehdr;
  using Section = object::ELF64LE::Shdr;
  constexpr uint16_t Count = 1000;
  constexpr uint64_t At = sizeof(Header) + Count * sizeof(Section);
  std::string Libraries = std::string(4000, 'a') + '\0';
  std::string File = object<object::ELF64LE>("").substr(0, sizeof(Header));
  reinterpret_cast<Header *>(File.data())->e_shnum = Count;
  for (uint64_t I = 0; I != Count; ++I) {
    Section S = {};
    S.sh_type = ELF::SHT_LLVM_DEPENDENT_LIBRARIES;
    S.sh_offset = At + I;
    S.sh_size = Libraries.size() - I;
    File.append(reinterpret_cast<const char *>(&S), sizeof(S));
  }
  Directory.write("a.o", File + Libraries);
  EXPECT_GE(bytesOfReferences("a.o"), 4000U);
  EXPECT_LE(bytesOfReferences("a.o"), File.size() + Libraries.size());
  // A repeated name.
  Directory.write("b.o", object<object::ELF64LE>(std::string("x\0x\0x\0", 6)));
  EXPECT_EQ(bytesOfReferences("b.o"), 1U);
}

TEST_F(ELFScanTest, BoundsMembersThatShareLongName) {
  std::string Members =
      memberHeader("//", "3002") + std::string(3000, 'a') + "/\n";
  for (int I = 0; I != 200; ++I)
    Members += memberHeader("/0", "1");
  Directory.write("x.a", thin(Members));
  EXPECT_GE(bytesOfReferences("x.a"), 3000U);
  EXPECT_LE(bytesOfReferences("x.a"), 16 * (8 + Members.size()) + 3000);
}

} // namespace
