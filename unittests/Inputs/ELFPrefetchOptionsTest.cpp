//===- ELFPrefetchOptionsTest.cpp - Headstart's own options ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/SmallVector.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

struct Taken {
  Strings Options; ///< name, or name=value
  Strings Rest;
};

Taken take(Strings Args) {
  Args.insert(Args.begin(), "ld.lld");
  llvm::SmallVector<const char *, 16> Argv;
  for (const std::string &Arg : Args)
    Argv.push_back(Arg.c_str());
  Taken Result;
  for (const PrefetchOption &Option :
       LinkerModel::of(Flavour::ELF).takePrefetchOptions(Argv))
    Result.Options.push_back(Option.Name +
                             (Option.HasValue ? "=" + Option.Value : ""));
  EXPECT_STREQ(Argv.front(), "ld.lld");
  Result.Rest.assign(Argv.begin() + 1, Argv.end());
  return Result;
}

TEST(ELFPrefetchOptionsTest, everyOption) {
  for (std::string Dash : {"-", "--"}) {
    Taken T = take({Dash + "prefetch-inputs", Dash + "no-prefetch-inputs",
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
    EXPECT_THAT(T.Rest, IsEmpty());
  }
}

TEST(ELFPrefetchOptionsTest, keepsItsSpelling) {
  llvm::SmallVector<const char *, 2> Argv = {"ld.lld", "-prefetch-jobs=x"};
  std::vector<PrefetchOption> Options =
      LinkerModel::of(Flavour::ELF).takePrefetchOptions(Argv);
  ASSERT_EQ(Options.size(), 1U);
  EXPECT_EQ(Options[0].Spelling, "-prefetch-jobs=x");
}

TEST(ELFPrefetchOptionsTest, leavesEverythingElseAsItIs) {
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
  Taken T = take(Args);
  EXPECT_EQ(T.Rest, Others);
  EXPECT_THAT(T.Options, ElementsAre("prefetch-stats", "prefetch-jobs=2"));
}

TEST(ELFPrefetchOptionsTest, aValueIsNotAnOption) {
  for (const char *Option :
       {"-o", "-L", "-T", "-e", "-z", "-rpath", "--version-script", "-b",
        "--plugin-opt", "-plugin-opt", "--chroot", "-mllvm",
        // Only MinGW has these.
        "-Xlink", "--Xlink", "-pdb", "--subsystem", "--icf", "-delayload"}) {
    Taken T = take({"a.o", Option, "--prefetch-stats", "--prefetch-jobs=1"});
    EXPECT_THAT(T.Rest, ElementsAre("a.o", Option, "--prefetch-stats"));
    EXPECT_THAT(T.Options, ElementsAre("prefetch-jobs=1"));
  }
  // These already have their value, or have none.
  for (const char *Option : {"-ox", "--output=x", "--gc-sections", "-S",
                             "--nonsense", "--pdb=", "-icf=all"})
    EXPECT_THAT(take({Option, "--prefetch-stats"}).Rest, ElementsAre(Option));
}

TEST(ELFPrefetchOptionsTest, aMissingValueStaysMissing) {
  EXPECT_THAT(take({"a.o", "-o"}).Rest, ElementsAre("a.o", "-o"));
  EXPECT_THAT(take({"a.o", "--plugin-opt"}).Rest,
              ElementsAre("a.o", "--plugin-opt"));
  EXPECT_THAT(take({"--Xlink"}).Rest, ElementsAre("--Xlink"));
}

TEST(ELFPrefetchOptionsTest, worksWithoutArguments) {
  EXPECT_THAT(take({}).Options, IsEmpty());
  llvm::SmallVector<const char *, 1> None;
  EXPECT_THAT(LinkerModel::of(Flavour::ELF).takePrefetchOptions(None),
              IsEmpty());
}

} // namespace
