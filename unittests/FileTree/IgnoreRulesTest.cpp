//===- IgnoreRulesTest.cpp - Which entries are hidden ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/IgnoreRules.h"
#include "OS/PosixTestSupport.h"
#include "OS/TestFiles.h"
#include "llvm/ADT/Twine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

using namespace headstart;
using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

namespace {

/// A tree, and the user's home directory next to it.
class IgnoreRulesTest : public testing::Test {
protected:
  void SetUp() override { fs::create_directories(Files.path("tree")); }

  void write(const std::string &Name, std::string_view Text) {
    Files.write("tree/" + Name, Text);
  }
  void makeDirectory(const std::string &Name) {
    fs::create_directories(Files.path("tree/" + Name));
  }
  std::string path(const std::string &Name) const {
    return Files.path(Name.empty() ? "tree" : "tree/" + Name);
  }

  /// Whether a walk from \p Root, a path in the tree, shows \p Path, a
  /// directory if it ends in '/'.
  bool isShown(llvm::StringRef Path, const std::string &Root = "") {
    IgnoreRules Rules(Report);
    IgnoreScopePtr Scope = Rules.above(path(Root), Report);
    std::string Directory;
    while (true) {
      Scope = enter(Rules, Scope, Root, Directory);
      auto [Name, Rest] = Path.split('/');
      bool IsDirectory = Name.size() != Path.size();
      if (Rules.isIgnored(*Scope, Directory, Name, IsDirectory))
        return false;
      if (Rest.empty())
        return true;
      Directory += (Directory.empty() ? "" : "/") + Name.str();
      Path = Rest;
    }
  }

  IgnoreScopePtr enter(const IgnoreRules &Rules, const IgnoreScopePtr &Parent,
                       const std::string &Root, const std::string &Directory) {
    fs::path Path = fs::path(path(Root)) / Directory;
    os::DirectoryHandle Handle;
    EXPECT_FALSE(os::DirectoryHandle::open(Path.string(), Handle)) << Path;
    IgnorePresence Present;
    for (const fs::directory_entry &Entry : fs::directory_iterator(Path))
      Present.note(Entry.path().filename().string());
    return Rules.enter(Parent, Directory, Handle, Present, Report);
  }

