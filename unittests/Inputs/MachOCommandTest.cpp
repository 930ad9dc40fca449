//===- MachOCommandTest.cpp - Parsed Mach-O lines -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachOTestSupport.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

TEST(MachOCommandTest, ListsInOrderOfReading) {
  EXPECT_THAT(
      names(parseMachO(
          {"-order_file", "order", "-sectcreate", "A", "b", "section", "a.o",
           "-lz", "-unexported_symbols_list", "unexported", "-framework", "F",
           "-exported_symbols_list", "exported", "b.o", "-bundle_loader",
           "loader", "-non_global_symbols_strip_list", "local"})),
      ElementsAre("loader", "exported", "unexported", "local", "a.o", "z", "F",
                  "b.o", "order", "section"));
}

TEST(MachOCommandTest, ValuesAreNoInputs) {
  EXPECT_THAT(names(parseMachO({"-o",
                                "a.o",
                                "-install_name",
                                "b.o",
                                "-rename_section",
                                "c.o",
                                "d.o",
                                "e.o",
                                "f.o",
                                "-platform_version",
                                "macos",
                                "13",
                                "13.1",
                                "-u",
                                "g.o",
                                "-mllvm",
                                "h.o",
                                "in.o",
                                "--reproduce",
                                "i.o",
                                "-headerpad",
                                "j.o"})),
              ElementsAre("in.o"));
}

TEST(MachOCommandTest, SkipsOptionsThatLldIgnores) {
  EXPECT_THAT(names(parseMachO({"-upward-lx", "-lazy-lx", "-lazy_library",
                                "x.o", "-upward_framework", "X", "-alias_list",
                                "list", "-lto_library", "x.dylib", "a.o"})),
              ElementsAre("a.o"));
}

TEST(MachOCommandTest, LeavesErrorsToLinker) {
  EXPECT_THAT(names(parseMachO({"-no-such-option", "a.o", "--prefetch=1"})),
              ElementsAre("a.o"));
  EXPECT_THAT(names(parseMachO({"a.o", "-sectcreate", "x", "y"})),
              ElementsAre("a.o"));
}

TEST(MachOCommandTest, RecordsReasonAndOrigin) {
  CurrentTestDirectory Directory;
  Directory.write("args.rsp", "in_file.o -lq");
  LinkCommand Command =
      parseMachO({"a.o", "@args.rsp", "-weak-lz", "-needed_framework", "F",
                  "-force_load", "w.a", "-order_file", "order"});
  std::vector<std::tuple<std::string, InputReason, SearchRule, std::string>>
      Seen;
  Seen.reserve(Command.Inputs.size());
  for (const NamedInput &I : Command.Inputs)
    Seen.emplace_back(I.Name, I.Reason, I.Search, I.From);
  EXPECT_THAT(
      Seen,
      ElementsAre(
          std::tuple("a.o", InputReason::CommandLine, SearchRule::Verbatim, ""),
          std::tuple("in_file.o", InputReason::ResponseFile,
                     SearchRule::Verbatim, "args.rsp"),
          std::tuple("q", InputReason::Library, SearchRule::Library,
                     "args.rsp"),
          std::tuple("z", InputReason::Library, SearchRule::Library, "-weak-l"),
          std::tuple("F", InputReason::Framework, SearchRule::Framework,
                     "-needed_framework"),
          std::tuple("w.a", InputReason::WholeArchive, SearchRule::Verbatim,
                     "-force_load"),
          std::tuple("order", InputReason::OptionFile, SearchRule::Verbatim,
                     "-order_file")));
}

Strings wholeOnes(const LinkCommand &Command) {
  Strings Result;
  for (const NamedInput &I : Command.Inputs)
    if (I.Whole)
      Result.push_back(I.Name);
  return Result;
}

