//===- CommandLineTest.cpp - Response files and the environment -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/CommandLine.h"
#include "TestSupport.h"
#include "headstart/Inputs/LinkerModel.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

ExpandedCommandLine expand(const Strings &Args,
                           const CommandLineContext &Context = contextWith(),
                           Flavour F = Flavour::COFF) {
  return expandCommandLine(F, Args, Context);
}

TEST(CommandLineTest, NamesFlavours) {
  EXPECT_EQ(LinkerModel::of(Flavour::COFF).Name, "coff");
  EXPECT_EQ(LinkerModel::of(Flavour::MachO).Name, "macho");
  EXPECT_EQ(LinkerModel::of(Flavour::ELF).Name, "elf");
}

TEST(CommandLineTest, KeepsPlainArguments) {
  ExpandedCommandLine Line = expand({"a.obj", "", "/out:x y", "@", "a@b"});
  EXPECT_THAT(texts(Line), ElementsAre("a.obj", "", "/out:x y", "@", "a@b"));
  EXPECT_THAT(Line.Notes, IsEmpty());
  for (const CommandLineArg &Arg : Line.Args) {
    EXPECT_EQ(Arg.ResponseFile, "");
    EXPECT_EQ(Arg.Variable, "");
  }
}

TEST(CommandLineTest, ReadsResponseFilesWithWindowsQuoting) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp",
                  "a\\b.obj \"with space.obj\" c\\\"d\r\n/out:\"e f\"\n");
  ExpandedCommandLine Line = expand({"first.obj", "@x.rsp", "last.obj"});
  EXPECT_THAT(texts(Line),
              ElementsAre("first.obj", "a\\b.obj", "with space.obj", "c\"d",
                          "/out:e f", "last.obj"));
  EXPECT_THAT(Line.Notes, IsEmpty());
  EXPECT_EQ(Line.Args[0].ResponseFile, "");
  EXPECT_EQ(Line.Args[1].ResponseFile, "x.rsp");
  EXPECT_EQ(Line.Args[4].ResponseFile, "x.rsp");
  EXPECT_EQ(Line.Args[5].ResponseFile, "");
}

TEST(CommandLineTest, CommandLineSelectsQuoting) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "a\\b 'c d'");
  EXPECT_THAT(texts(expand({"@x.rsp", "--RSP-quoting=posix"})),
              ElementsAre("ab", "c d", "--RSP-quoting=posix"));
  EXPECT_THAT(
      texts(expand({"--rsp-quoting=posix", "--rsp-quoting=windows", "@x.rsp"})),
      ElementsAre("--rsp-quoting=posix", "--rsp-quoting=windows", "a\\b", "'c",
                  "d'"));
  // A variable does not set it (lld 22 COFF/DriverUtils.cpp).
  EXPECT_THAT(
      texts(expand({"@x.rsp"}, contextWith({{"LINK", "--rsp-quoting=posix"}}))),
      ElementsAre("--rsp-quoting=posix", "a\\b", "'c", "d'"));
}

TEST(CommandLineTest, OtherFlavoursUseGNUQuotingAndNoVariables) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "a\\ b 'c d'");
  for (Flavour F : {Flavour::ELF, Flavour::MachO})
    EXPECT_THAT(
        texts(expand({"@x.rsp"}, contextWith({{"LINK", "link.obj"}}), F)),
        ElementsAre("a b", "c d"));
}

