//===- StoreQueueTest.cpp - Which request is next -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/StoreQueue.h"
#include "headstart/OS/Threads.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <thread>

using namespace headstart;

namespace {

DecisionCounts Decisions;

/// A store that answers \p AtOnce steps at once, whatever is measured.
Tuning fixedWindow(unsigned AtOnce) {
  Tuning Numbers;
  Numbers.FirstWindow = Numbers.MaxWindow = AtOnce;
  return Numbers;
}

TEST(StoreQueueTest, TheLinkersOwnNeedsNoRoom) {
  const Tuning Numbers = fixedWindow(8);
  StoreQueue Queue(1, Numbers, Decisions);
  for (unsigned I = 0; I != Queue.window(); ++I)
    EXPECT_TRUE(Queue.enter(I, /*IsUrgent=*/false));
  EXPECT_TRUE(Queue.enter(99, /*IsUrgent=*/true));
}

/// Answers in \p Took seconds, for which the thread was without a processor
/// for \p Unscheduled.
void answer(StoreQueue &Queue, unsigned Count, double Took,
            double Unscheduled = 0) {
  const StoreQueue::Time Begin{std::chrono::hours(1)};
  for (unsigned I = 0; I != Count; ++I)
    Queue.note({0, 1, Begin,
                Begin + std::chrono::duration_cast<StoreQueue::Time::duration>(
                            StoreQueue::Seconds(Took)),
                /*IsFirst=*/true, StoreQueue::Seconds(Unscheduled)});
}

TEST(StoreQueueTest, BusyProcessorsDoNotMakeAStoreSlow) {
  const Tuning Numbers;
  StoreQueue Queue(1, Numbers, Decisions);
  answer(Queue, 100, 5e-3, 4.9e-3);
  EXPECT_EQ(Queue.latency(), 0);
  answer(Queue, 16, 5e-3, 2e-3);
  EXPECT_NEAR(Queue.latency(), 3e-3, 1e-4);
}

/// A thread that makes a request, and ends it when it is told to.
struct Requester {
  os::Threads Thread;
  std::atomic<bool> HasBegun{false};

  Requester(StoreQueue &Queue, uint64_t Place) {
    EXPECT_FALSE(Thread.start([this, &Queue, Place] {
      HasBegun.store(Queue.enter(Place, /*IsUrgent=*/false));
    }));
  }
  bool begins() {
    for (unsigned I = 0; I != 1000 && !HasBegun; ++I)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return HasBegun;
  }
};

TEST(StoreQueueTest, LowerPlacesGoFirst) {
  const Tuning Numbers = fixedWindow(1);
  StoreQueue Queue(1, Numbers, Decisions);
  ASSERT_TRUE(Queue.enter(0, /*IsUrgent=*/false));
  Requester Second(Queue, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Requester First(Queue, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Queue.leave();
  EXPECT_TRUE(First.begins());
  EXPECT_FALSE(Second.HasBegun);
  Queue.leave();
  EXPECT_TRUE(Second.begins());
  Queue.cancel();
}

TEST(StoreQueueTest, StepsInLargePagesThatDoNotComeAreARisk) {
  const Tuning Numbers;
  StoreQueue Queue(1, Numbers, Decisions);
  EXPECT_FALSE(Queue.largeRisk());
  // Prices are estimated when requests were under way for some time.
  ASSERT_TRUE(Queue.enter(0, /*IsUrgent=*/false));
  std::this_thread::sleep_for(2 * Numbers.WindowTime);
  Queue.leave();
  answer(Queue, 16, 5e-3);
  ASSERT_TRUE(Queue.largeRisk());
  const double Before = *Queue.largeRisk();
  EXPECT_LT(Before, 5e-3);
  for (unsigned I = 0; I != 20; ++I)
    Queue.noteLarge(false);
  EXPECT_GT(*Queue.largeRisk(), 10 * Before);
  for (unsigned I = 0; I != 10000; ++I)
    Queue.noteLarge(true);
  EXPECT_LT(*Queue.largeRisk(), Before);
}

TEST(StoreQueueTest, AfterCancelNobodyWaits) {
  const Tuning Numbers = fixedWindow(2);
  Stores All(Numbers, Decisions);
  StoreQueue &Queue = All.of(1);
  EXPECT_EQ(&Queue, &All.of(1));
  EXPECT_NE(&Queue, &All.of(2));
  for (unsigned I = 0; I != Queue.window(); ++I)
    EXPECT_TRUE(Queue.enter(I, /*IsUrgent=*/false));
  os::Threads Threads;
  std::atomic<bool> MayGoOn{true};
  ASSERT_FALSE(Threads.start(
      [&] { MayGoOn.store(Queue.enter(99, /*IsUrgent=*/false)); }));
  All.cancel();
  Threads.join();
  EXPECT_FALSE(MayGoOn.load());
  EXPECT_FALSE(All.of(3).enter(0, /*IsUrgent=*/false));
}

} // namespace
