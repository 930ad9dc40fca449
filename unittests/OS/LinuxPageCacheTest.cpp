//===- LinuxPageCacheTest.cpp - The page cache on Linux -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Residency before and after each operation. Some machines evict pages on their
// own, so each test queries residency right after the operation and assumes
// nothing about time. A hint returns before its pages arrive; the test then
// repeats the query a bounded number of times.
//
//===----------------------------------------------------------------------===//

#include "DiskFile.h"
#include "headstart/OS/PageCache.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

/// The number of pages of \p Mapping in this process's page tables.
uint64_t presentPages(const MappedFile &Mapping, size_t PageSize) {
  const int Pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  EXPECT_GE(Pagemap, 0);
  std::vector<uint64_t> Entries((Mapping.size() + PageSize - 1) / PageSize);
  const size_t Bytes = Entries.size() * sizeof(uint64_t);
  const auto First = reinterpret_cast<uintptr_t>(Mapping.data()) / PageSize;
  EXPECT_EQ(::pread(Pagemap, Entries.data(), Bytes,
                    static_cast<off_t>(First * sizeof(uint64_t))),
            static_cast<ssize_t>(Bytes));
  ::close(Pagemap);
  return static_cast<uint64_t>(std::ranges::count_if(
      Entries, [](uint64_t Entry) { return Entry >> 63 != 0; }));
}

class LinuxPageCacheTest : public DiskFile<testing::Test> {
protected:
  /// Whether a sample of \p Range shows that only \p Cached is cached. The disk
  /// of an emulated machine may answer before the kernel asks, but not always.
  bool missesPages(ByteRange Range, ByteRange Cached) {
    for (int Try = 0; Try != 100; ++Try) {
      evictFile();
      if (!Cached.empty())
        Real.fetch(File, Cached);
      if (Real.seemsCached(File, {&Range, 1}) == false)
        return true;
    }
    return false;
  }
};

TEST_F(LinuxPageCacheTest, EveryKernelHintsEvictsAndReportsResidency) {
  EXPECT_TRUE(Real.capabilities().Hint);
  EXPECT_TRUE(Real.capabilities().Evict);
  EXPECT_TRUE(Real.capabilities().Mincore);
  EXPECT_EQ(Real.pageSize(), static_cast<size_t>(::sysconf(_SC_PAGESIZE)));
}

