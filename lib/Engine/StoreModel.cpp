//===- StoreModel.cpp - The prices of a store -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreModel.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headstart {

/// Most samples of a group wait behind others, so the second shortest counts;
/// another request may have fetched the bytes of the shortest. An old group
/// counts for less and less, because a store may become slower.
void ShortestTime::note(double Seconds) {
  constexpr size_t Rank = 1;
  constexpr double Aging = 1.0005;
  Group.at(Count++) = Seconds;
  if (Count != Samples)
    return;
  Count = 0;
  std::nth_element(Group.begin(), Group.begin() + Rank, Group.end());
  Known = Groups == 0 ? Group[Rank] : std::min(Group[Rank], Known * Aging);
  ++Groups;
}

StoreModel::StoreModel(const Tuning &Numbers)
    : Numbers(Numbers),
      Prices{Numbers.GuessedRequest.count(), Numbers.GuessedByte.count()},
      Window(Numbers.FirstWindow), WindowTime(Numbers.FirstWindowTime.count()) {
  // The guess counts as one window.
  addWindow(Numbers.GuessedRequests, Numbers.GuessedBytes,
            Prices.of(Numbers.GuessedBytes, Numbers.GuessedRequests));
}

void StoreModel::begin(Time Now) {
  if (Began == Time())
    Began = Now;
  if (InFlight++ == 0)
    Since = Now;
}

void StoreModel::end(Time Now) {
  Busy += Seconds(Now - Since).count();
  Since = Now;
  --InFlight;
}

bool StoreModel::noteAnswer(uint64_t NewBytes, unsigned NewRequests,
                            Seconds Elapsed, Seconds Unscheduled) {
  Bytes += double(NewBytes);
  Requests += NewRequests;
  ++Trips;
  TripTime += Elapsed.count();
  UnscheduledTime += Unscheduled.count();
  SquaredBytes += double(NewBytes) * double(NewBytes);
  BytesTimesTime += double(NewBytes) * Elapsed.count();
  SquaredTime += Elapsed.count() * Elapsed.count();
  return Requests >= Numbers.WindowRequests &&
         Busy >= std::max(WindowTime, 2 * Trip);
}

void StoreModel::addWindow(double SomeRequests, double SomeBytes, double Time) {
  const double R = SomeRequests * Numbers.GuessedRequest.count();
  const double B = SomeBytes * Numbers.GuessedByte.count();
  const double Keep = Numbers.Forgetting;
  RR = RR * Keep + R * R;
  RB = RB * Keep + R * B;
  BB = BB * Keep + B * B;
  RT = RT * Keep + R * Time;
  BT = BT * Keep + B * Time;
}

/// Adds this time window's answers relative to their mean, since others slow
/// down all answers of a window alike.
void StoreModel::addAnswers() {
  const double Keep = Numbers.Forgetting;
  Answers = Answers * Keep + Trips - 1;
  NN = NN * Keep + SquaredBytes - Bytes * Bytes / Trips;
  // If answers wait in one line, each takes the time of all bytes in it, so the
  // mean of a window of a few lines hides a part of the slope.
  const double InLine = std::min<double>(Trips, TripTime / Busy);
  const double Shown =
      Trips == 1 ? 1
                 : (Trips - InLine + InLine * (InLine - 1) / (2 * Trips)) /
                       (Trips - 1);
  NT = NT * Keep + (BytesTimesTime - Bytes * TripTime / Trips) / Shown;
  TT = TT * Keep + SquaredTime - TripTime * TripTime / Trips;
}

/// Returns the most seconds that a byte takes: the slope of the answers' times
/// over their bytes, plus two standard errors.
double StoreModel::mostPerByte() const {
  if (Answers <= 1 || Answers < Numbers.WindowRequests || !(NN > 0))
    return std::numeric_limits<double>::infinity();
  const double Slope = std::max(0.0, NT / NN);
  const double Unexplained = std::max(0.0, TT - Slope * NT) / (Answers - 1);
  return Slope + 2 * std::sqrt(Unexplained / NN);
}

void StoreModel::endWindow(uint64_t OthersBytes) {
  const double Keep = Numbers.Forgetting;
  // Others also read while no step was in flight.
  const double All = Seconds(Since - std::exchange(Began, Since)).count();
  const double Others = double(OthersBytes) * std::min(1.0, Busy / All);
  // If the threads of all steps wait for a processor, the store seems busy.
  const double Threads = std::max(1.0, (TripTime + UnscheduledTime) / Busy);
  const double Idle =
      UnscheduledTime == 0
          ? 0
          : std::pow(UnscheduledTime / (TripTime + UnscheduledTime), Threads);
  addWindow(Requests, Bytes + Others, Busy * (1 - Idle));
  ++Samples;
  const double Rate = Trips / Busy;
  BestRate = std::max(BestRate * Keep, Rate);
  const double Mean = TripTime / Trips;
  Trip = Trip == 0 ? Mean : std::min(Trip, Mean);
  Window = std::clamp(Numbers.WindowGain * BestRate * Trip, Numbers.FirstWindow,
                      Numbers.MaxWindow);
  addAnswers();
  estimate();
  WindowTime = std::min(2 * WindowTime, Numbers.WindowTime.count());
  Busy = Requests = Bytes = TripTime = UnscheduledTime = 0;
  SquaredBytes = BytesTimesTime = SquaredTime = 0;
  Trips = 0;
}

/// Estimates the factors by which the prices differ from the guess. If one
/// would be negative, the other explains all of the time. If all requests are
/// alike, the time is divided in the ratio of the guess, whose latency would be
/// FirstWindow * GuessedRequest. If the measured one is longer, maybe only the
/// requests are that much dearer, or both prices: the geometric mean counts.
/// `mostPerByte` bounds the price of a byte, which would seem a hundred times
/// too dear if all requests to a store of high latency are small.
void StoreModel::estimate() {
  const double Dearer =
      latency() == 0 ? 1
                     : std::sqrt(latency() / (Numbers.FirstWindow *
                                              Numbers.GuessedRequest.count()));
  // The sums at these prices of a request.
  const double DR = Dearer * Dearer * RR, DB = Dearer * RB, DT = Dearer * RT;
  // The harmonic mean of DR and BB, so that it does not outweigh the smaller.
  const double Ridge =
      Numbers.RatioWeight * (1 - Numbers.Forgetting) * 2 * DR * BB / (DR + BB);
  const double A = DR + Ridge, B = DB - Ridge, C = BB + Ridge;
  const double Determinant = A * C - B * B;
  double R = Determinant > 0 ? (DT * C - BT * B) / Determinant : 1;
  double Y = Determinant > 0 ? (BT * A - DT * B) / Determinant : 1;
  if (Y < 0)
    R = DT / DR;
  else if (R < 0)
    Y = BT / BB;
  if (const double Most = mostPerByte() / Numbers.GuessedByte.count();
      Y > Most) {
    Y = Most;
    R = (DT - DB * Y) / DR;
  }
  Prices = {std::max(R, 0.0) * Dearer * Numbers.GuessedRequest.count(),
            std::max(Y, 0.0) * Numbers.GuessedByte.count()};
}

} // namespace headstart
