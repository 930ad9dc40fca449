//===- RedirectTest.cpp - Tests of links that write elsewhere -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Bench/Bench.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace headstart;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Args = std::vector<std::string>;

llvm::Expected<RedirectedLink> moved(const Args &Link) {
  const ForeignCommand Command = readForeignCommand(Link, {}, nullptr);
  return redirect(Link, Command, {}, "/scratch/out");
}

std::string problemOf(const Args &Link) {
  return llvm::toString(moved(Link).takeError());
}

/// Returns the arguments that are added to \p Link.
Args addedTo(const Args &Link) {
  const RedirectedLink Result = llvm::cantFail(moved(Link));
  EXPECT_GE(Result.Args.size(), Link.size());
  return {Result.Args.begin() + static_cast<ptrdiff_t>(Link.size()),
          Result.Args.end()};
}

TEST(RedirectTest, RedirectsCOFF) {
  EXPECT_THAT(addedTo({"lld-link", "a.obj", "/out:bin/game.exe"}),
              ElementsAre("/out:/scratch/out/game.exe", "/Brepro"));
  EXPECT_THAT(addedTo({"lld-link", "a.obj", "/Brepro", "/debug",
                       "/PDB:sym\\game.pdb", "-lldmap:game.map"}),
              ElementsAre("/out:/scratch/out/a.exe",
                          "/pdb:/scratch/out/game.pdb",
                          "/lldmap:/scratch/out/game.map"));
  // Outputs that take their name from the image move with it.
  const RedirectedLink Link = llvm::cantFail(
      moved({"lld-link", "a.obj", "/debug", "/dll", "/map", "/time-trace"}));
  EXPECT_THAT(Link.Command.Outputs, AllOf(Contains("/scratch/out/a.dll"),
                                          Contains("/scratch/out/a.pdb"),
                                          Contains("/scratch/out/a.map"),
                                          Contains("/scratch/out/a.lib")));
}

TEST(RedirectTest, KeepsOutputsOfSameNameApart) {
  EXPECT_THAT(
      addedTo({"lld-link", "a.obj", "/Brepro", "/out:x/a", "/lldmap:y/a"}),
      ElementsAre("/out:/scratch/out/a", "/lldmap:/scratch/out/other-a"));
}

TEST(RedirectTest, RedirectsELF) {
  EXPECT_THAT(addedTo({"ld.lld", "a.o"}),
              ElementsAre("-o", "/scratch/out/a.out"));
  EXPECT_THAT(addedTo({"mold", "-o", "x/prog", "a.o", "-Map", "m.txt",
                       "--dependency-file=d/prog.d", "--time-trace"}),
              ElementsAre("-o", "/scratch/out/prog", "--Map=/scratch/out/m.txt",
                          "--dependency-file=/scratch/out/prog.d"));
  EXPECT_THAT(addedTo({"ld.lld", "a.o", "-Map=-", "--print-gc-sections"}),
              ElementsAre("-o", "/scratch/out/a.out"));
  EXPECT_THAT(addedTo({"ld.lld", "a.o", "--time-trace=t.json",
                       "--print-gc-sections=gc.txt"}),
              ElementsAre("-o", "/scratch/out/a.out",
                          "--print-gc-sections=/scratch/out/gc.txt",
                          "--time-trace=/scratch/out/t.json"));
}

TEST(RedirectTest, MinGWOmitsTimestamp) {
  EXPECT_THAT(addedTo({"ld.lld", "-m", "i386pep", "a.o", "-o", "a.exe",
                       "--out-implib=a.lib"}),
              ElementsAre("-o", "/scratch/out/a.exe",
                          "--out-implib=/scratch/out/a.lib",
                          "--no-insert-timestamp"));
}

TEST(RedirectTest, RedirectsMachO) {
  EXPECT_THAT(addedTo({"ld64.lld", "-arch", "arm64", "a.o", "-o", "app", "-map",
                       "app.map", "-dependency_info", "deps"}),
              ElementsAre("-o", "/scratch/out/app", "-map",
                          "/scratch/out/app.map", "-dependency_info",
                          "/scratch/out/deps"));
}

TEST(RedirectTest, ReportsOptionsThatCannotBeRedirected) {
  EXPECT_THAT(
      problemOf({"lld-link", "a.obj", "/lto-obj-path:", "/pdbstripped:s",
                 "/manifestfile:m", "/print-symbol-order:o"}),
      "");
  for (const char *Option : {"/thinlto-index-only:index.txt", "/lldsavetemps",
                             "-thinlto-index-only"})
    EXPECT_EQ(problemOf({"lld-link", "a.obj", Option}),
              "'" + std::string(Option) +
                  "' writes files that headstart bench cannot redirect");
  for (const char *Option : {"--save-temps", "--thinlto-emit-imports-files",
                             "--plugin-opt=dwo_dir=d"})
    EXPECT_THAT(problemOf({"ld.lld", "a.o", Option}),
                HasSubstr("cannot redirect"));
  EXPECT_THAT(problemOf({"ld.lld", "a.o", "--prefetch-stats=mine.json"}),
              HasSubstr("remove '--prefetch-stats=mine.json'"));
}

} // namespace
