//===- COFFCommandTest.cpp - lld-link's input order -----------------------===//
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

TEST(COFFCommandTest, NamesReasons) {
  EXPECT_EQ(reasonName(InputReason::CommandLine), "command line");
  EXPECT_EQ(reasonName(InputReason::ResponseFile), "response file");
  EXPECT_EQ(reasonName(InputReason::Environment), "environment");
  EXPECT_EQ(reasonName(InputReason::DefaultLibrary), "default library");
  EXPECT_EQ(reasonName(InputReason::WholeArchive), "whole archive");
  EXPECT_EQ(reasonName(InputReason::ModuleDefinition), "module definition");
  EXPECT_EQ(reasonName(InputReason::OptionFile), "option file");
}

TEST(COFFCommandTest, RecordsOriginOfInputs) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "rsp.obj /defaultlib:rsplib");
  LinkCommand Command =
      parse({"/home/abs.obj", "@x.rsp", "-wholearchive:whole.lib",
             "/DefaultLib:def", "/def:x.def"},
            contextWith({{"LINK", "env.obj"}}));
  ASSERT_THAT(names(Command),
              ElementsAre("env.obj", "/home/abs.obj", "rsp.obj", "whole.lib",
                          "rsplib", "def", "x.def"));
  EXPECT_THAT(reasons(Command),
              ElementsAre(InputReason::Environment, InputReason::CommandLine,
                          InputReason::ResponseFile, InputReason::WholeArchive,
                          InputReason::DefaultLibrary,
                          InputReason::DefaultLibrary,
                          InputReason::ModuleDefinition));
  EXPECT_THAT(origins(Command),
              ElementsAre("LINK", "", "x.rsp", "-wholearchive:", "x.rsp",
                          "/DefaultLib:", "/def:"));
  EXPECT_EQ(Command.Inputs[0].Search, SearchRule::Object);
  EXPECT_EQ(Command.Inputs[3].Search, SearchRule::Object);
  EXPECT_EQ(Command.Inputs[4].Search, SearchRule::Library);
  EXPECT_EQ(Command.Inputs[6].Search, SearchRule::Verbatim);
}

TEST(COFFCommandTest, DistinguishesInputsFromUnknownOptions) {
  // lld takes these as paths unless they are options; "-x" is never an input.
  LinkCommand Command =
      parse({"/x.obj", "/outs", "-x.obj", "--long", "-", "", "x.obj",
             "/prefetch-inputs:banana", "/nodefaultlibs"});
  EXPECT_THAT(names(Command),
              ElementsAre("/x.obj", "/outs", "-", "x.obj",
                          "/prefetch-inputs:banana", "/nodefaultlibs"));
  EXPECT_THAT(Command.PrefetchOptions, IsEmpty());
}

// The MinGW driver resolves -l itself; lld-link 22.1.8 only warns: "ignoring
// unknown argument '-lfoo'".
TEST(COFFCommandTest, IgnoresLibraryOptionsInMinGWMode) {
  LinkCommand Command =
      parse({"/lldmingw", "-lfoo", "-L/lib", "-l:x.a", "a.o"});
  EXPECT_TRUE(Command.MinGW);
  EXPECT_THAT(names(Command), ElementsAre("a.o"));
  EXPECT_THAT(Command.SearchPaths, ElementsAre(""));
}

TEST(COFFCommandTest, MarksLazyInputs) {
  LinkCommand Command =
      parse({"a.obj", "/start-lib", "b.obj", "/wholearchive:c.lib", "-END-LIB",
             "d.obj", "/defaultlib:e", "-start-lib"});
  std::vector<bool> Lazy;
  Lazy.reserve(Command.Inputs.size());
  for (const NamedInput &Input : Command.Inputs)
    Lazy.push_back(Input.Lazy);
  EXPECT_THAT(names(Command),
              ElementsAre("a.obj", "b.obj", "c.lib", "d.obj", "e"));
  EXPECT_THAT(Lazy, ElementsAre(false, true, true, false, false));
}

