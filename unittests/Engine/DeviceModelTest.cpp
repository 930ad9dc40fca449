//===- DeviceModelTest.cpp - What a request costs, and how many -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/DeviceModel.h"
#include "headstart/OS/Threads.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <atomic>
#include <queue>
#include <thread>
#include <vector>

using namespace headstart;

namespace {

/// A device by its three numbers, in a time of its own. As many requests are
/// under way as the model allows.
struct PlayedDevice {
  double Latency;        ///< seconds
  double BytesPerSecond; ///< of all requests together
  unsigned AtOnce;
  double Now = 0;

  struct Request {
    double Begin, End;
    bool operator<(const Request &Other) const { return End > Other.End; }
  };

  /// Reads \p Files files of \p Bytes, and tells \p Model. Returns how long
  /// that takes.
  double read(DeviceModel &Model, unsigned Files, uint64_t Bytes) {
    const DeviceModel::Time Origin{std::chrono::hours(1)};
    auto At = [&](double Seconds) {
      return Origin + std::chrono::duration_cast<DeviceModel::Time::duration>(
                          DeviceModel::Seconds(Seconds));
    };
    std::priority_queue<Request> UnderWay;
    std::vector<double> Servers(AtOnce, Now);
    const double Start = Now;
    double Line = Now;
    while (Files != 0 || !UnderWay.empty()) {
      while (Files != 0 && UnderWay.size() < Model.window()) {
        --Files;
        EXPECT_TRUE(Model.enter(Files, /*IsUrgent=*/true));
        auto Server = std::min_element(Servers.begin(), Servers.end());
        *Server = std::max(Now, *Server) + Latency;
        Line = std::max(Line, *Server) + double(Bytes) / BytesPerSecond;
        UnderWay.push({Now, Line});
      }
      Request Done = UnderWay.top();
      UnderWay.pop();
      Now = Done.End;
      Model.leave();
      Model.note({Bytes, 1, At(Done.Begin), At(Now), /*IsFirst=*/true});
    }
    return Now - Start;
  }
};

constexpr uint64_t KiB = 1024;
constexpr Tuning Numbers;
DecisionCounts Decisions;

TEST(DeviceModelTest, ADiskOfThisMachineIsNotFar) {
  DeviceModel Model(1, Numbers, Decisions);
  PlayedDevice{100e-6, 1.5e9, 32}.read(Model, 2000, 16 * KiB);
  EXPECT_FALSE(Model.isFar());
  EXPECT_EQ(8U, Model.window());
}

TEST(DeviceModelTest, WhatIsFarGetsAsManyAsItTakesAtOnce) {
  for (unsigned AtOnce : {12U, 24U, 48U}) {
    DeviceModel Model(1, Numbers, Decisions);
    PlayedDevice Device{20e-3, 1e9, AtOnce};
    const double Took = Device.read(Model, 3000, 32 * KiB);
    EXPECT_TRUE(Model.isFar());
    EXPECT_GE(Model.window(), AtOnce * 3 / 4);
    // As if all of them had been under way from the first moment on.
    EXPECT_LE(Took, 1.25 * 3000 * 20e-3 / AtOnce);
    EXPECT_NEAR(20e-3 / AtOnce, Model.cost().Request, 20e-3 / AtOnce * 3);
  }
}

TEST(DeviceModelTest, ManyUnderWayAreNoUseToASlowLine) {
  DeviceModel Model(1, Numbers, Decisions);
  const double Took = PlayedDevice{5e-3, 50e6, 64}.read(Model, 1000, 512 * KiB);
  EXPECT_TRUE(Model.isFar());
  EXPECT_LE(Model.window(), Numbers.MaxWindow / 2);
  EXPECT_LE(Took, 1.05 * (1000 * 512 * KiB) / 50e6 + 0.1);
  EXPECT_NEAR(1 / 50e6, Model.cost().Byte, 0.2 / 50e6);
}

TEST(DeviceModelTest, WhatThereWasMoreOfCostsMore) {
  DeviceModel Model(1, Numbers, Decisions);
  PlayedDevice Device{20e-3, 200e6, 12};
  Device.read(Model, 100, 1024 * KiB);
  Device.read(Model, 4000, 16 * KiB); // 6.7 s of requests, 0.3 s of bytes
  const double Alone =
      20e-3 / 12 * 200e6; // bytes that come in a request's time
  EXPECT_GT(double(Model.cost().gapBytes()), 1.5 * Alone);
}

TEST(DeviceModelTest, TheLinkersOwnNeedsNoRoom) {
  DeviceModel Model(1, Numbers, Decisions);
  PlayedDevice{20e-3, 1e9, 12}.read(Model, 16, 32 * KiB);
  for (unsigned I = 0; I != Model.window(); ++I)
    EXPECT_TRUE(Model.enter(I, /*IsUrgent=*/false));
  EXPECT_TRUE(Model.enter(99, /*IsUrgent=*/true));
}

/// Requests of a store that answers in \p Took seconds, of which the thread was
/// without a processor for \p Unscheduled.
void answer(DeviceModel &Model, unsigned Count, double Took,
            double Unscheduled = 0) {
  const DeviceModel::Time Begin{std::chrono::hours(1)};
  for (unsigned I = 0; I != Count; ++I)
    Model.note({0, 1, Begin,
                Begin + std::chrono::duration_cast<DeviceModel::Time::duration>(
                            DeviceModel::Seconds(Took)),
                /*IsFirst=*/true, DeviceModel::Seconds(Unscheduled)});
}

TEST(DeviceModelTest, BusyProcessorsDoNotMakeADiskRemote) {
  DeviceModel Model(1, Numbers, Decisions);
  answer(Model, 100, 5e-3, 4.9e-3);
  EXPECT_FALSE(Model.isFar());
}

TEST(DeviceModelTest, SomeSlowAnswersDoNotMakeADiskRemote) {
  DeviceModel Model(1, Numbers, Decisions);
  // Six of eight wait behind what other threads fetch.
  for (unsigned Round = 0; Round != 20; ++Round) {
    answer(Model, 6, 5e-3);
    answer(Model, 2, 1e-4);
  }
  EXPECT_FALSE(Model.isFar());
  // One group may be chance.
  DeviceModel Other(2, Numbers, Decisions);
  answer(Other, 8, 5e-3);
  EXPECT_FALSE(Other.isFar());
  answer(Other, 8, 5e-3);
  EXPECT_TRUE(Other.isFar());
  // And it is not for ever.
  answer(Other, 8, 1e-4);
  EXPECT_FALSE(Other.isFar());
}

/// A thread that makes a request, and ends it when it is told to.
struct Requester {
  os::Threads Thread;
  std::atomic<bool> HasBegun{false};

