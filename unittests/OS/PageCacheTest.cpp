//===- PageCacheTest.cpp - Tests of PageCache -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The promises of every implementation, according to its capabilities.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageCache.h"
#include "TestFiles.h"

#include "gtest/gtest.h"

#include <array>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t Max = std::numeric_limits<uint64_t>::max();
constexpr size_t FileBytes = 1'000'000;

/// A file of FileBytes bytes, open and mapped.
class PageCacheTest : public testing::Test {
protected:
  const TestDirectory Directory;
  const std::string Contents = pattern(FileBytes);
  const std::string Path = Directory.write("file", Contents);
  OpenFile File = openOrFail(Path);
  const MappedFile Mapping = mapOrFail(File);
  const PageCache Cache;
};

/// A range, and how many of its bytes a file of FileBytes bytes has.
struct RangeCase {
  ByteRange Range;
  uint64_t InFile;
};
constexpr std::array<RangeCase, 10> RangeCases = {{
    {{0, FileBytes}, FileBytes},
    {{0, 1}, 1},
    {{1, 1}, 1},
    {{4095, 2}, 2},
    {{123'457, 345'679}, 345'679},
    {{FileBytes - 1, 1}, 1},
    {{FileBytes - 10, 1000}, 10},
    {{17, Max}, FileBytes - 17},
    {{FileBytes, 1}, 0},
    {{5000, 0}, 0},
}};

TEST_F(PageCacheTest, ProbeIsRepeatable) {
  const PageCacheCapabilities First = PageCache::probe();
  const PageCacheCapabilities &Second = Cache.capabilities();
  EXPECT_EQ(First.Hint, Second.Hint);
  EXPECT_EQ(First.PopulateRead, Second.PopulateRead);
  EXPECT_EQ(First.Cachestat, Second.Cachestat);
  EXPECT_EQ(First.Mincore, Second.Mincore);
  EXPECT_EQ(First.Evict, Second.Evict);
  EXPECT_GE(First.HintStepBytes, PageCache::pageSize());
}

TEST_F(PageCacheTest, HintClipsRangesToFile) {
  std::vector<ByteRange> Ranges;
  uint64_t InFile = 0;
  const auto Check = [&](std::span<const ByteRange> Of, uint64_t Bytes) {
    const HintResult Result = Cache.hint(File, Of);
    EXPECT_FALSE(Result.Error);
    if (Cache.capabilities().Hint) {
      EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
      EXPECT_EQ(Result.AcceptedBytes, Bytes);
      EXPECT_EQ(Result.Calls == 0, Bytes == 0);
    } else {
      EXPECT_EQ(Result.Outcome, HintOutcome::Unsupported);
      EXPECT_EQ(Result.AcceptedBytes, 0U);
      EXPECT_EQ(Result.Calls, 0U);
    }
  };
  for (const RangeCase &Case : RangeCases) {
    SCOPED_TRACE(Case.Range.Offset);
    Check({&Case.Range, 1}, Case.InFile);
    Ranges.push_back(Case.Range);
    InFile += Case.InFile;
  }
  Check(Ranges, InFile);
  Check({}, 0);
}

TEST_F(PageCacheTest, HintsMappingIfItHasRanges) {
  const TestDirectory Directory;
  OpenFile Small;
  ASSERT_FALSE(OpenFile::open(Directory.write("small", "hello"), Small));
  MappedFile Shorter;
  ASSERT_FALSE(MappedFile::map(Small, Shorter));
  const MappedFile Empty;
  for (const MappedFile *Of :
       std::array<const MappedFile *, 3>{&Mapping, &Shorter, &Empty})
    for (const RangeCase &Case : RangeCases) {
      SCOPED_TRACE(Case.Range.Offset);
      const HintResult Result = Cache.hint(File, {&Case.Range, 1}, Of);
      EXPECT_FALSE(Result.Error);
      EXPECT_EQ(Result.AcceptedBytes,
                Cache.capabilities().Hint ? Case.InFile : 0);
    }
}

TEST_F(PageCacheTest, HintAcceptsManyRanges) {
  const std::vector<ByteRange> Ranges(5000, ByteRange{12'345, 100});
  EXPECT_EQ(Cache.hint(File, Ranges).AcceptedBytes,
            Cache.capabilities().Hint ? 100 * Ranges.size() : 0);
}

TEST_F(PageCacheTest, HintOfClosedFileFails) {
  const ByteRange Range{0, 1};
  EXPECT_EQ(Cache.hint(OpenFile(), {&Range, 1}).Outcome,
            Cache.capabilities().Hint ? HintOutcome::Failed
                                      : HintOutcome::Unsupported);
}

TEST_F(PageCacheTest, FetchClipsRangesToFile) {
  for (const RangeCase &Case : RangeCases) {
    SCOPED_TRACE(Case.Range.Offset);
    SCOPED_TRACE(Case.Range.Length);
    const HintResult Result = Cache.fetch(File, Case.Range);
    EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
    EXPECT_EQ(Result.AcceptedBytes, Case.InFile);
    EXPECT_EQ(Result.Calls == 0, Case.InFile == 0);
    EXPECT_FALSE(Result.Error);
  }
  EXPECT_EQ(text(Mapping), Contents);
}

TEST_F(PageCacheTest, FetchesInLargePagesIfSupported) {
  for (const RangeCase &Case : RangeCases) {
    SCOPED_TRACE(Case.Range.Offset);
    SCOPED_TRACE(Case.Range.Length);
    const HintResult Result = Cache.fetchInLargePages(File, Case.Range);
    EXPECT_FALSE(Result.Error);
    if (Result.Outcome == HintOutcome::Unsupported)
      EXPECT_EQ(Result.Calls, 0U);
    else
      EXPECT_EQ(Result.AcceptedBytes, Case.InFile);
  }
  EXPECT_EQ(text(Mapping), Contents);
}

TEST_F(PageCacheTest, FetchOfClosedFileIsUnsupported) {
  EXPECT_EQ(Cache.fetch(OpenFile(), {0, 1}).Outcome, HintOutcome::Unsupported);
  EXPECT_EQ(Cache.fetchInLargePages(OpenFile(), {0, 1}).Outcome,
            HintOutcome::Unsupported);
}

TEST_F(PageCacheTest, FetchAcceptsEmptyFile) {
  const OpenFile Empty = openOrFail(Directory.write("empty", ""));
  const HintResult Result = Cache.fetch(Empty, {0, 100});
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, 0U);
}

TEST_F(PageCacheTest, FetchOfShrunkFileFails) {
  constexpr uint64_t Left = 500'000;
  const std::string Path = Directory.write("shrinking", Contents);
  const OpenFile File = openOrFail(Path);
  fs::resize_file(Path, Left);
  const HintResult Whole = Cache.fetch(File, {0, FileBytes});
  EXPECT_EQ(Whole.Outcome, HintOutcome::Failed);
  EXPECT_TRUE(Whole.Error);
  EXPECT_LE(Whole.AcceptedBytes, Left);
  EXPECT_GE(Whole.Calls, 1U);
  const HintResult Lost = Cache.fetch(File, {Left + 100'000, 1000});
  EXPECT_EQ(Lost.Outcome, HintOutcome::Failed);
  EXPECT_EQ(Lost.AcceptedBytes, 0U);
  EXPECT_EQ(Cache.fetch(File, {1000, 400'000}).Outcome, HintOutcome::Accepted);
  EXPECT_NE(Cache.fetchInLargePages(File, {0, FileBytes}).Outcome,
            HintOutcome::Accepted);
  fs::resize_file(Path, 0);
  EXPECT_EQ(Cache.fetch(File, {0, FileBytes}).Outcome, HintOutcome::Failed);
}

std::span<const char> part(const MappedFile &Mapping, ByteRange Range) {
  Range = Range.clippedTo(Mapping.size());
  return Mapping.bytes().subspan(static_cast<size_t>(Range.Offset),
                                 static_cast<size_t>(Range.Length));
}

TEST_F(PageCacheTest, ReportsResidencyIfSupported) {
  const PageCacheCapabilities &Capabilities = Cache.capabilities();
  for (const RangeCase &Case : RangeCases) {
    SCOPED_TRACE(Case.Range.Offset);
    SCOPED_TRACE(Case.Range.Length);
    const auto ByFile = Cache.residency(File, Case.Range);
    const auto ByMapping = Cache.residency(part(Mapping, Case.Range));
    EXPECT_EQ(ByFile.has_value(),
              Capabilities.Cachestat || Capabilities.Mincore);
    if (Capabilities.Mincore) {
      EXPECT_TRUE(ByMapping.has_value());
    }
    // Without Mincore, the answer for a mapping is a lower bound; that for a
    // file never is.
    EXPECT_FALSE(ByFile && ByFile->IsLowerBound);
    if (ByMapping && Case.InFile != 0) {
      EXPECT_EQ(ByMapping->IsLowerBound, !Capabilities.Mincore);
    }
    const uint64_t Begin = Case.Range.Offset / Cache.pageSize();
    const uint64_t Last =
        (Case.Range.Offset + Case.InFile - 1) / Cache.pageSize();
    const uint64_t Pages = Case.InFile == 0 ? 0 : Last - Begin + 1;
    for (const auto &Found : {ByFile, ByMapping})
      if (Found) {
        EXPECT_EQ(Found->TotalPages, Pages);
        EXPECT_LE(Found->ResidentPages, Pages);
      }
  }
  EXPECT_FALSE(Cache.residency(OpenFile(), {0, 1}).has_value());
}

TEST_F(PageCacheTest, EvictReportsWhetherItIsSupported) {
  const std::error_code Error = Cache.evict(File);
  if (Cache.capabilities().Evict)
    EXPECT_FALSE(Error) << Error.message();
  else
    EXPECT_EQ(Error, std::errc::function_not_supported);
  EXPECT_EQ(text(Mapping), Contents);
}

TEST_F(PageCacheTest, DontNeedKeepsContents) {
  ASSERT_EQ(text(Mapping), Contents);
  const std::error_code Error = Cache.dontNeed(Mapping);
  EXPECT_TRUE(!Error || Error == std::errc::function_not_supported)
      << Error.message();
  EXPECT_EQ(text(Mapping), Contents);
}

bool isFine(std::error_code Error) {
  return !Error || Error == std::errc::function_not_supported;
}

TEST_F(PageCacheTest, ServesThreadsConcurrently) {
  // Concurrent calls on one cache, file and mapping must not disturb each
  // other. Evictions make the fetches do real work.
  std::vector<std::thread> Threads;
  std::array<unsigned, 4> Wrong = {};
  OpenFile Evicting = openOrFail(Path);
  Threads.reserve(Wrong.size());
  for (size_t T = 0; T < Wrong.size(); ++T)
    Threads.emplace_back([&, T] {
      for (size_t I = 0; I < 50; ++I) {
        const RangeCase &Case = RangeCases[(I + T) % RangeCases.size()];
        const HintResult Read = Cache.fetch(File, Case.Range);
        const HintResult Large = Cache.fetchInLargePages(File, Case.Range);
        const auto Found = Cache.residency(File, Case.Range);
        const auto Hinted = Cache.hint(File, {&Case.Range, 1});
        Cache.residency(part(Mapping, Case.Range));
        const std::error_code Dropped = Cache.dontNeed(Mapping);
        std::error_code Evicted;
        if (T == 0 && I % 10 == 0)
          Evicted = Cache.evict(Evicting);
        Wrong[T] += Read.Outcome != HintOutcome::Accepted ||
                    Read.AcceptedBytes != Case.InFile ||
                    Large.Outcome == HintOutcome::Failed ||
                    Hinted.Outcome == HintOutcome::Failed || !isFine(Dropped) ||
                    !isFine(Evicted) ||
                    (Found && Found->ResidentPages > Found->TotalPages);
      }
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  for (const unsigned Count : Wrong)
    EXPECT_EQ(Count, 0U);
  EXPECT_EQ(text(Mapping), Contents);
}

} // namespace