TEST_F(LinuxPageCacheTest, SampleDetectsUncachedPages) {
  const ByteRange All = {0, FileBytes};
  if (!Real.seemsCached(File, {&All, 1}))
    GTEST_SKIP() << "the file system does not support RWF_NOWAIT";
  EXPECT_TRUE(missesPages(All, {}));
  evictFile();
  Real.fetch(File, All);
  EXPECT_EQ(Real.seemsCached(File, {&All, 1}), true);
  // The last page and the middle count as well.
  for (const ByteRange &Cached :
       {ByteRange{0, FileBytes - 8192}, ByteRange{0, 300'000}}) {
    EXPECT_TRUE(missesPages(All, Cached));
    evictFile();
    Real.fetch(File, Cached);
    EXPECT_EQ(Real.seemsCached(File, {&Cached, 1}), true);
  }
  EXPECT_EQ(Real.seemsCached(File, {}), std::nullopt);
}

TEST_F(LinuxPageCacheTest, CachestatAndMincoreAgree) {
  if (!Real.capabilities().Cachestat)
    GTEST_SKIP() << "needs cachestat (Linux 6.5)";
  const PageCache ByCachestat(withoutMincore());
  for (const ByteRange &Cached :
       {ByteRange{0, 0}, ByteRange{0, 1}, ByteRange{1'000'000, 300'000},
        ByteRange{FileBytes - 1, 1}, ByteRange{0, FileBytes}}) {
    SCOPED_TRACE(Cached.Offset);
    evictFile();
    Real.fetch(File, Cached);
    for (const ByteRange &Requested :
         {ByteRange{0, FileBytes}, ByteRange{999'999, 300'002},
          ByteRange{FileBytes - 1, 1}, ByteRange{4096, 4096}}) {
      const auto A = ByCachestat.residency(File, Requested);
      const auto B = Arrived.residency(File, Requested);
      ASSERT_TRUE(A && B);
      // Read-ahead may still arrive between the two queries.
      EXPECT_EQ(A->TotalPages, B->TotalPages);
      EXPECT_LE(A->ResidentPages, B->ResidentPages);
      EXPECT_EQ(A->ResidentPages == 0, B->ResidentPages == 0);
    }
  }
}

TEST_F(LinuxPageCacheTest, CountsPagesOfRange) {
  const uint64_t Page = Real.pageSize();
  struct {
    ByteRange Range;
    uint64_t Pages;
  } const Cases[] = {{{0, 1}, 1},           {{0, Page}, 1},
                     {{0, Page + 1}, 2},    {{Page - 1, 2}, 2},
                     {{Page / 2, Page}, 2}, {{FileBytes - 1, 100}, 1},
                     {{FileBytes, 1}, 0}};
  ASSERT_EQ(Real.fetch(File, {0, FileBytes}).Outcome, HintOutcome::Accepted);
  for (const auto &Case : Cases)
    for (const PageCache *Cache : {&Real, &Arrived}) {
      const auto Found = Cache->residency(File, Case.Range);
      ASSERT_TRUE(Found);
      EXPECT_EQ(Found->TotalPages, Case.Pages);
      EXPECT_EQ(Found->ResidentPages, Case.Pages);
      EXPECT_TRUE(Found->complete());
    }
}

TEST_F(LinuxPageCacheTest, MincoreCountsMoreThanOneBatch) {
  // A hole of 4,096 pages and three more: one batch and the start of another.
  fs::resize_file(Path, (4096 + 3) * Real.pageSize() - 1);
  File = openOrFail(Path);
  evictFile();
  const ByteRange All{0, File.size()};
  ASSERT_EQ(Real.fetch(File, All).Outcome, HintOutcome::Accepted);
  const auto Found = Arrived.residency(File, All);
  ASSERT_TRUE(Found);
  EXPECT_EQ(Found->TotalPages, 4099U);
  EXPECT_EQ(Found->ResidentPages, 4099U);
}

TEST_F(LinuxPageCacheTest, DoesNotReportOtherUsersFilesAsResident) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root";
  ASSERT_EQ(::chmod(Path.c_str(), 0444), 0);
  evictFile();
  EXPECT_EQ(runUnprivileged([&] {
              OpenFile Own;
              if (OpenFile::open(Path, Own))
                return 1;
              // mincore alone reports every page as resident.
              const ByteRange All{0, FileBytes};
              const auto ByFile = Arrived.residency(Own, All);
              if (ByFile && ByFile->ResidentPages != 0)
                return 2;
              const auto ByAny = Real.residency(Own, All);
              return ByAny && ByAny->ResidentPages != 0 ? 3 : 0;
            }),
            0);
}

TEST_F(LinuxPageCacheTest, UsesPageSizeOfTestEnvironment) {
  const char *const Bytes = std::getenv("HEADSTART_TEST_PAGES");
  EXPECT_EQ(std::to_string(Real.pageSize()),
            Bytes ? Bytes : std::to_string(::getpagesize()));
}

TEST_F(LinuxPageCacheTest, MappingEndsWithFile) {
  const MappedFile Mapping = mapOrFail(File);
  std::ifstream Maps("/proc/self/maps");
  std::string Line;
  while (std::getline(Maps, Line) && !Line.ends_with(Path)) {
  }
  ASSERT_FALSE(Line.empty());
  size_t Digits = 0;
  const uintptr_t Begin = std::stoull(Line, &Digits, 16);
  const uintptr_t End = std::stoull(Line.substr(Digits + 1), nullptr, 16);
  EXPECT_EQ(Begin, reinterpret_cast<uintptr_t>(Mapping.data()));
  EXPECT_EQ((End - Begin + Real.pageSize() - 1) / Real.pageSize(), pages());
}

TEST_F(LinuxPageCacheTest, EvictWritesDirtyPagesFirst) {
  for (const PageCache *Cache : {&Real, &Arrived}) {
    Directory.write("file", Contents); // not synced
    ASSERT_FALSE(Cache->evict(File));
    EXPECT_EQ(resident(), 0U);
  }
  EXPECT_EQ(text(mapOrFail(File)), Contents);
}

TEST_F(LinuxPageCacheTest, SplitsLongHints) {
  PageCacheCapabilities Capabilities = PageCache::probe();
  Capabilities.HintStepBytes = 65536;
  const PageCache Cache(Capabilities);
  const uint64_t Page = Cache.pageSize();
  ASSERT_LE(Page, Capabilities.HintStepBytes);
  const std::array<ByteRange, 7> Ranges = {{{0, 65536},
                                            {0, 65537},
                                            {0, FileBytes},
                                            {65536, 131'072},
                                            {Page - 1, 65537},
                                            {FileBytes - 1, 1 << 30},
                                            {FileBytes, 1 << 30}}};
  const std::array<unsigned, 7> Calls = {1, 2, 46, 2, 2, 1, 0};
  for (size_t I = 0; I < Ranges.size(); ++I)
    EXPECT_EQ(Cache.hint(File, {&Ranges[I], 1}).Calls, Calls[I]) << I;

  // Steps are rounded to whole pages.
  for (const uint64_t Step : {uint64_t(0), uint64_t(1), Page + 1}) {
    Capabilities.HintStepBytes = Step;
    const ByteRange Range{0, 10 * Page};
    EXPECT_EQ(PageCache(Capabilities).hint(File, {&Range, 1}).Calls, 10U);
  }
}

TEST_F(LinuxPageCacheTest, HintLoadsMoreThanOneCallCan) {
  create(UINT64_C(24) << 20);
  evictFile();
  const ByteRange All{0, File.size()};
  const HintResult Result = Real.hint(File, {&All, 1});
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, File.size());
  EXPECT_EQ(Result.Calls, 192U);
  EXPECT_TRUE(arrives(All));
}

TEST_F(LinuxPageCacheTest, HintLoadsOnlyItsRanges) {
  create(UINT64_C(24) << 20);
  evictFile();
  const std::array<ByteRange, 3> Ranges = {
      {{5, 100'000}, {8'000'000, 300'000}, {File.size() - 1, 1}}};
  Real.hint(File, Ranges);
  for (const ByteRange &Range : Ranges)
    EXPECT_TRUE(arrives(Range));
  EXPECT_EQ(resident({12'000'000, 8'000'000}), 0U);
}

TEST_F(LinuxPageCacheTest, ScatteredReadLoadsOnlyItsPage) {
  ASSERT_FALSE(Real.evict(File));
  ASSERT_EQ(resident(), 0U);
  File.expectScatteredReads();
  std::error_code Error;
  char Byte = 0;
  EXPECT_EQ(File.readAt(40 * Real.pageSize(), {&Byte, 1}, Error), 1U);
  EXPECT_EQ(resident(), 1U);
}

TEST_F(LinuxPageCacheTest, FetchReadsOnlyItsRange) {
  const size_t Page = Real.pageSize();
  ASSERT_FALSE(Real.evict(File));
  ASSERT_EQ(resident(), 0U);
  const ByteRange Range{30 * Page, 8 * Page};
  EXPECT_EQ(Real.fetch(File, Range).Outcome, HintOutcome::Accepted);
  EXPECT_EQ(resident(), 8U);
  EXPECT_TRUE(Real.residency(File, Range)->complete());
}

TEST_F(LinuxPageCacheTest, LargePageFetchLoadsWholeStep) {
  const MappedFile Mapping = mapOrFail(File);
  ASSERT_FALSE(Real.evict(File));
  // The file has 3 MB, so its last third is in a large step of its own.
  const HintResult Result = Real.fetchInLargePages(File, {2'500'000, 1});
  if (Result.Outcome == HintOutcome::Unsupported)
    GTEST_SKIP() << "needs MADV_HUGEPAGE and MADV_POPULATE_READ";
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, 1U);
  const ByteRange Last{PageCache::LargeStepBytes, FileBytes};
  EXPECT_TRUE(Real.residency(File, Last)->complete());
  EXPECT_EQ(resident(), Real.residency(File, Last)->TotalPages);

  EXPECT_EQ(Real.fetchInLargePages(File, {0, FileBytes}).AcceptedBytes,
            FileBytes);
  EXPECT_EQ(resident(), pages());
  EXPECT_EQ(text(Mapping), Contents);
}

TEST_F(LinuxPageCacheTest, LargePageFetchKeepsOtherMappings) {
  const MappedFile Mapping = mapOrFail(File);
  (void)Real.fetchInLargePages(File, {0, FileBytes});
  EXPECT_EQ(presentPages(Mapping, Real.pageSize()), 0U);
  // If the pages are reclaimed, an access reads its page, not 2 MiB.
  ASSERT_FALSE(Real.evict(File));
  ASSERT_EQ(::madvise(const_cast<char *>(Mapping.data()), Mapping.size(),
                      MADV_RANDOM),
            0);
  EXPECT_EQ(Mapping.data()[0], Contents[0]);
  EXPECT_LE(Real.residency(Mapping.bytes())->ResidentPages, 1U);
}

/// Each is kept for some time, because unmapping one interrupts all processors.
TEST_F(LinuxPageCacheTest, LargePageFetchKeepsFewMappings) {
  const std::string Name = std::filesystem::canonical(Path).string();
  const auto Mappings = [&] {
    std::ifstream In("/proc/self/maps");
    size_t Count = 0;
    for (std::string Line; std::getline(In, Line);)
      Count += Line.ends_with(Name);
    return Count;
  };
  for (unsigned I = 0; I != 500; ++I)
    if (Real.fetchInLargePages(File, {0, 1 + I % FileBytes}).Outcome ==
        HintOutcome::Unsupported)
      GTEST_SKIP() << "needs MADV_HUGEPAGE and MADV_POPULATE_READ";
  EXPECT_GT(Mappings(), 1U);
  EXPECT_LE(Mappings(), 64U);
  ASSERT_FALSE(Real.evict(File));
  EXPECT_EQ(Mappings(), 0U);
}

TEST_F(LinuxPageCacheTest, LargePageFetchLoadsFileWithCachedEnds) {
  ASSERT_FALSE(Real.evict(File));
  const size_t Page = Real.pageSize();
  (void)Real.fetch(File, {0, Page});
  (void)Real.fetch(File, {FileBytes - 1, 1});
  ASSERT_EQ(resident(), 2U);
  if (Real.fetchInLargePages(File, {0, FileBytes}).Outcome ==
      HintOutcome::Unsupported)
    GTEST_SKIP() << "needs MADV_HUGEPAGE and MADV_POPULATE_READ";
  EXPECT_EQ(resident(), pages());
}

TEST_F(LinuxPageCacheTest, QueriesAndHintsMappedMemory) {
  const MappedFile Mapping = mapOrFail(File);
  const size_t Page = Real.pageSize();
  ASSERT_FALSE(Real.evict(File));
  const std::span<const char> All = Mapping.bytes();
  const std::span<const char> Part = All.subspan(20 * Page + 7, 10 * Page);
  ASSERT_EQ(Real.residency(Part)->ResidentPages, 0U);
  EXPECT_EQ(Real.residency(Part)->TotalPages, 11U);

  const HintResult Result = Real.willNeed(Part);
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, 10 * Page);
  const uint64_t Step = Real.capabilities().HintStepBytes;
  EXPECT_EQ(Result.Calls, (7 + 10 * Page + Step - 1) / Step);
  // The hint does not wait, but a read of the range does.
  EXPECT_EQ(std::string(Part.begin(), Part.end()),
            Contents.substr(20 * Page + 7, 10 * Page));
  EXPECT_TRUE(Real.residency(Part)->complete());

  EXPECT_EQ(text(Mapping), Contents);
  EXPECT_FALSE(Real.adviseCold(All));
  EXPECT_FALSE(Real.residency(All)->complete());
  EXPECT_EQ(text(Mapping), Contents);
}

