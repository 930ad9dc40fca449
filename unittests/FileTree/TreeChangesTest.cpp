//===- TreeChangesTest.cpp - Tests of what has changed in a tree ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeChanges.h"
#include "WalkTestSupport.h"
#include "gtest/gtest.h"
#include <filesystem>

using namespace headstart;
using namespace headstart::test;
using headstart::os::EntryType;
namespace fs = std::filesystem;

namespace {

class Lister : public TreeVisitor {
public:
  TreeListing Listing{TreeWalker::MaxThreads};
  void visit(const WalkDirectory &Directory,
             llvm::ArrayRef<os::DirectoryEntry> Entries,
             Prune & /*Pruned*/) override {
    Listing.add(Directory.thread(), Directory.root(), Directory.pathFromRoot(),
                Entries);
  }
  void problem(llvm::StringRef /*Path*/, llvm::StringRef /*What*/) override {}
};

struct Finder : ChangeFinder {
  Finder(const ManifestPart &Part, const TreeFilter &Filter)
      : ChangeFinder(Part, Filter,
                     [this](llvm::StringRef Path, llvm::StringRef /*What*/) {
                       Reported.push_back(Path.str());
                     }) {}
  std::vector<std::string> Reported;
};

/// A tree and its manifest.
class TreeChangesTest : public testing::Test {
protected:
  const TestDirectory Directory;

  Manifest record(llvm::ArrayRef<TreePlace> Unknown = {}) const {
    Lister L;
    WalkOptions Options;
    Options.WithStatus = true;
    Options.Listed = Listed;
    TreeWalker(Options).walk({Directory.path()}, L);
    L.Listing.sort();
    return llvm::cantFail(
        Manifest::parse(llvm::MemoryBuffer::getMemBufferCopy(serializeManifest(
            {}, {{Directory.path(), fs::canonical(Directory.path()).string()}},
            0, L.Listing.directories(), Unknown))));
  }

  /// The changes as lines "A path", "D path" or "M path".
  std::vector<std::string> changes(const Manifest &M,
                                   llvm::StringRef Below = "",
                                   const TreeFilter &Filter = {}) {
    std::string Path =
        Directory.path() + (Below.empty() ? "" : "/") + Below.str();
    llvm::Expected<ManifestPart> Part = ManifestPart::of(M, Path);
    if (!Part)
      return {toString(Part.takeError())};
    Finder F(*Part, Filter);
    F.leaveOut(LeftOut);
    WalkOptions Options;
    Options.WithStatus = true;
    Options.Listed = Listed;
    if (!Part->isRemoved())
      TreeWalker(Options).walk({Path}, F);
    std::vector<std::string> Lines;
    for (const TreeChange &C : F.finish())
      Lines.push_back(std::string(1, "ADM"[static_cast<int>(C.Kind)]) + " " +
                      C.Path + (C.Type == EntryType::Directory ? "/" : "") +
                      (C.Difference ? " " + std::to_string(C.Difference) : ""));
    Reported = F.Reported;
    return Lines;
  }

