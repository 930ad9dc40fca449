//===- ManifestTest.cpp - Tests of the record of a tree -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/Manifest.h"
#include "OS/TestFiles.h"
#include "headstart/FileTree/Record.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <random>
#include <string>

using namespace headstart;
using headstart::os::EntryType;
using headstart::os::test::TestDirectory;
using llvm::StringRef;

namespace {

os::DirectoryEntry entry(std::string_view Name, uint64_t Number) {
  os::DirectoryEntry E;
  E.Name = Name;
  E.Type = static_cast<EntryType>(Number % 8);
  E.HasStatus = true;
  E.Identity.Inode = UINT64_MAX / (Number + 1);
  E.Identity.Size = Number << 20;
  E.Identity.ModifiedNs = Number % 2 ? INT64_MIN + int64_t(Number) : INT64_MAX;
  return E;
}

// If these few bytes cannot be allocated, there is no test.
// NOLINTBEGIN(bugprone-throwing-static-initialization)
const TreeSelection Selection = {.Hidden = true,
                                 .NoIgnore = false,
                                 .FollowLinks = true,
                                 .SameFileSystem = false,
                                 .MaxDepth = 7,
                                 .Types = "fl",
                                 .Globs = {"*.o", "!\xff\n"}};
const std::vector<ManifestRoot> Roots = {{"", "/work"}, {"../x", "/x"}};
const std::vector<TreePlace> Unknown = {{1, "a"}, {0, "c"},   {0, "a/b c/d"},
                                        {0, "c"}, {0, "c/d"}, {0, "c.d"}};
// NOLINTEND(bugprone-throwing-static-initialization)

/// Fills a tree with names of every kind.
void fill(TreeListing &Listing) {
  Listing.add(0, 0, "", {entry("a", 1), entry("b\n", 2), entry("\xff\xfe", 3)});
  Listing.add(0, 0, "a", {entry("x", 4)});
  Listing.add(0, 0, "a/b c", {entry(std::string(255, 'n'), 5), entry(" ", 9)});
  Listing.add(0, 1, "", {entry("a", 6)});
  Listing.add(0, 1, "a", {entry("x", 7)});
  Listing.sort();
}

std::string sample() {
  TreeListing Listing(1);
  fill(Listing);
  return serializeManifest(Selection, Roots, -5, Listing.directories(),
                           Unknown);
}

llvm::Expected<Manifest> parse(StringRef Bytes) {
  return Manifest::parse(llvm::MemoryBuffer::getMemBufferCopy(Bytes));
}

std::string problemOf(StringRef Bytes) {
  llvm::Expected<Manifest> M = parse(Bytes);
  return M ? "" : toString(M.takeError());
}

TEST(ManifestTest, RoundTrips) {
  TreeListing Listing(1);
  fill(Listing);
  llvm::Expected<Manifest> M =
      parse(serializeManifest(Selection, Roots, -5, Listing.directories()));
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  EXPECT_EQ(M->selection(), Selection);
  EXPECT_EQ(M->roots().vec(), Roots);
  EXPECT_EQ(M->recorded(), -5);
  ASSERT_EQ(M->directories().size(), Listing.directories().size());
  for (size_t I = 0; I != M->directories().size(); ++I) {
    const ManifestDirectory &Read = M->directories()[I];
    const ListedDirectory &Written = Listing.directories()[I];
    EXPECT_EQ(Read.Root, Written.Root);
    EXPECT_EQ(Read.Path, Written.Path);
    EXPECT_EQ(M->find(Read.Root, Read.Path), &Read);
    ASSERT_EQ(Read.Entries.size(), Written.Entries.size());
    for (size_t J = 0; J != Read.Entries.size(); ++J) {
      const ManifestEntry &R = Read.Entries[J];
      const os::DirectoryEntry &W = Written.Entries[J];
      EXPECT_EQ(R.Name, StringRef(W.Name));
      EXPECT_EQ(R.Type, W.Type);
      EXPECT_EQ(R.Inode, W.Identity.Inode);
      EXPECT_EQ(R.Size, W.Identity.Size);
      EXPECT_EQ(R.ModifiedNs, W.Identity.ModifiedNs);
      EXPECT_EQ(Manifest::find(Read, R.Name), &R);
    }
  }
  EXPECT_EQ(M->find(0, "b"), nullptr);
  EXPECT_EQ(M->find(1, "a/b c"), nullptr);
  EXPECT_EQ(M->find(2, ""), nullptr);
  EXPECT_EQ(Manifest::find(M->directories()[0], "c"), nullptr);
}

TEST(ManifestTest, KeepsUnknownPaths) {
  llvm::Expected<Manifest> M = parse(sample());
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  EXPECT_EQ(
      M->unknown().vec(),
      (std::vector<TreePlace>{{0, "a/b c/d"}, {0, "c"}, {0, "c.d"}, {1, "a"}}));
  for (StringRef Path : {"a/b c/d", "a/b c/d/e", "c", "c/d/e", "c.d", "c.d/e"})
    EXPECT_TRUE(M->isUnknown(0, Path)) << Path.str();
  for (StringRef Path : {"", "a", "a/b c", "a/b c/dd", "a/b c/c", "c.", "cc",
                         "b", "c.d.e", "\xff"})
    EXPECT_FALSE(M->isUnknown(0, Path)) << Path.str();
  EXPECT_TRUE(M->isUnknown(1, "a/b"));
  EXPECT_FALSE(M->isUnknown(1, "c"));
  EXPECT_FALSE(M->isUnknown(2, "a"));

  M = parse(serializeManifest({}, Roots, 0, {}, {{0, ""}, {0, "a"}}));
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  EXPECT_EQ(M->unknown().size(), 1U);
  EXPECT_TRUE(M->isUnknown(0, ""));
  EXPECT_TRUE(M->isUnknown(0, "x/y"));
  EXPECT_FALSE(M->isUnknown(1, ""));
}

TEST(ManifestTest, AcceptsEmptyTree) {
  llvm::Expected<Manifest> M =
      parse(serializeManifest({}, {{"e", "/e"}}, 1, {}));
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  EXPECT_TRUE(M->directories().empty());
  EXPECT_EQ(M->find(0, ""), nullptr);
}

TEST(ManifestTest, RefusesEveryTruncation) {
  const std::string Bytes = sample();
  ASSERT_EQ(problemOf(Bytes), "");
  for (size_t Length = 0; Length != Bytes.size(); ++Length)
    EXPECT_NE(problemOf(StringRef(Bytes).take_front(Length)), "") << Length;
}

TEST(ManifestTest, RefusesEveryChangedByte) {
  const std::string Bytes = sample();
  for (size_t I = 0; I != Bytes.size(); ++I) {
    std::string Changed = Bytes;
    Changed[I] ^= 4;
    EXPECT_NE(problemOf(Changed), "") << I;
  }
}

TEST(ManifestTest, ReportsWhatIsWrong) {
  EXPECT_EQ(problemOf("headstart manifest 1\n"),
            "another version of Headstart wrote this manifest");
  EXPECT_EQ(problemOf(""), "this is not a manifest");
  EXPECT_EQ(problemOf("headstart manifest 2\nabc"),
            "the file ends early, at byte 24");
}

using UnknownPaths = std::vector<std::pair<unsigned, StringRef>>;

/// Makes a manifest with a valid checksum by hand.
std::string made(llvm::function_ref<void(llvm::raw_ostream &)> Tail,
                 const UnknownPaths &Paths = {}) {
  std::string Bytes;
  llvm::raw_string_ostream OS(Bytes);
  // No options, any depth, no types, no globs, time 0, one root "" of "/".
  OS << "headstart manifest 2\n";
  for (char C : {0, 0, 0, 0, 0, 1, 0, 1})
    OS << C;
  OS << "/";
  llvm::encodeULEB128(Paths.size(), OS);
  for (const auto &[Root, Path] : Paths) {
    llvm::encodeULEB128(Root, OS);
    writeString(Path, OS);
  }
  Tail(OS);
  addChecksum(Bytes);
  return Bytes;
}

/// Makes a manifest of one directory with the entries \p Names.
std::string madeOf(StringRef Path, llvm::ArrayRef<StringRef> Names,
                   unsigned Type = 1, unsigned Root = 0) {
  return made([&](llvm::raw_ostream &OS) {
    llvm::encodeULEB128(Names.size(), OS);
    llvm::encodeULEB128(1, OS);
    llvm::encodeULEB128(Root, OS);
    writeString(Path, OS);
    llvm::encodeULEB128(Names.size(), OS);
    for (StringRef Name : Names) {
      llvm::encodeULEB128(Type, OS);
      for (int I = 0; I != 3; ++I)
        llvm::encodeULEB128(0, OS);
      writeString(Name, OS);
    }
  });
}

std::string withoutOffset(const std::string &Problem) {
  return Problem.substr(0, Problem.find(" (at byte"));
}

TEST(ManifestTest, RefusesImpossibleEntries) {
  EXPECT_EQ(problemOf(madeOf("a/b", {"a", "b"})), "");
  auto Problem = [](const std::string &Bytes) {
    return withoutOffset(problemOf(Bytes));
  };
  for (StringRef Name : {StringRef(""), StringRef("."), StringRef(".."),
                         StringRef("a/b"), StringRef("a\0b", 3)})
    EXPECT_EQ(Problem(madeOf("", {Name, "zzzzzz"})),
              "a name that no file can have");
  for (StringRef Path : {"/", "/a", "a/", "a//b", ".", "a/../b", ".."})
    EXPECT_EQ(Problem(madeOf(Path, {"zzzzzzzz"})),
              "a directory outside of the tree");
  EXPECT_EQ(Problem(madeOf("", {"a", "a"})), "the entries are out of order");
  EXPECT_EQ(Problem(madeOf("", {"b", "a"})), "the entries are out of order");
  EXPECT_EQ(Problem(madeOf("", {"aaaaaa"}, /*Type=*/8)),
            "an entry of unknown type");
  EXPECT_EQ(Problem(madeOf("", {"aaaaaa"}, 1, /*Root=*/1)),
            "a directory outside of the tree");
}

TEST(ManifestTest, RefusesImpossibleUnknownPaths) {
  auto Problem = [](const UnknownPaths &Paths) {
    return withoutOffset(problemOf(
        made([](llvm::raw_ostream &OS) { OS << '\0' << '\0'; }, Paths)));
  };
  EXPECT_EQ(Problem({{0, "a"}, {0, "a.b"}, {0, "b/c"}}), "");
  EXPECT_EQ(Problem({{1, "a"}}), "an unreadable place outside of the tree");
  EXPECT_EQ(Problem({{0, "a/../b"}}),
            "an unreadable place outside of the tree");
  EXPECT_EQ(Problem({{0, "b"}, {0, "a"}}),
            "the unreadable places are out of order");
  EXPECT_EQ(Problem({{0, "a"}, {0, "a/b"}}),
            "the unreadable places are out of order");
  EXPECT_EQ(Problem({{0, ""}, {0, "a"}}),
            "the unreadable places are out of order");
}

TEST(ManifestTest, LargeCountsDoNotAllocate) {
  for (uint64_t Entries : {UINT64_MAX, uint64_t(1) << 40})
    EXPECT_NE(problemOf(made([&](llvm::raw_ostream &OS) {
                llvm::encodeULEB128(Entries, OS);
                llvm::encodeULEB128(Entries, OS);
              })),
              "");
  // Numbers that are truncated, and numbers that are too long.
  for (int Length : {1, 9, 10, 11, 300})
    EXPECT_NE(problemOf(made([&](llvm::raw_ostream &OS) {
                OS << std::string(size_t(Length), '\xff');
              })),
              "");
}

TEST(ManifestTest, SurvivesRandomBytes) {
  const std::string Bytes = sample();
  std::mt19937 Random(7);
  for (int Round = 0; Round != 20000; ++Round) {
    std::string Changed = Bytes.substr(0, Bytes.size() - 8);
    for (unsigned Left = 1 + Random() % 4; Left != 0; --Left)
      Changed[21 + Random() % (Changed.size() - 21)] =
          static_cast<char>(Random());
    if (Random() % 4 == 0)
      Changed.resize(21 + Random() % (Changed.size() - 21));
    addChecksum(Changed);
    if (llvm::Expected<Manifest> M = parse(Changed)) {
      for (const ManifestDirectory &F : M->directories())
        EXPECT_EQ(M->find(F.Root, F.Path), &F);
    } else {
      EXPECT_NE(toString(M.takeError()), "");
    }
  }
}

TEST(ManifestTest, ReplacesOnlyManifests) {
  const TestDirectory Directory;
  const auto MayReplace = [](const std::string &Path) {
    return mayReplaceRecord(Path, ManifestStart);
  };
  EXPECT_TRUE(MayReplace(Directory.path("none")));
  EXPECT_TRUE(MayReplace(Directory.write("empty", "")));
  EXPECT_TRUE(MayReplace(Directory.write("m", sample())));
  EXPECT_TRUE(MayReplace(Directory.write("old", "headstart manifest 9")));
  EXPECT_FALSE(MayReplace(Directory.write("text", "headstart manual")));
  EXPECT_FALSE(MayReplace(Directory.path()));
}

TEST(ManifestTest, LoadNamesFileInErrors) {
  const TestDirectory Directory;
  ASSERT_FALSE(replaceFile(Directory.path("m"), sample()));
  llvm::Expected<Manifest> M = Manifest::load(Directory.path("m"));
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  EXPECT_FALSE(M->directories().empty());
  for (const char *Bad : {"none", "text", ""}) {
    Directory.write("text", "text");
    llvm::Expected<Manifest> Failed = Manifest::load(Directory.path(Bad));
    ASSERT_FALSE(Failed);
    EXPECT_NE(toString(Failed.takeError()).find(Directory.path(Bad)),
              std::string::npos);
  }
}

TEST(ManifestTest, ReplacingKeepsLink) {
  const TestDirectory Directory;
  Directory.write("real", "old");
  std::filesystem::create_symlink("real", Directory.path("link"));
  ASSERT_FALSE(replaceFile(Directory.path("link"), "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(Directory.path("link")));
  EXPECT_EQ(std::filesystem::file_size(Directory.path("real")), 3U);
  EXPECT_NE(toString(replaceFile(Directory.path("no/directory/m"), "x")), "");
}

TEST(ManifestTest, ReplacesFilesWhosePathsHavePercentSigns) {
  const TestDirectory Directory;
  const std::string Old = Directory.write("50%/100%", "old");
  ASSERT_FALSE(replaceFile(Old, "new one"));
  EXPECT_EQ(std::filesystem::file_size(Old), 7U);
  // The new file is gone.
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(Directory.path("50%")), {}),
            1);
}

} // namespace
