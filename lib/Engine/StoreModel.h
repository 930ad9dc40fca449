//===- StoreModel.h - What a store costs ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the prices of a store (a disk, a share, a mount),
/// estimated while it is read. Pure: the clock is passed in, and nothing is
/// locked. The file system's name plays no part.
///
/// A store has two prices, in seconds of its time: one more request, and one
/// more byte. Over a window of time in which requests were under way,
///
///     time = Request * requests + Byte * bytes
///
/// and least squares over the windows, of which old ones count for less, give
/// both. If all windows have the same mixture of requests and bytes, as they do
/// when all files are fetched by one method, they give the sum alone: then the
/// guess with which the model begins says how much of it is whose (a ridge
/// regression towards the ratio of the guess).
///
/// A store answers several requests at once. How many is what it answers in
/// the time that a round trip takes when few are under way (Little's law).
/// Twice as many may be, so that the number can grow; with many more the
/// linker's own requests would wait behind them (BBR does the same: Cardwell,
/// Cheng, Gunn, Yeganeh, Jacobson 2016).
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_STOREMODEL_H
#define HEADSTART_LIB_ENGINE_STOREMODEL_H

#include "headstart/Plan/Tuning.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headstart {

/// What a store takes of its own time, in seconds.
struct StorePrices {
  double Request = 0; ///< for one more request
  double Byte = 0;    ///< for one more byte

  double of(double Bytes, double Requests) const {
    return Bytes * Byte + Requests * Request;
  }
};

/// The time that something takes if it does not wait for others.
class ShortestTime {
public:
  /// Nothing is known before so many groups of samples.
  explicit ShortestTime(size_t MinGroups) : MinGroups(MinGroups) {}

  /// \p Seconds: how long it took this time.
  void note(double Seconds);
  /// Seconds; 0: not known yet.
  double seconds() const { return Shortest; }

private:
  static constexpr size_t Samples = 8;
  const size_t MinGroups;
  std::array<double, Samples> Group{}; ///< one that is not complete yet
  size_t Count = 0, Groups = 0;
  double Known = 0, Shortest = 0;
};

class StoreModel {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Seconds = std::chrono::duration<double>;

  /// \p Numbers must outlive it.
  explicit StoreModel(const Tuning &Numbers);

  /// A step begins; it may be more than one request.
  void begin(Time Now);
  /// A step has ended.
  void end(Time Now);
  /// The step that has just ended brought \p Bytes in \p Requests, none of
  /// which were cached, and took \p Elapsed.
  void noteAnswer(uint64_t Bytes, unsigned Requests, Seconds Elapsed);
  /// How long a single request took, without the transfer of its bytes, and to
  /// open a file by its name; in seconds.
  void noteLatency(double Seconds) { Latency.note(Seconds); }
  void noteName(double Seconds) { Name.note(Seconds); }

  StorePrices prices() const { return Prices; }
  /// Of a request that waits for no other; seconds; 0: not known yet.
  double latency() const { return Latency.seconds(); }
  double nameLatency() const { return Name.seconds(); }
  /// Of a step, with its bytes, when few were under way; the same.
  double trip() const { return Trip; }
  /// How many steps may be under way.
  unsigned window() const { return static_cast<unsigned>(Window); }
  /// How many windows of time the prices come from.
  unsigned samples() const { return Samples; }

private:
  void addWindow(double SomeRequests, double SomeBytes, double Time);
  void endWindow();
  void estimate();

  const Tuning &Numbers;
  /// One group may be chance, and threads are not taken back. What is done
  /// about slow names costs little, and must be done before all are opened.
  ShortestTime Latency{2}, Name{1};
  StorePrices Prices;
  double Window;
  double WindowTime; ///< seconds that this window of time takes at least
  unsigned Samples = 0;

  // This window of time:
  unsigned InFlight = 0;
  Time Since;      ///< from then on something was under way
  double Busy = 0; ///< seconds in which something was
  double Requests = 0, Bytes = 0;
  unsigned Trips = 0;
  double TripTime = 0; ///< seconds, of all trips together

  /// Sums over the windows, of requests and bytes at their guessed prices:
  /// requests squared, requests times bytes, and so on.
  double RR = 0, RB = 0, BB = 0, RT = 0, BT = 0;
  double BestRate = 0; ///< trips in a second
  double Trip = 0;     ///< seconds: the least mean of a window
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_STOREMODEL_H
