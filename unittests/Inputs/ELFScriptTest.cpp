//===- ELFScriptTest.cpp - Dependencies of linker scripts -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "headstart/Formats/LinkerScript.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

/// Returns the names in \p Text: inputs unchanged, "+" before included files,
/// "@" before directories.
Strings scriptNames(llvm::StringRef Text, bool IsPart = false) {
  Strings Result;
  for (const ScriptName &N : readLinkerScript(Text, IsPart)) {
    const char *Sign = N.What == ScriptName::Kind::Include     ? "+"
                       : N.What == ScriptName::Kind::Directory ? "@"
                                                               : "";
    Result.push_back(Sign + N.Name.str());
  }
  return Result;
}

TEST(ELFScriptTest, FindsInputs) {
  EXPECT_THAT(scriptNames("INPUT(a.o -lb \"c d.o\"e.o)"),
              ElementsAre("a.o", "-lb", "c d.o", "e.o"));
  EXPECT_THAT(scriptNames("/* GNU ld script */\nGROUP ( /lib/libc.so.6 "
                          "AS_NEEDED ( /lib/ld.so =x ) y )"),
              ElementsAre("/lib/libc.so.6", "/lib/ld.so", "=x", "y"));
  EXPECT_THAT(scriptNames("INPUT()INPUT(a)INPUT(AS_NEEDED())GROUP(b)"),
              ElementsAre("a", "b"));
  EXPECT_THAT(scriptNames("INCLUDE a.ld INCLUDE \"b.ld\" SEARCH_DIR(=/x)"),
              ElementsAre("+a.ld", "+b.ld", "@=/x"));
  // lld 22 reads the comma as a name: "unable to find ,".
  EXPECT_THAT(scriptNames("INPUT(a.o, b.o)"), ElementsAre("a.o", ",", "b.o"));
}

TEST(ELFScriptTest, SkipsComments) {
  EXPECT_THAT(scriptNames("# INPUT(a)\nINPUT(/* b */ c # d)\n e)#"),
              ElementsAre("c", "e"));
  EXPECT_THAT(scriptNames("INPUT(a) /* open"), ElementsAre("a"));
}

TEST(ELFScriptTest, SkipsOtherCommands) {
  EXPECT_THAT(
      scriptNames("ENTRY(INPUT) OUTPUT_FORMAT(\"elf64\", \"a\", \"b\");\n"
                  "SECTIONS { .text : { *(.text INPUT) } . = ALIGN(4); }\n"
                  "MEMORY { INCLUDE m.ld } x = INPUT(1) + 2; y += 1;"
                  "PROVIDE(z = (1 + 2)); ASSERT(x == 1, \"INPUT(no)\")"
                  "VERSION { V { global: *; local: a; }; }\nINPUT(a)"),
      ElementsAre("+m.ld", "a"));
}

TEST(ELFScriptTest, StopsAtErrorLikeLld) {
  for (const char *Text :
       {"junk INPUT(a)", "STARTUP(a) INPUT(a)", "INPUT a", "INPUT", "GROUP(",
        "x=1; INPUT(a)", "ENTRY x INPUT(a)", "SECTIONS { { INPUT(a)", "}",
        ") INPUT(a)", "\"INPUT\"(a)", "INPUT(AS_NEEDED a)", "INCLUDE",
        "INPUT(\"a"})
    EXPECT_THAT(scriptNames(Text), IsEmpty()) << Text;
  EXPECT_THAT(scriptNames("INPUT(a"), ElementsAre("a"));
  EXPECT_THAT(scriptNames("INPUT(a) junk INPUT(b)"), ElementsAre("a"));
}

TEST(ELFScriptTest, AcceptsPartialScript) {
  EXPECT_THAT(scriptNames("*(.text) } .data : { INCLUDE b.ld INPUT(c)",
                          /*IsPart=*/true),
              ElementsAre("+b.ld"));
  EXPECT_THAT(scriptNames("INPUT(a)", /*IsPart=*/true), ElementsAre("a"));
}

TEST(ELFScriptTest, BoundsNames) {
  EXPECT_THAT(scriptNames(std::string(1 << 20, '{')), IsEmpty());
  EXPECT_THAT(scriptNames("SECTIONS " + std::string(1 << 20, '{')), IsEmpty());
  std::string Many = "INPUT(";
  for (unsigned I = 0; I < 200000; ++I)
    Many += "x ";
  EXPECT_THAT(scriptNames(Many), SizeIs(65536));
}

TEST(ELFScriptTest, SurvivesRandomText) {
  std::mt19937 Random(22); // NOLINT: the same text every time
  const char *Parts[] = {"INPUT", "(", ")",  "{",         "}",  "\"",  "/*",
                         "*/",    "#", "=",  "SECTIONS ", "\n", ";",   "x",
                         "GROUP", " ", "-l", "INCLUDE ",  ",",  "<<=", "\x80"};
  for (unsigned I = 0; I < 3000; ++I) {
    std::string Text;
    for (unsigned Length = Random() % 40; Length; --Length)
      Text += Parts[Random() % std::size(Parts)];
    for (const std::string &Name : scriptNames(Text, I % 2))
      EXPECT_FALSE(Name.empty());
  }
}

