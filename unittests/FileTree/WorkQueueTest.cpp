//===- WorkQueueTest.cpp - The interleavings of WorkQueue.h ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkQueue.h"
#include "gtest/gtest.h"
#include <atomic>
#include <set>
#include <thread>
#include <vector>

using namespace headstart;

namespace {

TEST(WorkQueueTest, OwnerTakesNewestAndThiefOldest) {
  WorkQueue<int> Queue(2);
  Queue.push(0, {1, 2, 3, 4});
  EXPECT_EQ(Queue.take(0), 4);
  // Steals half of the rest, 1 and 2. The thief takes the newer one first.
  EXPECT_EQ(Queue.take(1), 2);
  EXPECT_EQ(Queue.take(1), 1);
  EXPECT_EQ(Queue.take(0), 3);
}

TEST(WorkQueueTest, EndsWhenAllWorkIsDone) {
  WorkQueue<int> Queue(1);
  EXPECT_FALSE(Queue.take(0));
  Queue.push(0, {1});
  EXPECT_EQ(Queue.take(0), 1);
  Queue.done();
  EXPECT_FALSE(Queue.take(0));
}

TEST(WorkQueueTest, StopWakesWaitingThreads) {
  WorkQueue<int> Queue(2);
  Queue.push(0, {1, 2});
  EXPECT_TRUE(Queue.take(0));
  EXPECT_TRUE(Queue.take(0));
  // The queue is empty but not done, so a thread that takes waits.
  std::thread Waiter([&] { EXPECT_FALSE(Queue.take(1)); });
  while (!Queue.hasSleepers())
    std::this_thread::yield();
  Queue.stop();
  Waiter.join();
  EXPECT_FALSE(Queue.take(0));
}

TEST(WorkQueueTest, DrainReturnsPendingWork) {
  WorkQueue<int> Queue(2);
  Queue.push(0, {1, 2});
  Queue.push(1, {3});
  Queue.stop();
  std::vector<int> Left = Queue.drain();
  EXPECT_EQ(std::set<int>(Left.begin(), Left.end()), (std::set{1, 2, 3}));
  EXPECT_TRUE(Queue.drain().empty());
}

TEST(WorkQueueTest, WakesOnlyWantedThreads) {
  WorkQueue<int> Queue(2);
  ++Queue.Started;
  Queue.push(0, {0});
  ASSERT_EQ(Queue.take(0), 0);
  std::atomic<bool> Woken = false;
  std::thread Sleeper([&] {
    while (Queue.take(1)) {
      Woken = true;
      Queue.done();
    }
  });
  while (!Queue.hasSleepers())
    std::this_thread::yield();
  // One thread is wanted and one is awake: the pusher does all the work.
  for (int I = 0; I != 1000; ++I) {
    Queue.push(0, {I});
    ASSERT_EQ(Queue.take(0), I);
    Queue.done();
  }
  EXPECT_FALSE(Woken);
  Queue.Wanted = 2;
  Queue.push(0, {1});
  while (!Woken)
    std::this_thread::yield();
  Queue.done();
  Sleeper.join();
}

/// Each number pushes those below it. All threads together must see exactly as
/// many as one thread would, and all must end.
TEST(WorkQueueTest, ThreadsLoseNoWork) {
  for (unsigned Threads : {2U, 4U, 8U}) {
    for (unsigned Round = 0; Round != 20; ++Round) {
      WorkQueue<unsigned> Queue(Threads);
      Queue.Wanted = Threads;
      for (unsigned I = 1; I != Threads; ++I)
        ++Queue.Started;
      constexpr unsigned Top = 12;
      Queue.push(0, {Top});
      std::atomic<unsigned> Seen = 0;
      std::vector<std::thread> Pool;
      for (unsigned T = 0; T != Threads; ++T)
        Pool.emplace_back([&, T] {
          while (std::optional<unsigned> Work = Queue.take(T)) {
            ++Seen;
            std::vector<unsigned> Below;
            for (unsigned B = 0; B != *Work; ++B)
              Below.push_back(B);
            Queue.push(T, Below);
            Queue.done();
          }
        });
      for (std::thread &T : Pool)
        T.join();
      EXPECT_EQ(Seen, 1U << Top);
    }
  }
}

} // namespace
