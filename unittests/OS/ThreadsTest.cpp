//===- ThreadsTest.cpp - Detached threads, threads without memory ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

using namespace headstart::os;
using std::chrono::milliseconds;

TEST(ThreadsTest, JoinLeavesWaitingThread) {
  struct Shared {
    std::mutex Gate;
    std::atomic<bool> HasRun{false};
  };
  auto State = std::make_shared<Shared>();
  const std::weak_ptr<Shared> Watched = State;
  State->Gate.lock();
  {
    Threads Waiting;
    ASSERT_FALSE(Waiting.start([State] {
      const std::lock_guard<std::mutex> Lock(State->Gate);
      State->HasRun = true;
    }));
    EXPECT_FALSE(Waiting.join(milliseconds(10)));
    EXPECT_EQ(Waiting.size(), 0U);
    // A thread that is started later is independent of the left one.
    ASSERT_FALSE(Waiting.start([] {}));
    EXPECT_FALSE(Waiting.join(std::chrono::minutes(1)))
        << "join reports the left thread";
  }
  EXPECT_FALSE(State->HasRun);
  State->Gate.unlock();
  while (!State->HasRun)
    std::this_thread::yield();
  // The thread frees its captures when it ends.
  State = nullptr;
  while (!Watched.expired())
    std::this_thread::yield();
}

/// As in the destructor of processorWait's file.
TEST(ThreadsTest, JoinLeavesThreadThatHangsAfterItsWork) {
  if (!processorWait())
    GTEST_SKIP() << "needs a system on which processorWait opens a file";
  struct Hanging {
    std::promise<void> Reached;
    std::shared_future<void> Released;
    ~Hanging() {
      Reached.set_value();
      Released.wait();
    }
  };
  auto State = std::make_shared<Hanging>();
  std::future<void> Reached = State->Reached.get_future();
  std::promise<void> Release;
  State->Released = Release.get_future();
  Threads Some;
  ASSERT_FALSE(Some.start([Mine = std::move(State)]() mutable {
    thread_local const std::shared_ptr<Hanging> Own = std::move(Mine);
  }));
  Reached.wait();
  EXPECT_FALSE(Some.join(milliseconds(0)));
  Release.set_value();
}

/// A fatal error of LLVM calls exit(), which destroys the thread-local objects
/// of a thread that has not ended (LinkSession::endAtExit).
TEST(ThreadsDeathTest, JoinLeavesThreadThatHangsInExitHandler) {
  EXPECT_EXIT(
      {
        static std::promise<void> Reached;
        std::atexit([] {
          Reached.set_value();
          std::promise<void>().get_future().wait();
        });
        Threads Some;
        if (!Some.start([] { std::exit(1); }))
          Reached.get_future().wait();
        std::_Exit(Some.join(milliseconds(0)) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ThreadsTest, JoinFreesCaptures) {
  auto Owned = std::make_shared<int>(1);
  const std::weak_ptr<int> Watched = Owned;
  Threads Some;
  ASSERT_FALSE(Some.start([Owned] {}));
  Owned = nullptr;
  EXPECT_TRUE(Some.join(std::chrono::minutes(1)));
  EXPECT_TRUE(Watched.expired());
  EXPECT_TRUE(Some.join(milliseconds(0))); // there is none
}

TEST(ThreadsTest, BadAllocEndsOnlyThatThread) {
  Threads Some;
  std::atomic<bool> Ran{false};
  ASSERT_FALSE(Some.start([] { throwBadAlloc(); }));
  ASSERT_FALSE(Some.start([&] { Ran = true; }));
  Some.join();
  EXPECT_TRUE(Ran);
  EXPECT_FALSE(survivesBadAlloc());
  EXPECT_FALSE(hasMemoryFor([] {
    EXPECT_TRUE(survivesBadAlloc());
    throwBadAlloc();
  }));
  EXPECT_FALSE(survivesBadAlloc());
  EXPECT_TRUE(hasMemoryFor([] {}));
}

/// Starts two busy threads for each processor, so that some must wait.
TEST(ThreadsTest, ReportsProcessorWait) {
  const auto Begin = processorWait();
  if (!Begin)
    GTEST_SKIP() << "needs /proc/thread-self/schedstat";
  std::atomic<unsigned> Waited{0};
  const unsigned Count = 2 * usableProcessors();
  Threads Some;
  for (unsigned I = 0; I != Count; ++I)
    ASSERT_FALSE(Some.start([&] {
      while (Waited == 0)
        if (processorWait() > milliseconds(5))
          ++Waited;
    }));
  Some.join();
  EXPECT_NE(Waited, 0U);
}

TEST(ThreadsTest, RecognizesOwnThreads) {
  EXPECT_FALSE(Threads::isOwn());
  std::atomic<bool> Own{false};
  Threads Some;
  ASSERT_FALSE(Some.start([&] { Own = Threads::isOwn(); }));
  Some.join();
  EXPECT_TRUE(Own);
}
