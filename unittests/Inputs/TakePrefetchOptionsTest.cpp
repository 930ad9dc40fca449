//===- TakePrefetchOptionsTest.cpp - Headstart's own options ------------===//
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

Taken take(Strings Args, Flavour F = Flavour::COFF) {
  Args.insert(Args.begin(), "lld-link");
  llvm::SmallVector<const char *, 16> Argv;
  for (const std::string &Arg : Args)
    Argv.push_back(Arg.c_str());
  Taken Result;
  for (const PrefetchOption &Option :
       LinkerModel::of(F).takePrefetchOptions(Argv)) {
    EXPECT_TRUE(Option.HasValue || Option.Value.empty());
    Result.Options.push_back(Option.Name +
                             (Option.HasValue ? "=" + Option.Value : ""));
    Result.Spelled.push_back(Option.Spelling);
  }
  EXPECT_STREQ(Argv.front(), "lld-link");
  Result.Rest.assign(Argv.begin() + 1, Argv.end());
  return Result;
}

TEST(TakePrefetchOptionsTest, doubleDashForms) {
  Taken T =
      take({"--prefetch-inputs", "--no-prefetch-inputs", "--prefetch-jobs=4",
            "--prefetch-memory=1G", "--prefetch-profile=x", "--prefetch-stats",
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

TEST(TakePrefetchOptionsTest, lldLinkForms) {
  for (std::string Prefix : {"/", "-", "/?", "-?"}) {
    Taken T =
        take({Prefix + "prefetch-inputs", Prefix + "Prefetch-Inputs:NO",
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
TEST(TakePrefetchOptionsTest, mixedForms) {
  EXPECT_THAT(take({"--prefetch-inputs:no", "--prefetch-jobs:4",
                    "-prefetch-jobs=4", "-no-prefetch-inputs"})
                  .Options,
              ElementsAre("prefetch-inputs=no", "prefetch-jobs=4",
                          "prefetch-jobs=4", "prefetch-inputs=no"));
}

TEST(TakePrefetchOptionsTest, missingValuesAreReportedByOthers) {
  Taken T = take({"--prefetch-jobs", "--prefetch-jobs=", "/prefetch-memory",
                  "/prefetch-memory:", "-prefetch-trace", "--prefetch-stats="});
  EXPECT_THAT(T.Options,
              ElementsAre("prefetch-jobs", "prefetch-jobs=", "prefetch-memory",
                          "prefetch-memory=", "prefetch-trace",
                          "prefetch-stats="));
}

TEST(TakePrefetchOptionsTest, leavesEverythingElseAsItIs) {
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
  Taken T = take(Args);
  EXPECT_EQ(T.Rest, Others);
  EXPECT_THAT(T.Options, ElementsAre("prefetch-inputs", "prefetch-jobs=2",
                                     "prefetch-stats"));
}

TEST(TakePrefetchOptionsTest, leavesLibAlone) {
  Taken T = take({"/LIB", "--prefetch-stats", "a.obj"});
  EXPECT_THAT(T.Options, IsEmpty());
  EXPECT_THAT(T.Rest, ElementsAre("/LIB", "--prefetch-stats", "a.obj"));
}

TEST(TakePrefetchOptionsTest, worksWithoutArguments) {
  EXPECT_THAT(take({}).Options, IsEmpty());
  llvm::SmallVector<const char *, 1> None;
  EXPECT_THAT(LinkerModel::of(Flavour::COFF).takePrefetchOptions(None),
              IsEmpty());
}

} // namespace
