//===- ELFCommandTest.cpp - Parsed ELF command lines ----------------------===//
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

TEST(ELFCommandTest, RecordsOriginOfInputs) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "rsp.o -lrsp");
  LinkCommand Command = parseELF({"a.o", "--library=foo", "@x.rsp", "-Tscript",
                                  "--version-script", "v", "--just-symbols=j"});
  EXPECT_EQ(Command.Kind, Flavour::ELF);
  EXPECT_THAT(names(Command),
              ElementsAre("v", "a.o", "foo", "rsp.o", "rsp", "script", "j"));
  EXPECT_THAT(reasons(Command),
              ElementsAre(InputReason::OptionFile, InputReason::CommandLine,
                          InputReason::Library, InputReason::ResponseFile,
                          InputReason::Library, InputReason::LinkerScript,
                          InputReason::OptionFile));
  EXPECT_THAT(origins(Command),
              ElementsAre("--version-script", "", "--library=", "x.rsp",
                          "x.rsp", "-T", "--just-symbols="));
}

// The order of ld.lld 22.1.8, observed with --verbose.
TEST(ELFCommandTest, ListFilesPrecedeInputs) {
  LinkCommand Command =
      parseELF({"a.o", "--version-script=v1", "--retain-symbols-file=r",
                "--dynamic-list=d", "--symbol-ordering-file=s", "-shared",
                "--export-dynamic-symbol-list=e", "--version-script=v2",
                "--remap-inputs-file=m", "--lto-sample-profile=p",
                "--lto-cs-profile-file=cs", "--lto-basic-block-sections=bb",
                "--irpgo-profile=i", "--bp-startup-sort=function", "b.o"});
  EXPECT_THAT(names(Command), ElementsAre("m", "s", "r", "d", "e", "v1", "v2",
                                          "a.o", "b.o", "bb", "p", "cs", "i"));
}

TEST(ELFCommandTest, ReproducerReadsProfileFirst) {
  EXPECT_THAT(names(parseELF({"a.o", "--lto-sample-profile=p", "--reproduce=r",
                              "--version-script=v"})),
              ElementsAre("p", "v", "a.o"));
}

TEST(ELFCommandTest, ListsOnlyFilesThatLldReads) {
  auto Late = [](Strings Args) {
    Args.insert(Args.begin(), "a.o");
    Strings Names = names(parseELF(Args));
    Names.erase(Names.begin());
    return Names;
  };
  EXPECT_THAT(Late({"--call-graph-ordering-file=c"}), ElementsAre("c"));
  EXPECT_THAT(
      Late({"--call-graph-ordering-file=c", "--no-call-graph-profile-sort"}),
      IsEmpty());
  EXPECT_THAT(
      Late({"--call-graph-ordering-file=c", "--call-graph-profile-sort=none",
            "--call-graph-profile-sort=hfsort"}),
      ElementsAre("c"));
  EXPECT_THAT(Late({"--irpgo-profile=i"}), IsEmpty());
  EXPECT_THAT(Late({"--irpgo-profile=i", "--bp-startup-sort=none"}), IsEmpty());
  EXPECT_THAT(Late({"--lto-cs-profile-file=p", "--lto-cs-profile-generate"}),
              IsEmpty());
  EXPECT_THAT(Late({"--lto-basic-block-sections=all"}), IsEmpty());
  for (const char *Arg : {"--lto-emit-asm", "--plugin-opt=emit-llvm",
                          "--thinlto-index-only", "--thinlto-index-only=x"})
    EXPECT_THAT(Late({"--call-graph-ordering-file=c", Arg}), IsEmpty());
}

TEST(ELFCommandTest, LastValueWins) {
  EXPECT_THAT(
      names(parseELF({"a.o", "--symbol-ordering-file=1",
                      "--symbol-ordering-file=2", "--retain-symbols-file=1",
                      "--retain-symbols-file", "2"})),
      ElementsAre("2", "2", "a.o"));
}

