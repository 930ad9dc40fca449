//===- PrefetchOptionsTest.cpp - Headstart's own options ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "llvm/ADT/SmallVector.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

struct Taken {
  Strings Options; ///< name, or name=value
  Strings Spelled;
  Strings Rest;
};

Taken take(Flavour F, Strings Args) {
  Args.insert(Args.begin(), "the linker");
  llvm::SmallVector<const char *, 16> Argv;
  for (const std::string &Arg : Args)
    Argv.push_back(Arg.c_str());
  std::vector<PrefetchOption> Options =
      LinkerModel::of(F).takePrefetchOptions(Argv);
  Taken Result;
  Result.Options = texts(Options);
  for (const PrefetchOption &Option : Options)
    Result.Spelled.push_back(Option.Spelling);
  EXPECT_STREQ(Argv.front(), "the linker");
  Result.Rest.assign(Argv.begin() + 1, Argv.end());
  return Result;
}

Taken takeCOFF(const Strings &Args) { return take(Flavour::COFF, Args); }
Taken takeELF(const Strings &Args) { return take(Flavour::ELF, Args); }
Taken takeMachO(const Strings &Args) { return take(Flavour::MachO, Args); }

TEST(PrefetchOptionsTest, AcceptsEmptyCommandLine) {
  for (Flavour F : {Flavour::COFF, Flavour::ELF, Flavour::MachO}) {
    EXPECT_THAT(take(F, {}).Options, IsEmpty());
    llvm::SmallVector<const char *, 1> None;
    EXPECT_THAT(LinkerModel::of(F).takePrefetchOptions(None), IsEmpty());
  }
}

TEST(COFFPrefetchOptionsTest, AcceptsDoubleDashForms) {
  Taken T = takeCOFF({"--prefetch-inputs", "--no-prefetch-inputs",
                      "--prefetch-jobs=4", "--prefetch-memory=1G",
                      "--prefetch-profile=x", "--prefetch-stats",
                      "--prefetch-stats=s.json", "--prefetch-trace=t.json"});
  EXPECT_THAT(T.Options,
              ElementsAre("prefetch-inputs", "prefetch-inputs=no",
                          "prefetch-jobs=4", "prefetch-memory=1G",
                          "prefetch-profile=x", "prefetch-stats",
                          "prefetch-stats=s.json", "prefetch-trace=t.json"));
  EXPECT_EQ(T.Spelled[1], "--no-prefetch-inputs");
  EXPECT_EQ(T.Spelled[2], "--prefetch-jobs=4");
  EXPECT_THAT(T.Rest, IsEmpty());
}

TEST(COFFPrefetchOptionsTest, AcceptsLldLinkForms) {
  for (std::string Prefix : {"/", "-", "/?", "-?"}) {
    Taken T = takeCOFF(
        {Prefix + "prefetch-inputs", Prefix + "Prefetch-Inputs:NO",
         Prefix + "PREFETCH-JOBS:4", Prefix + "prefetch-memory:50%",
         Prefix + "prefetch-profile:C:\\x=y", Prefix + "prefetch-stats",
         Prefix + "prefetch-stats:s", Prefix + "prefetch-trace:/tmp/t"});
    EXPECT_THAT(T.Options,
                ElementsAre("prefetch-inputs", "prefetch-inputs=no",
                            "prefetch-jobs=4", "prefetch-memory=50%",
                            "prefetch-profile=C:\\x=y", "prefetch-stats",
                            "prefetch-stats=s", "prefetch-trace=/tmp/t"))
        << Prefix;
    EXPECT_EQ(T.Spelled[1], Prefix + "Prefetch-Inputs:NO");
    EXPECT_THAT(T.Rest, IsEmpty()) << Prefix;
  }
}

// Stock lld-link ignores these arguments with a warning or reads them as its
// own options, so removing them changes nothing else.
TEST(COFFPrefetchOptionsTest, AcceptsMixedForms) {
  EXPECT_THAT(takeCOFF({"--prefetch-inputs:no", "--prefetch-jobs:4",
                        "-prefetch-jobs=4", "-no-prefetch-inputs"})
                  .Options,
              ElementsAre("prefetch-inputs=no", "prefetch-jobs=4",
                          "prefetch-jobs=4", "prefetch-inputs=no"));
}

TEST(COFFPrefetchOptionsTest, KeepsMissingValues) {
  Taken T =
      takeCOFF({"--prefetch-jobs", "--prefetch-jobs=", "/prefetch-memory",
                "/prefetch-memory:", "-prefetch-trace", "--prefetch-stats="});
  EXPECT_THAT(T.Options,
              ElementsAre("prefetch-jobs", "prefetch-jobs=", "prefetch-memory",
                          "prefetch-memory=", "prefetch-trace",
                          "prefetch-stats="));
}

