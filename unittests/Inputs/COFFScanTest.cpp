//===- COFFScanTest.cpp - Dependencies of COFF inputs ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "COFFScanSupport.h"
#include "OS/TestFiles.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

Strings scanDirectives(const std::string &Directives,
                       const Strings &Options = {}) {
  CurrentTestDirectory Directory;
  Directory.write("a.obj", objectWith(Directives));
  Strings Args = Options;
  Args.insert(Args.begin(), "a.obj");
  return scan(Args);
}

TEST(COFFScanTest, FindsDefaultLibrariesInDirectives) {
  EXPECT_THAT(scanDirectives("/defaultlib:a -DEFAULTLIB:b.lib"),
              ElementsAre("a", "b.lib"));
  EXPECT_THAT(scanDirectives(" /DefaultLib:\"a b.lib\"\t\"/defaultlib:c\"\r\n"),
              ElementsAre("a b.lib", "c"));
  EXPECT_THAT(
      scanDirectives(std::string("/defaultlib:a\0/defaultlib:b\0\0", 29)),
      ElementsAre("a", "b"));
  EXPECT_THAT(scanDirectives("/defaultlib:a.obj"), ElementsAre("a.obj"));
}

TEST(COFFScanTest, IgnoresOtherDirectives) {
  EXPECT_THAT(
      scanDirectives("/export:defaultlib:x /include:a.lib /merge:.a=.b "
                     "/manifestdependency:\"name='x.lib'\" "
                     "/alternatename:a=b.lib --defaultlib:c /defaultlib: a.lib "
                     "/nodefaultlib /libpath:x defaultlib:x"),
      IsEmpty());
  EXPECT_THAT(scanDirectives(""), IsEmpty());
  EXPECT_THAT(scanDirectives("\""), IsEmpty());
  EXPECT_THAT(scanDirectives("/defaultlib:\"a b"), ElementsAre("a b"));
}

// Like lld-link 22.1.8, which reads the mark as part of the first argument.
TEST(COFFScanTest, IgnoresDirectiveAfterByteOrderMark) {
  EXPECT_THAT(scanDirectives("\xef\xbb\xbf/defaultlib:a /defaultlib:b"),
              ElementsAre("b"));
}

TEST(COFFScanTest, ReportsEachNameOnce) {
  EXPECT_THAT(scanDirectives("/defaultlib:a /defaultlib:A /defaultlib:a.lib"),
              ElementsAre("a", "a.lib"));
}

TEST(COFFScanTest, SkipsExcludedLibraries) {
  EXPECT_THAT(
      scanDirectives("/defaultlib:a /defaultlib:b", {"/nodefaultlib:a.lib"}),
      ElementsAre("b"));
  EXPECT_THAT(scanDirectives("/defaultlib:a /defaultlib:b", {"/nodefaultlib"}),
              IsEmpty());
  EXPECT_THAT(scanDirectives("/nodefaultlib:a /defaultlib:a.lib /defaultlib:b"),
              ElementsAre("b"));
  EXPECT_THAT(scanDirectives("/defaultlib:a /nodefaultlib:a"),
              ElementsAre("a"));
}

TEST(COFFScanTest, SkipsLibrariesOnCommandLine) {
  EXPECT_THAT(scanDirectives("/defaultlib:A.LIB /defaultlib:a", {"sub/a.lib"}),
              ElementsAre("a"));
  // An input that /defaultlib: names comes later.
  EXPECT_THAT(scanDirectives("/defaultlib:a", {"/defaultlib:a"}),
              ElementsAre("a"));
}

TEST(COFFScanTest, ScansBigObjects) {
  CurrentTestDirectory Directory;
  Directory.write("a.obj", objectWith("/defaultlib:a", /*Big=*/true));
  EXPECT_THAT(scan({"a.obj"}), ElementsAre("a"));
}

TEST(COFFScanTest, UsesLastDirectiveSection) {
  CurrentTestDirectory Directory;
  auto Scan = [&](std::vector<MadeSection> Sections) {
    Directory.write("a.obj", MadeObject{std::move(Sections)}.bytes());
    return scan({"a.obj"});
  };
  MadeSection A{".drectve", "/defaultlib:a"};
  MadeSection B{".drectve", "/defaultlib:b"};
  EXPECT_THAT(Scan({A, B}), ElementsAre("b"));
  EXPECT_THAT(Scan({A, {".drectve", ""}}), IsEmpty());
  B.Characteristics |= 0x1000; // a COMDAT
  EXPECT_THAT(Scan({A, B}), ElementsAre("a"));
  EXPECT_THAT(Scan({{".drectv", "/defaultlib:a"}}), IsEmpty());
  std::vector<MadeSection> Many(3000, {".text$x", "x"});
  Many.push_back(A);
  EXPECT_THAT(Scan(Many), ElementsAre("a"));
}