TEST(ELFCommandTest, StateAppliesToLaterInputs) {
  LinkCommand Command = parseELF({"-l1",
                                  "-Bstatic",
                                  "-l2",
                                  "--push-state",
                                  "--whole-archive",
                                  "-l3",
                                  "-Bdynamic",
                                  "-l4",
                                  "--pop-state",
                                  "-l5",
                                  "--start-lib",
                                  "6.o",
                                  "--end-lib",
                                  "-dy",
                                  "7.o",
                                  "--format=binary",
                                  "8",
                                  "-b",
                                  "elf",
                                  "9.o",
                                  "--pop-state"});
  Strings State;
  for (const NamedInput &Input : Command.Inputs)
    State.push_back(Input.Name + (Input.StaticOnly ? "s" : "") +
                    (Input.Whole ? "w" : "") + (Input.Lazy ? "l" : "") +
                    (Input.Scan == ScanPolicy::Never ? "b" : ""));
  EXPECT_THAT(State, ElementsAre("1", "2s", "3sw", "4w", "5s", "6.osl", "7.o",
                                 "8b", "9.o"));
}

TEST(ELFCommandTest, DependentLibrariesUseLastState) {
  NamedInput Plain = parseELF({"-static", "a.o", "-dy"}).ELF.Dependents;
  EXPECT_FALSE(Plain.StaticOnly);
  EXPECT_FALSE(Plain.Whole);
  NamedInput Other =
      parseELF({"a.o", "-static", "--whole-archive"}).ELF.Dependents;
  EXPECT_TRUE(Other.StaticOnly);
  EXPECT_TRUE(Other.Whole);
}

TEST(ELFCommandTest, RelocatableImpliesStatic) {
  LinkCommand Command = parseELF({"-dy", "-lx", "-r"});
  EXPECT_TRUE(Command.Inputs[0].StaticOnly);
  EXPECT_TRUE(Command.ELF.IgnoresDependents);
}

TEST(ELFCommandTest, CollectsSettings) {
  LinkCommand Command =
      parseELF({"a.o", "-L", "1", "-L=2", "--library-path=3", "--sysroot=s",
                "--chroot", "c", "-nostdlib", "--remap-inputs=a=b",
                "--remap-inputs=bad", "--remap-inputs=a=b=c"});
  EXPECT_THAT(Command.SearchPaths, ElementsAre("1", "s/2", "3"));
  EXPECT_EQ(Command.ELF.SysRoot, "s");
  EXPECT_EQ(Command.ELF.ChRoot, "c");
  EXPECT_TRUE(Command.ELF.IgnoresScriptDirectories);
  EXPECT_THAT(Command.ELF.Remaps,
              ElementsAre(std::pair<std::string, std::string>("a", "b")));
  EXPECT_FALSE(parseELF({"a.o"}).ELF.IgnoresScriptDirectories);
  EXPECT_FALSE(parseELF({"a.o"}).ELF.IgnoresDependents);
  EXPECT_TRUE(
      parseELF({"a.o", "--no-dependent-libraries"}).ELF.IgnoresDependents);
}

TEST(ELFCommandTest, ListsTimeTrace) {
  const auto Outputs = [](std::vector<std::string> Arguments) {
    Arguments.emplace_back("a.o");
    return parseELF(Arguments).Outputs;
  };
  EXPECT_THAT(Outputs({"--time-trace", "-o", "x"}),
              ElementsAre("x", "x.time-trace"));
  EXPECT_THAT(Outputs({"--time-trace=", "-o", "x"}),
              ElementsAre("x", "x.time-trace"));
  EXPECT_THAT(Outputs({"--time-trace", "-o", "-"}),
              ElementsAre("-", "out.time-trace"));
  EXPECT_THAT(Outputs({"--time-trace=t"}), ElementsAre("a.out", "t"));
  EXPECT_THAT(Outputs({"--time-trace=t", "--time-trace"}),
              ElementsAre("a.out", "a.out.time-trace"));
  EXPECT_THAT(Outputs({"-plugin-opt=time-trace=p"}), ElementsAre("a.out", "p"));
  EXPECT_THAT(Outputs({"--plugin-opt=time-trace=p"}),
              ElementsAre("a.out", "p"));
  // Standard output is not a file.
  EXPECT_THAT(Outputs({"--time-trace=-"}), ElementsAre("a.out"));
}

