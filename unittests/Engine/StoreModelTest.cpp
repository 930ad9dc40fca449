//===- StoreModelTest.cpp - The prices of a store -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/StoreModel.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <queue>
#include <random>
#include <vector>

using namespace headstart;

namespace {

constexpr uint64_t KiB = 1024;
constexpr Tuning Numbers;

/// A simulated store with its own clock. As many steps are under way as the
/// model allows, but no more than there are threads.
struct SimulatedStore {
  double Latency;        ///< seconds
  double BytesPerSecond; ///< of all requests together
  unsigned AtOnce;
  double PerRequest = 0; ///< seconds during which no other request begins
  unsigned Threads = 64;
  double Others = 0; ///< bytes of others for each byte of the model's steps
  double Unscheduled = 0;  ///< of an answer's time, the share without processor
  bool OthersWait = false; ///< until no step is in flight
  uint64_t Larger = 1; ///< how many times as large about half of the files are
  std::minstd_rand Random = std::minstd_rand(1);
  double Now = 0;

  struct Step {
    double Begin, End;
    uint64_t Bytes;
    bool operator<(const Step &Other) const { return End > Other.End; }
  };

  /// Reads \p Files files of \p Size bytes, each in one request. Returns the
  /// seconds that this takes.
  double read(StoreModel &Model, unsigned Files, uint64_t Size) {
    auto At = [](double Seconds) {
      return StoreModel::Time(std::chrono::hours(1)) +
             std::chrono::duration_cast<StoreModel::Time::duration>(
                 StoreModel::Seconds(Seconds));
    };
    std::priority_queue<Step> InFlight;
    std::vector<double> Servers(AtOnce, Now);
    const double Start = Now;
    double Line = Now, Seen = 0;
    while (Files != 0 || !InFlight.empty()) {
      while (Files != 0 &&
             InFlight.size() < std::min(Threads, Model.window())) {
        --Files;
        const uint64_t Bytes = Random() % 2 == 0 ? Size : Size * Larger;
        Model.begin(At(Now));
        auto Server = std::min_element(Servers.begin(), Servers.end());
        *Server = std::max(Now, *Server) + Latency;
        Line = std::max(Line + PerRequest, *Server) +
               (OthersWait ? 1 : 1 + Others) * double(Bytes) / BytesPerSecond;
        InFlight.push({Now, Line, Bytes});
      }
      const Step Done = InFlight.top();
      const uint64_t Bytes = Done.Bytes;
      InFlight.pop();
      Now = Done.End;
      Model.end(At(Now));
      if (OthersWait)
        Line = Now += Others * double(Bytes) / BytesPerSecond;
      Seen += double(Bytes);
      const StoreModel::Seconds All(Now - Done.Begin);
      if (Model.noteAnswer(Bytes, 1, All * (1 - Unscheduled),
                           All * Unscheduled)) {
        Model.endWindow(static_cast<uint64_t>(Others * Seen));
        Seen = 0;
      }
      Model.noteLatency(Now - Done.Begin - double(Bytes) / BytesPerSecond);
    }
    return Now - Start;
  }
};

TEST(StoreModelTest, BeginsWithGuess) {
  const StoreModel Model(Numbers);
  EXPECT_NEAR(Model.prices().Request, Numbers.GuessedRequest.count(), 1e-9);
  EXPECT_NEAR(Model.prices().Byte, Numbers.GuessedByte.count(), 1e-12);
  EXPECT_EQ(Model.latency(), 0);
  EXPECT_EQ(Model.window(), 8U);
}

TEST(StoreModelTest, LearnsPricesOfLocalDisk) {
  StoreModel Model(Numbers);
  SimulatedStore Disk{100e-6, 1.5e9, 32, 0, 8};
  for (unsigned Round = 0; Round != 20; ++Round) {
    Disk.read(Model, 64, 4 * KiB);
    Disk.read(Model, 16, 512 * KiB);
  }
  // With eight threads, a request costs an eighth of the latency.
  EXPECT_NEAR(Model.prices().Request, 100e-6 / 8, 10e-6);
  EXPECT_NEAR(Model.prices().Byte, 1 / 1.5e9, 0.3 / 1.5e9);
  EXPECT_NEAR(Model.latency(), 100e-6, 20e-6);
  EXPECT_LE(Model.window(), Numbers.WindowGain * 8);
}

TEST(StoreModelTest, LearnsPriceOfRequests) {
  StoreModel Model(Numbers);
  SimulatedStore Volume{500e-6, 1e9, 64, 1 / 2000.0, 8};
  for (unsigned Round = 0; Round != 20; ++Round) {
    Volume.read(Model, 64, 4 * KiB);
    Volume.read(Model, 16, 512 * KiB);
  }
  // The guess was 10 us. The model attributes some of the time to the bytes.
  EXPECT_GT(Model.prices().Request, 0.4 / 2000);
  EXPECT_LT(Model.prices().Request, 1 / 2000.0);
  EXPECT_LT(Model.prices().Byte, 3e-9);
}

TEST(StoreModelTest, OthersTakeTheirShareOfTheTime) {
  StoreModel Model(Numbers);
  SimulatedStore{100e-6, 500e6, 32, 0, 8, /*Others=*/1}.read(Model, 1000,
                                                             512 * KiB);
  EXPECT_NEAR(Model.prices().Byte, 1 / 500e6, 0.2 / 500e6);
}

TEST(StoreModelTest, OthersReadWhileNoStepIsInFlight) {
  // After each of 1,000 steps, others read ten times its bytes at that speed.
  StoreModel Model(Numbers);
  SimulatedStore Disk{100e-6, 500e6, 32, 0, 1, /*Others=*/10};
  Disk.OthersWait = true;
  Disk.read(Model, 1000, 512 * KiB);
  EXPECT_NEAR(Model.prices().Byte, 0.5 / 500e6, 0.3 / 500e6);
}

TEST(StoreModelTest, WaitForProcessorIsNoTimeOfTheStore) {
  // The only thread waits half of the time.
  StoreModel One(Numbers);
  SimulatedStore{200e-6, 500e6, 32, 0, 1, 0, /*Unscheduled=*/0.5}.read(
      One, 1000, 512 * KiB);
  EXPECT_NEAR(One.prices().Byte, 0.5 / 500e6, 0.15 / 500e6);
  // While one of eight waits, the store works for the others.
  StoreModel Eight(Numbers);
  SimulatedStore{200e-6, 500e6, 32, 0, 8, 0, 0.5}.read(Eight, 1000, 512 * KiB);
  EXPECT_NEAR(Eight.prices().Byte, 1 / 500e6, 0.15 / 500e6);
  StoreModel Never(Numbers);
  SimulatedStore{200e-6, 500e6, 32, 0, 8, 0, 1}.read(Never, 1000, 512 * KiB);
  EXPECT_LT(Never.prices().Byte, Numbers.GuessedByte.count());
  EXPECT_EQ(Never.window(), Numbers.FirstWindow);
}

TEST(StoreModelTest, HighLatencyStoreGetsItsConcurrency) {
  for (unsigned AtOnce : {12U, 24U, 48U}) {
    StoreModel Model(Numbers);
    const double Elapsed =
        SimulatedStore{20e-3, 1e9, AtOnce}.read(Model, 3000, 32 * KiB);
    EXPECT_GE(Model.window(), AtOnce);
    // As fast as if all of them were under way from the first moment.
    EXPECT_LE(Elapsed, 1.15 * 3000 * 20e-3 / AtOnce);
  }
}

TEST(StoreModelTest, SmallRequestsDoNotMakeBytesExpensive) {
  // With eight threads, a request costs an eighth of the latency. The ratio of
  // the guess would attribute 60 ns to each byte.
  StoreModel Model(Numbers);
  SimulatedStore Share{20e-3, 300e6, 32, 0, 8};
  Share.Larger = 4;
  Share.read(Model, 2000, 4 * KiB);
  EXPECT_NEAR(Model.prices().Request, 20e-3 / 8, 1e-4);
  EXPECT_LT(Model.prices().Byte, 10e-9);
  EXPECT_GT(Model.prices().Byte, 0.4 / 300e6);
}

TEST(StoreModelTest, HighLatencyMakesRequestsExpensive) {
  // All requests are alike. The ratio of a local disk would attribute nine
  // tenths of their time to the bytes.
  StoreModel Model(Numbers);
  SimulatedStore{20e-3, 1e9, 12}.read(Model, 2000, 128 * KiB);
  EXPECT_GT(Model.prices().Request, 0.4 * 20e-3 / 12);
  EXPECT_LT(Model.prices().Request, 20e-3 / 12);
}

TEST(StoreModelTest, LineDoesNotHideThePriceOfBytes) {
  StoreModel Model(Numbers);
  SimulatedStore Disk{100e-6, 100e6, 32, 0, 32};
  Disk.read(Model, 16, 512); // the first inspections show the latency
  Disk.Larger = 8;
  Disk.read(Model, 2000, 64 * KiB);
  EXPECT_NEAR(Model.prices().Byte, 1 / 100e6, 0.1 / 100e6);
  EXPECT_LT(Model.prices().Request, 200e-6);
}

TEST(StoreModelTest, SlowLineGetsFewRequests) {
  StoreModel Model(Numbers);
  const double Elapsed =
      SimulatedStore{5e-3, 50e6, 64}.read(Model, 1000, 512 * KiB);
  EXPECT_LE(Model.window(), Numbers.MaxWindow / 2);
  EXPECT_LE(Elapsed, 1.05 * (1000 * 512 * KiB) / 50e6 + 0.1);
}

TEST(StoreModelTest, IgnoresOneSlowGroup) {
  ShortestTime Latency(2);
  for (unsigned I = 0; I != 8; ++I)
    Latency.note(5e-3);
  EXPECT_EQ(Latency.seconds(), 0);
  // Six of eight requests wait for others.
  for (unsigned I = 0; I != 8; ++I)
    Latency.note(I < 2 ? 1e-4 : 5e-3);
  EXPECT_NEAR(Latency.seconds(), 1e-4, 1e-6);
}

} // namespace
