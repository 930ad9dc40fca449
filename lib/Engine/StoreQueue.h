//===- StoreQueue.h - Which request is next ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the queue in front of a store. As many steps are
/// under way as the store answers at once (StoreModel.h): with fewer it idles,
/// with more the page that the linker needs now waits behind them.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_STOREQUEUE_H
#define HEADSTART_LIB_ENGINE_STOREQUEUE_H

#include "StoreModel.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/Decisions.h"
#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace headstart {

struct StoreFigures;

/// Every function may be called from any thread.
class StoreQueue {
public:
  using Time = StoreModel::Time;
  using Seconds = StoreModel::Seconds;

  /// \p Numbers must outlive it.
  StoreQueue(uint64_t Device, const Tuning &Numbers, DecisionCounts &Decisions)
      : Device(Device), Numbers(Numbers), Decisions(Decisions), Model(Numbers) {
  }

  const uint64_t Device; ///< as in FileIdentity

  /// Waits until a step may begin for the input at \p Place. Lower places go
  /// first. \p IsUrgent: the linker waits for it, so that it does not wait
  /// here. False when all is cancelled.
  bool enter(uint64_t Place, bool IsUrgent);
  /// The step has ended.
  void leave();

  /// What was requested at \p Begin and answered at \p End.
  struct Answer {
    uint64_t Bytes;    ///< none of which were in memory
    unsigned Requests; ///< in so many parts
    Time Begin, End;
    bool IsFirst; ///< of its file
    /// How long the thread could have gone on, but had no processor: at most
    /// that.
    Seconds Unscheduled{0};
  };
  void note(const Answer &Done);
  /// How long it took to open a file by its name.
  void noteName(Seconds Took);
  StorePrices prices() const;
  /// Of a request that waits for no other, and to open a file by its name;
  /// seconds; 0: not known yet.
  double latency() const { return Latency.load(std::memory_order_relaxed); }
  double nameLatency() const {
    return NameLatency.load(std::memory_order_relaxed);
  }
  /// How many steps may be under way.
  unsigned window() const;

  /// What a step in large pages may cost if it does not come: FUSE skips such
  /// requests while most of those that it takes at once are under way
  /// (fs/fuse/file.c, fuse_readahead), and some file systems know no large
  /// pages. Seconds; nothing while the store is not known.
  std::optional<double> largeRisk() const;
  /// A step in large pages has come, or has not.
  void noteLarge(bool HasCome);
  void cancel();
  StoreFigures figures() const;

private:
  struct Waiter {
    os::Condition MayBegin;
  };

  bool hasRoom() const { return IsCancelled || UnderWay < Model.window(); }
  Waiter *next() const;
  void wakeNext();

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  mutable std::mutex Mutex;
  // All guarded by Mutex:
  std::multimap<uint64_t, Waiter *> Waiting; ///< by places
  unsigned UnderWay = 0;
  bool IsCancelled = false;
  StoreModel Model;

  /// Of the model, in seconds.
  std::atomic<double> Latency{0}, NameLatency{0}, Trip{0};
  std::atomic<unsigned> LargeSteps{0}, LargeFailures{0};
};

/// The stores that a link reads from.
class Stores {
public:
  /// \p Numbers must outlive it.
  Stores(const Tuning &Numbers, DecisionCounts &Decisions)
      : Numbers(Numbers), Decisions(Decisions) {}

  StoreQueue &of(uint64_t Device);
  /// Of the store whose requests cost most.
  StorePrices dearest() const;
  std::vector<StoreFigures> figures() const;
  void cancel();

private:
  const Tuning &Numbers;
  DecisionCounts &Decisions;
  mutable std::mutex Mutex;
  std::list<StoreQueue> Known; ///< guarded by Mutex
  bool IsCancelled = false;    ///< the same
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_STOREQUEUE_H
