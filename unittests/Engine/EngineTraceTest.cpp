//===- EngineTraceTest.cpp - Traces of the engine -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/Scheduler.h"
#include "EngineTestSupport.h"
#include "gmock/gmock.h"
#include <algorithm>
#include <atomic>
#include <thread>

using namespace headstart;
using namespace headstart::test;
using testing::Contains;

namespace {

class EngineTraceTest : public testing::Test {
protected:
  TestDirectory Directory;
};

TEST_F(EngineTraceTest, RecordsThreadsRangesAndCounters) {
  std::vector<std::string> Paths = writeFiles(Directory, 10, 1 << 20);
  evict(Paths);
  auto Trace = std::make_shared<TraceLog>(TraceClock::now());
  EngineOptions Options;
  Options.Jobs = 2;
  Options.BudgetBytes = 64 << 20;
  Options.Trace = Trace;
  const LinkStats Stats = fetchInputs(Paths, Options);
  ReadTrace Read(*Trace);
  for (const auto &[Id, Name] : Read.Lanes)
    EXPECT_TRUE(Name == "prefetch 0" || Name == "prefetch 1") << Name;
  uint64_t Fetched = 0;
  size_t Opened = 0;
  for (const llvm::json::Object &O : Read.Events) {
    const llvm::json::Object &Arguments = *O.getObject("args");
    if (O.getString("name") == "fetch") {
      Fetched += *Arguments.getInteger("bytes");
      EXPECT_TRUE(Arguments.getInteger("offset"));
      EXPECT_TRUE(Arguments.getString("why"));
      EXPECT_TRUE(Arguments.getString("stage"));
    } else if (O.getString("name") == "open") {
      ++Opened;
      EXPECT_EQ(Arguments.getInteger("bytes"), 1 << 20);
      EXPECT_EQ(Arguments.getInteger("resident"), 0);
    }
  }
  EXPECT_EQ(Opened, 10U);
  EXPECT_EQ(Fetched, Stats.HintedBytes);
  EXPECT_EQ(Read.Counters["fetched"].back(), 10 << 20);
  EXPECT_TRUE(std::is_sorted(Read.Counters["fetched"].begin(),
                             Read.Counters["fetched"].end()));
  EXPECT_EQ(Read.Counters["fetched ahead"].back(), 10 << 20);
  EXPECT_THAT(Read.Counters["budget"], testing::ElementsAre(64 << 20));
  EXPECT_EQ(Read.Counters["found in memory"].back(), 0);
}

TEST_F(EngineTraceTest, RecordsRequestsOfLinker) {
  std::vector<std::string> Paths = writeFiles(Directory, 4, 100000);
  evict(Paths);
  auto Trace = std::make_shared<TraceLog>(TraceClock::now());
  EngineOptions Options;
  Options.Trace = Trace;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  Engine.join();
  for (const std::string &Path : Paths)
    EXPECT_TRUE(Engine.take(Path, likeLLD()));
  EXPECT_FALSE(Engine.take(Directory.write("other.obj", "x"), likeLLD()));
  ReadTrace Read(*Trace);
  std::multiset<std::string> Names = Read.names();
  EXPECT_EQ(Names.count("linker's inputs/handed over"), 4U);
  EXPECT_EQ(Names.count("linker's inputs/left to the linker"), 1U);
  EXPECT_EQ(Read.Begun.size(), 4U);
  EXPECT_EQ(Read.Ended, Read.Begun);
  // The linker requested all of it.
  EXPECT_EQ(Read.Counters["fetched ahead"].back(), 0);
}

TEST_F(EngineTraceTest, RecordsWaits) {
  std::vector<std::string> Paths = writeFiles(Directory, 2, 100000);
  evict(Paths);
  auto Trace = std::make_shared<TraceLog>(TraceClock::now());
  EngineOptions Options;
  Options.Jobs = 1;
  Options.BudgetBytes = 0;
  Options.Trace = Trace;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  // The thread opens the first file, but has no room to fetch it.
  while (Engine.waitingForMemory() == 0)
    std::this_thread::yield();
  Engine.cancel();
  Engine.join();
  EXPECT_EQ(Engine.waitingForMemory(), 0U);
  std::multiset<std::string> Names = ReadTrace(*Trace).names();
  EXPECT_THAT(Names, Contains("prefetch 0/wait for memory"));
  // The trace does not contain a fetch that has not begun.
  EXPECT_THAT(Names, testing::Not(Contains("prefetch 0/fetch")));
  EXPECT_TRUE(statsOf(Engine).Unfinished);
}

TEST_F(EngineTraceTest, ReportsWhetherItFinished) {
  std::vector<std::string> Paths = writeFiles(Directory, 2, 100000);
  PrefetchEngine Engine({});
  startFiles(Engine, Paths);
  Engine.join();
  Engine.cancel();
  LinkStats Stats = statsOf(Engine);
  EXPECT_FALSE(Stats.Unfinished);
  EXPECT_FALSE(Stats.ShortOfMemory);
  EXPECT_EQ(Stats.WaitedMs, 0);
}

TEST_F(EngineTraceTest, NoWaitsWithoutHandOver) {
  EngineOptions Options;
  Options.HandOver = false;
  const LinkStats Stats = fetchInputs(writeFiles(Directory, 1, 1000), Options);
  EXPECT_FALSE(Stats.WaitedMs.has_value());
}

TEST_F(EngineTraceTest, CountsReadsOfItsThreads) {
  os::DiskUse Before = *os::diskUse(os::DiskUser::Process);
  std::vector<std::string> Paths = writeFiles(Directory, 4, 1 << 20);
  evict(Paths);
  PrefetchEngine Engine({});
  startFiles(Engine, Paths);
  Engine.join();
  std::optional<os::DiskUse> Use = Engine.diskUse();
  ASSERT_TRUE(Use.has_value());
  uint64_t All = (*os::diskUse(os::DiskUser::Process) - Before).Bytes;
  EXPECT_LE(Use->Bytes, All);
  if (All == 0)
    GTEST_SKIP()
        << "the kernel does not count reads from the temporary directory";
  EXPECT_GE(Use->Bytes, 4U << 20);
}

TEST(SchedulerWaitTest, ReportsThatItWaits) {
  const Tuning Numbers;
  DecisionCounts Decisions;
  Scheduler Inputs(Numbers, Decisions);
  LinkCommand Command;
  Command.Inputs.resize(1);
  Command.Inputs[0].Name = "a.obj";
  Inputs.fill(Command);
  Scheduler::Work Work =
      Inputs.next(0, [] { ADD_FAILURE() << "nothing to wait for"; });
  InputEntry *Entry = Work.Entry;
  ASSERT_NE(Entry, nullptr);
  ASSERT_TRUE(Work.IsClaimed);
  std::atomic<int> Waits{0};
  auto Count = [&] { ++Waits; };
  std::thread Linker([&] {
    std::optional<NamedInput> Claimed;
    EXPECT_EQ(Inputs.request("a.obj", false, Claimed, Count), Entry);
    EXPECT_FALSE(Claimed);
  });
  std::thread Other(
      [&] { EXPECT_TRUE(Inputs.waitUntilPublished(*Entry, Count)); });
  while (Waits != 2)
    std::this_thread::yield();
  Entry->Path = "a.obj";
  Inputs.publish(*Entry, EntryState::Ready);
  Linker.join();
  Other.join();
  std::optional<NamedInput> Claimed;
  Inputs.request("a.obj", false, Claimed, Count);
  EXPECT_TRUE(Inputs.waitUntilPublished(*Entry, Count));
  EXPECT_EQ(Waits, 2);

  // New work may appear while a thread is busy.
  std::thread Worker(
      [&] { EXPECT_EQ(Inputs.next(0, Count).What, Scheduler::Task::Begin); });
  while (Waits != 3)
    std::this_thread::yield();
  Inputs.planned(*Entry, 0, nullptr);
  Worker.join();
}

} // namespace