TEST(COFFScanTest, LazyObjectsHaveNoDependencies) {
  CurrentTestDirectory Directory;
  Directory.write("a.obj", objectWith("/defaultlib:a"));
  EXPECT_THAT(scan({"/start-lib", "a.obj", "/end-lib"}), IsEmpty());
}

TEST(COFFScanTest, FindsTypeServers) {
  CurrentTestDirectory Directory;
  auto Write = [&](const std::string &Recorded) {
    Directory.write("o/a.obj", MadeObject{{{".drectve", "/defaultlib:l"},
                                           typeServer(Recorded)}}
                                   .bytes());
  };
  auto Scan = [](const Strings &Options = {"/debug"}) {
    Strings Args = Options;
    Args.insert(Args.begin(), "o/a.obj");
    return scan(Args);
  };
  Write("t.pdb");
  EXPECT_THAT(Scan(), ElementsAre("l"));
  Directory.write("image/t.pdb");
  EXPECT_THAT(Scan({"/debug", "/out:image/x.exe"}),
              ElementsAre("image/t.pdb (type server)", "l"));
  Directory.write("o/t.pdb");
  EXPECT_THAT(Scan({"/debug", "/out:image/x.exe"}),
              ElementsAre("o/t.pdb (type server)", "l"));
  Directory.write("t.pdb");
  EXPECT_THAT(Scan(), ElementsAre("t.pdb (type server)", "l"));
  EXPECT_THAT(Scan({"/debug:dwarf"}), ElementsAre("t.pdb (type server)", "l"));
  EXPECT_THAT(Scan({"/debug", "/nodefaultlib"}),
              ElementsAre("t.pdb (type server)"));
  EXPECT_THAT(Scan({}), ElementsAre("l"));
  EXPECT_THAT(Scan({"/debug", "/pdb:t.pdb"}), ElementsAre("l"));
  Write("C:\\build\\x.y\\t.pdb");
  EXPECT_THAT(Scan(), ElementsAre("o/t.pdb (type server)", "l"));
  Write(Directory.path("image/t.pdb"));
  EXPECT_THAT(
      Scan(),
      ElementsAre(Directory.path("image/t.pdb") + " (type server)", "l"));
  Write("");
  EXPECT_THAT(Scan(), ElementsAre("l"));
}

TEST(COFFScanTest, SelectsTypeSection) {
  CurrentTestDirectory Directory;
  Directory.write("t.pdb");
  Directory.write("u.pdb");
  auto Scan = [&](std::vector<MadeSection> Sections) {
    Directory.write("a.obj", MadeObject{std::move(Sections)}.bytes());
    return scan({"a.obj", "/debug"});
  };
  MadeSection T = typeServer("t.pdb");
  MadeSection U = typeServer("u.pdb");
  EXPECT_THAT(Scan({T, U}), ElementsAre("t.pdb (type server)"));
  MadeSection P{".debug$P", "types", T.Characteristics};
  EXPECT_THAT(Scan({P, T}), IsEmpty());
  P.Contents.clear();
  EXPECT_THAT(Scan({P, T}), ElementsAre("t.pdb (type server)"));
  MadeSection Removed = T;
  Removed.Characteristics |= 0x800;
  EXPECT_THAT(Scan({Removed, U}), ElementsAre("u.pdb (type server)"));
  // Records of another kind (LF_PRECOMP), of another version, and truncated.
  MadeSection Other = T;
  Other.Contents[6] = 0x09;
  EXPECT_THAT(Scan({Other}), IsEmpty());
  Other = T;
  Other.Contents[0] = 3;
  EXPECT_THAT(Scan({Other}), IsEmpty());
  for (size_t I = 0; I != T.Contents.size(); ++I) {
    Other = T;
    Other.Contents.resize(I);
    EXPECT_THAT(Scan({Other}), IsEmpty()) << I;
  }
  // A record that ends before its name ends or begins.
  for (size_t Length : {0, 2, 21, 22, 26}) {
    Other = T;
    Other.Contents.replace(4, 2, little(Length, 2));
    EXPECT_THAT(Scan({Other}), IsEmpty()) << Length;
  }
}

TEST(COFFScanTest, ScansBitcode) {
  CurrentTestDirectory Directory;
  auto Scan = [&](const std::string &Bytes) {
    Directory.write("a.obj", Bytes);
    return scan({"a.obj", "/debug"});
  };
  MadeBitcode Made{"/defaultlib:a \"/defaultlib:b.lib\""};
  std::string Bytes = Made.bytes();
  EXPECT_THAT(Scan(Bytes), ElementsAre("a", "b.lib"));
  // Bitcode in the wrapper.
  EXPECT_THAT(Scan(little(0x0b17c0de, 4) + little(0, 4) + little(20, 4) +
                   little(Bytes.size(), 4) + little(7, 4) + Bytes),
              ElementsAre("a", "b.lib"));
  Made.Version = 2;
  EXPECT_THAT(Scan(Made.bytes()), IsEmpty());
  Made = {"/defaultlib:a"};
  Made.Offset = 6;
  EXPECT_THAT(Scan(Made.bytes()), IsEmpty());
  Made.Offset = 0xffffffff;
  EXPECT_THAT(Scan(Made.bytes()), IsEmpty());
  Made = {"/defaultlib:a"};
  Made.HasSymbols = false;
  EXPECT_THAT(Scan(Made.bytes()), IsEmpty());
}

