//===- LinuxPageCacheFallbackTest.cpp - Without one capability each -------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page cache with every capability, and without each of them.
//
//===----------------------------------------------------------------------===//

#include "DiskFile.h"
#include <array>
#include <ostream>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

PageCacheCapabilities allCapabilities() { return PageCache::probe(); }
PageCacheCapabilities noCapabilities() { return {}; }

struct CapabilityCase {
  const char *Name;
  PageCacheCapabilities (*Capabilities)();
};
void PrintTo(const CapabilityCase &Case, // NOLINT: googletest's name
             std::ostream *Stream) {
  *Stream << Case.Name;
}

class PageCacheFallbackTest
    : public DiskFile<testing::TestWithParam<CapabilityCase>> {
protected:
  const PageCache Cache{GetParam().Capabilities()};
};

TEST_P(PageCacheFallbackTest, HasGivenCapabilities) {
  const PageCacheCapabilities Given = GetParam().Capabilities();
  EXPECT_EQ(Cache.capabilities().Hint, Given.Hint);
  EXPECT_EQ(Cache.capabilities().PopulateRead, Given.PopulateRead);
  EXPECT_EQ(Cache.capabilities().Cachestat, Given.Cachestat);
  EXPECT_EQ(Cache.capabilities().Mincore, Given.Mincore);
  EXPECT_EQ(Cache.capabilities().Evict, Given.Evict);
}

TEST_P(PageCacheFallbackTest, EvictsIfSupported) {
  Real.fetch(File, {0, FileBytes});
  ASSERT_EQ(resident(), pages());
  const std::error_code Error = Cache.evict(File);
  if (Cache.capabilities().Evict) {
    EXPECT_FALSE(Error) << Error.message();
    EXPECT_EQ(resident(), 0U);
  } else {
    EXPECT_EQ(Error, std::errc::function_not_supported);
    EXPECT_TRUE(allPagesArrive());
  }
}

TEST_P(PageCacheFallbackTest, ReportsResidencyIfSupported) {
  const MappedFile Mapping = mapOrFail(File);
  const ByteRange All{0, FileBytes};
  for (const uint64_t Expected : {uint64_t(0), pages()}) {
    evictFile();
    if (Expected != 0)
      Real.fetch(File, All);
    const auto ByFile = Cache.residency(File, All);
    const auto ByMapping = Cache.residency(Mapping.bytes());
    EXPECT_EQ(ByFile.has_value(),
              Cache.capabilities().Cachestat || Cache.capabilities().Mincore);
    EXPECT_EQ(ByMapping.has_value(), Cache.capabilities().Mincore);
    for (const auto &Found : {ByFile, ByMapping})
      if (Found) {
        EXPECT_EQ(Found->TotalPages, pages());
        EXPECT_EQ(Found->ResidentPages, Expected);
        EXPECT_EQ(Found->complete(), Expected != 0);
      }
  }
}

TEST_P(PageCacheFallbackTest, FetchesFile) {
  evictFile();
  const HintResult Result = Cache.fetch(File, {0, FileBytes});
  EXPECT_TRUE(allPagesArrive());
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, FileBytes);
}

TEST_P(PageCacheFallbackTest, FetchesInLargePagesIfSupported) {
  evictFile();
  const HintResult Result = Cache.fetchInLargePages(File, {0, FileBytes});
  if (Cache.capabilities().PopulateRead &&
      Result.Outcome != HintOutcome::Unsupported) {
    EXPECT_TRUE(allPagesArrive());
    EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  } else {
    EXPECT_EQ(resident(), 0U);
    EXPECT_EQ(Result.Outcome, HintOutcome::Unsupported);
  }
}

TEST_P(PageCacheFallbackTest, FetchesRequestedRange) {
  const MappedFile Mapping = mapOrFail(File);
  const ByteRange Range{2'000'001, 1000};
  evictFile();
  EXPECT_EQ(Cache.fetch(File, Range).AcceptedBytes, Range.Length);
  const auto Found = Arrived.residency(File, Range);
  ASSERT_TRUE(Found);
  EXPECT_TRUE(Found->complete());
}

TEST_P(PageCacheFallbackTest, HintsIfSupported) {
  evictFile();
  const std::array<ByteRange, 2> Ranges = {{{0, 1'000'000}, {2'000'000, 1}}};
  const HintResult Result = Cache.hint(File, Ranges);
  if (Cache.capabilities().Hint) {
    EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
    for (const ByteRange &Range : Ranges)
      EXPECT_TRUE(arrives(Range));
  } else {
    EXPECT_EQ(Result.Outcome, HintOutcome::Unsupported);
    EXPECT_EQ(resident(), 0U);
  }
}

TEST_P(PageCacheFallbackTest, SurvivesTruncatedFile) {
  const MappedFile Mapping = mapOrFail(File);
  evictFile();
  fs::resize_file(Path, 65536);
  EXPECT_EQ(Cache.fetch(File, {0, FileBytes}).Outcome, HintOutcome::Failed);
  EXPECT_NE(Cache.fetchInLargePages(File, {1'000'000, 1}).Outcome,
            HintOutcome::Accepted);
  EXPECT_EQ(Cache.fetch(File, {0, 65536}).Outcome, HintOutcome::Accepted);
  EXPECT_EQ(resident({0, 65536}), 65536 / Cache.pageSize());
  // A hint past the new end is not an error.
  const ByteRange All{0, FileBytes};
  EXPECT_FALSE(Cache.hint(File, {&All, 1}).Error);
  const auto Found = Cache.residency(Mapping.bytes());
  EXPECT_EQ(Found.has_value(), Cache.capabilities().Mincore);
  EXPECT_FALSE(Cache.dontNeed(Mapping));
}

INSTANTIATE_TEST_SUITE_P(
    Linux, PageCacheFallbackTest,
    testing::Values(CapabilityCase{"All", allCapabilities},
                    CapabilityCase{"NoPopulateRead", withoutPopulateRead},
                    CapabilityCase{"NoCachestat", withoutCachestat},
                    CapabilityCase{"NoMincore", withoutMincore},
                    CapabilityCase{"Nothing", noCapabilities}),
    [](const testing::TestParamInfo<CapabilityCase> &Info) {
      return std::string(Info.param.Name);
    });

} // namespace
