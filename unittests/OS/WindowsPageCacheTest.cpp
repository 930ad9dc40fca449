//===- WindowsPageCacheTest.cpp - Hints in batches, and working sets ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"

#include "gtest/gtest.h"

#include <atomic>
#include <string>
#include <vector>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

using namespace headstart;
using namespace headstart::os::test;
// Not all of os: winbase.h has its own OpenFile.
namespace os = headstart::os;
using os::HintOutcome;
using os::HintResult;
using os::MappedFile;
using os::PageCache;
using os::PageCacheCapabilities;
using os::PageTables;
using os::SystemMemory;
using os::Threads;
using os::usableProcessors;

namespace {

constexpr uint64_t Page = 4096;
/// Entries per call; see PageCache.cpp.
constexpr size_t Batch = 512;

class WindowsPageCacheTest : public testing::Test {
protected:
  static PageCacheCapabilities smallSteps() {
    PageCacheCapabilities Capabilities = PageCache::probe();
    Capabilities.HintStepBytes = Page;
    return Capabilities;
  }

  const TestDirectory Directory;
  const std::string Contents = pattern(2000 * Page);
  const os::OpenFile File = openOrFail(Directory.write("file", Contents));
  const PageCache Cache{smallSteps()};
};

TEST_F(WindowsPageCacheTest, EvictionDoesNotBlockOtherOpens) {
  // A compiler opens its inputs so that no other process may write them.
  const std::wstring Path = toPath(Directory.path("file")).wstring();
  std::atomic<bool> IsDone{false};
  std::atomic<unsigned> Evictions{0};
  Threads Evicting;
  ASSERT_FALSE(Evicting.start([&] {
    os::OpenFile Own = openOrFail(Directory.path("file"));
    for (; !IsDone; ++Evictions)
      EXPECT_FALSE(Cache.evict(Own));
    EXPECT_TRUE(Own.isOpen());
    EXPECT_EQ(Own.size(), Contents.size());
  }));
  for (unsigned I = 0; I < 300 || Evictions < 10; ++I) {
    const HANDLE Reader =
        ::CreateFileW(Path.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr,
                      OPEN_EXISTING, 0, nullptr);
    EXPECT_NE(Reader, INVALID_HANDLE_VALUE) << ::GetLastError();
    ::CloseHandle(Reader);
  }
  IsDone = true;
  Evicting.join();
}

TEST_F(WindowsPageCacheTest, HintMakesOneCallPerBatch) {
  ASSERT_TRUE(Cache.capabilities().Hint);
  for (const uint64_t Pages : {Batch - 1, Batch, Batch + 1, 2 * Batch}) {
    const ByteRange Range{0, Pages * Page};
    const HintResult Result = Cache.hint(File, {&Range, 1});
    EXPECT_EQ(Result.Outcome, HintOutcome::Accepted) << Pages;
    EXPECT_EQ(Result.AcceptedBytes, Pages * Page);
    EXPECT_EQ(Result.Calls, (Pages + Batch - 1) / Batch);
  }
  // One more byte on either side takes one more page.
  const ByteRange Range{Page - 1, (Batch - 1) * Page + 1};
  const HintResult Result = Cache.hint(File, {&Range, 1});
  EXPECT_EQ(Result.AcceptedBytes, Range.Length);
  EXPECT_EQ(Result.Calls, 1U);
}

TEST_F(WindowsPageCacheTest, RangesShareCalls) {
  std::vector<ByteRange> Ranges;
  for (size_t I = 0; I != 2 * Batch + 1; ++I)
    Ranges.push_back({(I * 3 % 1900) * Page + I % 7, 100});
  const HintResult Result = Cache.hint(File, Ranges);
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, 100 * Ranges.size());
  EXPECT_EQ(Result.Calls, 3U);
}