TEST(CommandLineTest, ReadsByteOrderMarks) {
  CurrentTestDirectory Directory;
  std::string LE = "\xff\xfe";
  std::string BE = "\xfe\xff";
  for (char C : std::string("a.obj b.obj")) {
    LE += {C, '\0'};
    BE += {'\0', C};
  }
  // U+00E4, two bytes in UTF-8.
  LE += "\xe4";
  LE += '\0';
  Directory.write("le.rsp", LE);
  Directory.write("be.rsp", BE);
  Directory.write("utf8.rsp", "\xef\xbb\xbf"
                              "a.obj");
  Directory.write("odd.rsp", LE + "x");
  EXPECT_THAT(texts(expand({"@le.rsp"})),
              ElementsAre("a.obj", "b.obj\xc3\xa4"));
  EXPECT_THAT(texts(expand({"@be.rsp"})), ElementsAre("a.obj", "b.obj"));
  EXPECT_THAT(texts(expand({"@utf8.rsp"})), ElementsAre("a.obj"));
  ExpandedCommandLine Odd = expand({"@odd.rsp"});
  EXPECT_THAT(texts(Odd), ElementsAre("@odd.rsp"));
  EXPECT_THAT(Odd.Notes, ElementsAre(HasSubstr("UTF-16")));
}

TEST(CommandLineTest, ResolvesNestedFilesInCurrentDirectory) {
  CurrentTestDirectory Directory;
  Directory.write("sub/outer.rsp", "a.obj @inner.rsp @sub/other.rsp b.obj");
  Directory.write("inner.rsp", "right.obj");
  Directory.write("sub/inner.rsp", "wrong.obj");
  Directory.write("sub/other.rsp", "other.obj");
  ExpandedCommandLine Line = expand({"@sub/outer.rsp"});
  EXPECT_THAT(texts(Line),
              ElementsAre("a.obj", "right.obj", "other.obj", "b.obj"));
  EXPECT_EQ(Line.Args[0].ResponseFile, "sub/outer.rsp");
  EXPECT_EQ(Line.Args[1].ResponseFile, "inner.rsp");
  EXPECT_EQ(Line.Args[3].ResponseFile, "sub/outer.rsp");
}

TEST(CommandLineTest, ReadsFileTwiceUnlessNestedInItself) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "a.obj");
  ExpandedCommandLine Line = expand({"@x.rsp", "@" + Directory.path("x.rsp")});
  EXPECT_THAT(texts(Line), ElementsAre("a.obj", "a.obj"));
  EXPECT_THAT(Line.Notes, IsEmpty());
}

TEST(CommandLineTest, DoesNotExpandFileInsideItself) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "a.obj @./x.rsp b.obj");
  ExpandedCommandLine Line = expand({"@x.rsp"});
  EXPECT_THAT(texts(Line), ElementsAre("a.obj", "@./x.rsp", "b.obj"));
  EXPECT_EQ(Line.Args[1].ResponseFile, "x.rsp");
  EXPECT_THAT(Line.Notes,
              ElementsAre("the response file './x.rsp' was not expanded: it "
                          "includes itself"));
}

TEST(CommandLineTest, DoesNotExpandFilesInsideEachOther) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "x.obj @y.rsp");
  Directory.write("y.rsp", "y.obj @x.rsp");
  ExpandedCommandLine Line = expand({"@x.rsp", "@y.rsp"});
  EXPECT_THAT(texts(Line), ElementsAre("x.obj", "y.obj", "@x.rsp", "y.obj",
                                       "x.obj", "@y.rsp"));
  EXPECT_EQ(Line.Notes.size(), 2U);
}

TEST(CommandLineTest, StopsAtDepthLimit) {
  CurrentTestDirectory Directory;
  for (unsigned I = 0; I < 70; ++I)
    Directory.write(std::to_string(I) + ".rsp", std::to_string(I) + ".obj @" +
                                                    std::to_string(I + 1) +
                                                    ".rsp");
  ExpandedCommandLine Line = expand({"@0.rsp"});
  ASSERT_EQ(Line.Args.size(), 65U);
  EXPECT_EQ(Line.Args.back().Text, "@64.rsp");
  EXPECT_THAT(Line.Notes, ElementsAre(HasSubstr("more than 64")));
}

