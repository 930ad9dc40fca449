//===- SnapshotCacheTest.cpp - Search many directories for many names -----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/SnapshotCache.h"
#include "../OS/TestFiles.h"
#include "headstart/OS/Threads.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace headstart;
using os::test::TestDirectory;
namespace fs = std::filesystem;

namespace {

/// The result of a search for a name, and whether it needed a probe.
enum class Outcome : uint8_t { KnownMissing, ProbedMissing, Found };

class SnapshotCacheTest : public testing::Test {
protected:
  SnapshotOptions settled() {
    SnapshotOptions Options;
    Options.Traits = [](const os::DirectoryHandle &) {
      os::DirectoryTraits Traits;
      Traits.MayIgnoreCase = false;
      Traits.ReportsChanges = true;
      return Traits;
    };
    Options.Clock = [] { return os::fileClockNs() + 3'600'000'000'000; };
    Options.Listed = [this] { ++Listings; };
    return Options;
  }

  Outcome search(SnapshotCache &Cache, SnapshotCache::Directory &In,
                 const std::string &Name) {
    if (Cache.isMissing(In, SnapshotName(Name)))
      return Outcome::KnownMissing;
    std::error_code Ignored;
    std::string Path = In.path().str() + "/" + Name;
    if (os::statFile(Path, Ignored).Kind != os::FileKind::Missing)
      return Outcome::Found;
    Cache.noteMiss(In);
    return Outcome::ProbedMissing;
  }

  /// Searches for missing names until no probe is needed; returns the probes.
  unsigned probesUntilListed(SnapshotCache &Cache, SnapshotCache::Directory &In,
                             unsigned Most = 10000) {
    for (unsigned I = 0; I != Most; ++I)
      if (search(Cache, In, "none" + std::to_string(I)) ==
          Outcome::KnownMissing)
        return I;
    return Most;
  }