TEST(COFFPrefetchOptionsTest, KeepsOtherArguments) {
  Strings Others = {"a.obj",
                    "",
                    "/out:--prefetch-jobs=4",
                    "@x.rsp",
                    "/prefetch-inputs:banana",
                    "/prefetch-jobs=4",
                    "/no-prefetch-inputs",
                    "--prefetch-inputs=no",
                    "-prefetch",
                    "--prefetch-jobsx=1",
                    "prefetch-inputs",
                    "---prefetch-inputs",
                    "/home/--prefetch-inputs",
                    "-?prefetch-jobs=4",
                    "/DEBUG",
                    "a.obj"};
  Strings Args = Others;
  Args.insert(Args.begin(), "/prefetch-inputs");
  Args.insert(Args.begin() + 5, "--prefetch-jobs=2");
  Args.emplace_back("/prefetch-stats");
  Taken T = takeCOFF(Args);
  EXPECT_EQ(T.Rest, Others);
  EXPECT_THAT(T.Options, ElementsAre("prefetch-inputs", "prefetch-jobs=2",
                                     "prefetch-stats"));
}

TEST(COFFPrefetchOptionsTest, KeepsLibCommandLine) {
  Taken T = takeCOFF({"/LIB", "--prefetch-stats", "a.obj"});
  EXPECT_THAT(T.Options, IsEmpty());
  EXPECT_THAT(T.Rest, ElementsAre("/LIB", "--prefetch-stats", "a.obj"));
}

TEST(ELFPrefetchOptionsTest, AcceptsEveryOption) {
  for (std::string Dash : {"-", "--"}) {
    Taken T =
        takeELF({Dash + "prefetch-inputs", Dash + "no-prefetch-inputs",
                 Dash + "prefetch-jobs=4", Dash + "prefetch-memory=1G",
                 Dash + "prefetch-profile=x=y", Dash + "prefetch-stats",
                 Dash + "prefetch-stats=s.json",
                 Dash + "prefetch-trace=", Dash + "prefetch-handover=all"});
    EXPECT_THAT(T.Options,
                ElementsAre("prefetch-inputs", "prefetch-inputs=no",
                            "prefetch-jobs=4", "prefetch-memory=1G",
                            "prefetch-profile=x=y", "prefetch-stats",
                            "prefetch-stats=s.json",
                            "prefetch-trace=", "prefetch-handover=all"));
    EXPECT_EQ(T.Spelled[2], Dash + "prefetch-jobs=4");
    EXPECT_THAT(T.Rest, IsEmpty());
  }
}

TEST(ELFPrefetchOptionsTest, KeepsOtherArguments) {
  Strings Others = {"a.o",
                    "",
                    "-o",
                    "x",
                    "@x.rsp",
                    "-",
                    "--",
                    "--prefetch",
                    "-Lx",
                    "--nonsense",
                    "-l",
                    "foo",
                    "--prefetch-inputs=no",
                    "-m",
                    "elf_x86_64",
                    "-plugin-opt",
                    "O2",
                    "a.o"};
  Strings Args = Others;
  Args.insert(Args.begin() + 4, "--prefetch-stats");
  Args.emplace_back("--prefetch-jobs=2");
  Taken T = takeELF(Args);
  EXPECT_EQ(T.Rest, Others);
  EXPECT_THAT(T.Options, ElementsAre("prefetch-stats", "prefetch-jobs=2"));
}

TEST(ELFPrefetchOptionsTest, ValuesAreNoOptions) {
  for (const char *Option :
       {"-o", "-L", "-T", "-e", "-z", "-rpath", "--version-script", "-b",
        "--plugin-opt", "-plugin-opt", "--chroot", "-mllvm",
        // Only MinGW has these.
        "-Xlink", "--Xlink", "-pdb", "--subsystem", "--icf", "-delayload"}) {
    Taken T = takeELF({"a.o", Option, "--prefetch-stats", "--prefetch-jobs=1"});
    EXPECT_THAT(T.Rest, ElementsAre("a.o", Option, "--prefetch-stats"));
    EXPECT_THAT(T.Options, ElementsAre("prefetch-jobs=1"));
  }
  // These already have their value, or have none.
  for (const char *Option : {"-ox", "--output=x", "--gc-sections", "-S",
                             "--nonsense", "--pdb=", "-icf=all"})
    EXPECT_THAT(takeELF({Option, "--prefetch-stats"}).Rest,
                ElementsAre(Option));
}

TEST(ELFPrefetchOptionsTest, KeepsMissingValues) {
  EXPECT_THAT(takeELF({"a.o", "-o"}).Rest, ElementsAre("a.o", "-o"));
  EXPECT_THAT(takeELF({"a.o", "--plugin-opt"}).Rest,
              ElementsAre("a.o", "--plugin-opt"));
  EXPECT_THAT(takeELF({"--Xlink"}).Rest, ElementsAre("--Xlink"));
}