/// lld sees no option of Headstart, and joins `--plugin-opt` with what is left.
TEST(ELFCommandTest, OwnOptionAfterPluginOptAsValue) {
  LinkCommand Command =
      parseELF({"-o", "--plugin-opt", "--no-prefetch-inputs", "x", "a.o"});
  EXPECT_EQ(Command.image(), "--plugin-opt=x");
  EXPECT_THAT(names(Command), ElementsAre("a.o"));
  EXPECT_EQ(Command.PrefetchOptions.size(), 1U);
  EXPECT_EQ(parseELF({"a.o", "-o", "--plugin-opt", "--no-prefetch-inputs"})
                .PrefetchOptions.size(),
            1U);
}

TEST(ELFCommandTest, ImageIsFirstOutput) {
  EXPECT_THAT(parseELF({"a.o"}).Outputs, ElementsAre("a.out"));
  EXPECT_THAT(parseELF({"a.o", "-o", ""}).Outputs, ElementsAre("a.out"));
  EXPECT_THAT(parseELF({"a.o", "-Map=m", "-o", "x", "-oy"}).Outputs,
              ElementsAre("y", "m"));
  EXPECT_THAT(parseELF({"a.o", "--dependency-file=d", "--out-implib", "i",
                        "--why-extract=w", "--print-archive-stats=s",
                        "--print-symbol-order=o", "--time-trace",
                        "--reproduce=r", "--plugin-opt=obj-path=p", "-Map", "-",
                        "--print-gc-sections=g"},
                       contextWith({{"LLD_REPRODUCE", "other"}}))
                  .Outputs,
              ElementsAre("a.out", "d", "i", "w", "s", "g", "o", "p",
                          "a.out.time-trace", "r"));
  EXPECT_THAT(
      parseELF({"a.o", "--time-trace=t"}, contextWith({{"LLD_REPRODUCE", "r"}}))
          .Outputs,
      ElementsAre("a.out", "t", "r"));
}

TEST(ELFCommandTest, OutputsThatOptionsReadAreNoInputs) {
  EXPECT_THAT(names(parseELF({"a.o", "-Map=list", "-o", "b.o", "b.o",
                              "--symbol-ordering-file=list"})),
              ElementsAre("a.o", "b.o"));
}

TEST(ELFCommandTest, RecognizesLinksThatReadDWARF) {
  const struct {
    Strings Args;
    bool Reads;
  } Cases[] = {
      {{}, true},
      {{"-S"}, false},
      {{"--strip-debug"}, false},
      {{"-s"}, false},
      {{"-strip-all"}, false},
      {{"-s", "-r"}, true},
      {{"-z", "nosectionheader"}, false},
      {{"-z", "nosectionheader", "-zsectionheader"}, true},
      {{"--gc-sections"}, true},
  };
  for (const auto &Case : Cases) {
    Strings Args = Case.Args;
    Args.emplace_back("a.o");
    EXPECT_EQ(parseELF(Args).ReadsDWARF, Case.Reads)
        << testing::PrintToString(Args);
  }
}

TEST(ELFCommandTest, RecognizesDroppedSections) {
  EXPECT_FALSE(parseELF({"a.o"}).DropsUnreferenced);
  EXPECT_TRUE(parseELF({"a.o", "--gc-sections"}).DropsUnreferenced);
  EXPECT_FALSE(
      parseELF({"a.o", "--gc-sections", "-no-gc-sections"}).DropsUnreferenced);
}

TEST(ELFCommandTest, RecognizesFoldedContents) {
  EXPECT_FALSE(parseELF({"a.o"}).FoldsContents);
  EXPECT_TRUE(parseELF({"a.o", "--icf=all"}).FoldsContents);
  EXPECT_TRUE(parseELF({"a.o", "--icf=none", "-icf=safe"}).FoldsContents);
  EXPECT_FALSE(parseELF({"a.o", "--icf=all", "--icf=none"}).FoldsContents);
}

