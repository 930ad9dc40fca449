//===- GateTest.cpp - When a step may begin ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/Gate.h"
#include "../../lib/Engine/Fetcher.h"
#include "OS/TestFiles.h"
#include "headstart/Formats/FileInspector.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/LinkStats.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <thread>

using namespace headstart;

namespace {

DecisionCounts Decisions;

uint64_t times(Decision What) {
  return Decisions.read().at(static_cast<size_t>(What));
}

constexpr uint64_t MiB = UINT64_C(1) << 20;

/// A gate for one store with unlimited memory.
struct OneStore {
  const Tuning Numbers;
  Gate All;
  StoreQueue &Queue;
  explicit OneStore(const Tuning &TheNumbers = {})
      : Numbers(TheNumbers),
        All(
            UINT64_MAX, [] { return os::SystemMemory(); }, Numbers, Decisions),
        Queue(All.store(1)) {}
};

StoreQueue::Step inspection(uint32_t Number, bool IsUrgent = false) {
  return {Number, LinkStage::Parse, 0, IsUrgent};
}

/// Returns a tuning for which each store answers \p AtOnce steps at once.
Tuning fixedWindow(unsigned AtOnce) {
  Tuning Numbers;
  Numbers.FirstWindow = Numbers.MaxWindow = AtOnce;
  return Numbers;
}

TEST(GateTest, LinkerReadsNeedNoRoom) {
  OneStore One(fixedWindow(8));
  StoreQueue &Queue = One.Queue;
  for (unsigned I = 0; I != 8; ++I)
    EXPECT_TRUE(Queue.enter(inspection(I)));
  const uint64_t Before = times(Decision::UrgentRequest);
  EXPECT_TRUE(Queue.enter(inspection(99, /*IsUrgent=*/true)));
  EXPECT_EQ(times(Decision::UrgentRequest), Before + 1);
}

/// Makes \p Count requests that take \p Elapsed seconds each; the thread has no
/// processor for \p Unscheduled of them.
void answer(StoreQueue &Queue, unsigned Count, double Elapsed,
            double Unscheduled = 0) {
  for (unsigned I = 0; I != Count; ++I) {
    ASSERT_TRUE(Queue.enter(inspection(I)));
    Queue.leave(
        0, StoreQueue::Answer{
               0, 1, {Tuning::Seconds(Elapsed), Tuning::Seconds(Unscheduled)}});
  }
}

/// A thread that plans a large cached archive makes no request for a long time.
TEST(GateTest, ReadsOfCachedInputsAreProgress) {
  const os::test::TestDirectory Directory;
  const os::OpenFile File = os::test::openOrFail(
      Directory.write("a.lib", os::test::pattern(size_t(8) << 20)));
  const os::PageCache Cache;
  EngineFigures Figures;
  const EngineOptions Options;
  Fetcher Bytes(Options, Cache, Figures);
  const NamedInput Named;
  for (const uint64_t Resident : {2048, 0}) {
    InputEntry Entry(0, Named);
    Entry.Before = os::Residency{Resident, /*TotalPages=*/2048};
    ASSERT_EQ(Entry.isCached(), Resident != 0);
    Entry.Store = &Bytes.gate().store(1);
    const std::unique_ptr<ReadGate> Inspection = Bytes.inspectionGate(Entry);
    FileInspector Inspector;
    Inspector.open(File, Inspection.get());
    for (const uint64_t Offset : {0, 2 << 20, 4 << 20}) {
      const uint64_t Before = Figures.Progress.load();
      ASSERT_TRUE(Inspector.bytes().read({Offset, 16}));
      EXPECT_GT(Figures.Progress.load(), Before) << Resident << " " << Offset;
    }
  }
  // Fetched bytes, and copies of small files.
  const uint64_t Before = Figures.Progress.load();
  Figures.addFetched(1, 1);
  EXPECT_GT(Figures.Progress.load(), Before);
}

TEST(GateTest, BusyProcessorsDoNotCountAsSlowStore) {
  OneStore One;
  StoreQueue &Queue = One.Queue;
  answer(Queue, 100, 5e-3, 4.9e-3);
  EXPECT_EQ(Queue.latency(), 0);
  answer(Queue, 16, 5e-3, 2e-3);
  EXPECT_NEAR(Queue.latency(), 3e-3, 1e-4);
}

TEST(GateTest, IgnoresLookupsThatWaitedForProcessor) {
  OneStore One;
  const Tuning::Seconds Elapsed(1e-3);
  for (unsigned I = 0; I != 100; ++I)
    One.Queue.noteName({Elapsed, Elapsed});
  EXPECT_EQ(One.Queue.nameLatency(), 0);
  for (unsigned I = 0; I != 8; ++I)
    One.Queue.noteName({Elapsed, Elapsed / 4});
  EXPECT_NEAR(One.Queue.nameLatency(), 0.75e-3, 1e-6);
}

TEST(GateTest, SlowNamesMakeTheFirstRequestsExpensive) {
  OneStore One;
  for (unsigned I = 0; I != 8; ++I)
    One.Queue.noteName({Tuning::Seconds(20e-3)});
  EXPECT_NEAR(One.Queue.prices().Request, 20e-3 / 8, 1e-6);
  answer(One.Queue, 1, 1e-4, 0); // one answer is not enough to know better
  EXPECT_NEAR(One.Queue.prices().Request, 20e-3 / 8, 1e-6);
}

/// Whether \p Holds becomes true within a second.
bool becomesTrue(llvm::function_ref<bool()> Holds) {
  for (unsigned I = 0; I != 1000 && !Holds(); ++I)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return Holds();
}

/// A thread that makes a request, and ends it on demand.
struct Requester {
  os::Threads Thread;
  std::atomic<bool> HasBegun{false};

