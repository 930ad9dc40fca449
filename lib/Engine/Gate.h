//===- Gate.h - When a step may begin ---------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the one place in which a thread waits before it
/// requests bytes. A step may begin
///
///  - when there is room in memory for its bytes (MemoryWindow.h), and
///  - when fewer steps are in flight than its store answers at once
///    (StoreModel.h): with fewer the store idles, with more the page that the
///    linker needs now waits behind them.
///
/// The steps of a store begin in the order of their places: by stage, then by
/// input. A step for which the linker waits begins at once. No thread does
/// anything slow while it holds the gate's mutex; memory is measured without.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_GATE_H
#define HEADSTART_LIB_ENGINE_GATE_H

#include "MemoryWindow.h"
#include "StoreQueue.h"
#include "headstart/Report/Decisions.h"
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

namespace headstart {

/// Every function may be called from any thread.
class Gate {
public:
  /// \p Budget and \p Read: see MemoryWindow. \p Numbers must outlive it.
  Gate(uint64_t Budget, MemoryWindow::Reader Read, const Tuning &Numbers,
       DecisionCounts &Decisions)
      : Numbers(Numbers), Decisions(Decisions),
        Memory(Budget, std::move(Read), Numbers, Decisions) {}

  StoreQueue &store(uint64_t Device);
  /// The prices of the store whose requests cost most.
  StorePrices dearest() const;
  std::vector<StoreFigures> figures() const;

  /// For queries; updates go through the gate.
  MemoryWindow &memory() { return Memory; }
  const MemoryWindow &memory() const { return Memory; }
  /// See MemoryWindow.
  void release(uint64_t Bytes);
  void reached(LinkStage Now);
  /// The number of threads that wait for memory now.
  unsigned waiting() const { return WaitingForMemory.load(); }

  void cancel();

private:
  friend class StoreQueue;
  void wakeAll();
  void waitForMemory(StoreQueue::Waiter &Mine,
                     std::unique_lock<std::mutex> &Lock);

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  mutable std::mutex Mutex;
  // Guarded by Mutex:
  MemoryWindow Memory; ///< except for what any thread may call
  std::list<StoreQueue> Stores;
  bool IsCancelled = false;
  /// When a waiting thread measures memory again.
  StoreQueue::Time NextMeasure;

  std::atomic<unsigned> WaitingForMemory{0};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_GATE_H