TEST(COFFScanTest, ScansWholeArchives) {
  CurrentTestDirectory Directory;
  Directory.write("sub/t.pdb");
  Directory.write(
      "sub/a.lib",
      "!<arch>\n" + member("/", "table") + member("//", "a long name/\n") +
          member("a.obj/", objectWith("/defaultlib:a /defaultlib:b")) +
          member("#1/20", std::string(20, 'n') + objectWith("/defaultlib:c")) +
          member("/0", MadeObject{{typeServer("t.pdb")}}.bytes()) +
          member("b.bc/", MadeBitcode{"/defaultlib:d"}.bytes()) +
          member("text/", "/defaultlib:e") +
          member("z.obj/", objectWith("/defaultlib:a /defaultlib:f", true)));
  EXPECT_THAT(scan({"/wholearchive:sub/a.lib", "/debug"}),
              ElementsAre("a", "b", "c", "sub/t.pdb (type server)", "d", "f"));
  EXPECT_THAT(scan({"sub/a.lib", "/wholearchive"}),
              ElementsAre("a", "b", "c", "d", "f"));
  EXPECT_THAT(scan({"sub/a.lib", "/debug"}), IsEmpty());
}

std::string thinArchive() {
  return "!<thin>\n" + member("/", "tables") +
         member("//", "a.obj/\nsub/b.obj/\n/abs/c.obj/\n../d.obj/\n") +
         memberHeader("/0", 100) + memberHeader("/7", 1) +
         memberHeader("/18", 0) + memberHeader("/30", 7) +
         memberHeader("short.obj/", 5) + memberHeader("/100", 5) +
         memberHeader("/x", 5) + memberHeader("", 5);
}

TEST(COFFScanTest, ScansThinArchives) {
  if (os::test::OnWindows)
    GTEST_SKIP() << "absolute paths have a drive on this system";
  CurrentTestDirectory Directory;
  Directory.write("a.lib", thinArchive());
  Directory.write("f/a.lib", thinArchive());
  EXPECT_THAT(scan({"/wholearchive:a.lib"}),
              ElementsAre("a.obj (member)", "sub/b.obj (member)",
                          "/abs/c.obj (member)", "../d.obj (member)",
                          "short.obj (member)"));
  EXPECT_THAT(scan({"/wholearchive:f/a.lib", "/nodefaultlib"}),
              ElementsAre("f/a.obj (member)", "f/sub/b.obj (member)",
                          "/abs/c.obj (member)", "f/../d.obj (member)",
                          "f/short.obj (member)"));
  EXPECT_THAT(scan({"a.lib"}), IsEmpty());
  EXPECT_THAT(scan({"a.lib", "/machine:x64"}), IsEmpty());
  EXPECT_THAT(scan({"a.lib", "/machine:arm64ec"}), SizeIs(5));
  EXPECT_THAT(scan({"a.lib", "/machine:ARM64X"}), SizeIs(5));
}

// lld 22 knows only the member's name in the archive.
TEST(COFFScanTest, FindsTypeServersOfThinMembers) {
  CurrentTestDirectory Directory;
  Directory.write("f/a.obj", MadeObject{{typeServer("C:\\x\\t.pdb")}}.bytes());
  Directory.write("f/t.pdb");
  LinkCommand Command = parse({"b.obj", "/debug"});
  NamedInput Member;
  Member.Name = "f/a.obj";
  Member.Reason = InputReason::ArchiveMember;
  Member.From = "f/thin.lib";
  EXPECT_THAT(scan(Command, Member), IsEmpty());
  Member.From = "thin.lib";
  EXPECT_THAT(scan(Command, Member), ElementsAre("f/t.pdb (type server)"));
  Directory.write("t.pdb");
  Member.From = "f/thin.lib";
  EXPECT_THAT(scan(Command, Member), ElementsAre("t.pdb (type server)"));
}

TEST(COFFScanTest, OtherFilesHaveNoDependencies) {
  CurrentTestDirectory Directory;
  for (const std::string &Text :
       {std::string("/defaultlib:a"), std::string("MZ"), std::string(1, '\0'),
        std::string(64, '\0'), std::string("!<arch>"), std::string("!<arch>\n"),
        std::string("!<thin>\n"), std::string("BC\xc0\xde"),
        std::string("Microsoft C/C++ MSF 7.00\r\n\x1a\x44S\0\0\0", 32)}) {
    Directory.write("a.obj", Text);
    EXPECT_THAT(scan({"/wholearchive:a.obj", "/debug"}), IsEmpty()) << Text;
  }
}

} // namespace
