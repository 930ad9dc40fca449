//===- DeviceModel.h - What a request costs, and how many ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: what is known of a file system's device, measured
/// while it is read. A disk, a share on the network and a lazily loaded mount
/// differ in three numbers: how long a request takes when nothing else is under
/// way (latency), how many bytes come in a second (bandwidth), and how many
/// requests it takes at once. No name of a file system plays a part.
///
/// Where a request takes long, requests are held to what keeps the device busy:
/// with fewer it rests, with more the page that the linker needs now waits
/// behind them. When a request takes longer than latency and bandwidth explain,
/// it has waited, and fewer are under way from then on (as FAST TCP does it:
/// Wei, Jin, Low, Hegde 2006).
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_DEVICEMODEL_H
#define HEADSTART_LIB_ENGINE_DEVICEMODEL_H

#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/Tuning.h"
#include "headstart/Report/Decisions.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <vector>

namespace headstart {

/// Every function may be called from any thread.
class DeviceModel {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Seconds = std::chrono::duration<double>;

  /// \p Numbers must outlive it.
  DeviceModel(uint64_t Device, const Tuning &Numbers, DecisionCounts &Decisions)
      : Device(Device), Numbers(Numbers), Decisions(Decisions) {}

  const uint64_t Device; ///< as in FileIdentity
  /// Whether its files come in large pages, until one has not.
  std::atomic<bool> HasLargePages{true};

  /// Waits until a request may be made for the input at \p Place. Lower places
  /// go first; a request passes another only if there is room for it and none
  /// for the other. \p IsUrgent: the linker waits for it, so that it does not
  /// wait here. False when all is cancelled.
  bool enter(uint64_t Place, bool IsUrgent, bool IsLarge = false);
  /// The request has ended.
  void leave(bool IsLarge = false);

  /// What was made at \p Begin and answered at \p End.
  struct Answer {
    uint64_t Bytes;    ///< none of which were in memory
    unsigned Requests; ///< in so many parts, at the same time
    Time Begin, End;
    bool IsFirst; ///< of its file
    /// How long the thread could have gone on, but had no processor: at most
    /// that.
    Seconds Unscheduled{0};
  };
  void note(const Answer &Done);
  bool isFar() const { return Far.load(std::memory_order_relaxed); }
  /// How long a request takes that does not wait for others; 0: unknown.
  Seconds latency() const;
  /// What one more request, and one more byte, cost while others are under way.
  /// Both take their time, but at the same time: what there was more of until
  /// now, by the time that it takes, costs more.
  RequestCost cost() const;
  /// How many requests may be under way.
  unsigned window() const;
  void cancel();

private:
  struct Waiter {
    os::Condition MayBegin;
    bool IsLarge = false;
  };

  bool mayBegin(bool IsLarge) const;
  Waiter *next() const;
  void wakeNext();
  void noteLatency(double Sample);
  void noteBandwidth(const Answer &Done);
  double requestSeconds() const;
  void adapt(double Ideal, double Took);

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  mutable std::mutex Mutex;
  // All guarded by Mutex:
  std::multimap<uint64_t, Waiter *> Waiting; ///< by places
  unsigned UnderWay = 0, LargeUnderWay = 0;
  double Window = Numbers.FirstWindow;
  bool IsCancelled = false;
  double Latency = 0;                   ///< seconds; 0: not known
  std::vector<double> Latencies;        ///< a group that is not complete yet
  bool HasGroup = false;                ///< one was complete
  double Rate = 0;                      ///< bytes a second; 0: not known
  double MostRequests = 0;              ///< answered in a second
  double AtOnce = Numbers.FirstWindow;  ///< that were answered without a wait
  double RequestTime = 0, ByteTime = 0; ///< seconds, by these numbers
  uint64_t Delivered = 0;               ///< bytes
  Time Since;                           ///< the next two are counted
  uint64_t Bytes = 0, Requests = 0;
  double IdealSum = 0, TookSum = 0;
  unsigned MostUnderWay = 0; ///< since the window was last adapted, as the next
  unsigned Answered = 0;     ///< since the window was last adapted

  std::atomic<bool> Far{false};
};

/// The devices that a link reads from.
class Devices {
public:
  /// \p Numbers must outlive it.
  Devices(const Tuning &Numbers, DecisionCounts &Decisions)
      : Numbers(Numbers), Decisions(Decisions) {}

  DeviceModel &of(uint64_t Device);
  /// Of those that are far, what the one costs whose requests take longest; 0
  /// where there is none.
  RequestCost farthest() const;
  void cancel();

private:
  const Tuning &Numbers;
  DecisionCounts &Decisions;
  mutable std::mutex Mutex;
  std::list<DeviceModel> Known; ///< guarded by Mutex
  bool IsCancelled = false;     ///< the same
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_DEVICEMODEL_H
