//===- WalkIgnoreTest.cpp - Walks that leave out what is ignored ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OS/PosixTestSupport.h"
#include "WalkTestSupport.h"
#include "headstart/FileTree/IgnoreRules.h"
#include "gmock/gmock.h"
#include <filesystem>

using namespace headstart;
using namespace headstart::test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;

namespace {

/// Rules without the configuration of the user who runs the tests.
IgnoreRules testRules() {
  const os::test::Variable Home("HOME", "/nowhere");
  const os::test::Variable ConfigHome("XDG_CONFIG_HOME", "/nowhere");
  return IgnoreRules();
}

TEST(WalkIgnoreTest, SkipsIgnoredEntries) {
  TestDirectory Tree;
  fs::create_directory(Tree.path(".git"));
  Tree.write(".gitignore", "*.o\nbuild/\n");
  Tree.write("a.o", "");
  Tree.write("a.c", "");
  Tree.write("build/x", "");
  Tree.write("sub/.gitignore", "!keep.o\n");
  Tree.write("sub/keep.o", "");
  Tree.write("sub/lose.o", "");
  Tree.write("sub/deep/build/x", "");
  IgnoreRules Rules = testRules();
  for (unsigned Jobs : {1U, 4U}) {
    WalkOptions Options;
    Options.Jobs = Jobs;
    Options.SkipHidden = true;
    Options.Ignore = &Rules;
    Recorder Seen;
    walk(Tree.path(), Seen, Options);
    EXPECT_THAT(Seen.paths(),
                UnorderedElementsAre("a.c", "sub", "sub/keep.o", "sub/deep"));
    EXPECT_THAT(Seen.Problems, IsEmpty());
  }
}

/// The listing takes many system calls, and the ignore file may come last.
TEST(WalkIgnoreTest, AppliesIgnoreFileToEarlierBatches) {
  TestDirectory Tree;
  fs::create_directory(Tree.path(".git"));
  std::string Long(200, 'x');
  for (unsigned I = 0; I != 300; ++I) {
    Tree.write(Long + std::to_string(I) + ".o", "");
    Tree.write(Long + std::to_string(I) + ".c", "");
  }
  Tree.write(".gitignore", "*.o\n");
  IgnoreRules Rules = testRules();
  WalkOptions Options;
  Options.SkipHidden = true;
  Options.Ignore = &Rules;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  EXPECT_EQ(Seen.Seen.size(), 300U);
  EXPECT_FALSE(Seen.sawDuplicates());
  for (const auto &[Path, Times] : Seen.Seen)
    ASSERT_TRUE(Path.ends_with(".c")) << Path;
}

TEST(WalkIgnoreTest, WalksEmptyAndLargeDirectories) {
  TestDirectory Tree;
  fs::create_directory(Tree.path("empty"));
  for (unsigned I = 0; I != 700; ++I)
    Tree.write("some/" + std::to_string(I), "");
  IgnoreRules Rules = testRules();
  WalkOptions Options;
  Options.Ignore = &Rules;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  EXPECT_EQ(Seen.Seen.size(), 702U);
  EXPECT_FALSE(Seen.sawDuplicates());
}

TEST(WalkIgnoreTest, ReportsUnusableIgnoreFiles) {
  TestDirectory Tree;
  fs::create_directories(Tree.path("a/.ignore"));
  Tree.write("a/b", "");
  std::string Large(size_t(8) << 20, 'x');
  Tree.write(".ignore", Large);
  IgnoreRules Rules = testRules();
  WalkOptions Options;
  Options.SkipHidden = true;
  Options.Ignore = &Rules;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  EXPECT_THAT(Seen.paths(), UnorderedElementsAre("a", "a/b"));
  EXPECT_THAT(Seen.Problems,
              testing::Contains(HasSubstr(Tree.path(".ignore"))));
}

TEST(WalkIgnoreTest, MatchesFollowedLinksAsLinks) {
  TestDirectory Tree;
  fs::create_directory(Tree.path(".git"));
  Tree.write(".gitignore", "out/\n");
  Tree.write("real/file", "");
  fs::create_directory_symlink("real", Tree.path("out"));
  IgnoreRules Rules = testRules();
  WalkOptions Options;
  Options.SkipHidden = true;
  Options.FollowLinks = true;
  Options.Ignore = &Rules;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  // "out/" matches only directories, and this is a link, as for git.
  EXPECT_THAT(Seen.paths(),
              UnorderedElementsAre("real", "real/file", "out", "out/file"));
}

} // namespace