  os::test::TestDirectory Files;
  os::test::Variable Home{"HOME", Files.path("home")};
  os::test::Variable ConfigHome{"XDG_CONFIG_HOME", Files.path("home/.config")};
  std::vector<std::string> Problems;
  std::function<void(llvm::StringRef, llvm::StringRef)> Report =
      [this](llvm::StringRef Path, llvm::StringRef What) {
        Problems.push_back((Path + ": " + What).str());
      };
};

TEST_F(IgnoreRulesTest, DeepestFileDecides) {
  makeDirectory(".git");
  write(".gitignore", "*.o\n!keep.o\n/top\na/special\n");
  write("a/.gitignore", "!x.o\nkeep.o\n");
  makeDirectory("a/b");
  EXPECT_FALSE(isShown("x.o"));
  EXPECT_TRUE(isShown("keep.o"));
  EXPECT_TRUE(isShown("a/x.o"));
  EXPECT_TRUE(isShown("a/b/x.o"));
  EXPECT_FALSE(isShown("a/y.o"));
  EXPECT_FALSE(isShown("a/b/keep.o"));
  EXPECT_FALSE(isShown("top"));
  EXPECT_TRUE(isShown("a/top"));
  EXPECT_FALSE(isShown("a/special"));
  EXPECT_TRUE(isShown("a/b/special"));
  // The walker handles `.git`.
  EXPECT_TRUE(isShown(".git/"));
  EXPECT_THAT(Problems, IsEmpty());
}

TEST_F(IgnoreRulesTest, GitFilesApplyOnlyInRepository) {
  write(".gitignore", "x\n");
  write(".ignore", "y\n");
  EXPECT_TRUE(isShown("x"));
  EXPECT_FALSE(isShown("y"));
  makeDirectory(".git");
  EXPECT_FALSE(isShown("x"));
}

TEST_F(IgnoreRulesTest, DotIgnoreOverridesGitFiles) {
  makeDirectory(".git");
  write(".ignore", "!a\nb\n");
  write("d/.gitignore", "a\n!b\n");
  write(".git/info/exclude", "a\n");
  EXPECT_TRUE(isShown("a"));
  EXPECT_TRUE(isShown("d/a"));
  EXPECT_FALSE(isShown("d/b"));
}

TEST_F(IgnoreRulesTest, NestedRepositoryDropsOuterGitRules) {
  makeDirectory(".git");
  write(".git/info/exclude", "c\n");
  write(".gitignore", "a\n");
  write(".ignore", "b\n");
  makeDirectory("inner/.git/info");
  write("inner/.git/info/exclude", "/d\n");
  makeDirectory("inner/sub");
  EXPECT_TRUE(isShown("inner/a"));
  EXPECT_FALSE(isShown("inner/b"));
  EXPECT_TRUE(isShown("inner/sub/c"));
  EXPECT_FALSE(isShown("inner/d"));
  EXPECT_TRUE(isShown("inner/sub/d"));
  EXPECT_TRUE(isShown("d"));
  EXPECT_FALSE(isShown("c"));
}

TEST_F(IgnoreRulesTest, GitFilesHavePrecedence) {
  makeDirectory(".git");
  makeDirectory("sub");
  Files.write("home/.config/git/ignore", "a\nb\nc\n/anchored\n");
  write(".git/info/exclude", "!b\n!c\n");
  write(".gitignore", "c\n");
  EXPECT_FALSE(isShown("a"));
  EXPECT_TRUE(isShown("b"));
  EXPECT_FALSE(isShown("c"));
  EXPECT_FALSE(isShown("anchored"));
  EXPECT_TRUE(isShown("sub/anchored"));
  // The pattern is anchored at the repository's root, wherever the walk begins.
  EXPECT_TRUE(isShown("anchored", "sub"));
  EXPECT_FALSE(isShown("a", "sub"));
}

TEST_F(IgnoreRulesTest, ReadsExcludesFileOfUserConfig) {
  makeDirectory(".git");
  Files.write("home/.config/git/ignore", "a\n");
  Files.write("home/.config/git/config", "[core]\nexcludesFile = ~/one\n");
  Files.write("home/one", "b\n");
  EXPECT_TRUE(isShown("a"));
  EXPECT_FALSE(isShown("b"));
  Files.write("home/.gitconfig",
              "[core]\nexcludesFile = " + Files.path("home/two") + "\n");
  Files.write("home/two", "c\n");
  EXPECT_TRUE(isShown("b"));
  EXPECT_FALSE(isShown("c"));
  // A missing file replaces the default file as well.
  Files.write("home/.gitconfig", "[core]\nexcludesFile = ~/three\n");
  EXPECT_TRUE(isShown("a"));
  EXPECT_TRUE(isShown("c"));
  EXPECT_THAT(Problems, IsEmpty());
}

TEST_F(IgnoreRulesTest, UserExcludesApplyOnlyInRepository) {
  Files.write("home/.config/git/ignore", "a\n");
  EXPECT_TRUE(isShown("a"));
}

TEST_F(IgnoreRulesTest, RulesAboveRootApply) {
  makeDirectory(".git");
  write(".git/info/exclude", "d\n");
  write(".gitignore", "/a/b/c.o\na/*/x\n");
  write("a/.ignore", "b/y\n");
  makeDirectory("a/b/deep");
  EXPECT_FALSE(isShown("c.o", "a/b"));
  EXPECT_FALSE(isShown("x", "a/b"));
  EXPECT_FALSE(isShown("y", "a/b"));
  EXPECT_FALSE(isShown("d", "a/b"));
  EXPECT_TRUE(isShown("deep/c.o", "a/b"));
  EXPECT_FALSE(isShown("b/c.o", "a"));
  write("a/b/.gitignore", "z\n");
  EXPECT_FALSE(isShown("z", "a/b"));
}

TEST_F(IgnoreRulesTest, ResolvesLinksInRoot) {
  makeDirectory(".git");
  write(".gitignore", "/a/x\n");
  makeDirectory("a");
  fs::create_directory_symlink("tree/a", Files.path("link"));
  IgnoreRules Rules;
  IgnoreScopePtr Scope = Rules.above(Files.path("link"));
  EXPECT_TRUE(Rules.isIgnored(*Scope, "", "x", false));
  // If the root does not exist, there are no rules.
  Scope = Rules.above(Files.path("nothing"));
  ASSERT_TRUE(Scope);
  EXPECT_FALSE(Rules.isIgnored(*Scope, "", "x", false));
}

TEST_F(IgnoreRulesTest, IgnoredRootIsShown) {
  makeDirectory(".git");
  write(".gitignore", "build\n*.o\n");
  write("build/sub/.gitignore", "own\n");
  EXPECT_FALSE(isShown("build/"));
  EXPECT_TRUE(isShown("a.o", "build"));
  EXPECT_TRUE(isShown("build", "build"));
  EXPECT_TRUE(isShown("sub/a.o", "build"));
  EXPECT_TRUE(isShown("a.o", "build/sub"));
  // Rules in the ignored directory still apply.
  EXPECT_FALSE(isShown("sub/own", "build"));
  EXPECT_FALSE(isShown("own", "build/sub"));
  // The home directory is a repository that ignores everything.
  write(".gitignore", "*\n");
  makeDirectory("project/.git");
  makeDirectory("project/src");
  write("project/.gitignore", "x\n");
  EXPECT_FALSE(isShown("src/x", "project"));
  EXPECT_FALSE(isShown("x", "project/src"));
  EXPECT_TRUE(isShown("y", "project/src"));
}

TEST_F(IgnoreRulesTest, AcceptsDotGitFile) {
  makeDirectory("repo/.git/worktrees/w");
  write("repo/.git/info/exclude", "a\n");
  write("repo/.git/worktrees/w/commondir", "../..\n");
  write("w/.git", "gitdir: ../repo/.git/worktrees/w\n");
  EXPECT_FALSE(isShown("a", "w"));
  write("w/.git", "gitdir: " + path("repo/.git/worktrees/w") + "\r\n");
  EXPECT_FALSE(isShown("a", "w"));
  // Any `.git` file makes a repository, whatever its contents.
  for (const char *Text : {"", "gitdir: ", "gitdir: nowhere", "x",
                           "gitdir: ../repo/.git/info/exclude\n"}) {
    write("w/.git", Text);
    write("w/.gitignore", "b\n");
    EXPECT_TRUE(isShown("a", "w")) << Text;
    EXPECT_FALSE(isShown("b", "w")) << Text;
  }
  EXPECT_THAT(Problems, IsEmpty());
}

TEST_F(IgnoreRulesTest, ReportsUnreadableRepositoryExcludes) {
  makeDirectory(".git/info");
  write(".git/info/exclude", "x\n");
  fs::permissions(path(".git/info"), fs::perms::none);
  EXPECT_EQ(os::test::runUnprivileged([&] {
              if (!isShown("x"))
                return 1;
              return Problems.size() == 1 &&
                             llvm::StringRef(Problems[0]).contains("exclude: ")
                         ? 0
                         : 2;
            }),
            0);
  fs::permissions(path(".git/info"), fs::perms::owner_all);
}

TEST_F(IgnoreRulesTest, ReportsUnusableIgnoreFiles) {
  makeDirectory(".git");
  // git ignores a directory of that name, and it is not a problem.
  makeDirectory("a/.gitignore");
  EXPECT_TRUE(isShown("a/x"));
  EXPECT_THAT(Problems, IsEmpty());

  // git does not follow a link here; ripgrep follows one to an .ignore.
  write("rules", "x\n");
  makeDirectory("b");
  fs::create_symlink("../rules", path("b/.gitignore"));
  fs::create_symlink("../rules", path("b/.ignore"));
  EXPECT_FALSE(isShown("b/x"));
  EXPECT_THAT(Problems,
              ElementsAre("b/.gitignore: this is a symbolic link, which git "
                          "does not follow"));
  Problems.clear();

  write("c/.gitignore", "x\n" + std::string(4 << 20, '#'));
  EXPECT_TRUE(isShown("c/x"));
  ASSERT_EQ(Problems.size(), 1U);
  EXPECT_TRUE(llvm::StringRef(Problems[0]).starts_with("c/.gitignore: "));
  Problems.clear();
  write("c/.gitignore", "x\n" + std::string((4 << 20) - 2, '#'));
  EXPECT_FALSE(isShown("c/x"));
  EXPECT_THAT(Problems, IsEmpty());
}

TEST_F(IgnoreRulesTest, DirectoryWithoutRulesReusesScope) {
  makeDirectory(".git");
  write(".gitignore", "x\n");
  write("a/.gitignore", "# only a remark\n");
  makeDirectory("b");
  IgnoreRules Rules;
  IgnoreScopePtr Above = Rules.above(path(""));
  IgnoreScopePtr Root = enter(Rules, Above, "", "");
  EXPECT_NE(Root, Above);
  EXPECT_EQ(enter(Rules, Root, "", "a"), Root);
  EXPECT_EQ(enter(Rules, Root, "", "b"), Root);
}

// Threads share the scopes of parent directories and release them in any order.
TEST_F(IgnoreRulesTest, ThreadsShareScopes) {
  makeDirectory(".git");
  write(".gitignore", "*.o\n!/a/*/b?.o\n");
  write("a/.ignore", "c\n");
  IgnoreRules Rules;
  IgnoreScopePtr Above = Rules.above(path(""));
  IgnoreScopePtr Root = enter(Rules, Above, "", "");
  IgnoreScopePtr Inner = enter(Rules, Root, "", "a");
  Above.reset();
  std::atomic<unsigned> Wrong = 0;
  std::vector<std::thread> Threads;
  Threads.reserve(4);
  for (unsigned T = 0; T < 4; ++T)
    Threads.emplace_back([&Rules, &Wrong, Inner, Path = path("a")] {
      os::DirectoryHandle Directory;
      unsigned NumProblems = 0;
      auto Count = [&](llvm::StringRef, llvm::StringRef) { ++NumProblems; };
      IgnorePresence Present;
      Present.note(".ignore");
      Wrong += static_cast<bool>(os::DirectoryHandle::open(Path, Directory));
      std::vector<IgnoreScopePtr> Scopes = {Inner};
      for (int I = 0; I < 100; ++I) {
        Scopes.push_back(
            Rules.enter(Scopes.back(), "a", Directory, Present, Count));
        const IgnoreScope &Scope = *Scopes.back();
        Wrong += !Rules.isIgnored(Scope, "a/x", "c", false);
        Wrong += !Rules.isIgnored(Scope, "a/x", "c.o", false);
        Wrong += Rules.isIgnored(Scope, "a/x", "b1.o", false);
      }
      Wrong += NumProblems;
    });
  Inner.reset();
  Root.reset();
  for (std::thread &Thread : Threads)
    Thread.join();
  EXPECT_EQ(Wrong, 0U);
}

// Every directory has its own rules: neither entering nor leaving recurses.
TEST_F(IgnoreRulesTest, AcceptsLongScopeChains) {
  makeDirectory(".git");
  write(".ignore", "x\n");
  IgnoreRules Rules;
  os::DirectoryHandle Directory;
  ASSERT_FALSE(os::DirectoryHandle::open(path(""), Directory));
  IgnorePresence Present;
  Present.note(".ignore");
  IgnoreScopePtr Scope = Rules.above(path(""));
  for (int I = 0; I < 100000; ++I)
    Scope = Rules.enter(Scope, "", Directory, Present, Report);
  EXPECT_TRUE(Rules.isIgnored(*Scope, "", "x", false));
  EXPECT_FALSE(Rules.isIgnored(*Scope, "", "y", false));
  Scope.reset();
}

} // namespace