class ELFScriptSearchTest : public testing::Test {
protected:
  CurrentTestDirectory Directory;
};

TEST_F(ELFScriptSearchTest, SearchesScriptDirectoryFirst) {
  Directory.write("s/x.ld", "INPUT(1 2 3 4)");
  Directory.write("s/1");
  Directory.write("1");
  Directory.write("2");
  Directory.write("l/2");
  Directory.write("l/3");
  EXPECT_THAT(listed({"s/x.ld", "-Ll"}),
              ElementsAre("s/x.ld", "s/1", "2", "l/3", "4"));
}

TEST_F(ELFScriptSearchTest, AbsoluteNamesStayBelowSysRoot) {
  Directory.write("root/lib/x.ld", "INPUT(/lib/a /nowhere)");
  Directory.write("root/lib/a");
  Directory.write("y.ld", "INPUT(/lib-nowhere/b =lib/c)");
  EXPECT_THAT(listed({"root/lib/x.ld", "y.ld", "--sysroot=root"}),
              ElementsAre("root/lib/x.ld", "root/lib/a", "/nowhere", "y.ld",
                          "/lib-nowhere/b", "root/lib/c"));
}

TEST_F(ELFScriptSearchTest, SearchDirAppliesToLaterInputs) {
  Directory.write("x.ld", "SEARCH_DIR(l)");
  Directory.write("l/liba.a");
  Directory.write("l/libb.a");
  EXPECT_THAT(listed({"-la", "x.ld", "-lb"}),
              ElementsAre("-la", "x.ld", "l/libb.a"));
  EXPECT_THAT(listed({"x.ld", "-lb", "-nostdlib"}), ElementsAre("x.ld", "-lb"));
}

TEST_F(ELFScriptSearchTest, InputsInheritStateOfScript) {
  Directory.write("x.ld", "INPUT(-la)");
  Directory.write("liba.so");
  Directory.write("liba.a");
  EXPECT_THAT(listed({"-L", "", "-static", "x.ld"}),
              ElementsAre("x.ld", "liba.a"));
  LinkCommand Command =
      parseELF({"-L", "", "--whole-archive", "-static", "x.ld"});
  std::vector<ListedInput> Inputs = listInputs(Command);
  ASSERT_THAT(Inputs, SizeIs(2));
  EXPECT_TRUE(Inputs[1].Named.Whole);
  EXPECT_EQ(Inputs[1].Named.From, "x.ld");
  EXPECT_EQ(Inputs[1].Named.Reason, InputReason::LinkerScript);
}

TEST_F(ELFScriptSearchTest, DefaultScriptIsReadLast) {
  Directory.write("d.ld", "INPUT(a.o)");
  Directory.write("t.ld", "INPUT(b.o)");
  Directory.write("a.o");
  Directory.write("b.o");
  Directory.write("c.o");
  EXPECT_THAT(listed({"-dT", "d.ld", "c.o"}),
              ElementsAre("d.ld", "c.o", "a.o"));
  EXPECT_THAT(listed({"-dT", "d.ld", "c.o", "-T", "t.ld"}),
              ElementsAre("d.ld", "c.o", "t.ld", "b.o"));
}

TEST_F(ELFScriptSearchTest, ReadsRecursiveScriptOnce) {
  Directory.write("x.ld", "INPUT(./x.ld .//x.ld a.o) INCLUDE x.ld");
  Directory.write("a.o");
  EXPECT_THAT(listed({"x.ld"}), testing::Contains("a.o"));
  Directory.write("d/1.ld", "INCLUDE d/2.ld");
  Directory.write("d/2.ld", "INCLUDE d/1.ld");
  EXPECT_THAT(listed({"-T", "d/1.ld"}), ElementsAre("d/1.ld", "d/2.ld"));
}

TEST_F(ELFScriptSearchTest, BinariesAndListsHaveNoDependencies) {
  Directory.write("x", "INPUT(a.o)");
  Directory.write("a.o");
  EXPECT_THAT(listed({"-b", "binary", "x"}), ElementsAre("x"));
  EXPECT_THAT(listed({"a.o", "--version-script=x", "--just-symbols=x",
                      "--symbol-ordering-file=x"}),
              ElementsAre("x", "a.o"));
  Directory.write("pe", "MZ" + std::string(58, ' ') +
                            std::string("\x40\0\0\0PE\0\0 INPUT(a.o)", 19));
  EXPECT_THAT(listed({"pe"}), ElementsAre("pe"));
  Directory.write("empty", "");
  EXPECT_THAT(listed({"empty"}), ElementsAre("empty"));
}

} // namespace