TEST(MachOCommandTest, MarksWholeArchives) {
  EXPECT_THAT(wholeOnes(parseMachO({"a.a", "-force_load", "b.a", "-lc"})),
              ElementsAre("b.a"));
  EXPECT_THAT(wholeOnes(parseMachO({"a.a", "-lc", "-all_load", "-framework",
                                    "F", "-order_file", "o"})),
              ElementsAre("a.a", "c", "F"));
  EXPECT_THAT(wholeOnes(parseMachO({"a.a", "-all_load", "-noall_load"})),
              IsEmpty());
}

TEST(MachOCommandTest, MarksLazyInputs) {
  auto Lazy = [](const Strings &Args) {
    Strings Result;
    for (const NamedInput &I : parseMachO(Args).Inputs)
      if (I.Lazy)
        Result.push_back(I.Name);
    return Result;
  };
  EXPECT_THAT(Lazy({"a.o", "--start-lib", "b.o", "-lc", "--end-lib", "d.o"}),
              ElementsAre("b.o"));
  EXPECT_THAT(Lazy({"--start-lib", "b.o", "--end-lib", "-all_load"}),
              IsEmpty());
}

TEST(MachOCommandTest, ReadsFileLists) {
  CurrentTestDirectory Directory;
  Directory.write("list", "a.o\r\n\n # no\n#no\n  b c.o\t\nlast.o");
  LinkCommand Command = parseMachO({"x.o", "-filelist", "list", "y.o"});
  EXPECT_THAT(names(Command),
              ElementsAre("x.o", "list", "a.o", "b c.o", "last.o", "y.o"));
  EXPECT_EQ(Command.Inputs[1].Reason, InputReason::OptionFile);
  EXPECT_EQ(Command.Inputs[2].Reason, InputReason::FileList);
  EXPECT_EQ(Command.Inputs[2].From, "list");
  // lld 22 accepts no directory after a comma. A directory is not a list.
  EXPECT_THAT(names(parseMachO({"-filelist", "list,directory"})),
              ElementsAre("list,directory"));
  EXPECT_THAT(names(parseMachO({"-filelist", "."})), ElementsAre("."));
}

TEST(MachOCommandTest, ReadsLongFileLists) {
  CurrentTestDirectory Directory;
  std::string Many;
  for (int I = 0; I < 300000; ++I)
    Many += "directory/object" + std::to_string(I % 200000) + ".o\n";
  Directory.write("many", Many);
  LinkCommand Command = parseMachO({"-filelist", "many"});
  ASSERT_EQ(Command.Inputs.size(), 200001U);
  EXPECT_EQ(Command.Inputs.back().Name, "directory/object199999.o");
  // A line that is too long for a path is skipped, wherever the blocks in which
  // the file is read end.
  Directory.write("line", "a.o\n" + std::string(3 << 20, 'x') + "\nb.o\n" +
                              std::string((1 << 20) - 9, 'y') + "\nc.o");
  EXPECT_THAT(names(parseMachO({"-filelist", "line"})),
              ElementsAre("line", "a.o", "b.o", "c.o"));
}

TEST(MachOCommandTest, ListsProfilesThatAreUsed) {
  EXPECT_THAT(names(parseMachO({"--irpgo-profile=p"})), IsEmpty());
  EXPECT_THAT(
      names(parseMachO({"--irpgo-profile", "p", "--bp-startup-sort=function"})),
      ElementsAre("p"));
  EXPECT_THAT(names(parseMachO({"--irpgo-profile-sort=p"})), ElementsAre("p"));
  EXPECT_THAT(names(parseMachO({"--cs-profile-path=p"})), ElementsAre("p"));
  EXPECT_THAT(
      names(parseMachO({"--cs-profile-path=p", "--cs-profile-generate"})),
      IsEmpty());
}

