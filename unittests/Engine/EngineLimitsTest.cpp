//===- EngineLimitsTest.cpp - Few descriptors, little memory ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineTestSupport.h"
#include "gmock/gmock.h"
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace headstart;
using namespace headstart::test;

namespace {

class EngineLimitsTest : public testing::Test {
protected:
  TestDirectory Directory;
};

/// Lowers the soft limit on open files, and puts it back.
class FewDescriptors {
public:
  explicit FewDescriptors(rlim_t Most) {
    getrlimit(RLIMIT_NOFILE, &Before);
    rlimit Now = Before;
    Now.rlim_cur = Most;
    setrlimit(RLIMIT_NOFILE, &Now);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &Before); }

private:
  rlimit Before = {};
};

size_t openDescriptors() {
  size_t Count = 0;
  for (const auto &Entry : std::filesystem::directory_iterator("/proc/self/fd"))
    Count += !Entry.path().empty();
  return Count;
}

/// Larger requests double the readahead of the file that the linker's mapping
/// is of. If memory is short, what the linker then reads evicts what it needs.
TEST_F(EngineLimitsTest, MemoryShortageDoesNotDoubleReadahead) {
  const std::string Text = pattern(48 << 20);
  const std::string Path = Directory.write("f.obj", Text);
  const os::PageCache Cache;
  if (!Cache.capabilities().Cachestat)
    GTEST_SKIP() << "without cachestat, pages under way are not counted";
  auto CountAround = [&](llvm::StringRef Bytes) {
    const ByteRange Tail{Bytes.size() / 4, Bytes.size() * 3 / 4};
    EXPECT_EQ(Bytes[Bytes.size() / 2], Text[Text.size() / 2]);
    return Cache.residency(openOrFail(Path), Tail)->ResidentPages;
  };
  uint64_t Around = 0;
  {
    evict({Path});
    ASSERT_FALSE(HasFatalFailure());
    EngineOptions Options;
    Options.Jobs = 1;
    Options.Numbers.DearRequest = Tuning::Seconds(0);
    Options.ReadMemory = [] {
      os::SystemMemory Memory;
      Memory.AvailableBytes = 700000;
      return Memory;
    };
    PrefetchEngine Engine(Options);
    startFiles(Engine, {Path});
    while (Engine.waitingForMemory() != 1)
      std::this_thread::yield();
    Engine.cancel();
    Engine.join();
    EXPECT_NE(statsOf(Engine).HintedBytes, 0U);
    auto Buffer = Engine.take(Path, likeLLD());
    ASSERT_TRUE(Buffer);
    Around = CountAround(Buffer->getBuffer());
  }
  evict({Path});
  os::MappedFile Own;
  ASSERT_FALSE(os::MappedFile::map(openOrFail(Path), Own));
  EXPECT_EQ(Around, CountAround({Own.data(), Own.size()}));
}

TEST_F(EngineLimitsTest, FetchesLargeInputInSeveralTasks) {
  const std::vector<std::string> Paths = writeFiles(Directory, 2, 9 << 20);
  evict(Paths);
  EngineOptions Options;
  ASSERT_EQ(Options.Numbers.TaskBytes, UINT64_C(4) << 20);
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  Engine.join();
  const LinkStats Stats = statsOf(Engine);
  EXPECT_EQ(times(Stats, Decision::RestFetched), 4U);
  EXPECT_EQ(Stats.HintedBytes, UINT64_C(18) << 20);
  EXPECT_TRUE(isResident(Paths[0]) && isResident(Paths[1]));
  EXPECT_TRUE(Stats.Problems.empty());
}

TEST_F(EngineLimitsTest, UsesFewDescriptorsForManyInputs) {
  std::vector<std::string> Paths = writeFiles(Directory, 1000, 20000);
  evict(Paths);
  size_t Before = openDescriptors();
  {
    FewDescriptors Limit(40);
    EngineOptions Options;
    Options.Jobs = 64;
    PrefetchEngine Engine(Options);
    startFiles(Engine, Paths);
    Engine.join();
    LinkStats Stats = statsOf(Engine);
    EXPECT_TRUE(Stats.Problems.empty())
        << Stats.Problems[0].Message << " " << Stats.Problems[0].Count;
    EXPECT_LE(Stats.Jobs, 20U);
    EXPECT_EQ(Stats.HintedBytes, 1000 * 20000U);
  }
  EXPECT_EQ(openDescriptors(), Before);
}

