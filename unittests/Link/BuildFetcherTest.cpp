//===- BuildFetcherTest.cpp - Fetch what links will read ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/BuildFetcher.h"
#include "OS/TestFiles.h"
#include "gtest/gtest.h"
#include <chrono>
#include <string>
#include <thread>

using namespace headstart;
using headstart::os::test::openOrFail;
using headstart::os::test::pattern;
using headstart::os::test::TestDirectory;

namespace {

constexpr std::chrono::seconds Timeout(60);
constexpr uint64_t Size = UINT64_C(3) << 20; // more than a step

/// Files that are not cached, if the system can evict them.
class BuildFetcherTest : public testing::Test {
protected:
  FileRanges file(const std::string &Name) {
    FileRanges File;
    File.Path = Directory.write(Name, pattern(Size));
    File.Ranges = {{0, Size}};
    os::OpenFile Open = openOrFail(File.Path);
    CanEvict = !Cache.evict(Open) && resident(File.Path) == 0;
    return File;
  }
  uint64_t resident(const std::string &Path) {
    os::OpenFile Open = openOrFail(Path);
    auto Now = Cache.residency(Open, {0, Open.size()});
    return Now ? Now->ResidentPages * Cache.pageSize() : UINT64_MAX;
  }

  static void fetchAll(BuildFetcher &Fetcher) {
    Fetcher.finish();
    Fetcher.start();
    ASSERT_TRUE(Fetcher.waitFor(Timeout));
  }

  TestDirectory Directory{"."};
  os::PageCache Cache;
  bool CanEvict = false;
};

#define NEED_EVICTION()                                                        \
  if (!CanEvict)                                                               \
  GTEST_SKIP() << "the system cannot evict files"

TEST_F(BuildFetcherTest, EarlierLinksUseBudgetFirst) {
  FileRanges A = file("a");
  FileRanges B = file("b");
  FileRanges C = file("c");
  NEED_EVICTION();
  BuildFetcher Fetcher(Size + (Size / 2), 8);
  Fetcher.addLink("one");
  Fetcher.addLink("two");
  Fetcher.add(0, {A});
  Fetcher.add(1, {A, B, C});
  fetchAll(Fetcher);
  auto Links = Fetcher.figures();
  EXPECT_EQ(Links[0].FetchedBytes, Size);
  EXPECT_EQ(Links[1].Files, 2U); // a belongs to the first link
  EXPECT_EQ(Links[1].FetchedBytes, 0U);
  EXPECT_EQ(Links[1].LeftOutBytes, 2 * Size);
  EXPECT_GE(resident(A.Path), Size * 9 / 10);
  EXPECT_EQ(resident(B.Path), 0U);
}

TEST_F(BuildFetcherTest, FetchesRangesOnce) {
  FileRanges A = file("a");
  NEED_EVICTION();
  constexpr uint64_t Part = UINT64_C(256) << 10;
  BuildFetcher Fetcher(UINT64_MAX, 2);
  Fetcher.addLink("one");
  Fetcher.addLink("two");
  A.Ranges = {{0, Part}, {4 * Part, Part}};
  Fetcher.add(0, {A});
  A.Ranges = {{0, 2 * Part}, {4 * Part, Part}};
  Fetcher.add(1, {A});
  fetchAll(Fetcher);
  EXPECT_EQ(Fetcher.figures()[0].Bytes, 2 * Part);
  EXPECT_EQ(Fetcher.figures()[1].Bytes, Part);
  EXPECT_LE(resident(A.Path), 4 * Part);
  EXPECT_GE(resident(A.Path), 3 * Part * 9 / 10);
}

TEST_F(BuildFetcherTest, SkipsLinksThatDoNotFit) {
  FileRanges A = file("a");
  FileRanges B = file("b");
  NEED_EVICTION();
  BuildFetcher Fetcher(UINT64_MAX, 2, 2 * Size);
  Fetcher.addLink("large");
  Fetcher.addLink("fits");
  Fetcher.add(0, {A, B}, (2 * Size) + 1);
  Fetcher.add(1, {B}, 2 * Size);
  fetchAll(Fetcher);
  EXPECT_TRUE(Fetcher.figures()[0].IsTooLarge);
  EXPECT_EQ(resident(A.Path), 0U);
  EXPECT_EQ(Fetcher.figures()[1].FetchedBytes, Size);
}

TEST_F(BuildFetcherTest, SkipsChangedFiles) {
  FileRanges Changed = file("a");
  FileRanges Removed = file("b");
  FileRanges Same = file("c");
  NEED_EVICTION();
  Changed.Planned = openOrFail(Changed.Path).identity().version();
  ++Changed.Planned->Size;
  Removed.Path += "-gone";
  os::OpenFile Open = openOrFail(Same.Path);
  Same.Planned = Open.identity().version();
  BuildFetcher Fetcher(UINT64_MAX, 2);
  Fetcher.addLink("one");
  Fetcher.add(0, {Changed, Removed, Same});
  fetchAll(Fetcher);
  EXPECT_EQ(Fetcher.figures()[0].ChangedFiles, 2U);
  EXPECT_EQ(Fetcher.figures()[0].FetchedBytes, Size);
  EXPECT_EQ(resident(Changed.Path), 0U);
}

TEST_F(BuildFetcherTest, PausedThreadsFetchNothing) {
  FileRanges A = file("a");
  NEED_EVICTION();
  BuildFetcher Fetcher(UINT64_MAX, 2);
  Fetcher.addLink("one");
  Fetcher.pause();
  Fetcher.start();
  Fetcher.add(0, {A});
  Fetcher.finish();
  EXPECT_FALSE(Fetcher.waitFor(std::chrono::milliseconds(50)));
  EXPECT_EQ(resident(A.Path), 0U);
  Fetcher.resume();
  ASSERT_TRUE(Fetcher.waitFor(Timeout));
  EXPECT_EQ(Fetcher.figures()[0].FetchedBytes, Size);
}

TEST_F(BuildFetcherTest, BegunLinkAndCancelFetchNothing) {
  FileRanges A = file("a");
  FileRanges B = file("b");
  NEED_EVICTION();
  BuildFetcher Fetcher(UINT64_MAX, 2);
  Fetcher.addLink("one");
  Fetcher.addLink("two");
  Fetcher.linkHasBegun(0);
  Fetcher.add(0, {A});
  Fetcher.start();
  while (Fetcher.figures()[0].FilesDone == 0)
    std::this_thread::yield();
  Fetcher.pause();
  Fetcher.add(1, {B});
  Fetcher.cancel();
  EXPECT_TRUE(Fetcher.waitFor(Timeout));
  EXPECT_FALSE(Fetcher.enter());
  EXPECT_EQ(resident(A.Path), 0U);
  EXPECT_EQ(resident(B.Path), 0U);
}

} // namespace