TEST(MachOCommandTest, ListsOutputs) {
  EXPECT_THAT(parseMachO({"a.o"}).Outputs, ElementsAre("a.out"));
  EXPECT_THAT(parseMachO({"-o", "", "a.o"}).Outputs, ElementsAre());
  EXPECT_THAT(parseMachO({"-map", "m", "-dependency_info", "d", "-o", "first",
                          "--time-trace", "--reproduce=r", "-object_path_lto",
                          "l", "-o", "out", "-final_output", "f"})
                  .Outputs,
              ElementsAre("out", "m", "d", "r", "l", "out.time-trace"));
  EXPECT_THAT(parseMachO({"--time-trace=t"},
                         contextWith({{"LLD_REPRODUCE", "env.tar"}}))
                  .Outputs,
              ElementsAre("a.out", "env.tar", "t"));
  EXPECT_THAT(parseMachO({"a.o", "--time-trace"}).Outputs,
              ElementsAre("a.out", "a.out.time-trace"));
  // An output of the link is not fetched, even if an option reads it.
  EXPECT_THAT(names(parseMachO({"a.o", "-order_file", "m", "-map", "m"})),
              ElementsAre("a.o"));
}

TEST(MachOCommandTest, CollectsSettings) {
  LinkCommand Command =
      parseMachO({"-arch", "arm64", "-arch", "x86_64", "-platform_version",
                  "iOS Simulator", "15", "15", "-dylib", "-flat_namespace",
                  "-ignore_auto_link", "--ignore-auto-link-option=a",
                  "--ignore-auto-link-option", "b", "-force_load_swift_libs",
                  "-dead_strip", "-S", "-cache_path_lto", "d"});
  EXPECT_TRUE(Command.Links);
  EXPECT_EQ(Command.Kind, Flavour::MachO);
  EXPECT_EQ(Command.MachO.Arch, "x86_64");
  EXPECT_EQ(Command.MachO.Platform,
            unsigned(llvm::MachO::PLATFORM_IOSSIMULATOR));
  EXPECT_FALSE(Command.MachO.MakesExecutable);
  EXPECT_TRUE(Command.MachO.FlatNamespace);
  EXPECT_TRUE(Command.MachO.IgnoresLinkerOptions);
  EXPECT_THAT(Command.MachO.IgnoredLinkerOptions, ElementsAre("a", "b"));
  EXPECT_TRUE(Command.MachO.ForcesSwiftLibraries);
  EXPECT_TRUE(Command.DropsUnreferenced);
  EXPECT_TRUE(Command.HasLTOCache);
  EXPECT_FALSE(Command.ReadsDWARF);

  Command =
      parseMachO({"-bundle", "-execute", "-flat_namespace",
                  "-twolevel_namespace", "-platform_version", "macos", "13",
                  "13", "-platform_version", "mac-catalyst", "16", "16"});
  EXPECT_TRUE(Command.MachO.MakesExecutable);
  EXPECT_FALSE(Command.MachO.FlatNamespace);
  EXPECT_FALSE(Command.DropsUnreferenced);
  EXPECT_FALSE(Command.HasLTOCache);
  EXPECT_TRUE(Command.ReadsDWARF);
  EXPECT_EQ(Command.MachO.Platform, unsigned(llvm::MachO::PLATFORM_MACOS));
}

TEST(MachOCommandTest, ReadsNothingForHelp) {
  for (const char *Arg : {"-help", "--help", "--help-hidden", "--version"}) {
    LinkCommand Command = parseMachO({"a.o", Arg});
    EXPECT_FALSE(Command.Links) << Arg;
    EXPECT_THAT(names(Command), IsEmpty()) << Arg;
  }
  // -v prints, and links.
  EXPECT_TRUE(parseMachO({"a.o", "-v"}).Links);
}

TEST(MachOCommandTest, CollectsPrefetchOptions) {
  LinkCommand Command = parseMachO(
      {"--prefetch-jobs=2", "-o", "--prefetch-stats", "--read-workers=0x10"});
  EXPECT_THAT(texts(Command.PrefetchOptions),
              ElementsAre("prefetch-jobs=2", "prefetch-jobs=16"));
  EXPECT_THAT(Command.Outputs, ElementsAre("--prefetch-stats"));
}

} // namespace
