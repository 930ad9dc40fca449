//===- EngineShutdownTest.cpp - Whatever its threads do, it ends ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineTestSupport.h"
#include "gmock/gmock.h"
#include <atomic>
#include <mutex>

using namespace headstart;
using namespace headstart::test;

namespace {

class EngineShutdownTest : public testing::Test {
protected:
  TestDirectory Directory;
  std::vector<std::string> Paths = writeFiles(Directory, 20, 20000);
};

TEST_F(EngineShutdownTest, CancelStopsFetching) {
  const std::vector<std::string> Large = writeFiles(Directory, 64, 1 << 20);
  evict(Large);
  EngineOptions Options;
  Options.Jobs = 1;
  // One step fills the budget, so the thread is certain to wait.
  Options.BudgetBytes = 1;
  PrefetchEngine Engine(Options);
  startFiles(Engine, Large);
  Engine.cancel();
  Engine.join();
  // A step in large pages covers a whole file.
  EXPECT_LE(statsOf(Engine).HintedBytes, 1U << 20);
  // The linker still gets the files that the engine has not opened.
  EXPECT_TRUE(Engine.take(Large[63], likeLLD()));
}

TEST_F(EngineShutdownTest, DetachesHungThread) {
  // The memory reader simulates a system call that does not return.
  struct Gate {
    std::mutex Mutex;
    std::atomic<unsigned> Requested{0};
  };
  auto Closed = std::make_shared<Gate>();
  Closed->Mutex.lock();
  EngineOptions Options;
  Options.Jobs = 2;
  Options.ReadMemory = [Closed] {
    ++Closed->Requested;
    std::lock_guard<std::mutex> Lock(Closed->Mutex);
    return os::SystemMemory();
  };
  Options.Trace = std::make_shared<TraceLog>(TraceClock::now());
  auto Engine = std::make_unique<PrefetchEngine>(Options);
  startFiles(*Engine, Paths);
  while (Closed->Requested == 0)
    std::this_thread::yield();
  std::unique_ptr<llvm::MemoryBuffer> Taken =
      Engine->take(Paths.front(), likeLLD());
  ASSERT_TRUE(Taken);
  Engine->cancel();
  EXPECT_FALSE(Engine->join(std::chrono::milliseconds(10)));
  EXPECT_TRUE(statsOf(*Engine).Unfinished);
  EXPECT_TRUE(Engine->touched());
  Engine = nullptr;
  Options.Trace = nullptr;
  EXPECT_EQ(Taken->getBufferSize(), 20000U);
  // The thread still owns all that it uses; otherwise a sanitizer would fail.
  std::weak_ptr<Gate> Watched = Closed;
  Options.ReadMemory = nullptr;
  Closed->Mutex.unlock();
  Closed = nullptr;
  while (!Watched.expired())
    std::this_thread::yield();
}

TEST_F(EngineShutdownTest, BadAllocEndsOnlyPrefetching) {
  EngineOptions Options;
  Options.Jobs = 2;
  Options.ReadMemory = []() -> os::SystemMemory { os::throwBadAlloc(); };
  PrefetchEngine Engine(Options);
  startFiles(Engine, Paths);
  Engine.join();
  // The linker still gets the opened files.
  EXPECT_TRUE(Engine.take(Paths.back(), likeLLD()));
  ASSERT_FALSE(statsOf(Engine).Problems.empty());
  EXPECT_THAT(statsOf(Engine).Problems.front().Message,
              testing::HasSubstr("out of memory"));
}

} // namespace