  /// The result of `changes`.
  using Lines = std::vector<std::string>;
  os::FileIdentity LeftOut;
  Lines Reported;
  /// Changes entries as they are listed.
  void (*Listed)(llvm::MutableArrayRef<os::DirectoryEntry>) = nullptr;
};

TEST_F(TreeChangesTest, UnchangedTreeHasNoChanges) {
  Directory.write("a/b/c", "x");
  Directory.write("a/d", "x");
  fs::create_directory(Directory.path("empty"));
  fs::create_symlink("nowhere", Directory.path("link"));
  EXPECT_EQ(changes(record()), Lines{});
}

TEST_F(TreeChangesTest, ReportsAddedRemovedAndModifiedEntries) {
  for (const char *Name :
       {"a/keep", "a/gone", "a/longer", "a/touched", "b/x/y", "b/z", "b.c",
        "file-becomes-directory", "tree-becomes-file/in"})
    Directory.write(Name, "text");
  const Manifest M = record();
  fs::remove(Directory.path("a/gone"));
  Directory.write("a/longer", "longer text");
  fs::last_write_time(Directory.path("a/touched"),
                      fs::file_time_type(std::chrono::hours(1)));
  Directory.write("a/new/in", "");
  fs::remove_all(Directory.path("b"));
  fs::remove(Directory.path("file-becomes-directory"));
  Directory.write("file-becomes-directory/x", "");
  fs::remove_all(Directory.path("tree-becomes-file"));
  Directory.write("tree-becomes-file", "");
  const Lines Found = changes(M);
  auto Starts = [&](size_t I) {
    return Found.at(I).substr(0, Found[I].rfind(' '));
  };
  ASSERT_EQ(Found.size(), 13U);
  EXPECT_EQ(Lines(Found.begin(), Found.begin() + 1), Lines{"D a/gone"});
  EXPECT_EQ(Starts(1), "M a/longer");
  EXPECT_NE(std::stoi(Found[1].substr(Found[1].rfind(' '))) & SizeDiffers, 0);
  EXPECT_EQ(Lines(Found.begin() + 2, Found.begin() + 9),
            (Lines{"A a/new/", "A a/new/in",
                   "M a/touched " + std::to_string(TimeDiffers), "D b/",
                   "D b/x/", "D b/x/y", "D b/z"}));
  EXPECT_EQ(Starts(9), "M file-becomes-directory/");
  EXPECT_EQ(Found[10], "A file-becomes-directory/x");
  EXPECT_EQ(Starts(11), "M tree-becomes-file");
  EXPECT_NE(std::stoi(Found[11].substr(Found[11].rfind(' '))) & TypeDiffers, 0);
  EXPECT_EQ(Found[12], "D tree-becomes-file/in");
}

/// Sets a hint of 4 bytes and of one time in every entry.
void hintAtFourBytes(llvm::MutableArrayRef<os::DirectoryEntry> Entries) {
  for (os::DirectoryEntry &Entry : Entries) {
    Entry.Identity.Size = 4;
    Entry.Identity.ModifiedNs = 1'000'000'000;
    Entry.HasStatus = true;
    Entry.StatusIsHint = true;
  }
}

TEST_F(TreeChangesTest, ConfirmsHintsOfListing) {
  const auto Time = fs::file_time_type(std::chrono::seconds(5));
  for (const char *Name : {"longer", "same", "touched"})
    fs::last_write_time(Directory.write(Name, "text"), Time);
  // The manifest does not record hints ...
  Listed = hintAtFourBytes;
  Manifest M = record();
  for (const ManifestEntry &E : M.directories().front().Entries)
    EXPECT_NE(E.ModifiedNs, 1'000'000'000) << E.Name.str();
  EXPECT_EQ(changes(M), Lines{});
  Listed = nullptr;
  EXPECT_EQ(changes(M), Lines{});
  // ... and the comparison does not trust them.
  Directory.write("longer", "longer text");
  fs::last_write_time(Directory.path("longer"), Time);
  fs::last_write_time(Directory.path("touched"), Time + std::chrono::hours(1));
  const Lines Expected = {"M longer " + std::to_string(SizeDiffers),
                          "M touched " + std::to_string(TimeDiffers)};
  EXPECT_EQ(changes(M), Expected);
  Listed = hintAtFourBytes;
  EXPECT_EQ(changes(M), Expected);
}

TEST_F(TreeChangesTest, ReportsReplacementBySimilarFile) {
  const std::string Path = Directory.write("f", "text");
  const Manifest M = record();
  const auto Time = fs::last_write_time(Path);
  Directory.write("g", "text"); // a new inode, because f still exists
  fs::last_write_time(Directory.path("g"), Time);
  fs::rename(Directory.path("g"), Path);
  EXPECT_EQ(changes(M), Lines{"M f " + std::to_string(IdDiffers)});
}

TEST_F(TreeChangesTest, IgnoresDeviceNumber) {
  ManifestEntry Then;
  Then.Inode = 2;
  Then.Size = 3;
  Then.ModifiedNs = 4;
  Then.Type = EntryType::Regular;
  os::DirectoryEntry Now;
  Now.Identity = {.Device = 9, .Inode = 2, .Size = 3, .ModifiedNs = 4};
  Now.Type = EntryType::Regular;
  Now.HasStatus = true;
  EXPECT_EQ(differenceOf(Then, Now), SameEntry);
  Now.Identity.Inode = 7;
  EXPECT_EQ(differenceOf(Then, Now), IdDiffers);
}

TEST_F(TreeChangesTest, ComparesSubtree) {
  Directory.write("a/b/c", "x");
  Directory.write("a/d", "x");
  Directory.write("e", "x");
  Directory.write("a/bb", "x");
  const Manifest M = record();
  fs::remove(Directory.path("a/b/c"));
  fs::remove(Directory.path("a/d"));
  fs::remove(Directory.path("e"));
  Directory.write("a/b/n", "");
  EXPECT_EQ(changes(M, "a/b"), (Lines{"D c", "A n"}));
  EXPECT_EQ(changes(M, "a"), (Lines{"D b/c", "A b/n", "D d"}));
  Directory.write("z/f", "");
  EXPECT_EQ(changes(M, "z"), Lines{"A f"});
}

TEST_F(TreeChangesTest, ComparesRemovedSubtree) {
  Directory.write("a/b/c", "x");
  Directory.write("a/b.c", "x");
  Directory.write("a/f", "x");
  fs::create_symlink("nowhere", Directory.path("a/link"));
  const Manifest M = record();
  auto Of = [&](llvm::StringRef Path) {
    return llvm::cantFail(
        ManifestPart::of(M, Directory.path() + "/" + Path.str()));
  };
  EXPECT_FALSE(Of("a/b").isRemoved());
  EXPECT_EQ(Of("a/b").entry()->Name, "b");
  EXPECT_EQ(Of("a").entry()->Name, "a");
  EXPECT_EQ(Of("a/f").entry()->Type, EntryType::Regular);
  EXPECT_EQ(Of("").entry(), nullptr);
  fs::remove_all(Directory.path("a/b"));
  fs::remove(Directory.path("a/f"));
  EXPECT_TRUE(Of("a/b").isRemoved());
  EXPECT_EQ(Of("a/b").prefix(), "a/b");
  EXPECT_EQ(Of("./a/./b//").prefix(), "a/b");
  EXPECT_EQ(Of("a/b").entry()->Type, EntryType::Directory);
  EXPECT_EQ(changes(M, "a/b"), Lines{"D c"});
  EXPECT_EQ(Of("a/b/c").entry()->Name, "c");
  EXPECT_EQ(changes(M, "a/b/c"), Lines{});
  EXPECT_TRUE(Of("a/f").isRemoved());
  fs::remove_all(Directory.path("a"));
  EXPECT_EQ(changes(M, "a"),
            (Lines{"D b/", "D b/c", "D b.c", "D f", "D link"}));
  EXPECT_EQ(changes(M, "a/b"), Lines{"D c"});
  // A file replaces the directory.
  Directory.write("a", "x");
  EXPECT_EQ(changes(M, "a/b"), Lines{"D c"});
}

TEST_F(TreeChangesTest, MissingUnrecordedPathIsError) {
  Directory.write("a/f", "x");
  const Manifest M = record();
  auto Problem = [&](const std::string &Path) {
    llvm::Expected<ManifestPart> Part = ManifestPart::of(M, Path);
    return Part ? "" : toString(Part.takeError());
  };
  const std::string Root = Directory.path();
  EXPECT_EQ(Problem(Root + "/b"),
            Root + "/b: neither the tree nor the manifest has it");
  EXPECT_NE(Problem(Root + "/gone/../a"), "");
  fs::create_symlink("nowhere", Directory.path("link"));
  EXPECT_EQ(Problem(Root + "/link"), Root + "/link: No such file or directory");
  EXPECT_NE(Problem("/nowhere/at/all").find("not in the manifest"),
            std::string::npos);
  // The root may be on a disk that is not mounted.
  fs::rename(Root, Root + "x");
  EXPECT_EQ(Problem(Root), Root + ": No such file or directory");
  fs::rename(Root + "x", Root);
}

TEST_F(TreeChangesTest, PathOutsideManifestIsError) {
  Directory.write("a", "x");
  const Manifest M = record();
  llvm::Expected<ManifestPart> Part = ManifestPart::of(M, "/");
  ASSERT_FALSE(Part);
  EXPECT_NE(toString(Part.takeError()).find("not in the manifest"),
            std::string::npos);
  // A directory whose name begins with the root's.
  fs::create_directory(Directory.path() + "x");
  llvm::Expected<ManifestPart> Other =
      ManifestPart::of(M, Directory.path() + "x");
  fs::remove(Directory.path() + "x");
  EXPECT_FALSE(Other);
  llvm::consumeError(Other.takeError());
}

TEST_F(TreeChangesTest, UnreadableDirectoryIsNotReportedAsRemoved) {
  Directory.write("a/b/c", "x");
  Directory.write("a/d", "x");
  Directory.write("e/f", "x");
  Directory.write("z", "x");
  const Manifest M = record();
  fs::remove(Directory.path("z"));
  // The test reports the problem with a/b itself, since root can read all.
  const std::string Path = Directory.path();
  const ManifestPart Part(M, 0);
  const TreeFilter Filter;
  {
    Finder F(Part, Filter);
    F.problem(Path + "/a", "unreadable");
    F.unknown(0, "a");
    Lines Paths;
    for (const TreeChange &C : F.finish())
      Paths.push_back(C.Path);
    EXPECT_EQ(Paths, (Lines{"e", "e/f", "z"}));
    EXPECT_EQ(F.Reported, Lines{Path + "/a"});
  }
  {
    Finder F(Part, Filter);
    F.unknown(0, "a/b");
    Lines Paths;
    for (const TreeChange &C : F.finish())
      Paths.push_back(C.Path);
    EXPECT_EQ(Paths, (Lines{"a", "a/d", "e", "e/f", "z"}));
  }
  Finder F(Part, Filter);
  F.unknown(0, "");
  F.unknown(0, "a");
  EXPECT_TRUE(F.finish().empty());
}

TEST_F(TreeChangesTest, PreviouslyUnreadableEntriesAreNotReportedAsAdded) {
  fs::create_directories(Directory.path("a/closed"));
  Directory.write("a/d", "x");
  const Manifest M = record({{0, "a/closed"}, {0, "a/entry"}});
  Directory.write("a/closed/x", "x");
  Directory.write("a/closed/in/x", "x");
  Directory.write("a/closed.", "x");
  Directory.write("a/entry", "x");
  Directory.write("a/entry2", "x");
  Directory.write("a/d", "longer");
  const Lines Found = changes(M);
  ASSERT_EQ(Found.size(), 3U);
  EXPECT_EQ(Found[0], "A a/closed.");
  EXPECT_EQ(Found[1].substr(0, 5), "M a/d");
  EXPECT_EQ(Found[2], "A a/entry2");
  EXPECT_EQ(changes(M, "a/closed"), Lines{});
  EXPECT_EQ(changes(M, "a/closed/in"), Lines{});
  EXPECT_EQ(changes(M, "a"),
            (Lines{"A closed.", "M " + Found[1].substr(4), "A entry2"}));
  // The manifest has the directory itself.
  fs::remove_all(Directory.path("a/closed"));
  fs::remove(Directory.path("a/entry"));
  EXPECT_EQ(changes(M, "a").front(), "D closed/");
  EXPECT_EQ(changes(M, "a").size(), 4U);
}

TEST_F(TreeChangesTest, FiltersMatchManifestPath) {
  Directory.write("a/b/x.o", "x");
  const Manifest M = record();
  Directory.write("a/b/y.o", "x");
  Directory.write("a/b/z.c", "x");
  TreeFilter Filter;
  ASSERT_FALSE(Filter.addGlob("a/b/*.o"));
  EXPECT_EQ(changes(M, "a/b", Filter), Lines{"A y.o"});
}

TEST_F(TreeChangesTest, SkipsManifestFile) {
  Directory.write("a", "x");
  const Manifest M = record();
  const std::string Path = Directory.write("manifest", "x");
  LeftOut = os::test::statOf(Path).Identity;
  EXPECT_EQ(changes(M), Lines{});
}

TEST_F(TreeChangesTest, SelectsMostSpecificRoot) {
  TreeListing Listing(1);
  os::DirectoryEntry E;
  E.Name = "x";
  E.Type = EntryType::Regular;
  for (size_t Root = 0; Root != 3; ++Root)
    Listing.add(0, Root, "", E);
  Listing.sort();
  const std::string Deep = fs::canonical(Directory.path()).string();
  const Manifest M =
      llvm::cantFail(Manifest::parse(llvm::MemoryBuffer::getMemBufferCopy(
          serializeManifest({}, {{"/", "/"}, {Deep, Deep}, {"/no", "/no"}}, 0,
                            Listing.directories()))));
  ManifestPart Part = llvm::cantFail(ManifestPart::of(M, Deep));
  EXPECT_EQ(Part.prefix(), "");
  EXPECT_EQ(Part.depth(), 0U);
  ASSERT_EQ(Part.directories().size(), 1U);
  EXPECT_EQ(Part.directories().front().Root, 1U);
  Part = llvm::cantFail(ManifestPart::of(M, "/usr/lib"));
  EXPECT_EQ(Part.prefix(), "usr/lib");
  EXPECT_EQ(Part.depth(), 2U);
  EXPECT_TRUE(Part.directories().empty());
}

} // namespace
