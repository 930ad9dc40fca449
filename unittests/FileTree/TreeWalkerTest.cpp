//===- TreeWalkerTest.cpp - Tests of tree walks ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OS/DirectoryTestSupport.h"
#include "WalkTestSupport.h"
#include "gmock/gmock.h"
#include <filesystem>

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;
using os::test::canMakeLinks;
using os::test::LinkTo;
using os::test::makeLink;
using os::test::NoLinks;

namespace {

/// Makes some hundred files and directories in trees of various shapes.
void makeTree(const TestDirectory &Tree) {
  for (unsigned I = 0; I != 24; ++I) {
    std::string Directory = "d" + std::to_string(I);
    for (unsigned J = 0; J != I; ++J)
      Tree.write(Directory + "/f" + std::to_string(J), "x");
    fs::create_directories(Tree.path(Directory + "/empty"));
    for (unsigned J = 0; J != I % 7; ++J)
      Tree.write(Directory + "/s" + std::to_string(J) + "/t/u/v" +
                     std::to_string(J),
                 "x");
  }
}

std::set<std::string> listedByStdFilesystem(const TestDirectory &Tree) {
  std::set<std::string> Paths;
  for (const fs::directory_entry &E :
       fs::recursive_directory_iterator(Tree.path()))
    Paths.insert(E.path().lexically_relative(Tree.path()).generic_string());
  return Paths;
}

/// The batches of entries that walks have read; a directory has one or more.
std::atomic<unsigned> Batches = 0;
void countBatch(llvm::MutableArrayRef<os::DirectoryEntry> /*Entries*/) {
  ++Batches;
}

TEST(TreeWalkerTest, ShowsEachEntryOnceWithAnyThreadCount) {
  TestDirectory Tree;
  makeTree(Tree);
  std::set<std::string> Expected = listedByStdFilesystem(Tree);
  ASSERT_GT(Expected.size(), 500U);
  for (unsigned Jobs : {0U, 1U, 2U, 3U, 16U, 64U}) {
    SCOPED_TRACE(Jobs);
    WalkOptions Options;
    Options.Jobs = Jobs;
    Recorder Seen;
    walk(Tree.path(), Seen, Options);
    EXPECT_EQ(Seen.paths(), Expected);
    EXPECT_FALSE(Seen.sawDuplicates());
    EXPECT_THAT(Seen.Problems, IsEmpty());
    if (Jobs != 0)
      EXPECT_LE(Seen.Threads, Jobs);
  }
}

TEST(TreeWalkerTest, ReportsTypesAndRequestedSizes) {
  TestDirectory Tree;
  Tree.write("file", "seven b");
  fs::create_directory(Tree.path("directory"));
  Recorder Plain;
  walk(Tree.path(), Plain);
  EXPECT_EQ(Plain.Types["file"], os::EntryType::Regular);
  EXPECT_EQ(Plain.Types["directory"], os::EntryType::Directory);

  WalkOptions Options;
  Options.WithStatus = true;
  Recorder Full;
  walk(Tree.path(), Full, Options);
  EXPECT_EQ(Full.Identities["file"],
            os::test::statOf(Tree.path("file")).Identity);
  EXPECT_EQ(Full.Identities["file"].Size, 7U);
}

TEST(TreeWalkerTest, ReportsLinkNotItsTarget) {
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  TestDirectory Tree;
  Tree.write("file", "seven b");
  makeLink("file", Tree.path("link"));
  WalkOptions Options;
  Options.WithStatus = true;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  EXPECT_EQ(Seen.Types["link"], os::EntryType::Link);
  EXPECT_NE(Seen.Identities["link"].Size, 7U);
}

TEST(TreeWalkerTest, ConfirmsHintsUnlessTheySuffice) {
  TestDirectory Tree;
  Tree.write("file", "seven b");
  WalkOptions Options;
  Options.WithStatus = true;
  Options.Listed = [](llvm::MutableArrayRef<os::DirectoryEntry> Entries) {
    for (os::DirectoryEntry &Entry : Entries) {
      Entry.Identity.Size = 99;
      Entry.HasStatus = Entry.StatusIsHint = true;
    }
  };
  Recorder Confirmed;
  walk(Tree.path(), Confirmed, Options);
  EXPECT_EQ(Confirmed.Identities["file"].Size, 7U);
  Options.HintsSuffice = true;
  Recorder Hints;
  walk(Tree.path(), Hints, Options);
  EXPECT_EQ(Hints.Identities["file"].Size, 99U);
}

TEST(TreeWalkerTest, PrunesOnRequest) {
  TestDirectory Tree;
  Tree.write("a/b/c/d", "");
  Tree.write("x/y", "");
  WalkOptions Options;
  Options.MaxDepth = 0;
  Recorder Roots;
  walk(Tree.path(), Roots, Options);
  EXPECT_THAT(Roots.paths(), UnorderedElementsAre("a", "x"));

  Options.MaxDepth = 1;
  Recorder One;
  walk(Tree.path(), One, Options);
  EXPECT_THAT(One.paths(), UnorderedElementsAre("a", "a/b", "x", "x/y"));

  Recorder Pruned;
  Pruned.PrunedPaths = {"a/b"};
  walk(Tree.path(), Pruned);
  EXPECT_THAT(Pruned.paths(), UnorderedElementsAre("a", "a/b", "x", "x/y"));
}

TEST(TreeWalkerTest, NeverOpensPrunedDirectories) {
  TestDirectory Tree;
  Tree.write("a/b", "");
  Recorder Seen;
  WalkOptions Options;
  Options.Listed = countBatch;
  Options.MaxDepth = 0;
  Batches = 0;
  walk(Tree.path(), Seen, Options);
  const unsigned OfRoot = Batches.exchange(0);
  Options.MaxDepth = WalkOptions().MaxDepth;
  Seen.PrunedPaths = {"a"};
  walk(Tree.path(), Seen, Options);
  EXPECT_THAT(Seen.paths(), ElementsAre("a"));
  EXPECT_EQ(Batches, OfRoot);
}

TEST(TreeWalkerTest, SkipsHiddenEntries) {
  TestDirectory Tree;
  Tree.write(".h/a", "");
  Tree.write("b/.c", "");
  Tree.write("b/d", "");
  WalkOptions Options;
  Options.SkipHidden = true;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  EXPECT_THAT(Seen.paths(), UnorderedElementsAre("b", "b/d"));
}

TEST(TreeWalkerTest, ReportsPathsWithGivenRoot) {
  class Paths : public Recorder {
  public:
    void visit(const WalkDirectory &Directory,
               llvm::ArrayRef<os::DirectoryEntry> Entries,
               Prune &Pruned) override {
      Recorder::visit(Directory, Entries, Pruned);
      Given.insert(Directory.path().str());
    }

    std::set<std::string> Given;
  };
  TestDirectory Tree;
  Tree.write("a/b/c", "");
  for (const char *Slashes : {"", "/", "//"}) {
    Paths Seen;
    walk(Tree.path() + Slashes, Seen, {});
    EXPECT_THAT(Seen.Given,
                UnorderedElementsAre(Tree.path(), Tree.path() + "/a",
                                     Tree.path() + "/a/b"));
  }
  fs::path Before = fs::current_path();
  fs::current_path(Tree.path("a"));
  Paths Here;
  walk("", Here);
  fs::current_path(Before);
  EXPECT_THAT(Here.Given, UnorderedElementsAre(".", "./b"));
  EXPECT_THAT(Here.paths(), UnorderedElementsAre("b", "b/c"));

  Paths All;
  WalkOptions Shallow;
  Shallow.MaxDepth = 0;
  walk("/", All, Shallow);
  EXPECT_THAT(All.Given, UnorderedElementsAre("/"));
}

TEST(TreeWalkerTest, ReportsRootOfEachEntry) {
  class Roots : public TreeVisitor {
  public:
    void visit(const WalkDirectory &Directory,
               llvm::ArrayRef<os::DirectoryEntry> Entries,
               Prune & /*Pruned*/) override {
      std::lock_guard Lock(Mutex);
      for (const os::DirectoryEntry &E : Entries)
        Names.insert({Directory.root(), std::string(E.Name)});
    }
    void problem(llvm::StringRef Path, llvm::StringRef What) override {
      std::lock_guard Lock(Mutex);
      Problems.push_back(Path.str() + ": " + What.str());
    }
    std::mutex Mutex;

    std::set<std::pair<size_t, std::string>> Names;
    std::vector<std::string> Problems;
  };
  TestDirectory Tree;
  std::string File = Tree.write("a/one", "");
  Tree.write("b/two", "");
  Roots Seen;
  TreeWalker Walker({});
  Walker.walk({Tree.path("a"), Tree.path("nothing"), Tree.path("b"), File},
              Seen);
  EXPECT_THAT(Seen.Names, UnorderedElementsAre(testing::Pair(0, "one"),
                                               testing::Pair(2, "two")));
  EXPECT_THAT(Seen.Problems,
              UnorderedElementsAre(HasSubstr(Tree.path("nothing") + ": "),
                                   HasSubstr(File + ": ")));

  Roots None;
  Walker.walk({}, None);
  EXPECT_THAT(None.Names, IsEmpty());
  EXPECT_THAT(None.Problems, IsEmpty());
}

TEST(TreeWalkerTest, FollowsLinksWithoutCycles) {
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  TestDirectory Tree;
  Tree.write("a/file", "12345");
  Tree.write("b/c/other", "");
  makeLink("../b", Tree.path("a/b"), LinkTo::Directory);
  makeLink("..", Tree.path("b/up"), LinkTo::Directory);
  makeLink("file", Tree.path("a/filelink"));
  makeLink("nowhere", Tree.path("a/dangling"));
  makeLink("self", Tree.path("a/self"));

  Recorder Plain;
  walk(Tree.path(), Plain);
  EXPECT_FALSE(Plain.paths().count("a/b/c"));
  EXPECT_THAT(Plain.Problems, IsEmpty());

  WalkOptions Options;
  Options.FollowLinks = true;
  Options.WithStatus = true;
  Recorder Seen;
  walk(Tree.path(), Seen, Options);
  EXPECT_THAT(Seen.paths(),
              UnorderedElementsAre("a", "a/file", "a/filelink", "a/dangling",
                                   "a/self", "a/b", "a/b/c", "a/b/c/other",
                                   "a/b/up", "b", "b/c", "b/c/other", "b/up"));
  EXPECT_EQ(Seen.Types["a/filelink"], os::EntryType::Regular);
  EXPECT_EQ(Seen.Identities["a/filelink"].Size, 5U);
  EXPECT_EQ(Seen.Types["a/dangling"], os::EntryType::Link);
  EXPECT_EQ(Seen.Types["a/self"], os::EntryType::Link);
  EXPECT_EQ(Seen.Types["a/b"], os::EntryType::Directory);
  EXPECT_THAT(Seen.Problems, UnorderedElementsAre(HasSubstr("a/b/up: skipped"),
                                                  HasSubstr("/b/up: skipped")));
}

TEST(TreeWalkerTest, FollowsLinkAsRoot) {
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  TestDirectory Tree;
  Tree.write("real/file", "");
  makeLink("real", Tree.path("link"), LinkTo::Directory);
  Recorder Seen;
  walk(Tree.path("link"), Seen);
  EXPECT_THAT(Seen.paths(), UnorderedElementsAre("file"));
}

TEST(TreeWalkerTest, StopsSoonAfterCancel) {
  class Canceller : public Counter {
  public:
    void visit(const WalkDirectory & /*Directory*/,
               llvm::ArrayRef<os::DirectoryEntry> /*Entries*/,
               Prune & /*Pruned*/) override {
      Walker->cancel();
    }

    TreeWalker *Walker = nullptr;
  };
  TestDirectory Tree;
  makeTree(Tree);
  for (unsigned Jobs : {1U, 8U}) {
    WalkOptions Options;
    Options.Jobs = Jobs;
    Options.Listed = countBatch;
    TreeWalker Walker(Options);
    Canceller Seen;
    Seen.Walker = &Walker;
    Batches = 0;
    Walker.walk({Tree.path()}, Seen);
    // The walker finishes the directories under way and reads few others.
    EXPECT_LE(Batches, 4 * Jobs);
  }
}

} // namespace