TEST_F(LinuxPageCacheTest, AdviseColdKeepsAnonymousMemory) {
  std::vector<char> Heap(10 * Real.pageSize(), 'x');
  EXPECT_FALSE(Real.adviseCold(Heap));
  EXPECT_EQ(Heap, std::vector<char>(Heap.size(), 'x'));
  EXPECT_EQ(Real.willNeed({}).AcceptedBytes, 0U);
}

TEST_F(LinuxPageCacheTest, DontNeedClearsPageTables) {
  const MappedFile Mapping = mapOrFail(File);
  const size_t Page = Real.pageSize();
  EXPECT_EQ(presentPages(Mapping, Page), 0U);
  EXPECT_EQ(text(Mapping), Contents);
  EXPECT_EQ(presentPages(Mapping, Page), pages());

  // Also of the last page, which the file does not fill.
  ASSERT_FALSE(Real.dontNeed(Mapping));
  EXPECT_EQ(presentPages(Mapping, Page), 0U);
  EXPECT_TRUE(allPagesArrive());
  EXPECT_EQ(text(Mapping), Contents);
}

TEST_F(LinuxPageCacheTest, FetchByReadingKeepsPageTables) {
  const PageCache Cache(withoutPopulateRead());
  const MappedFile Mapping = mapOrFail(File);
  const HintResult Result = Cache.fetch(File, {0, FileBytes});
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  // The calls: the advice, one for the whole range, 23 for steps of 128 KiB,
  // and a read of one byte in each step. Overlayfs, without RWF_NOWAIT, copies.
  const std::vector<ByteRange> All = {{0, FileBytes}};
  if (Cache.capabilities().Cachestat && Real.seemsCached(File, All))
    EXPECT_EQ(Result.Calls, 1U + 1 + 23 + 23);
  EXPECT_EQ(presentPages(Mapping, Cache.pageSize()), 0U);
}