  TestDirectory Directory;
  std::atomic<unsigned> Listings{0};
};

TEST_F(SnapshotCacheTest, ProbesFirstAndListsOnce) {
  Directory.write("a", "");
  SnapshotCache Cache(settled());
  SnapshotCache::Directory &In = Cache.add(Directory.path());
  unsigned Probes = probesUntilListed(Cache, In);
  EXPECT_GE(Probes, SnapshotCache::listingCost(0) / 2);
  EXPECT_LT(Probes, 10000U);
  EXPECT_EQ(Listings, 1U);
  for (int I = 0; I != 1000; ++I)
    ASSERT_EQ(search(Cache, In, "other" + std::to_string(I)),
              Outcome::KnownMissing);
  EXPECT_EQ(search(Cache, In, "a"), Outcome::Found);
  EXPECT_EQ(Listings, 1U);
}

TEST_F(SnapshotCacheTest, HitsDoNotTriggerListing) {
  Directory.write("a", "");
  SnapshotCache Cache(settled());
  SnapshotCache::Directory &In = Cache.add(Directory.path());
  for (int I = 0; I != 10000; ++I)
    ASSERT_EQ(search(Cache, In, "a"), Outcome::Found);
  EXPECT_EQ(Listings, 0U);
}

TEST_F(SnapshotCacheTest, LargerDirectoryIsProbedLonger) {
  std::string Padding(200, 'x');
  for (int I = 0; I != 500; ++I)
    Directory.write("large/" + std::to_string(I) + Padding, "");
  fs::create_directory(Directory.path("small"));
  SnapshotCache Cache(settled());
  unsigned Small = probesUntilListed(Cache, Cache.add(Directory.path("small")));
  unsigned Large = probesUntilListed(Cache, Cache.add(Directory.path("large")));
  EXPECT_GT(Large, Small);
  EXPECT_EQ(Listings, 2U);
}

TEST_F(SnapshotCacheTest, ListingCostIsBounded) {
  EXPECT_LT(SnapshotCache::listingCost(4096), SnapshotCache::listingCost(8192));
  EXPECT_EQ(SnapshotCache::listingCost(UINT64_MAX), UINT32_MAX / 2);
}

TEST_F(SnapshotCacheTest, MissingDirectoryLacksEverything) {
  std::string File = Directory.write("file", "");
  SnapshotCache Cache(settled());
  for (const std::string &Path : {Directory.path("none"), File}) {
    SnapshotCache::Directory &In = Cache.add(Path);
    EXPECT_LT(probesUntilListed(Cache, In), 100U);
    EXPECT_EQ(search(Cache, In, ".."), Outcome::KnownMissing);
  }
  EXPECT_EQ(Listings, 0U);
}

TEST_F(SnapshotCacheTest, FindsNewFileBeforeListing) {
  SnapshotCache Cache(settled());
  SnapshotCache::Directory &In = Cache.add(Directory.path());
  EXPECT_EQ(search(Cache, In, "x"), Outcome::ProbedMissing);
  Directory.write("x", "");
  EXPECT_EQ(search(Cache, In, "x"), Outcome::Found);
  probesUntilListed(Cache, In);
  EXPECT_EQ(search(Cache, In, "x"), Outcome::Found);
  // A removed file is not found: the search probes listed names as well.
  fs::remove(Directory.path("x"));
  EXPECT_EQ(search(Cache, In, "x"), Outcome::ProbedMissing);
}

TEST_F(SnapshotCacheTest, UnverifiableDirectoryIsAlwaysProbed) {
  SnapshotOptions Options = settled();
  unsigned TraitQueries = 0;
  Options.Traits = [&](const os::DirectoryHandle &) {
    ++TraitQueries;
    return os::DirectoryTraits();
  };
  SnapshotCache Cache(Options);
  SnapshotCache::Directory &In = Cache.add(Directory.path());
  EXPECT_EQ(probesUntilListed(Cache, In, 2000), 2000U);
  EXPECT_EQ(Listings, 0U);
  EXPECT_EQ(TraitQueries, 1U);
}

TEST_F(SnapshotCacheTest, RecentlyChangedDirectoryIsRetried) {
  unsigned Attempts = 0;
  SnapshotOptions Options = settled();
  Options.Clock = [&] {
    return ++Attempts == 1 ? 0 : os::fileClockNs() + 3'600'000'000'000;
  };
  SnapshotCache Cache(Options);
  SnapshotCache::Directory &In = Cache.add(Directory.path());
  unsigned Probes = probesUntilListed(Cache, In);
  EXPECT_GE(Probes, 2 * SnapshotCache::listingCost(0));
  EXPECT_LT(Probes, 10000U);
  EXPECT_EQ(Attempts, 2U);
  EXPECT_EQ(Listings, 1U);
}

TEST_F(SnapshotCacheTest, StopsListingChangingDirectory) {
  unsigned Attempts = 0;
  SnapshotOptions Options = settled();
  Options.Clock = [&] {
    ++Attempts;
    return 0;
  };
  SnapshotCache Cache(Options);
  SnapshotCache::Directory &In = Cache.add(Directory.path());
  EXPECT_EQ(probesUntilListed(Cache, In, 5000), 5000U);
  EXPECT_EQ(Attempts, 3U);
}

TEST_F(SnapshotCacheTest, StopsListingTooLargeDirectory) {
  for (int I = 0; I != 50; ++I)
    Directory.write(std::to_string(I), "");
  unsigned Attempts = 0;
  SnapshotOptions Options = settled();
  Options.Clock = [&] {
    ++Attempts;
    return os::fileClockNs() + 3'600'000'000'000;
  };
  Options.MaxEntries = 49;
  SnapshotCache Cache(Options);
  SnapshotCache::Directory &In = Cache.add(Directory.path());
  EXPECT_EQ(probesUntilListed(Cache, In, 5000), 5000U);
  EXPECT_EQ(Attempts, 1U);
}

// 8 threads search 16 directories. Every answer is right, and each directory is
// read once.
TEST_F(SnapshotCacheTest, ThreadsShareListings) {
  constexpr unsigned Directories = 16;
  constexpr unsigned Names = 300;
  for (unsigned F = 0; F != Directories; ++F) {
    std::string Name = "f" + std::to_string(F);
    for (unsigned I = F; I < Names; I += Directories)
      Directory.write(Name + "/name" + std::to_string(I), "");
  }
  SnapshotCache Cache(settled());
  std::vector<SnapshotCache::Directory *> All;
  for (unsigned F = 0; F != Directories; ++F)
    All.push_back(&Cache.add(Directory.path("f" + std::to_string(F))));
  std::atomic<unsigned> Wrong{0};
  std::atomic<unsigned> Found{0};
  os::Threads Threads;
  for (unsigned T = 0; T != 8; ++T)
    ASSERT_FALSE(Threads.start([&, T] {
      for (unsigned I = 0; I != Names; ++I)
        for (unsigned F = 0; F != Directories; ++F) {
          unsigned Name = (I + T * 37) % Names;
          Outcome O = search(Cache, *All[F], "name" + std::to_string(Name));
          bool Exists = Name % Directories == F;
          Wrong += Exists != (O == Outcome::Found);
          Found += O == Outcome::Found;
        }
    }));
  Threads.join();
  EXPECT_EQ(Wrong, 0U);
  EXPECT_EQ(Found, 8 * Names);
  EXPECT_EQ(Listings, Directories);
}

} // namespace