  Requester(StoreQueue &Queue, const StoreQueue::Step &Wanted) {
    EXPECT_FALSE(Thread.start(
        [this, &Queue, Wanted] { HasBegun.store(Queue.enter(Wanted)); }));
  }
  bool begins() {
    return becomesTrue([&] { return HasBegun.load(); });
  }
};

TEST(GateTest, LowerPlacesEnterFirst) {
  OneStore One(fixedWindow(1));
  StoreQueue &Queue = One.Queue;
  const uint64_t Before = times(Decision::WaitedForStore);
  auto Wait = [&](unsigned Count) {
    return becomesTrue(
        [&] { return times(Decision::WaitedForStore) == Before + Count; });
  };
  ASSERT_TRUE(Queue.enter(inspection(0)));
  Requester Second(Queue, inspection(2));
  EXPECT_TRUE(Wait(1));
  Requester First(Queue, inspection(1));
  EXPECT_TRUE(Wait(2));
  Queue.leave(0, std::nullopt);
  EXPECT_TRUE(First.begins());
  EXPECT_FALSE(Second.HasBegun);
  Queue.leave(0, std::nullopt);
  EXPECT_TRUE(Second.begins());
  One.All.cancel();
}

TEST(GateTest, WindowFollowsAnswers) {
  Tuning Numbers = fixedWindow(1);
  Numbers.MaxWindow = 64;
  Numbers.FirstWindowTime = Numbers.WindowTime = Tuning::Seconds(0);
  OneStore One(Numbers);
  StoreQueue &Queue = One.Queue;
  auto Steps = [&] { return One.All.figures().front().AtOnce; };
  const uint64_t Grew = times(Decision::WindowGrew);
  const uint64_t Shrank = times(Decision::WindowShrank);
  // These answers come sooner one after the other than each takes.
  answer(Queue, 16, 10e-3);
  EXPECT_GT(Steps(), 1U);
  EXPECT_EQ(times(Decision::WindowGrew), Grew + 1);
  EXPECT_EQ(times(Decision::WindowShrank), Shrank);
  while (Steps() > 1)
    answer(Queue, 1, 0);
  EXPECT_EQ(times(Decision::WindowShrank), Shrank + 1);
}

/// Returns a tuning for which a store is known after one window of answers.
Tuning knownSoon() {
  Tuning Numbers = fixedWindow(8);
  Numbers.FirstWindowTime = Tuning::Seconds(0);
  return Numbers;
}

/// Returns how many steps in large pages may be in flight.
unsigned largeWindow(StoreQueue &Queue) {
  unsigned Begun = 0;
  while (true) {
    EXPECT_TRUE(Queue.enter(inspection(0, /*IsUrgent=*/true)));
    if (!Queue.beginLarge())
      break;
    ++Begun;
  }
  for (unsigned I = 0; I <= Begun; ++I)
    Queue.leave(0, std::nullopt);
  return Begun;
}

/// Ends a step in large pages that is alone in flight.
void endLarge(StoreQueue &Queue, bool HasArrived) {
  ASSERT_TRUE(Queue.enter(inspection(0)));
  const std::optional<unsigned> Number = Queue.beginLarge();
  ASSERT_TRUE(Number);
  Queue.noteLarge(*Number, HasArrived);
  Queue.leave(0, std::nullopt);
}

TEST(GateTest, FewStepsAreInFlightBesideLargePages) {
  OneStore One(knownSoon());
  StoreQueue &Queue = One.Queue;
  EXPECT_FALSE(Queue.mayBeLarge(16));
  answer(Queue, 16, 5e-3);
  ASSERT_TRUE(Queue.mayBeLarge(16));
  // While the result of the first step is unknown, no other tries.
  ASSERT_TRUE(Queue.enter(inspection(0)));
  const std::optional<unsigned> First = Queue.beginLarge();
  EXPECT_FALSE(Queue.mayBeLarge(16));
  EXPECT_FALSE(Queue.beginLarge());
  Queue.noteLarge(*First, true);
  Queue.leave(0, std::nullopt);
  EXPECT_TRUE(Queue.mayBeLarge(16));
  EXPECT_GE(largeWindow(Queue), One.Numbers.MaxWindow);
  endLarge(Queue, false);
  const unsigned Before = largeWindow(Queue);
  EXPECT_EQ(Before, One.Numbers.FailedLargeWindow);
  for (unsigned I = 0; I != One.Numbers.WindowRequests; ++I)
    endLarge(Queue, true);
  EXPECT_EQ(largeWindow(Queue), Before + 1);
  endLarge(Queue, false);
  EXPECT_EQ(largeWindow(Queue), Before);
  // Those that were in flight together failed for one reason.
  for (unsigned I = 0; I != 3; ++I)
    ASSERT_TRUE(Queue.enter(inspection(I)));
  const std::optional<unsigned> Together[] = {
      Queue.beginLarge(), Queue.beginLarge(), Queue.beginLarge()};
  for (const std::optional<unsigned> Each : Together) {
    Queue.noteLarge(*Each, false);
    Queue.leave(0, std::nullopt);
  }
  EXPECT_EQ(largeWindow(Queue), Before - 1);
  // A store that has answered one is tried again.
  for (unsigned I = 0; I != 10; ++I)
    endLarge(Queue, false);
  EXPECT_EQ(largeWindow(Queue), 1U);
  EXPECT_TRUE(Queue.mayBeLarge(16));
  // But more small requests may be in flight than that.
  EXPECT_FALSE(Queue.mayBeLarge(1));
}

TEST(GateTest, LargePagesThatNeverArriveAreNotTriedAgain) {
  OneStore One(knownSoon());
  StoreQueue &Queue = One.Queue;
  answer(Queue, 16, 5e-3);
  for (unsigned I = 0; I <= One.Numbers.FailedLargeWindow; ++I) {
    ASSERT_TRUE(Queue.mayBeLarge(16));
    endLarge(Queue, false);
  }
  EXPECT_FALSE(Queue.mayBeLarge(16));
  // A step that was meant to be large before begins nevertheless.
  StoreQueue::Step Large = inspection(0);
  Large.IsLarge = true;
  ASSERT_TRUE(Queue.enter(Large));
  EXPECT_FALSE(Queue.beginLarge());
  Queue.leave(0, std::nullopt);
}

TEST(GateTest, CancelEndsWaits) {
  OneStore One(fixedWindow(2));
  StoreQueue &Queue = One.Queue;
  EXPECT_EQ(&Queue, &One.All.store(1));
  EXPECT_NE(&Queue, &One.All.store(2));
  for (unsigned I = 0; I != 2; ++I)
    EXPECT_TRUE(Queue.enter(inspection(I)));
  os::Threads Threads;
  std::atomic<bool> MayGoOn{true};
  ASSERT_FALSE(
      Threads.start([&] { MayGoOn.store(Queue.enter(inspection(99))); }));
  One.All.cancel();
  Threads.join();
  EXPECT_FALSE(MayGoOn.load());
  EXPECT_FALSE(One.All.store(3).enter(inspection(0)));
}

/// A gate with a budget of 10 MiB.
struct Budget {
  const Tuning Numbers;
  std::atomic<uint64_t> Available{1000 * MiB};
  Gate All;
  explicit Budget(const Tuning &TheNumbers = {})
      : Numbers(TheNumbers), All(
                                 10 * MiB,
                                 [this] {
                                   os::SystemMemory Memory;
                                   Memory.TotalBytes = 4000 * MiB;
                                   Memory.AvailableBytes = Available;
                                   return Memory;
                                 },
                                 Numbers, Decisions) {}
};

StoreQueue::Step fetch(LinkStage Stage, uint64_t Bytes, uint32_t Number = 1) {
  return {Number, Stage, Bytes, false};
}

TEST(GateTest, StepWithoutMemoryWaitsForLinker) {
  Budget Of;
  StoreQueue &Queue = Of.All.store(1);
  ASSERT_TRUE(Queue.enter(fetch(LinkStage::Contents, 10 * MiB)));
  Requester Types(Queue, fetch(LinkStage::Types, MiB));
  while (Of.All.waiting() == 0)
    std::this_thread::yield();
  EXPECT_GE(times(Decision::WaitedForMemory), 1U);
  // Inspections and steps that the linker waits for need no room.
  EXPECT_TRUE(Queue.enter(inspection(7)));
  EXPECT_TRUE(Queue.enter({8, LinkStage::Parse, MiB, /*IsUrgent=*/true}));
  EXPECT_FALSE(Types.HasBegun);
  Of.All.reached(LinkStage::Contents);
  EXPECT_TRUE(Types.begins());
}

TEST(GateTest, EarlierNeedGetsRoomFirst) {
  Budget Of;
  StoreQueue &Queue = Of.All.store(1);
  ASSERT_TRUE(Queue.enter(fetch(LinkStage::Parse, 10 * MiB)));
  Requester Second(Queue, fetch(LinkStage::Parse, 10 * MiB, 3));
  while (Of.All.waiting() != 1)
    std::this_thread::yield();
  Requester First(Queue, fetch(LinkStage::Parse, 10 * MiB, 2));
  while (Of.All.waiting() != 2)
    std::this_thread::yield();
  Of.All.release(10 * MiB);
  EXPECT_TRUE(First.begins());
  EXPECT_FALSE(Second.HasBegun);
  Of.All.release(10 * MiB);
  EXPECT_TRUE(Second.begins());
}

TEST(GateTest, RecoveredMemoryMakesRoom) {
  Tuning Soon;
  Soon.MeasureAfter = std::chrono::milliseconds(1);
  Budget Of(Soon);
  Of.Available = 1;
  Of.All.memory().decide(400 * MiB, true);
  ASSERT_TRUE(Of.All.memory().isShort());
  const uint64_t Before = times(Decision::MeasuredWaiting);
  // No fetched bytes are ahead that the linker could reach.
  EXPECT_TRUE(Of.All.store(1).enter(fetch(LinkStage::Parse, MiB),
                                    [&] { Of.Available = 400 * MiB; }));
  EXPECT_EQ(times(Decision::MeasuredWaiting), Before + 1);
  EXPECT_EQ(Of.All.memory().limit(), 10 * MiB);
}

TEST(GateTest, CancelEndsMemoryWait) {
  Budget Of;
  StoreQueue &Queue = Of.All.store(1);
  ASSERT_TRUE(Queue.enter(fetch(LinkStage::Types, 10 * MiB)));
  std::thread End([&] { Of.All.cancel(); });
  EXPECT_FALSE(Queue.enter(fetch(LinkStage::Types, MiB)));
  End.join();
}

} // namespace