TEST(MachOPrefetchOptionsTest, AcceptsAllForms) {
  Taken T = takeMachO(
      {"--prefetch-inputs", "--no-prefetch-inputs", "--prefetch-jobs=4",
       "--prefetch-memory=1G", "--prefetch-profile=x", "--prefetch-stats",
       "--prefetch-stats=s.json", "--prefetch-trace=t.json",
       "--prefetch-handover=none", "--prefetch-jobs", "--prefetch-stats="});
  EXPECT_THAT(T.Options,
              ElementsAre("prefetch-inputs", "prefetch-inputs=no",
                          "prefetch-jobs=4", "prefetch-memory=1G",
                          "prefetch-profile=x", "prefetch-stats",
                          "prefetch-stats=s.json", "prefetch-trace=t.json",
                          "prefetch-handover=none", "prefetch-jobs",
                          "prefetch-stats="));
  EXPECT_EQ(T.Spelled[1], "--no-prefetch-inputs");
  EXPECT_EQ(T.Spelled[2], "--prefetch-jobs=4");
  EXPECT_THAT(T.Rest, IsEmpty());
}

TEST(MachOPrefetchOptionsTest, KeepsOtherArguments) {
  Strings Others = {"a.o",
                    "",
                    "-o",
                    "--prefetch-stats",
                    "-sectcreate",
                    "--prefetch-jobs=1",
                    "--prefetch-jobs=2",
                    "--prefetch-jobs=3",
                    "-L",
                    "--prefetch-inputs",
                    "-prefetch-inputs",
                    "--prefetch-inputs=no",
                    "--prefetch-jobsx=1",
                    "prefetch-inputs",
                    "-lfoo",
                    "@x.rsp",
                    "--no-such-option",
                    "a.o"};
  Strings Args = Others;
  Args.insert(Args.begin(), "--prefetch-inputs");
  Args.insert(Args.begin() + 3, "--prefetch-jobs=8");
  Taken T = takeMachO(Args);
  EXPECT_EQ(T.Rest, Others);
  EXPECT_THAT(T.Options, ElementsAre("prefetch-inputs", "prefetch-jobs=8"));
}

TEST(MachOPrefetchOptionsTest, KeepsArgumentsAfterIncompleteOption) {
  EXPECT_THAT(takeMachO({"--prefetch-stats", "-sectcreate", "a", "b"}).Rest,
              ElementsAre("-sectcreate", "a", "b"));
}

TEST(MachOPrefetchOptionsTest, MapsReadWorkersToJobs) {
  Taken T = takeMachO({"a.o", "--read-workers=4", "-lb"});
  EXPECT_THAT(T.Options, ElementsAre("prefetch-jobs=4"));
  EXPECT_THAT(T.Spelled, ElementsAre("--read-workers=4"));
  EXPECT_THAT(T.Rest, ElementsAre("a.o", "-lb"));
  EXPECT_THAT(takeMachO({"--read-workers=0"}).Options,
              ElementsAre("prefetch-jobs=0"));
  // Numbers are parsed like lld's, and limited to our maximum.
  EXPECT_THAT(takeMachO({"--read-workers=0x1F"}).Options,
              ElementsAre("prefetch-jobs=31"));
  EXPECT_THAT(takeMachO({"--read-workers=100000"}).Options,
              ElementsAre("prefetch-jobs=256"));
}

TEST(MachOPrefetchOptionsTest, LeavesBadReadWorkersToLinker) {
  for (const char *Bad :
       {"--read-workers=", "--read-workers=x", "--read-workers=-1",
        "--read-workers=4.5", "--read-workers=99999999999"}) {
    Taken T = takeMachO({"--read-workers=2", Bad});
    EXPECT_THAT(T.Options, IsEmpty()) << Bad;
    EXPECT_THAT(T.Rest, ElementsAre("--read-workers=2", Bad));
  }
  // lld checks only the last option.
  Taken T = takeMachO({"--read-workers=x", "--read-workers=2"});
  EXPECT_THAT(T.Rest, IsEmpty());
  EXPECT_EQ(T.Options.back(), "prefetch-jobs=2");
  EXPECT_THAT(takeMachO({"-o", "--read-workers=2"}).Rest,
              ElementsAre("-o", "--read-workers=2"));
}

TEST(MachOPrefetchOptionsTest, KeepsReadWorkersWithResponseFile) {
  Taken T = takeMachO({"@x.rsp", "--read-workers=2", "--prefetch-jobs=3"});
  EXPECT_THAT(T.Options, ElementsAre("prefetch-jobs=3"));
  EXPECT_THAT(T.Rest, ElementsAre("@x.rsp", "--read-workers=2"));
}

} // namespace
