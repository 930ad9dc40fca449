//===- MachOPrefetchOptionsTest.cpp - Headstart's options of ld64.lld -----===//
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
  Strings Spelled;
  Strings Rest;
};

Taken take(Strings Args) {
  Args.insert(Args.begin(), "ld64.lld");
  llvm::SmallVector<const char *, 16> Argv;
  for (const std::string &Arg : Args)
    Argv.push_back(Arg.c_str());
  Taken Result;
  for (const PrefetchOption &Option :
       LinkerModel::of(Flavour::MachO).takePrefetchOptions(Argv)) {
    Result.Options.push_back(Option.Name +
                             (Option.HasValue ? "=" + Option.Value : ""));
    Result.Spelled.push_back(Option.Spelling);
  }
  EXPECT_STREQ(Argv.front(), "ld64.lld");
  Result.Rest.assign(Argv.begin() + 1, Argv.end());
  return Result;
}

TEST(MachOPrefetchOptionsTest, takesAllForms) {
  Taken T = take(
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

TEST(MachOPrefetchOptionsTest, leavesEverythingElseAsItIs) {
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
  Taken T = take(Args);
  EXPECT_EQ(T.Rest, Others);
  EXPECT_THAT(T.Options, ElementsAre("prefetch-inputs", "prefetch-jobs=8"));
}

TEST(MachOPrefetchOptionsTest, leavesWhatFollowsAnOptionWithoutItsValues) {
  EXPECT_THAT(take({"--prefetch-stats", "-sectcreate", "a", "b"}).Rest,
              ElementsAre("-sectcreate", "a", "b"));
}

TEST(MachOPrefetchOptionsTest, readWorkersAreJobs) {
  Taken T = take({"a.o", "--read-workers=4", "-lb"});
  EXPECT_THAT(T.Options, ElementsAre("prefetch-jobs=4"));
  EXPECT_THAT(T.Spelled, ElementsAre("--read-workers=4"));
  EXPECT_THAT(T.Rest, ElementsAre("a.o", "-lb"));
  EXPECT_THAT(take({"--read-workers=0"}).Options,
              ElementsAre("prefetch-jobs=0"));
  // Numbers are parsed like lld's, and limited to our maximum.
  EXPECT_THAT(take({"--read-workers=0x1F"}).Options,
              ElementsAre("prefetch-jobs=31"));
  EXPECT_THAT(take({"--read-workers=100000"}).Options,
              ElementsAre("prefetch-jobs=256"));
}

TEST(MachOPrefetchOptionsTest, badReadWorkersAreTheLinkersToReport) {
  for (const char *Bad :
       {"--read-workers=", "--read-workers=x", "--read-workers=-1",
        "--read-workers=4.5", "--read-workers=99999999999"}) {
    Taken T = take({"--read-workers=2", Bad});
    EXPECT_THAT(T.Options, IsEmpty()) << Bad;
    EXPECT_THAT(T.Rest, ElementsAre("--read-workers=2", Bad));
  }
  // lld checks only the last option.
  Taken T = take({"--read-workers=x", "--read-workers=2"});
  EXPECT_THAT(T.Rest, IsEmpty());
  EXPECT_EQ(T.Options.back(), "prefetch-jobs=2");
  EXPECT_THAT(take({"-o", "--read-workers=2"}).Rest,
              ElementsAre("-o", "--read-workers=2"));
}

TEST(MachOPrefetchOptionsTest, readWorkersWaitForResponseFiles) {
  Taken T = take({"@x.rsp", "--read-workers=2", "--prefetch-jobs=3"});
  EXPECT_THAT(T.Options, ElementsAre("prefetch-jobs=3"));
  EXPECT_THAT(T.Rest, ElementsAre("@x.rsp", "--read-workers=2"));
}

TEST(MachOPrefetchOptionsTest, worksWithoutArguments) {
  EXPECT_THAT(take({}).Options, IsEmpty());
  llvm::SmallVector<const char *, 1> None;
  EXPECT_THAT(LinkerModel::of(Flavour::MachO).takePrefetchOptions(None),
              IsEmpty());
}

} // namespace