/// Opens descriptors until \p Left are left, and closes them.
class TakenDescriptors {
public:
  explicit TakenDescriptors(uint64_t Left) {
    while (os::freeDescriptors() > Left)
      Taken.push_back(::dup(0));
  }
  ~TakenDescriptors() {
    for (int Descriptor : Taken)
      ::close(Descriptor);
  }

private:
  std::vector<int> Taken;
};

TEST_F(EngineLimitsTest, LeavesDescriptorsFree) {
  std::vector<std::string> Paths = writeFiles(Directory, 10, 20000);
  for (auto [Left, Jobs] : {std::pair(7U, 0U), {33U, 0U}, {36U, 2U}}) {
    FewDescriptors Limit(200);
    TakenDescriptors Others(Left);
    EngineOptions Options;
    Options.Jobs = 8;
    PrefetchEngine Engine(Options);
    startFiles(Engine, Paths);
    Engine.join();
    EXPECT_EQ(statsOf(Engine).Jobs, Jobs) << Left;
    // The linker's own thread opens, as without the engine.
    EXPECT_TRUE(Engine.take(Paths.front(), likeLLD()));
  }
}

TEST_F(EngineLimitsTest, FetchesUnmappedAboveMappingLimit) {
  std::vector<std::string> Paths = writeFiles(Directory, 50, 100000);
  evict(Paths);
  EngineOptions Options;
  Options.MaxMappings = 10;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  Engine.join();
  unsigned Held = 0;
  for (const std::string &Path : Paths) {
    EXPECT_TRUE(isResident(Path));
    Held += Engine.take(Path, likeLLD()) != nullptr;
  }
  EXPECT_EQ(Held, 10U);
  EXPECT_EQ(times(statsOf(Engine), Decision::HeldNothing), 40U);
  EXPECT_EQ(statsOf(Engine).HintedBytes, 50 * 100000U);
}

TEST_F(EngineLimitsTest, StaysWithinBudgetUntilLinkerTakes) {
  constexpr uint64_t FileBytes = 1 << 20;
  constexpr uint64_t Budget = 4 << 20;
  std::vector<std::string> Paths = writeFiles(Directory, 32, FileBytes);
  evict(Paths);
  EngineOptions Options;
  Options.Jobs = 4;
  Options.BudgetBytes = Budget;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  // Ask for each in turn. The engine may be ahead of what was asked for by the
  // budget and by one step of each thread.
  for (size_t I = 0; I != Paths.size(); ++I) {
    EXPECT_LE(statsOf(Engine).HintedBytes,
              I * FileBytes + Budget + 4 * 512 * 1024);
    EXPECT_TRUE(Engine.take(Paths[I], likeLLD()));
  }
  Engine.join();
  EXPECT_EQ(statsOf(Engine).HintedBytes, 32 * FileBytes);
}

TEST_F(EngineLimitsTest, EmptyBudgetStillHandsOver) {
  std::vector<std::string> Paths = writeFiles(Directory, 8, 100000);
  evict(Paths);
  EngineOptions Options;
  Options.BudgetBytes = 0;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  for (const std::string &Path : Paths)
    EXPECT_TRUE(Engine.take(Path, likeLLD()));
  EXPECT_EQ(statsOf(Engine).HintedBytes, 0U);
}