TEST(COFFCommandTest, MarksWholeArchives) {
  auto Whole = [](const Strings &Args) {
    std::vector<bool> Result;
    for (const NamedInput &Input : parse(Args).Inputs)
      Result.push_back(Input.Whole);
    return Result;
  };
  EXPECT_THAT(Whole({"a.lib", "b.lib", "/wholearchive:a.lib"}),
              ElementsAre(true, false, true));
  EXPECT_THAT(Whole({"a.lib", "b.lib", "/wholearchive", "/defaultlib:c"}),
              ElementsAre(true, true, false));
}

// The order of lld-link 22.1.8, observed with strace.
TEST(COFFCommandTest, ListsOptionFilesInOrderOfLld) {
  LinkCommand Command =
      parse({"/natvis:n1.natvis", "/natvis:n2.natvis", "/pdbstream:a=s1",
             "/pdbstream:b=s2", "/sectionlayout:@layout", "/order:@order",
             "/def:x.def", "/stub:stub", "/defaultlib:lib", "/manifestinput:m1",
             "/manifestinput:m2", "/manifest:embed,id=2", "/vfsoverlay:vfs",
             "a.obj", "/debug", "/lto-sample-profile:prof",
             "/lto-cs-profile-file:cs", "b.obj"});
  EXPECT_THAT(names(Command),
              ElementsAre("vfs", "layout", "a.obj", "b.obj", "lib", "stub",
                          "x.def", "prof", "cs", "m1", "m2", "order",
                          "n1.natvis", "n2.natvis", "s1", "s2"));
}

TEST(COFFCommandTest, LastValueWins) {
  LinkCommand Command =
      parse({"a.obj", "/def:1", "/def:2", "/stub:1", "/stub:2", "/order:@1",
             "/order:@2", "/vfsoverlay:1", "/vfsoverlay:2", "/sectionlayout:@1",
             "/sectionlayout:2", "/debug", "/pdbstream:s=1", "/pdbstream:s=2"});
  EXPECT_THAT(names(Command),
              ElementsAre("2", "2", "a.obj", "2", "2", "2", "2"));
}

TEST(COFFCommandTest, ListsOnlyFilesThatLldReads) {
  // Without a PDB, lld reads no natvis files and no streams.
  EXPECT_THAT(names(parse({"a.obj", "/natvis:n", "/pdbstream:a=s"})),
              ElementsAre("a.obj"));
  EXPECT_THAT(names(parse({"a.obj", "/natvis:n", "/debug:dwarf"})),
              ElementsAre("a.obj"));
  // Manifest inputs need an embedded manifest.
  EXPECT_THAT(names(parse({"a.obj", "/manifestinput:m"})),
              ElementsAre("a.obj"));
  EXPECT_THAT(names(parse({"a.obj", "/manifestinput:m", "/manifest:embed",
                           "/manifest"})),
              ElementsAre("a.obj"));
  // An order needs '@', and prevents lld from reading the call graph.
  EXPECT_THAT(names(parse({"a.obj", "/order:o"})), ElementsAre("a.obj"));
  EXPECT_THAT(
      names(parse({"a.obj", "/order:@o", "/call-graph-ordering-file:c"})),
      ElementsAre("a.obj", "o"));
  EXPECT_THAT(names(parse({"a.obj", "/call-graph-ordering-file:c"})),
              ElementsAre("a.obj", "c"));
  EXPECT_THAT(names(parse({"a.obj", "/call-graph-ordering-file:c",
                           "/call-graph-profile-sort:no"})),
              ElementsAre("a.obj"));
  // Only hybrid images with /def: read the definitions of the native view.
  EXPECT_THAT(names(parse({"a.obj", "/defarm64native:n", "/def:d"})),
              ElementsAre("a.obj", "d"));
  EXPECT_THAT(names(parse({"a.obj", "/defarm64native:n", "/machine:ARM64X"})),
              ElementsAre("a.obj"));
  EXPECT_THAT(
      names(parse({"a.obj", "/defarm64native:n", "/def:d", "/machine:arm64x"})),
      ElementsAre("a.obj", "d", "n"));
  // The program will write this profile.
  EXPECT_THAT(names(parse({"a.obj", "/lto-cs-profile-file:p",
                           "/lto-cs-profile-generate"})),
              ElementsAre("a.obj"));
  // These links do not use the symbols.
  for (const char *Arg : {"/lldemit:llvm", "/lldemit:asm",
                          "/thinlto-index-only", "/thinlto-index-only:x"}) {
    LinkCommand Command =
        parse({"a.obj", "/order:@o", "/debug", "/natvis:n", Arg});
    EXPECT_THAT(names(Command), ElementsAre("a.obj")) << Arg;
    EXPECT_FALSE(Command.ReadsCodeView) << Arg;
    EXPECT_FALSE(Command.ReadsDWARF) << Arg;
  }
  EXPECT_THAT(names(parse({"a.obj", "/order:@o", "/lldemit:obj"})),
              ElementsAre("a.obj", "o"));
}