TEST_F(LinuxPageCacheTest, FetchSamplesPagesWithoutCachestat) {
  PageCacheCapabilities Capabilities = withoutPopulateRead();
  Capabilities.Cachestat = false;
  const std::vector<ByteRange> All = {{0, FileBytes}};
  if (!Real.seemsCached(File, All))
    GTEST_SKIP() << "the file system does not support RWF_NOWAIT";
  const HintResult Result = PageCache(Capabilities).fetch(File, {0, FileBytes});
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, FileBytes);
  // The calls: as above, and two more pages of each step.
  EXPECT_EQ(Result.Calls, 1U + 1 + 23 + 3 * 23);
  EXPECT_TRUE(Real.residency(File, {0, FileBytes})->complete());
}

TEST_F(LinuxPageCacheTest, FetchOfShrunkFileFails) {
  fs::resize_file(Path, FileBytes / 2);
  const HintResult Result = Real.fetch(File, {0, FileBytes});
  EXPECT_EQ(Result.Outcome, HintOutcome::Failed);
  EXPECT_EQ(Result.AcceptedBytes, FileBytes / 2);
}

TEST_F(LinuxPageCacheTest, FetchesFileThatGrew) {
  const MappedFile Mapping = mapOrFail(File);
  fs::resize_file(Path, 2 * FileBytes);
  EXPECT_EQ(Real.fetch(File, {0, 2 * FileBytes}).AcceptedBytes, FileBytes);
}

} // namespace
