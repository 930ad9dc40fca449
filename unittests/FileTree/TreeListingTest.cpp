//===- TreeListingTest.cpp - Tests of the order of a walk -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/TreeListing.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace headstart;

namespace {

os::DirectoryEntry entry(std::string_view Name, bool IsDirectory = false) {
  os::DirectoryEntry E;
  E.Name = Name;
  E.Type = IsDirectory ? os::EntryType::Directory : os::EntryType::Regular;
  return E;
}

std::vector<std::string> pathsOf(const TreeListing &Listing) {
  std::vector<std::string> Paths;
  Listing.forEach([&](const ListedDirectory &F, const os::DirectoryEntry &E) {
    Paths.push_back(std::to_string(F.Root) + ":" + F.Path.str() +
                    (F.Path.empty() ? "" : "/") + std::string(E.Name));
  });
  return Paths;
}

TEST(TreeListingTest, ComparesComponentwise) {
  // Sorted: a directory's contents precede a neighbour whose name continues
  // with a byte below '/'.
  const std::vector<std::string> Sorted = {"",    "a",     "a/b",  "a/b/c",
                                           "a/c", "a!",    "a.b",  "a.b/x",
                                           "aa",  "b\x7f", "b\xff"};
  for (size_t I = 0; I != Sorted.size(); ++I)
    for (size_t J = 0; J != Sorted.size(); ++J) {
      int Order = compareTreePaths(Sorted[I], Sorted[J]);
      EXPECT_EQ(Order < 0, I < J) << Sorted[I] << " " << Sorted[J];
      EXPECT_EQ(Order == 0, I == J) << Sorted[I] << " " << Sorted[J];
    }
}

TEST(TreeListingTest, SortsDirectoryBeforeItsContents) {
  TreeListing Listing(3);
  Listing.add(2, 1, "", {entry("z")});
  Listing.add(1, 0, "a/b", {entry("y"), entry("x")});
  Listing.add(0, 0, "", {entry("b"), entry("a", true), entry("a.b")});
  Listing.add(0, 0, "a", {entry("c"), entry("b", true)});
  Listing.sort();
  EXPECT_EQ(pathsOf(Listing),
            (std::vector<std::string>{"0:a", "0:a/b", "0:a/b/x", "0:a/b/y",
                                      "0:a/c", "0:a.b", "0:b", "1:z"}));
}

TEST(TreeListingTest, ListsContentsOfUnlistedDirectories) {
  TreeListing Listing(1);
  Listing.add(0, 0, "", {entry("a"), entry("m"), entry("z")});
  Listing.add(0, 0, "b/c/d", {entry("x")});
  Listing.add(0, 0, "b/e", {entry("x")});
  Listing.add(0, 0, "zz", {entry("x")});
  Listing.sort();
  EXPECT_EQ(pathsOf(Listing),
            (std::vector<std::string>{"0:a", "0:b/c/d/x", "0:b/e/x", "0:m",
                                      "0:z", "0:zz/x"}));
}

TEST(TreeListingTest, MergesBatchesAndDuplicates) {
  TreeListing Listing(2);
  Listing.add(0, 0, "d", {entry("c"), entry("a")});
  Listing.add(1, 0, "d", {entry("b"), entry("a")});
  Listing.add(1, 0, "e", {});
  Listing.sort();
  ASSERT_EQ(Listing.directories().size(), 1U);
  EXPECT_EQ(pathsOf(Listing),
            (std::vector<std::string>{"0:d/a", "0:d/b", "0:d/c"}));
}

TEST(TreeListingTest, OrderIsIndependentOfAdding) {
  std::vector<std::pair<std::string, std::string>> All;
  for (const char *Directory : {"", "a", "a/b", "a-b", "a/b/c", "b"})
    for (const char *Name : {"a", "a-b", "b", "c", "x"})
      All.emplace_back(Directory, Name);
  auto List = [&] {
    TreeListing Listing(4);
    unsigned Thread = 0;
    for (const auto &[Directory, Name] : All)
      Listing.add(Thread++ % 4, 0, Directory, {entry(Name)});
    Listing.sort();
    return pathsOf(Listing);
  };
  const std::vector<std::string> First = List();
  EXPECT_EQ(First.size(), All.size());
  std::mt19937 Random(1);
  for (int I = 0; I != 20; ++I) {
    std::shuffle(All.begin(), All.end(), Random);
    EXPECT_EQ(List(), First);
  }
}

} // namespace