TEST(CommandLineTest, StopsAtExponentialExpansion) {
  CurrentTestDirectory Directory;
  for (unsigned I = 0; I < 30; ++I) {
    std::string Next = "@" + std::to_string(I + 1) + ".rsp ";
    Directory.write(std::to_string(I) + ".rsp", Next + Next);
  }
  Directory.write("30.rsp", "x.obj");
  ExpandedCommandLine Line = expand({"@0.rsp"});
  EXPECT_LE(Line.Args.size(), 30000U);
  EXPECT_FALSE(Line.Notes.empty());
}

TEST(CommandLineTest, ReportsMissingFilesAndDirectories) {
  CurrentTestDirectory Directory;
  std::filesystem::create_directory("directory");
  Directory.write("empty.rsp", "");
  ExpandedCommandLine Line =
      expand({"@missing.rsp", "@directory", "@empty.rsp", "a.obj"});
  EXPECT_THAT(texts(Line), ElementsAre("@missing.rsp", "@directory", "a.obj"));
  EXPECT_THAT(Line.Notes,
              ElementsAre(StartsWith("the response file 'missing.rsp'"),
                          StartsWith("the response file 'directory'")));
}

TEST(CommandLineTest, DoesNotReadHugeFile) {
  CurrentTestDirectory Directory;
  Directory.write("huge.rsp", "a.obj");
  std::filesystem::resize_file("huge.rsp", (uint64_t(256) << 20) + 1); // sparse
  ExpandedCommandLine Line = expand({"@huge.rsp"});
  EXPECT_THAT(texts(Line), ElementsAre("@huge.rsp"));
  EXPECT_THAT(Line.Notes, ElementsAre(HasSubstr("256 MiB")));
}

TEST(CommandLineTest, DoesNotReadFilesOfHugeTotal) {
  CurrentTestDirectory Directory;
  Directory.write("a.rsp", "a.obj");
  Directory.write("huge.rsp", "a.obj");
  std::filesystem::resize_file("huge.rsp", uint64_t(256) << 20); // sparse
  ExpandedCommandLine Line = expand({"@a.rsp", "@huge.rsp"});
  EXPECT_THAT(texts(Line), ElementsAre("a.obj", "@huge.rsp"));
}

TEST(CommandLineTest, EnvironmentComesFirst) {
  CommandLineContext Context = contextWith(
      {{"LINK", "\"link 1.obj\" link2.obj"}, {"_LINK_", "a\\b.obj"}});
  ExpandedCommandLine Line = expand({"a.obj"}, Context);
  EXPECT_THAT(texts(Line),
              ElementsAre("a\\b.obj", "link 1.obj", "link2.obj", "a.obj"));
  EXPECT_EQ(Line.Args[0].Variable, "_LINK_");
  EXPECT_EQ(Line.Args[1].Variable, "LINK");
  EXPECT_EQ(Line.Args[3].Variable, "");
}

TEST(CommandLineTest, ExpandsResponseFilesOfVariable) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "x.obj");
  ExpandedCommandLine Line = expand({}, contextWith({{"LINK", "@x.rsp"}}));
  ASSERT_THAT(texts(Line), ElementsAre("x.obj"));
  EXPECT_EQ(Line.Args[0].ResponseFile, "x.rsp");
  EXPECT_EQ(Line.Args[0].Variable, "LINK");
}

TEST(CommandLineTest, OptionDisablesEnvironment) {
  CurrentTestDirectory Directory;
  CommandLineContext Context = contextWith({{"LINK", "a.obj"}});
  for (const char *Arg : {"/lldignoreenv", "-LLDIgnoreEnv", "-?lldignoreenv"})
    EXPECT_THAT(texts(expand({Arg}, Context)), ElementsAre(Arg));
  // It only counts on the command line proper, which is parsed first.
  Directory.write("x.rsp", "/lldignoreenv");
  EXPECT_THAT(texts(expand({"@x.rsp"}, Context)),
              ElementsAre("a.obj", "/lldignoreenv"));
}

TEST(CommandLineTest, WorksWithoutContext) {
  EXPECT_THAT(texts(expand({"a.obj"}, CommandLineContext())),
              ElementsAre("a.obj"));
}

} // namespace
