//===- StoreModel.h - The prices of a store ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the prices of a store (a device, a share, a mount),
/// estimated while it is read, without a clock or a lock. Over a window of time
/// in which requests were in flight, and others may have read as well,
///
///     time = Request * requests + Byte * bytes
///
/// and least squares over the windows, of which old ones count for less, give
/// both prices. If all windows have the same mixture of requests and bytes,
/// they give only the sum. The guess with which the model begins then divides
/// it (a ridge regression towards the ratio of the guess). The slope of single
/// answers' times over their bytes bounds the price of a byte.
///
/// A store answers as many requests at once as it answers in the time that a
/// round trip takes when few are in flight (Little's law). The window is twice
/// that number, so that it can grow. With many more the linker's own requests
/// would wait behind them (as in BBR: Cardwell, Cheng, Gunn, Yeganeh, Jacobson
/// 2016).
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_STOREMODEL_H
#define HEADSTART_LIB_ENGINE_STOREMODEL_H

#include "headstart/Plan/Tuning.h"
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headstart {

/// The prices of a store, in seconds of its time.
struct StorePrices {
  double Request = 0; ///< for one more request
  double Byte = 0;    ///< for one more byte

  double of(double Bytes, double Requests) const {
    return Bytes * Byte + Requests * Request;
  }
};

/// The time that an operation takes if it does not wait for others.
class ShortestTime {
public:
  /// The time is unknown before \p MinGroups groups of samples.
  explicit ShortestTime(size_t MinGroups) : MinGroups(MinGroups) {}

  void note(double Seconds);
  /// Seconds; 0: not known yet.
  double seconds() const { return Groups < MinGroups ? 0 : Known; }

private:
  static constexpr size_t Samples = 8;
  const size_t MinGroups;
  std::array<double, Samples> Group{}; ///< the one that is not complete yet
  size_t Count = 0, Groups = 0;
  double Known = 0;
};

class StoreModel {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Seconds = Tuning::Seconds;

  /// \p Numbers must outlive it.
  explicit StoreModel(const Tuning &Numbers);

  /// Notes that a step begins, which may be more than one request.
  void begin(Time Now);
  void end(Time Now);
  /// Notes that the step that has just ended fetched \p Bytes, none of which
  /// were cached, in \p Requests, and took \p Elapsed and the time \p
  /// Unscheduled, in which its thread had no processor. Returns whether a time
  /// window is complete; then call `endWindow`.
  bool noteAnswer(uint64_t Bytes, unsigned Requests, Seconds Elapsed,
                  Seconds Unscheduled);
  /// Ends a time window in which others read \p OthersBytes from the store, in
  /// an unknown number of requests.
  void endWindow(uint64_t OthersBytes);
  /// Notes how many seconds a single request took, without the transfer of its
  /// bytes, and how many seconds opening a file by its name took.
  void noteLatency(double Seconds) { Latency.note(Seconds); }
  void noteName(double Seconds) { Name.note(Seconds); }

  StorePrices prices() const { return Prices; }
  /// The seconds of a request that waits for no other; 0: not known yet.
  double latency() const { return Latency.seconds(); }
  double nameLatency() const { return Name.seconds(); }
  /// The number of steps that are in flight, and that may be.
  unsigned inFlight() const { return InFlight; }
  unsigned window() const { return static_cast<unsigned>(Window); }
  /// The number of time windows from which the prices come.
  unsigned samples() const { return Samples; }

private:
  void addWindow(double SomeRequests, double SomeBytes, double Time);
  void addAnswers();
  double mostPerByte() const;
  void estimate();

  const Tuning &Numbers;
  /// One group may be chance, and started threads are not stopped, so Latency
  /// needs two. The measures against slow names cost little and must come
  /// before all names are opened, so Name needs one.
  ShortestTime Latency{2}, Name{1};
  StorePrices Prices;
  double Window;
  double WindowTime; ///< the least seconds of this time window
  unsigned Samples = 0;

  // This time window:
  unsigned InFlight = 0;
  Time Since;      ///< steps have been in flight since then
  Time Began;      ///< the time of the first step in it, or its beginning
  double Busy = 0; ///< seconds with steps in flight
  double Requests = 0, Bytes = 0;
  unsigned Trips = 0;
  double TripTime = 0;        ///< seconds, of all trips together
  double UnscheduledTime = 0; ///< seconds that these took as well
  double SquaredBytes = 0, BytesTimesTime = 0, SquaredTime = 0; ///< of answers

  /// Sums over the windows, of requests and bytes at their guessed prices:
  /// requests squared, requests times bytes, and so on.
  double RR = 0, RB = 0, BB = 0, RT = 0, BT = 0;
  /// The number of answers, and sums over their bytes (N) and seconds (T).
  double Answers = 0, NN = 0, NT = 0, TT = 0;
  double BestRate = 0; ///< trips per second
  /// Seconds: the least mean of a window. Even if the store becomes slower, it
  /// answers as many requests at once.
  double Trip = 0;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_STOREMODEL_H