TEST_F(WindowsPageCacheTest, HintsScatteredRangesInAnyOrder) {
  const std::vector<ByteRange> Ranges = {{1999 * Page + 4095, 10},
                                         {0, 1},
                                         {1000 * Page - 1, 2},
                                         {1000 * Page, 3 * Page},
                                         {2000 * Page, 1}};
  const HintResult Result = Cache.hint(File, Ranges);
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, 1 + 1 + 2 + 3 * Page);
}

TEST_F(WindowsPageCacheTest, HintLeavesNoMapping) {
  const ByteRange Range{0, 100 * Page};
  ASSERT_EQ(Cache.hint(File, {&Range, 1}).Outcome, HintOutcome::Accepted);
  (void)Cache.residency(File, Range);
  std::error_code Error;
  std::filesystem::resize_file(Directory.path("file"), 10, Error);
  EXPECT_FALSE(Error) << Error.message();
}

TEST_F(WindowsPageCacheTest, HintsNeedSystemFunction) {
  PageCacheCapabilities None = PageCache::probe();
  None.Hint = false;
  const PageCache Without(None);
  const ByteRange Range{0, Page};
  EXPECT_EQ(Without.hint(File, {&Range, 1}).Outcome, HintOutcome::Unsupported);
  EXPECT_EQ(Without.willNeed({Contents.data(), Page}).Outcome,
            HintOutcome::Unsupported);
  EXPECT_EQ(Without.fetch(File, Range).AcceptedBytes, Page);
}

TEST_F(WindowsPageCacheTest, WillNeedAcceptsMappedMemory) {
  const MappedFile Mapping = mapOrFail(File);
  const HintResult Result =
      Cache.willNeed(Mapping.bytes().subspan(Page - 1, 3 * Page));
  EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
  EXPECT_EQ(Result.AcceptedBytes, 3 * Page);
}

TEST_F(WindowsPageCacheTest, FetchHintsCallersMapping) {
  const MappedFile Mapping = mapOrFail(File);
  const ByteRange Range{Page - 1, 3 * Page};
  for (const MappedFile *Of :
       {static_cast<const MappedFile *>(nullptr), &Mapping}) {
    const HintResult Result = Cache.fetch(File, Range, Of);
    EXPECT_EQ(Result.Outcome, HintOutcome::Accepted);
    EXPECT_EQ(Result.AcceptedBytes, Range.Length);
    EXPECT_EQ(Result.Calls, 2U) << "a hint, and a read of the last byte";
  }
  // Bytes past the end of the mapping or of the file are not requested.
  const ByteRange Past{1999 * Page, 10 * Page};
  EXPECT_EQ(Cache.fetch(File, Past, &Mapping).AcceptedBytes, Page);
}

TEST_F(WindowsPageCacheTest, ReportsNothingWithoutSample) {
  EXPECT_EQ(Cache.seemsCached(File, {}), std::nullopt);
  const ByteRange Behind{2000 * Page, Page};
  EXPECT_EQ(Cache.seemsCached(File, {&Behind, 1}), std::nullopt);
  const ByteRange All{0, 2000 * Page};
  EXPECT_EQ(Cache.seemsCached(os::OpenFile(), {&All, 1}), std::nullopt);
  EXPECT_TRUE(Cache.seemsCached(File, {&All, 1}).has_value());
}

TEST_F(WindowsPageCacheTest, FileStaysOpenWithItsMapping) {
  const std::string Name = Directory.write("mapped", Contents);
  const auto CanOpenAlone = [&] {
    const HANDLE Alone =
        ::CreateFileW(toPath(Name).wstring().c_str(), GENERIC_READ, 0, nullptr,
                      OPEN_EXISTING, 0, nullptr);
    return Alone != INVALID_HANDLE_VALUE && ::CloseHandle(Alone) != 0;
  };
  {
    os::OpenFile Other = openOrFail(Name);
    const MappedFile Mapping = mapOrFail(Other);
    Other.close();
    EXPECT_FALSE(CanOpenAlone());
  }
  EXPECT_TRUE(CanOpenAlone());
}

