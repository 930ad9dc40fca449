//===- Gate.cpp - When a step may begin -----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gate.h"
#include "headstart/Report/LinkStats.h"
#include <utility>

namespace headstart {

StoreQueue &Gate::store(uint64_t Device) {
  std::lock_guard Lock(Mutex);
  for (StoreQueue &Store : Stores)
    if (Store.Device == Device)
      return Store;
  return Stores.emplace_back(*this, Device);
}

StorePrices Gate::dearest() const {
  std::lock_guard Lock(Mutex);
  StorePrices Result{Numbers.GuessedRequest.count(),
                     Numbers.GuessedByte.count()};
  bool IsFirst = true;
  for (const StoreQueue &Store : Stores)
    if (StorePrices Prices = Store.prices();
        std::exchange(IsFirst, false) || Prices.Request > Result.Request)
      Result = Prices;
  return Result;
}

std::vector<StoreFigures> Gate::figures() const {
  std::lock_guard Lock(Mutex);
  std::vector<StoreFigures> Result;
  for (const StoreQueue &Store : Stores)
    Result.push_back(Store.figures());
  return Result;
}

/// Waits until there is room in memory for the step of \p Mine. The linker
/// makes room as it proceeds. If memory is short, other processes may release
/// some as well, for which one of the waiting threads measures memory.
void Gate::waitForMemory(StoreQueue::Waiter &Mine,
                         std::unique_lock<std::mutex> &Lock) {
  while (!IsCancelled && !Memory.hasRoom(Mine.Wanted.Stage)) {
    if (!Memory.mayGrow()) {
      Mine.MayBegin.wait(Lock);
      continue;
    }
    const auto Until = os::now() + Numbers.MeasureAfter;
    if (Mine.MayBegin.waitUntil(Lock, Until) || IsCancelled ||
        os::now() < NextMeasure)
      continue;
    NextMeasure = os::now() + Numbers.MeasureAfter;
    Lock.unlock();
    Decisions.note(Decision::MeasuredWaiting);
    Memory.measure();
    Lock.lock();
    wakeAll();
  }
}

/// Wakes all waiting threads: the room in memory has changed, and each may be
/// the first for which it is enough.
void Gate::wakeAll() {
  for (StoreQueue &Store : Stores)
    for (const auto &[Place, Waiter] : Store.Waiting)
      Waiter->MayBegin.notifyOne();
}

void Gate::release(uint64_t Bytes) {
  if (Bytes == 0)
    return;
  std::lock_guard Lock(Mutex);
  Memory.release(Bytes);
  for (StoreQueue &Store : Stores)
    Store.wakeNext();
}

void Gate::reached(LinkStage Now) {
  std::lock_guard Lock(Mutex);
  Memory.reached(Now);
  wakeAll();
}

void Gate::cancel() {
  std::lock_guard Lock(Mutex);
  IsCancelled = true;
  wakeAll();
}

} // namespace headstart
