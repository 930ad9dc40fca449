//===- MemoryWindowTest.cpp - Limits fetches by memory --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/MemoryWindow.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace headstart;

namespace {

constexpr uint64_t MiB = 1 << 20;
constexpr Tuning Numbers;
DecisionCounts Decisions;

/// A machine whose memory is set by the test.
struct Machine {
  std::atomic<uint64_t> Available{1000 * MiB};
  std::atomic<int> Pressure{0};

  MemoryWindow::Reader reader() {
    return [this] {
      os::SystemMemory Memory;
      Memory.TotalBytes = 4000 * MiB;
      Memory.AvailableBytes = Available;
      Memory.PressurePercent = Pressure;
      return Memory;
    };
  }
};

bool hasRoom(MemoryWindow &Window, LinkStage For, bool IsFollowed = false) {
  (void)Window.measureIfDue();
  return Window.hasRoom(For, IsFollowed);
}

TEST(MemoryWindowTest, AmpleMemoryUsesWholeBudget) {
  Machine M;
  MemoryWindow Window(100 * MiB, M.reader(), Numbers, Decisions);
  Window.decide(800 * MiB, true);
  EXPECT_FALSE(Window.isShort());
  Window.add(LinkStage::Parse, 50 * MiB);
  Window.add(LinkStage::DebugSymbols, 49 * MiB);
  EXPECT_TRUE(hasRoom(Window, LinkStage::DebugSymbols));
  Window.add(LinkStage::DebugSymbols, 1 * MiB);
  EXPECT_FALSE(hasRoom(Window, LinkStage::Parse));
}

TEST(MemoryWindowTest, DetectsShortageWhileCounting) {
  Machine M;
  MemoryWindow Window(100 * MiB, M.reader(), Numbers, Decisions);
  EXPECT_FALSE(Window.decide(200 * MiB, false));
  // Memory that the link itself gradually takes does not count.
  M.Available = 300 * MiB;
  EXPECT_FALSE(Window.decide(1000 * MiB, false));
  M.Available = 100 * MiB;
  EXPECT_TRUE(Window.decide(1001 * MiB, false));
  EXPECT_TRUE(Window.isShort());
}

TEST(MemoryWindowTest, ExpectsShortage) {
  Machine M;
  MemoryWindow Window(100 * MiB, M.reader(), Numbers, Decisions);
  EXPECT_FALSE(Window.decide(20 * MiB, false, 1001 * MiB));
  EXPECT_TRUE(Window.mayBeShort());
  EXPECT_FALSE(Window.isShort());
  EXPECT_FALSE(Window.decide(30 * MiB, false, 1000 * MiB));
  EXPECT_FALSE(Window.mayBeShort());
  EXPECT_FALSE(Window.decide(40 * MiB, false, 1001 * MiB));
  // All inputs are counted.
  EXPECT_FALSE(Window.decide(900 * MiB, true, 1001 * MiB));
  EXPECT_FALSE(Window.mayBeShort());
}

TEST(MemoryWindowTest, ShortageIsExpectedFromThenOn) {
  Machine M;
  MemoryWindow Window(100 * MiB, M.reader(), Numbers, Decisions);
  EXPECT_TRUE(Window.decide(1001 * MiB, true));
  EXPECT_TRUE(Window.mayBeShort());
}

TEST(MemoryWindowTest, PartialCountDoesNotShowAmpleMemory) {
  Machine M;
  M.Available = 100 * MiB;
  MemoryWindow Window(100 * MiB, M.reader(), Numbers, Decisions);
  EXPECT_FALSE(Window.decide(20 * MiB, false));
  M.Available = 1000 * MiB; // another process has ended
  EXPECT_FALSE(Window.decide(120 * MiB, false));
  EXPECT_TRUE(Window.decide(1001 * MiB, false));
}

TEST(MemoryWindowTest, ReachedRangesMakeRoom) {
  Machine M;
  MemoryWindow Window(100 * MiB, M.reader(), Numbers, Decisions);
  Window.add(LinkStage::Parse, 60 * MiB);
  Window.add(LinkStage::Contents, 40 * MiB);
  Window.release(1 * MiB);
  EXPECT_TRUE(hasRoom(Window, LinkStage::Types));
  Window.add(LinkStage::Types, 41 * MiB);
  Window.reached(LinkStage::Contents);
  EXPECT_TRUE(hasRoom(Window, LinkStage::Types));
  // Bytes that were released with their stage are not released again.
  Window.release(59 * MiB);
  Window.add(LinkStage::Types, 58 * MiB);
  EXPECT_TRUE(hasRoom(Window, LinkStage::Types));
  // No bytes are ahead for a stage that the linker has reached.
  Window.add(LinkStage::Contents, 500 * MiB);
  EXPECT_TRUE(hasRoom(Window, LinkStage::Types));
  Window.add(LinkStage::Types, 1 * MiB);
  EXPECT_FALSE(hasRoom(Window, LinkStage::Types));
}

TEST(MemoryWindowTest, ShortageLimitsToOneStage) {
  Machine M;
  MemoryWindow Window(1000 * MiB, M.reader(), Numbers, Decisions);
  Window.decide(1001 * MiB, true);
  EXPECT_TRUE(Window.isShort());
  EXPECT_TRUE(hasRoom(Window, LinkStage::Contents));
  Window.reached(LinkStage::Contents);
  EXPECT_TRUE(hasRoom(Window, LinkStage::Types));
  EXPECT_FALSE(hasRoom(Window, LinkStage::DebugSymbols));
}

TEST(MemoryWindowTest, ShortageUsesQuarterOfAvailableMemory) {
  Machine M;
  MemoryWindow Window(1000 * MiB, M.reader(), Numbers, Decisions);
  Window.decide(1200 * MiB, true);
  Window.add(LinkStage::Contents, 249 * MiB);
  EXPECT_TRUE(hasRoom(Window, LinkStage::Contents));
  Window.add(LinkStage::Contents, 1 * MiB);
  EXPECT_FALSE(hasRoom(Window, LinkStage::Contents));
}

TEST(MemoryWindowTest, OnlyFollowedBytesOfBegunStageWait) {
  Machine M;
  MemoryWindow Window(1000 * MiB, M.reader(), Numbers, Decisions);
  Window.decide(1200 * MiB, true);
  Window.reached(LinkStage::Contents);
  Window.add(LinkStage::Contents, 250 * MiB, /*IsFollowed=*/true);
  EXPECT_FALSE(hasRoom(Window, LinkStage::Contents, /*IsFollowed=*/true));
  EXPECT_TRUE(hasRoom(Window, LinkStage::Contents));
  EXPECT_FALSE(hasRoom(Window, LinkStage::Types));
}

TEST(MemoryWindowTest, FullCgroupIsShort) {
  MemoryWindow Window(
      10 * MiB,
      [] {
        os::SystemMemory Memory;
        Memory.AvailableBytes = 1000 * MiB;
        Memory.CgroupAvailableBytes = 0;
        return Memory;
      },
      Numbers, Decisions);
  EXPECT_TRUE(Window.decide(1, false));
}

TEST(MemoryWindowTest, ShrinksWithAvailableMemoryAndPressure) {
  Machine M;
  MemoryWindow Window(1000 * MiB, M.reader(), Numbers, Decisions);
  Window.decide(1200 * MiB, true);
  Window.add(LinkStage::Contents, 124 * MiB);
  M.Available = 500 * MiB;
  EXPECT_TRUE(hasRoom(Window, LinkStage::Contents));
  M.Pressure = 50;
  Window.add(LinkStage::Parse, 0);
  Window.reached(LinkStage::Parse); // changes nothing
  Window.add(LinkStage::Types, 0);
  EXPECT_TRUE(hasRoom(Window, LinkStage::Contents)); // not measured again yet
  Window.add(LinkStage::Parse, 32 * MiB);
  Window.release(32 * MiB);
  EXPECT_FALSE(hasRoom(Window, LinkStage::Contents));
  EXPECT_GE(Decisions.read().at(static_cast<size_t>(Decision::PressureHigh)),
            1U);
}

/// Linux reports how long tasks have waited for memory. A measurement counts
/// what was added since the last one.
TEST(MemoryWindowTest, ShrinksWhileTasksWaitForMemory) {
  Tuning Often;
  Often.MeasureAfter = std::chrono::milliseconds(0);
  std::chrono::hours Stalled(5);
  MemoryWindow Window(
      1000 * MiB,
      [&] {
        os::SystemMemory Memory;
        Memory.AvailableBytes = 400 * MiB;
        Memory.Stalled = Stalled;
        return Memory;
      },
      Often, Decisions);
  Window.decide(1200 * MiB, true);
  EXPECT_EQ(Window.limit(), 100 * MiB);
  ++Stalled;
  EXPECT_TRUE(Window.measureIfDue());
  EXPECT_EQ(Window.limit(), 50 * MiB);
  EXPECT_TRUE(Window.measureIfDue());
  EXPECT_EQ(Window.limit(), 100 * MiB);
}

TEST(MemoryWindowTest, NeverExceedsBudget) {
  Machine M;
  M.Available = 1000 * MiB;
  MemoryWindow Window(10 * MiB, M.reader(), Numbers, Decisions);
  Window.decide(1200 * MiB, true);
  Window.add(LinkStage::Contents, 10 * MiB);
  EXPECT_FALSE(hasRoom(Window, LinkStage::Contents));
}

TEST(MemoryWindowTest, UnknownMemoryIsNotShort) {
  MemoryWindow Window(
      10 * MiB, [] { return os::SystemMemory(); }, Numbers, Decisions);
  Window.decide(UINT64_MAX, true);
  EXPECT_FALSE(Window.isShort());
}

} // namespace