  Requester(DeviceModel &Model, uint64_t Place, bool IsLarge) {
    EXPECT_FALSE(Thread.start([this, &Model, Place, IsLarge] {
      HasBegun.store(Model.enter(Place, /*IsUrgent=*/false, IsLarge));
    }));
  }
  bool begins() {
    for (unsigned I = 0; I != 1000 && !HasBegun; ++I)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return HasBegun;
  }
};

TEST(DeviceModelTest, ASmallRequestDoesNotWaitBehindALargeOne) {
  Tuning One = Numbers;
  One.FirstWindow = One.MaxWindow = 3;
  One.MaxLargeRequests = 1;
  DeviceModel Model(1, One, Decisions);
  answer(Model, 16, 20e-3);
  ASSERT_TRUE(Model.isFar());
  for (bool IsLarge : {true, false, false})
    ASSERT_TRUE(Model.enter(0, /*IsUrgent=*/false, IsLarge));
  Requester Large(Model, 1, /*IsLarge=*/true);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Requester Small(Model, 2, /*IsLarge=*/false);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // There is room for a small one, and none for a large one.
  Model.leave(/*IsLarge=*/false);
  EXPECT_TRUE(Small.begins());
  EXPECT_FALSE(Large.HasBegun);
  Model.leave(/*IsLarge=*/true);
  EXPECT_TRUE(Large.begins());
  Model.cancel();
}

TEST(DeviceModelTest, AfterCancelNobodyWaits) {
  Devices All(Numbers, Decisions);
  DeviceModel &Model = All.of(1);
  EXPECT_EQ(&Model, &All.of(1));
  EXPECT_NE(&Model, &All.of(2));
  PlayedDevice{20e-3, 1e9, 12}.read(Model, 16, 32 * KiB);
  for (unsigned I = 0; I != Model.window(); ++I)
    EXPECT_TRUE(Model.enter(I, /*IsUrgent=*/false));
  os::Threads Threads;
  std::atomic<bool> MayGoOn{true};
  ASSERT_FALSE(Threads.start(
      [&] { MayGoOn.store(Model.enter(99, /*IsUrgent=*/false)); }));
  All.cancel();
  Threads.join();
  EXPECT_FALSE(MayGoOn.load());
  EXPECT_FALSE(All.of(3).enter(0, /*IsUrgent=*/false));
}

} // namespace