TEST_F(EngineLimitsTest, CountsWithoutCapabilities) {
  std::vector<std::string> Paths = writeFiles(Directory, 8, 300000);
  const os::PageCacheCapabilities Nothing;
  uint64_t Unknown = 0;
  // The disk of an emulated machine may answer before a sample has to wait.
  for (int Try = 0; Try != 100 && Unknown == 0; ++Try) {
    evict({Paths[7]});
    PrefetchEngine Engine({}, os::PageCache(Nothing));
    startFiles(Engine, Paths);
    for (const std::string &Path : Paths) {
      auto Buffer = Engine.take(Path, likeLLD());
      ASSERT_TRUE(Buffer);
      EXPECT_EQ(Buffer->getBufferSize(), 300000U);
    }
    Engine.join();
    EXPECT_EQ(statsOf(Engine).ResidentBytesBefore, 0U);
    EXPECT_EQ(statsOf(Engine).UnknownBytesBefore, 8 * 300000U);
    Unknown = times(statsOf(Engine), Decision::CacheUnknown);
  }
  // Samples find the others cached.
  EXPECT_EQ(Unknown, 1U);
}

TEST_F(EngineLimitsTest, HighLatencyAddsThreads) {
  std::vector<std::string> Paths = writeFiles(Directory, 4, 20000);
  EngineOptions Options;
  Options.Jobs = 1;
  Options.HighLatencyJobs = 6;
  Options.Numbers.BusyThreads = 100;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  while (statsOf(Engine).Jobs != 6)
    std::this_thread::yield();
  Engine.join();
  EXPECT_EQ(statsOf(Engine).FirstJobs, 1U);
  EXPECT_EQ(times(statsOf(Engine), Decision::MoreThreads), 1U);
}

/// With slow names, the engine lists the directory, and stats again the paths
/// that the linker requests next.
TEST_F(EngineLimitsTest, RequestsPathsOfSlowStoreEarly) {
  std::vector<std::string> Paths = writeFiles(Directory, 8, 100000);
  evict(Paths);
  EngineOptions Options;
  Options.Jobs = 1;
  Options.BudgetBytes = 350000; // the thread waits with the fifth file
  // All names count as slow.
  Options.Numbers.StatSeconds = Options.Numbers.EntrySeconds = -1;
  Options.Numbers.FreshFor = std::chrono::milliseconds(0);
  Options.Numbers.RefreshStep = 2;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  while (Engine.waitingForMemory() == 0)
    std::this_thread::yield();
  EXPECT_EQ(times(statsOf(Engine), Decision::DirectoryListed), 1U);
  EXPECT_EQ(times(statsOf(Engine), Decision::PathRefreshed), 0U);
  EXPECT_TRUE(Engine.take(Paths[0], likeLLD()));
  EXPECT_TRUE(Engine.take(Paths[1], likeLLD()));
  // The second made room before it moved the paths to refresh, and the thread
  // may wait with the seventh file already.
  EXPECT_TRUE(Engine.take(Paths[2], likeLLD()));
  while (times(statsOf(Engine), Decision::PathRefreshed) == 0)
    std::this_thread::yield();
  for (const std::string &Path : llvm::ArrayRef(Paths).drop_front(3))
    EXPECT_TRUE(Engine.take(Path, likeLLD()));
  Engine.join();
}

TEST_F(EngineLimitsTest, LeavesMostCachedObjectsToLinker) {
  std::vector<std::string> Paths = writeFiles(Directory, 400, 4000);
  std::vector<std::string> Cold(Paths.end() - 100, Paths.end());
  evict(Cold);
  EngineOptions Options;
  Options.Jobs = 1;
  // No name is slow, not even in an emulated machine: with slow names the
  // engine prepares every object.
  Options.Numbers.StatSeconds = 1;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  Engine.join();
  // One of the first that are missing is prepared; from behind those that were
  // left together with it on, all are fetched.
  size_t Left = 0;
  for (size_t I = 0; I != Cold.size(); ++I)
    if (!isResident(Cold[I])) {
      ++Left;
      EXPECT_LT(I, 60U);
    }
  EXPECT_LE(Left, 60U);
  size_t Given = 0;
  for (size_t I = 0; I != 300; ++I)
    Given += Engine.take(Paths[I], likeLLD()) != nullptr;
  EXPECT_GE(Given, 10U);
  EXPECT_LE(Given, 150U);
}

} // namespace