TEST(COFFCommandTest, LinksModuleDefinitionWithoutObjects) {
  LinkCommand Command = parse({"/def:x.def", "/defaultlib:l", "/stub:s",
                               "/order:@o", "/out:x.dll", "/debug"});
  EXPECT_TRUE(Command.Links);
  EXPECT_THAT(names(Command), ElementsAre("l", "s", "x.def"));
}

TEST(COFFCommandTest, RecognizesCommandsWithoutLink) {
  for (const Strings &Args :
       {Strings{"/lib", "a.obj"}, Strings{"-LIB", "a.obj"},
        Strings{"a.obj", "/help"}, Strings{"a.obj", "/?"},
        Strings{"a.obj", "-?"}, Strings{"a.obj", "/??"},
        Strings{"a.obj", "--version"}, Strings{}, Strings{"/out:x.exe"},
        Strings{"/vfsoverlay:v"}}) {
    LinkCommand Command = parse(Args);
    EXPECT_FALSE(Command.Links) << testing::PrintToString(Args);
    EXPECT_THAT(Command.Inputs, IsEmpty()) << testing::PrintToString(Args);
  }
  for (const Strings &Args :
       {Strings{"a.obj"}, Strings{"a.obj", "/lib"},
        Strings{"a.obj", "/version:1"}, Strings{"/link", "/lib", "a.obj"}})
    EXPECT_TRUE(parse(Args).Links) << testing::PrintToString(Args);
}

TEST(COFFCommandTest, OnlyCommandLineSelectsLib) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "/lib a.obj");
  EXPECT_TRUE(parse({"@x.rsp"}).Links);
  EXPECT_TRUE(parse({"a.obj"}, contextWith({{"LINK", "/lib"}})).Links);
  EXPECT_FALSE(
      parse({"/lib", "a.obj"}, contextWith({{"LINK", "b.obj"}})).Links);
}

TEST(COFFCommandTest, AppliesDebugValuesInOrder) {
  struct {
    Strings Args;
    bool CodeView;
    bool DWARF;
  } Cases[] = {
      {{}, false, false},
      {{"/debug"}, true, true},
      {{"-DEBUG:FULL"}, true, true},
      {{"/debug:fastlink"}, true, true},
      {{"/debug:ghash"}, true, true},
      {{"/debug:noghash"}, true, true},
      {{"/debug:dwarf"}, false, true},
      {{"/debug:symtab"}, false, false},
      {{"/debug:none"}, false, false},
      {{"/debug:"}, false, false},
      {{"/debug:full,nodwarf"}, true, false},
      {{"/debug:nodwarf,full"}, true, true},
      {{"/debug", "/debug:nodwarf"}, true, false},
      {{"/debug", "/debug:none"}, false, false},
      {{"/debug:none", "/debug"}, true, true},
      {{"/debug:dwarf", "/debug:none"}, false, false},
      {{"/debug", "/debug:dwarf"}, true, true},
      {{"/debug:dwarf", "/debug:symtab"}, false, true},
      {{"/debugtype:cv", "/pdb:x.pdb"}, false, false},
  };
  for (const auto &Case : Cases) {
    Strings Args = Case.Args;
    Args.emplace_back("a.obj");
    LinkCommand Command = parse(Args);
    EXPECT_EQ(Command.ReadsCodeView, Case.CodeView)
        << testing::PrintToString(Args);
    EXPECT_EQ(Command.ReadsDWARF, Case.DWARF) << testing::PrintToString(Args);
  }
}

