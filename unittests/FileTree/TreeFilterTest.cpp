//===- TreeFilterTest.cpp - Tests of globs and types ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeFilter.h"
#include "gtest/gtest.h"

using namespace headstart;
using headstart::os::EntryType;
using llvm::StringRef;

namespace {

/// Whether the glob \p Text matches the path \p Path from the root.
bool matches(StringRef Text, StringRef Path, bool IsDirectory = false) {
  llvm::Expected<Glob> G = Glob::create(Text);
  if (!G) {
    ADD_FAILURE() << toString(G.takeError());
    return false;
  }
  auto [Directory, Name] = Path.rsplit('/');
  if (Name.empty())
    std::swap(Directory, Name);
  return G->matches(Directory, Name, IsDirectory);
}

TEST(TreeFilterTest, GlobWithoutSlashMatchesNameAnywhere) {
  EXPECT_TRUE(matches("*.o", "a.o"));
  EXPECT_TRUE(matches("*.o", "x/y/a.o"));
  EXPECT_FALSE(matches("*.o", "a.obj"));
  EXPECT_FALSE(matches("x", "x/y"));
  EXPECT_TRUE(matches("?[a-c]", "d/xb"));
  EXPECT_TRUE(matches("*.{o,obj}", "d/x.obj"));
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "a"));
  EXPECT_TRUE(matches("\xff*", "\xff\xfe"));
}

TEST(TreeFilterTest, GlobWithSlashMatchesPathFromRoot) {
  EXPECT_TRUE(matches("a/*.o", "a/x.o"));
  EXPECT_FALSE(matches("a/*.o", "a/b/x.o"));
  EXPECT_FALSE(matches("a/*.o", "z/a/x.o"));
  EXPECT_FALSE(matches("a/*.o", "x.o"));
  EXPECT_TRUE(matches("/x.o", "x.o"));
  EXPECT_FALSE(matches("/x.o", "a/x.o"));
}

TEST(TreeFilterTest, DoubleStarMatchesAnyDirectories) {
  EXPECT_TRUE(matches("a/**/x.o", "a/x.o"));
  EXPECT_TRUE(matches("a/**/x.o", "a/b/c/x.o"));
  EXPECT_FALSE(matches("a/**/x.o", "b/x.o"));
  EXPECT_TRUE(matches("**/a/*", "a/x"));
  EXPECT_TRUE(matches("**/a/*", "q/a/a/x"));
  EXPECT_TRUE(matches("a/**", "a/b"));
  EXPECT_TRUE(matches("a/**", "a/b/c"));
  EXPECT_FALSE(matches("a/**", "a", /*IsDirectory=*/true));
  EXPECT_TRUE(matches("**/a/**/b/**/c", "x/a/a/b/y/b/c"));
  EXPECT_FALSE(matches("**/a/**/b/**/c", "x/a/a/b/y/b/c/d"));
}

TEST(TreeFilterTest, TrailingSlashMatchesDirectories) {
  EXPECT_TRUE(matches("out/", "a/out", /*IsDirectory=*/true));
  EXPECT_FALSE(matches("out/", "a/out"));
}

TEST(TreeFilterTest, MatchesManyStarsQuickly) {
  std::string Stars;
  std::string Path;
  for (int I = 0; I != 60; ++I) {
    Stars += "**/a/";
    Path += "a/";
  }
  EXPECT_FALSE(matches(Stars + "b", Path + Path + Path + "c"));
}

TEST(TreeFilterTest, RefusesBadGlobs) {
  for (StringRef Text : {"", "!", "/", "[a", "{a", "a//b", "a/[b/c]", "{a}"}) {
    llvm::Expected<Glob> G = Glob::create(Text);
    ASSERT_FALSE(G) << Text.str();
    EXPECT_NE(toString(G.takeError()).find("'" + Text.str() + "'"),
              std::string::npos);
  }
}

