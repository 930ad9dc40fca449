//===- StoreQueue.h - The steps of one store --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the queue of a store's steps. Gate.h has the order.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_STOREQUEUE_H
#define HEADSTART_LIB_ENGINE_STOREQUEUE_H

#include "StoreModel.h"
#include "StoreTimer.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace headstart {

class Gate;
struct StoreFigures;

/// The steps of one store. Every function may be called from any thread.
class StoreQueue {
public:
  using Time = StoreModel::Time;
  using Seconds = StoreModel::Seconds;

  /// Only Gate::store calls it.
  StoreQueue(Gate &Owner, uint64_t Device);

  const uint64_t Device; ///< as in FileIdentity

  struct Step {
    uint32_t Place = 0; ///< of the input in the order of the stage
    LinkStage Stage = LinkStage::Parse;
    /// The bytes that are fetched for the stage and count as ahead of the
    /// linker from now on; 0: an inspection, which needs no room.
    uint64_t Bytes = 0;
    bool IsUrgent = false; ///< the linker waits for it, so it does not wait
  };
  /// Waits until \p Wanted may begin. Calls \p OnWait, unless it is null,
  /// before it waits for memory. Returns false if the gate is cancelled.
  bool enter(const Step &Wanted, llvm::function_ref<void()> OnWait = nullptr);
  /// The answer to a step.
  struct Answer {
    uint64_t Bytes;    ///< none of them were cached
    unsigned Requests; ///< that fetched the bytes
    StoreTime Time;
    bool HasWaited = true; ///< for the store, as far as known
  };
  /// Ends a step. The store's model learns from \p Done, if it has a value.
  void leave(const std::optional<Answer> &Done);
  /// Notes how long it took to open a file by its name.
  void noteName(const StoreTime &Time);
  StorePrices prices() const {
    return {Request.load(std::memory_order_relaxed),
            Byte.load(std::memory_order_relaxed)};
  }
  /// The seconds that a request takes that waits for no other, and that opening
  /// a file by its name takes; 0: not known yet.
  double latency() const { return Latency.load(std::memory_order_relaxed); }
  double nameLatency() const {
    return NameLatency.load(std::memory_order_relaxed);
  }

  /// The expected cost, in seconds, of a step in large pages that does not
  /// arrive. FUSE skips such requests while most of those that it takes at once
  /// are in flight (fs/fuse/file.c, fuse_readahead), and some file systems do
  /// not support large pages. nullopt while the store is not known, or while no
  /// result of the first such steps is known.
  std::optional<double> largeRisk() const;
  /// Notes that a step in large pages begins.
  void beginLarge() { LargeBegun.fetch_add(1); }
  /// Notes whether such a step has arrived.
  void noteLarge(bool HasArrived);

private:
  friend class Gate;
  struct Waiter {
    const Step &Wanted;
    os::Condition MayBegin;
  };

  Waiter *next() const;
  void learn(const Answer &Done);
  void wakeNext();
  void wait(Waiter &Mine, std::unique_lock<std::mutex> &Lock,
            llvm::function_ref<void()> OnWait);
  StoreFigures figures() const;

  Gate &Owner;
  // Guarded by the gate's mutex:
  std::multimap<uint64_t, Waiter *> Waiting; ///< by place
  unsigned InFlight = 0;
  StoreModel Model;

  /// The model's values in seconds, readable without the mutex.
  std::atomic<double> Request, Byte;
  std::atomic<double> Latency{0}, NameLatency{0}, Trip{0};
  std::atomic<unsigned> LargeBegun{0}, LargeSteps{0}, LargeFailures{0};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_STOREQUEUE_H