TEST(COFFCommandTest, RecognizesDroppedSections) {
  const struct {
    Strings Args;
    bool Drops;
  } Cases[] = {
      {{}, true},
      {{"/debug"}, false},
      {{"/debug:dwarf"}, false},
      {{"/debug:symtab"}, false},
      {{"/debug:none"}, true},
      {{"/debug:nodwarf"}, true},
      {{"/debug:dwarf", "/debug:none"}, true},
      {{"/debug:none", "/debug:dwarf"}, false},
      {{"/debug", "/profile"}, true},
      {{"/debug", "/opt:ref"}, true},
      {{"/debug", "/OPT:REF,noicf"}, true},
      {{"/opt:noref"}, false},
      {{"/opt:ref", "/debug", "/opt:icf,noref"}, false},
      {{"/lldemit:asm"}, false},
  };
  for (const auto &Case : Cases) {
    Strings Args = Case.Args;
    Args.emplace_back("a.obj");
    EXPECT_EQ(parse(Args).DropsUnreferenced, Case.Drops)
        << testing::PrintToString(Args);
  }
}

TEST(COFFCommandTest, RecognizesOneThread) {
  EXPECT_FALSE(parse({"a.obj", "/threads:1", "/threads:4"}).HasOneThread);
  EXPECT_TRUE(parse({"a.obj", "/THREADS:1"}).HasOneThread);
}

TEST(COFFCommandTest, RecognizesLTOCache) {
  EXPECT_FALSE(parse({"a.obj", "/lldltocachepolicy:x"}).HasLTOCache);
  EXPECT_TRUE(parse({"a.obj", "/lldltocache:d"}).HasLTOCache);
  EXPECT_FALSE(parse({"a.obj", "/lldltocache:"}).HasLTOCache);
}

TEST(COFFCommandTest, CollectsPrefetchOptions) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "/prefetch-stats:\"a b.json\" b.obj");
  LinkCommand Command =
      parse({"--prefetch-jobs=4", "a.obj", "@x.rsp", "/prefetch-inputs:no"},
            contextWith({{"LINK", "/prefetch-memory:1G"}}));
  EXPECT_THAT(texts(Command.PrefetchOptions),
              ElementsAre("prefetch-memory=1G", "prefetch-jobs=4",
                          "prefetch-stats=a b.json", "prefetch-inputs=no"));
  EXPECT_THAT(names(Command), ElementsAre("a.obj", "b.obj"));
}

TEST(COFFCommandTest, SurvivesRandomArgs) {
  listRandomLines(Flavour::COFF, {"/", "-", "@", "/debug:", "/pdbstream:",
                                  "/out:", "/defaultlib:", "/nodefaultlib:",
                                  "/machine:", "/libpath:", "/map:"});
}

TEST(COFFCommandTest, ParsesManyArgs) {
  CurrentTestDirectory Directory;
  std::string Text;
  for (unsigned I = 0; I < 100000; ++I)
    Text += "/home/user/project/build/obj/source/" + std::to_string(I) +
            "/file.obj\n";
  Directory.write("x.rsp", Text);
  LinkCommand Command = parse({"/out:x.exe", "@x.rsp", "/debug"});
  EXPECT_EQ(Command.Inputs.size(), 100000U);
}

} // namespace
