//===- ELFMinGWTest.cpp - ld.lld as MinGW's linker ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

LinkCommand parseMinGW(Strings Args,
                       const CommandLineContext &Context = contextWith()) {
  Args.insert(Args.begin(), {"-m", "i386pep"});
  return parseELF(Args, Context);
}

std::string findMinGW(const Strings &Args) {
  return onlyPath(parseMinGW(Args));
}

class ELFMinGWTest : public testing::Test {
protected:
  CurrentTestDirectory Directory;
};

TEST_F(ELFMinGWTest, ParsesAsCOFFLink) {
  Directory.write("x.rsp", "b.o -lrsp");
  LinkCommand Command =
      parseMinGW({"a.o", "-lfoo", "@x.rsp", "x.def", "--prefetch-jobs=2",
                  "--whole-archive", "c.a", "-lbar", "--lto-sample-profile=p",
                  "--thinlto-cache-dir=d", "--threads=1"});
  EXPECT_EQ(Command.Kind, Flavour::COFF);
  EXPECT_TRUE(Command.MinGW);
  EXPECT_TRUE(Command.Links);
  EXPECT_TRUE(Command.HasLTOCache);
  EXPECT_TRUE(Command.HasOneThread);
  EXPECT_TRUE(Command.NamesMachine);
  EXPECT_THAT(names(Command), ElementsAre("a.o", "foo", "b.o", "rsp", "c.a",
                                          "bar", "x.def", "p"));
  EXPECT_THAT(reasons(Command),
              ElementsAre(InputReason::CommandLine, InputReason::Library,
                          InputReason::ResponseFile, InputReason::Library,
                          InputReason::WholeArchive, InputReason::Library,
                          InputReason::ModuleDefinition,
                          InputReason::OptionFile));
  EXPECT_THAT(origins(Command),
              ElementsAre("", "-l", "x.rsp", "x.rsp", "--whole-archive", "-l",
                          "", "-lto-sample-profile:"));
  EXPECT_TRUE(Command.Inputs[5].Whole);
  EXPECT_FALSE(Command.Inputs[1].Whole);
  EXPECT_THAT(texts(Command.PrefetchOptions), ElementsAre("prefetch-jobs=2"));
}

TEST_F(ELFMinGWTest, SearchesMinGWNames) {
  EXPECT_EQ(findMinGW({"-lx", "-Ll"}), "-lx");
  // From the last to the first name in lld's order.
  for (const char *Name : {"l/x.dll", "l/libx.dll", "l/x.lib", "l/libx.a",
                           "l/x.dll.a", "l/libx.dll.a"}) {
    Directory.write(Name);
    EXPECT_EQ(findMinGW({"-lx", "-Ll"}), Name);
  }
  EXPECT_EQ(findMinGW({"-Bstatic", "-lx", "-Ll"}), "l/libx.a");
  EXPECT_EQ(findMinGW({"-static", "-dy", "-lx", "-Ll"}), "l/libx.dll.a");
  EXPECT_EQ(findMinGW({"-l:x.lib", "-Ll"}), "l/x.lib");
  EXPECT_EQ(findMinGW({"-l:y", "-Ll"}), "-l:y");
  Directory.write("k/x.dll");
  EXPECT_EQ(findMinGW({"-lx", "-Lk", "-Ll"}), "k/x.dll");
}

TEST_F(ELFMinGWTest, StaticLibrariesAreNotDLLs) {
  Directory.write("l/libx.dll");
  Directory.write("l/x.dll.a");
  EXPECT_EQ(findMinGW({"-Bstatic", "-lx", "-Ll"}), "-lx");
}

TEST_F(ELFMinGWTest, OptionReplacesLibPrefix) {
  Directory.write("l/cygx.dll");
  Directory.write("l/libx.dll");
  EXPECT_EQ(findMinGW({"-lx", "-Ll", "--dll-search-prefix=cyg"}), "l/cygx.dll");
  EXPECT_EQ(findMinGW({"-lx", "-Ll"}), "l/libx.dll");
}

TEST_F(ELFMinGWTest, HasNoDefaultDirectories) {
  Directory.write("libx.a");
  EXPECT_EQ(findMinGW({"-lx"}), "-lx");
  EXPECT_EQ(findMinGW({"-lx", "-L", ""}), "libx.a");
}

TEST_F(ELFMinGWTest, ListsOutputs) {
  EXPECT_THAT(parseMinGW({"a.o"}).Outputs, ElementsAre("a.exe"));
  EXPECT_THAT(parseMinGW({"a.o", "--dll"}).Outputs, ElementsAre("a.dll"));
  EXPECT_THAT(parseMinGW({"a.o", "-ox.dll", "-shared", "--out-implib", "x.a",
                          "-Map=m", "--reproduce=r"})
                  .Outputs,
              ElementsAre("x.dll", "x.a", "m", "r"));
  EXPECT_THAT(parseMinGW({"a.o", "-o", "x.exe", "--pdb="}).Outputs,
              ElementsAre("x.exe", "x.pdb"));
  EXPECT_THAT(parseMinGW({"a.o", "-o", "x.exe", "-pdb", "y.pdb"}).Outputs,
              ElementsAre("x.exe", "y.pdb"));
}

TEST_F(ELFMinGWTest, RecognizesWhatIsReadOfInputs) {
  const struct {
    Strings Args;
    bool CodeView;
    bool DWARF;
    bool Drops;
  } Cases[] = {
      {{}, false, true, false},
      {{"-s"}, false, false, false},
      {{"-S"}, false, false, false},
      {{"--pdb="}, true, true, false},
      {{"--pdb=", "-s"}, true, false, false},
      {{"--gc-sections"}, false, true, true},
  };
  for (const auto &Case : Cases) {
    Strings Args = Case.Args;
    Args.emplace_back("a.o");
    LinkCommand Command = parseMinGW(Args);
    EXPECT_EQ(Command.ReadsCodeView, Case.CodeView)
        << testing::PrintToString(Args);
    EXPECT_EQ(Command.ReadsDWARF, Case.DWARF) << testing::PrintToString(Args);
    EXPECT_EQ(Command.DropsUnreferenced, Case.Drops)
        << testing::PrintToString(Args);
  }
}

TEST_F(ELFMinGWTest, PassesXlinkArguments) {
  LinkCommand Command =
      parseMinGW({"-Xlink", "b.o", "a.o", "--Xlink=-defaultlib:c",
                  "-Xlink=-order:@o", "-Xlink=-wholearchive:w.a"});
  EXPECT_THAT(names(Command), ElementsAre("b.o", "w.a", "a.o", "c", "o"));
  EXPECT_THAT(names(parseMinGW({"a.o"}, contextWith({{"LINK", "env.o"}}))),
              ElementsAre("env.o", "a.o"));
}

TEST_F(ELFMinGWTest, RecognizesCommandsWithoutLink) {
  for (const Strings &Args :
       {Strings{}, Strings{"-v"}, Strings{"a.o", "--version"},
        Strings{"a.o", "--help"}, Strings{"a.o", "-###"}}) {
    LinkCommand Command = parseMinGW(Args);
    EXPECT_FALSE(Command.Links) << testing::PrintToString(Args);
    EXPECT_THAT(Command.Inputs, IsEmpty());
  }
  EXPECT_TRUE(parseMinGW({"-v", "-lx"}).Links);
}

} // namespace
