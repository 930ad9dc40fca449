//===- PageTablesTest.cpp - The touched pages -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/PageTables.h"
#include "TestFiles.h"
#include "headstart/OS/PageCache.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Runs each test with both methods.
class PageTablesTest : public testing::TestWithParam<bool> {
protected:
  PageTablesTest() : Tables({/*Scan=*/GetParam(), /*Pagemap=*/!GetParam()}) {}

  void SetUp() override {
    if (GetParam() && !Tables.present(freshMapping(Page).bytes()))
      GTEST_SKIP() << "needs PAGEMAP_SCAN";
  }

  /// Maps a file that is not cached: freshly written data is cached in large
  /// blocks, and one fault maps a whole block.
  MappedFile freshMapping(size_t Size) {
    File = openOrFail(Directory.write("file", pattern(Size)));
    EXPECT_FALSE(Cache.evict(File));
    return mapOrFail(File);
  }

  /// Reads from each page of \p Range. A fault also maps the cached pages
  /// around it, and only the range is cached.
  void touch(const MappedFile &Mapping, ByteRange Range) {
    ASSERT_EQ(Cache.fetch(File, Range).Outcome, HintOutcome::Accepted);
    for (uint64_t At = Range.Offset; At < Range.end(); At += Page)
      (void)*static_cast<const volatile char *>(Mapping.data() + At);
  }

  TestDirectory Directory;
  OpenFile File;
  const PageCache Cache;
  PageTables Tables;
  const uint64_t Page = Cache.pageSize();
};

TEST_P(PageTablesTest, NewMappingHasNoPresentPages) {
  const MappedFile Mapping = freshMapping(100 * Page);
  auto Present = Tables.present(Mapping.bytes());
  ASSERT_TRUE(Present.has_value());
  EXPECT_THAT(*Present, IsEmpty());
  EXPECT_THAT(*Tables.present({}), IsEmpty());
}

TEST_P(PageTablesTest, ReportsExactPages) {
  if (!Cache.capabilities().Cachestat && !Cache.capabilities().PopulateRead)
    GTEST_SKIP() << "needs cachestat or MADV_POPULATE_READ";
  const MappedFile Mapping = freshMapping(100 * Page - 100);
  for (const ByteRange Range :
       {ByteRange{10 * Page, 2 * Page}, ByteRange{40 * Page, 1 * Page},
        ByteRange{98 * Page, 2 * Page - 100}})
    touch(Mapping, Range);
  auto Present = Tables.present(Mapping.bytes());
  ASSERT_TRUE(Present.has_value());
  EXPECT_THAT(*Present, ElementsAre(ByteRange{10 * Page, 2 * Page},
                                    ByteRange{40 * Page, 1 * Page},
                                    ByteRange{98 * Page, 2 * Page - 100}));
  // The queried memory begins in the middle of a page.
  EXPECT_THAT(*Tables.present(Mapping.bytes().subspan(10 * Page + 7, Page)),
              ElementsAre(ByteRange{0, Page}));
}

TEST_P(PageTablesTest, ReportsTouchedPage) {
  const MappedFile Mapping = freshMapping(100 * Page);
  volatile char Byte = Mapping.data()[50 * Page];
  (void)Byte;
  auto Present = Tables.present(Mapping.bytes());
  ASSERT_TRUE(Present.has_value());
  bool Seen = false;
  for (const ByteRange &R : *Present)
    Seen |= R.Offset <= 50 * Page && R.end() > 50 * Page;
  EXPECT_TRUE(Seen);
}

TEST_P(PageTablesTest, ReportsManyRanges) {
  if (!Cache.capabilities().Cachestat && !Cache.capabilities().PopulateRead)
    GTEST_SKIP() << "needs cachestat or MADV_POPULATE_READ";
  const MappedFile Mapping = freshMapping(4000 * Page);
  for (uint64_t P = 0; P != 4000; P += 2)
    touch(Mapping, {P * Page, Page});
  auto Present = Tables.present(Mapping.bytes());
  ASSERT_TRUE(Present.has_value());
  EXPECT_EQ(Present->size(), 2000U);
}

TEST_P(PageTablesTest, UnmappedMemoryHasNoPresentPages) {
  std::span<const char> Unmapped;
  {
    const MappedFile Mapping = freshMapping(10 * Page);
    volatile char Byte = Mapping.data()[0];
    (void)Byte;
    Unmapped = Mapping.bytes();
  }
  auto Present = Tables.present(Unmapped);
  ASSERT_TRUE(Present.has_value());
  EXPECT_THAT(*Present, IsEmpty());
}

TEST(PageTablesFallbackTest, ReportsNothingWithoutMethod) {
  PageTables Tables({/*Scan=*/false, /*Pagemap=*/false});
  const std::string Text(10000, 'x');
  EXPECT_FALSE(Tables.present(Text).has_value());
}

INSTANTIATE_TEST_SUITE_P(Methods, PageTablesTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &Info) {
                           return Info.param ? "Scan" : "Pagemap";
                         });

} // namespace