TEST(ELFCommandTest, RecognizesLTOCache) {
  EXPECT_FALSE(parseELF({"a.o", "--thinlto-cache-policy=x"}).HasLTOCache);
  EXPECT_TRUE(parseELF({"a.o", "--thinlto-cache-dir=d"}).HasLTOCache);
  EXPECT_FALSE(parseELF({"a.o", "--thinlto-cache-dir="}).HasLTOCache);
}

TEST(ELFCommandTest, OneThreadReadsForward) {
  const LinkerModel &Model = LinkerModel::of(Flavour::ELF);
  for (auto [Args, IsForward] :
       {std::pair(std::vector<std::string>{"a.o"}, false),
        {{"a.o", "--threads=1", "--threads=2"}, false},
        {{"a.o", "--threads", "1"}, true}}) {
    const LinkCommand Command = parseELF(Args);
    EXPECT_EQ(Command.HasOneThread, IsForward);
    EXPECT_LT(Model.orderIn(LinkStage::Parse, 0, Command),
              Model.orderIn(LinkStage::Parse, 1, Command));
    EXPECT_EQ(Model.orderIn(LinkStage::Contents, 0, Command) <
                  Model.orderIn(LinkStage::Contents, 1, Command),
              IsForward);
    EXPECT_EQ(
        Model.orderIn(LinkStage::Contents, 5, Command, /*IsBitcode=*/true), 5U);
  }
}

TEST(ELFCommandTest, RecognizesCommandsWithoutLink) {
  for (const Strings &Args :
       {Strings{"a.o", "--help"}, Strings{"a.o", "--version"}, Strings{},
        Strings{"-o", "x"}, Strings{"-v"}, Strings{"-V", "-lx"},
        Strings{"--version-script=v"}}) {
    LinkCommand Command = parseELF(Args);
    EXPECT_FALSE(Command.Links) << testing::PrintToString(Args);
    EXPECT_THAT(Command.Inputs, IsEmpty()) << testing::PrintToString(Args);
    EXPECT_EQ(Command.Kind, Flavour::ELF);
  }
  for (const Strings &Args : {Strings{"a.o"}, Strings{"-lx"},
                              Strings{"-v", "a.o"}, Strings{"-Tscript"}})
    EXPECT_TRUE(parseELF(Args).Links) << testing::PrintToString(Args);
}

TEST(ELFCommandTest, CollectsPrefetchOptions) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "--prefetch-stats='a b.json' b.o");
  LinkCommand Command = parseELF(
      {"--prefetch-jobs=4", "a.o", "@x.rsp", "-o", "--no-prefetch-inputs"});
  EXPECT_THAT(texts(Command.PrefetchOptions),
              ElementsAre("prefetch-jobs=4", "prefetch-stats=a b.json"));
  EXPECT_THAT(names(Command), ElementsAre("a.o", "b.o"));
  EXPECT_THAT(Command.Outputs, ElementsAre("--no-prefetch-inputs"));
}

TEST(ELFCommandTest, OptionSelectsWindowsQuoting) {
  CurrentTestDirectory Directory;
  Directory.write("x.rsp", "dir\\a.o");
  EXPECT_THAT(names(parseELF({"@x.rsp"})), ElementsAre("dira.o"));
  EXPECT_THAT(names(parseELF({"--rsp-quoting", "windows", "@x.rsp"})),
              ElementsAre("dir\\a.o"));
  EXPECT_THAT(names(parseELF(
                  {"@x.rsp", "--rsp-quoting=windows", "--rsp-quoting=posix"})),
              ElementsAre("dira.o"));
}

TEST(ELFCommandTest, SurvivesRandomArgs) {
  listRandomLines(Flavour::ELF,
                  {"-", "--", "@", "-l", "-L=", "-m", "i386pep", "-Xlink", "-T",
                   "--sysroot=", "--chroot", "--remap-inputs=[", "-plugin-opt",
                   "--push-state"});
}

} // namespace
