//===- COFFHostileScanTest.cpp - Malformed COFF inputs --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "COFFScanSupport.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::SizeIs;

namespace {

/// A file of each kind with every kind of reference, and the references.
struct Sample {
  std::string Bytes;
  Strings Names;
};
std::vector<Sample> samples() {
  std::string Plain = MadeObject{{{".drectve", "/defaultlib:a -defaultlib:b"},
                                  typeServer("t.pdb")}}
                          .bytes();
  std::string Big =
      MadeObject{{typeServer("C:\\x\\t.pdb"), {".drectve", "/defaultlib:a"}},
                 /*Big=*/true}
          .bytes();
  std::string Bitcode = MadeBitcode{"/defaultlib:a /defaultlib:c"}.bytes();
  return {{Plain, {"t.pdb (type server)", "a", "b"}},
          {Big, {"t.pdb (type server)", "a"}},
          {Bitcode, {"a", "c"}},
          {"!<arch>\n" + member("//", "names/\n") + member("x.obj/", Plain) +
               member("/0", Big) + member("#1/4", "name" + Bitcode),
           {"t.pdb (type server)", "a", "b", "c"}},
          {"!<thin>\n" + member("//", "x.obj/\ny.obj/\n") +
               memberHeader("/0", 5) + memberHeader("/7", 5),
           {"x.obj (member)", "y.obj (member)"}}};
}

TEST(COFFHostileScanTest, ScansValidFiles) {
  CurrentTestDirectory Directory;
  Directory.write("t.pdb");
  for (const Sample &S : samples()) {
    Directory.write("a.obj", S.Bytes);
    EXPECT_EQ(scan({"/wholearchive:a.obj", "/debug"}), S.Names);
  }
}

TEST(COFFHostileScanTest, SurvivesTruncatedFiles) {
  CurrentTestDirectory Directory;
  Directory.write("t.pdb");
  for (const Sample &S : samples()) {
    size_t Whole = 0;
    for (size_t Length = 0; Length < S.Bytes.size(); ++Length) {
      Directory.write("a.obj", std::string_view(S.Bytes).substr(0, Length));
      Strings Names = scan({"/wholearchive:a.obj", "/debug"});
      // A truncated name of a member is another name.
      if (!S.Bytes.starts_with("!<thin>"))
        EXPECT_THAT(Names, IsSubsetOf(S.Names)) << Length;
      EXPECT_LE(Names.size(), S.Names.size()) << Length;
      Whole += Names == S.Names;
    }
    // Most truncated files lack some references.
    EXPECT_LT(Whole, S.Bytes.size() / 2);
  }
}

TEST(COFFHostileScanTest, SurvivesChangedBytes) {
  CurrentTestDirectory Directory;
  Directory.write("t.pdb");
  std::mt19937 Random(22); // NOLINT: the same each time
  size_t Scans = 0;
  for (const Sample &S : samples())
    for (int I = 0; I != 200; ++I) {
      std::string Bytes = S.Bytes;
      for (unsigned Changes = 1 + Random() % 4; Changes; --Changes)
        Bytes[Random() % Bytes.size()] = static_cast<char>(Random());
      Directory.write("a.obj", Bytes);
      LinkCommand Command = parse({"/wholearchive:a.obj", "/debug"});
      InputResolver Resolver(Command);
      os::OpenFile File;
      ASSERT_FALSE(os::OpenFile::open("a.obj", File));
      FileInspector Inspector(File);
      // Any scan ends, and finds no more than the file can hold.
      EXPECT_LE(
          Resolver.scan(Command.Inputs.front(), "a.obj", Inspector).size(),
          Bytes.size());
      ++Scans;
    }
  EXPECT_EQ(Scans, 1000U);
}

/// Returns a plain object of one section, with some header fields overwritten.
std::string sectionWith(uint64_t Size, uint64_t Offset) {
  std::string Bytes = MadeObject{{{".drectve", "/defaultlib:a"}}}.bytes();
  Bytes.replace(20 + 16, 8, little(Size, 4) + little(Offset, 4));
  return Bytes;
}

TEST(COFFHostileScanTest, IgnoresContentsOutsideOfFile) {
  CurrentTestDirectory Directory;
  auto Scan = [&](uint64_t Size, uint64_t Offset) {
    Directory.write("a.obj", sectionWith(Size, Offset));
    return scan({"a.obj"});
  };
  EXPECT_THAT(Scan(13, 60), ElementsAre("a"));
  EXPECT_THAT(Scan(14, 60), IsEmpty());
  EXPECT_THAT(Scan(13, 61), IsEmpty());
  EXPECT_THAT(Scan(0xffffffff, 60), IsEmpty());
  EXPECT_THAT(Scan(13, 0xffffffff), IsEmpty());
  EXPECT_THAT(Scan(0xffffffff, 0xffffffff), IsEmpty());
  EXPECT_THAT(Scan(13, 0), IsEmpty()); // the header states no contents
}

TEST(COFFHostileScanTest, IgnoresSectionTablesOutsideOfFile) {
  CurrentTestDirectory Directory;
  std::string Bytes = objectWith("/defaultlib:a");
  Bytes.replace(2, 2, little(0xffff, 2));
  Directory.write("a.obj", Bytes);
  EXPECT_THAT(scan({"a.obj"}), IsEmpty());
  Bytes = objectWith("/defaultlib:a");
  Bytes.replace(16, 2, little(0xffff, 2)); // the optional header's size
  Directory.write("a.obj", Bytes);
  EXPECT_THAT(scan({"a.obj"}), IsEmpty());
  for (uint64_t Count : {0x100000U, 0x1000000U, 0xffffffffU}) {
    Bytes = objectWith("/defaultlib:a", /*Big=*/true);
    Bytes.replace(44, 4, little(Count, 4));
    Directory.write("a.obj", Bytes);
    EXPECT_THAT(scan({"a.obj"}), IsEmpty()) << Count;
  }
}

// A section table of the size that the file states, in a mostly sparse file.
TEST(COFFHostileScanTest, SurvivesHugeCounts) {
  CurrentTestDirectory Directory;
  std::string Bytes = objectWith("/defaultlib:a", /*Big=*/true);
  Bytes.replace(44, 4, little(0x7fffffff, 4));
  Directory.write("a.obj", Bytes);
  std::error_code EC;
  std::filesystem::resize_file("a.obj", uint64_t(100) << 30, EC);
  if (EC)
    GTEST_SKIP() << "cannot create a sparse file of 100 GiB: " << EC.message();
  EXPECT_THAT(scan({"a.obj"}), IsEmpty());
  // Directives of 4 GB.
  Directory.write("a.obj", sectionWith(0xffffffff, 60));
  std::filesystem::resize_file("a.obj", uint64_t(8) << 30);
  EXPECT_THAT(scan({"a.obj"}), IsEmpty());
}

TEST(COFFHostileScanTest, BoundsManyMembers) {
  CurrentTestDirectory Directory;
  std::string Archive = "!<arch>\n";
  for (int I = 0; I != 5000; ++I)
    Archive += member("x/", objectWith("/defaultlib:" + std::to_string(I)));
  Directory.write("a.lib", Archive);
  EXPECT_THAT(scan({"/wholearchive:a.lib"}), SizeIs(4096));
  // Members without contents count as well.
  Archive = "!<arch>\n";
  for (int I = 0; I != 20000; ++I)
    Archive += member("x/", "");
  Directory.write("a.lib", Archive);
  EXPECT_THAT(scan({"/wholearchive:a.lib"}), IsEmpty());
}

TEST(COFFHostileScanTest, IgnoresInvalidMemberSizes) {
  CurrentTestDirectory Directory;
  std::string Object = objectWith("/defaultlib:a");
  for (const char *Size :
       {"99999999999", "-1", "0x10", "", "18446744073709551615", "1e3"}) {
    std::string Header = memberHeader("x/", 0);
    Header.replace(48, 10, std::string(Size).append(10, ' ').substr(0, 10));
    Directory.write("a.lib", "!<arch>\n" + Header + member("y/", Object));
    EXPECT_THAT(scan({"/wholearchive:a.lib"}), IsEmpty()) << Size;
    Directory.write("a.lib", "!<thin>\n" + Header + member("//", Size));
    scan({"/wholearchive:a.lib"});
  }
}

} // namespace