TEST(TreeFilterTest, LeadingDotIsRoot) {
  EXPECT_TRUE(matches("./b/*", "b/x"));
  EXPECT_FALSE(matches("./b/*", "a/b/x"));
  EXPECT_TRUE(matches("././b", "b"));
  EXPECT_FALSE(matches("./b", "a/b"));
  EXPECT_TRUE(matches("./b/", "b", /*IsDirectory=*/true));
  EXPECT_TRUE(matches("./**/b", "a/b"));
  EXPECT_TRUE(llvm::cantFail(Glob::create("!./b")).matches("", "b", false));
  EXPECT_TRUE(matches(".b", "a/.b"));
  EXPECT_FALSE(matches(".*/b", "b"));
  for (StringRef Text : {"./", "!./", "././"}) {
    llvm::Expected<Glob> G = Glob::create(Text);
    EXPECT_FALSE(G) << Text.str();
    llvm::consumeError(G.takeError());
  }
}

TEST(TreeFilterTest, RefusesSlashInBraces) {
  auto Problem = [](StringRef Text) {
    llvm::Expected<Glob> G = Glob::create(Text);
    return G ? "" : toString(G.takeError());
  };
  EXPECT_EQ(Problem("{a,sub/b}"), "'{a,sub/b}': braces cannot contain a slash: "
                                  "give one glob for each path");
  EXPECT_NE(Problem("x/{a,sub/b/c}/*").find("braces cannot contain a slash"),
            std::string::npos);
  // Another error is reported here.
  EXPECT_EQ(Problem("{a/b").find("slash"), std::string::npos);
  EXPECT_EQ(Problem("{a,b}/{c,d}"), "");
}

TEST(TreeFilterTest, LastMatchingGlobDecides) {
  TreeFilter Filter;
  EXPECT_TRUE(Filter.isTrivial());
  ASSERT_FALSE(Filter.addGlob("*.o"));
  ASSERT_FALSE(Filter.addGlob("!test_*"));
  ASSERT_FALSE(Filter.addGlob("test_me.o"));
  EXPECT_FALSE(Filter.isTrivial());
  EXPECT_TRUE(Filter.judge("d", "a.o", EntryType::Regular).Show);
  EXPECT_FALSE(Filter.judge("d", "a.c", EntryType::Regular).Show);
  EXPECT_FALSE(Filter.judge("d", "test_a.o", EntryType::Regular).Show);
  EXPECT_TRUE(Filter.judge("d", "test_me.o", EntryType::Regular).Show);
  // A walk enters a directory that no glob matches, but does not show it.
  EXPECT_FALSE(Filter.judge("", "d", EntryType::Directory).Show);
  EXPECT_TRUE(Filter.judge("", "d", EntryType::Directory).Enter);
  EXPECT_FALSE(Filter.judge("", "test_d", EntryType::Directory).Enter);
}

TEST(TreeFilterTest, OnlyExcludingGlobsShowTheRest) {
  TreeFilter Filter;
  ASSERT_FALSE(Filter.addGlob("!*.o"));
  EXPECT_TRUE(Filter.judge("", "a.c", EntryType::Regular).Show);
  EXPECT_FALSE(Filter.judge("", "a.o", EntryType::Regular).Show);
}

TEST(TreeFilterTest, TypeFilterStillDescends) {
  TreeFilter Filter;
  Filter.addType(EntryType::Regular);
  Filter.addType(EntryType::Link);
  EXPECT_TRUE(Filter.judge("", "a", EntryType::Regular).Show);
  EXPECT_TRUE(Filter.judge("", "a", EntryType::Link).Show);
  EXPECT_FALSE(Filter.judge("", "a", EntryType::Fifo).Show);
  EXPECT_FALSE(Filter.judge("", "a", EntryType::Directory).Show);
  EXPECT_TRUE(Filter.judge("", "a", EntryType::Directory).Enter);
}

} // namespace