TEST_F(WindowsPageCacheTest, WorkingSetHasTouchedPages) {
  const MappedFile Mapping = mapOrFail(File);
  PageTables Tables;
  auto Present = Tables.present(Mapping.bytes());
  ASSERT_TRUE(Present.has_value());
  EXPECT_TRUE(Present->empty());
  // A page at the boundary of two queries.
  volatile char Byte = Mapping.data()[1024 * Page];
  (void)Byte;
  Present = Tables.present(Mapping.bytes());
  ASSERT_TRUE(Present.has_value());
  bool Seen = false;
  for (const ByteRange &R : *Present)
    Seen |= R.Offset <= 1024 * Page && R.end() > 1024 * Page;
  EXPECT_TRUE(Seen);
  const auto Found = Cache.residency(Mapping.bytes().subspan(1024 * Page, 1));
  ASSERT_TRUE(Found.has_value());
  EXPECT_TRUE(Found->complete());
  // Touch all pages.
  for (uint64_t At = 0; At < Contents.size(); At += Page)
    Byte = Mapping.data()[At];
  Present = Tables.present(Mapping.bytes());
  ASSERT_EQ(Present->size(), 1U);
  EXPECT_EQ(Present->front(), (ByteRange{0, Contents.size()}));
}

TEST_F(WindowsPageCacheTest, TrimmedMemoryKeepsContents) {
  std::vector<char> Own(Contents.begin(), Contents.end());
  const std::error_code Error = Cache.adviseCold(Own);
  EXPECT_FALSE(Error) << Error.message();
  EXPECT_EQ(std::string_view(Own.data(), Own.size()), Contents);
}

TEST(WindowsSystemMemoryTest, ReportsMachine) {
  const SystemMemory Memory = SystemMemory::read();
  EXPECT_GT(Memory.TotalBytes, uint64_t(64) << 20);
  if (!Memory.PressurePercent)
    GTEST_SKIP() << "needs the low-memory notification";
  EXPECT_TRUE(*Memory.PressurePercent == 0 || *Memory.PressurePercent == 100);
}

TEST(WindowsSystemMemoryTest, ReportsJobLimit) {
  // The limit is high enough not to affect later tests in this process, which
  // stays in the job.
  constexpr uint64_t Limit = uint64_t(1) << 40;
  const HANDLE Job = ::CreateJobObjectW(nullptr, nullptr);
  ASSERT_NE(Job, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION Limits = {};
  Limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_JOB_MEMORY;
  Limits.JobMemoryLimit = Limit;
  ASSERT_NE(::SetInformationJobObject(Job, JobObjectExtendedLimitInformation,
                                      &Limits, sizeof(Limits)),
            0);
  ASSERT_NE(::AssignProcessToJobObject(Job, ::GetCurrentProcess()), 0);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION Reported = {};
  if (::QueryInformationJobObject(Job, JobObjectExtendedLimitInformation,
                                  &Reported, sizeof(Reported), nullptr) == 0 ||
      Reported.JobMemoryLimit != Limit)
    GTEST_SKIP() << "the system does not store job limits (Wine 8)";
  const SystemMemory Memory = SystemMemory::read();
  EXPECT_EQ(Memory.CgroupLimitBytes, Limit);
  ASSERT_TRUE(Memory.CgroupAvailableBytes.has_value());
  EXPECT_LT(*Memory.CgroupAvailableBytes, Limit);
  EXPECT_GT(*Memory.CgroupAvailableBytes, Limit / 2);
}

TEST(WindowsThreadsTest, StartsAndJoins) {
  EXPECT_GE(usableProcessors(), 1U);
  std::atomic<int> Ran = 0;
  Threads Some;
  for (int I = 0; I != 4; ++I)
    EXPECT_FALSE(Some.start([&] { ++Ran; }));
  EXPECT_EQ(Some.size(), 4U);
  Some.join();
  EXPECT_EQ(Ran, 4);
}

} // namespace
