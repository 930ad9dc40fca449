//===- StoreQueue.cpp - Which request is next -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreQueue.h"
#include "headstart/Report/LinkStats.h"
#include <algorithm>
#include <utility>

namespace headstart {

/// The next step; null: none waits, or there is no room.
StoreQueue::Waiter *StoreQueue::next() const {
  return Waiting.empty() || !hasRoom() ? nullptr : Waiting.begin()->second;
}

/// Wakes the next step; it wakes the one after it.
void StoreQueue::wakeNext() {
  if (Waiter *Next = next())
    Next->MayBegin.notifyOne();
}

bool StoreQueue::enter(uint64_t Place, bool IsUrgent) {
  std::unique_lock Lock(Mutex);
  // Also if there is room: it may belong to a step that has been woken, and
  // does not run yet.
  const bool MayBegin = Waiting.empty() && hasRoom();
  if (IsUrgent && !MayBegin)
    Decisions.note(Decision::UrgentRequest);
  if (!IsUrgent && !MayBegin) {
    Waiter Mine;
    auto It = Waiting.emplace(Place, &Mine);
    if (next() != &Mine)
      Decisions.note(Decision::WaitedForStore);
    while (!IsCancelled && next() != &Mine)
      Mine.MayBegin.wait(Lock);
    Waiting.erase(It);
  }
  ++UnderWay;
  Model.begin(os::now());
  wakeNext();
  return !IsCancelled;
}

void StoreQueue::leave() {
  std::lock_guard Lock(Mutex);
  --UnderWay;
  Model.end(os::now());
  wakeNext();
}

std::optional<double> StoreQueue::largeRisk() const {
  const double Seconds = Trip.load(std::memory_order_relaxed);
  if (Seconds == 0)
    return std::nullopt;
  const double Chance = (LargeFailures.load() + 1.0) /
                        (LargeSteps.load() + Numbers.GuessedLargeSteps);
  return Chance * Numbers.LargeTrips * Seconds;
}

void StoreQueue::noteLarge(bool HasCome) {
  LargeSteps.fetch_add(1);
  LargeFailures.fetch_add(!HasCome);
}

void StoreQueue::cancel() {
  std::lock_guard Lock(Mutex);
  IsCancelled = true;
  for (auto &[Place, Waiter] : Waiting)
    Waiter->MayBegin.notifyOne();
}

void StoreQueue::note(const Answer &Done) {
  const double Took =
      (Seconds(Done.End - Done.Begin) - Done.Unscheduled).count();
  std::lock_guard Lock(Mutex);
  const unsigned Before = Model.window();
  Model.noteAnswer(Done.Bytes, Done.Requests, Seconds(Took));
  // A thread that mostly waited for a processor, or for bytes, has learned
  // nothing of the latency.
  const double Transfer = double(Done.Bytes) * Model.prices().Byte;
  if (Done.IsFirst && Done.Requests == 1 && Done.Unscheduled.count() <= Took &&
      Transfer <= Took / 2)
    Model.noteLatency(Took - Transfer);
  Latency.store(Model.latency(), std::memory_order_relaxed);
  Trip.store(Model.trip(), std::memory_order_relaxed);
  if (Model.window() != Before)
    Decisions.note(Model.window() > Before ? Decision::WindowGrew
                                           : Decision::WindowShrank);
  wakeNext();
}

void StoreQueue::noteName(Seconds Took) {
  std::lock_guard Lock(Mutex);
  Model.noteName(Took.count());
  NameLatency.store(Model.nameLatency(), std::memory_order_relaxed);
}

StorePrices StoreQueue::prices() const {
  std::lock_guard Lock(Mutex);
  return Model.prices();
}

unsigned StoreQueue::window() const {
  std::lock_guard Lock(Mutex);
  return Model.window();
}

StoreFigures StoreQueue::figures() const {
  std::lock_guard Lock(Mutex);
  const StorePrices Prices = Model.prices();
  return {Prices.Request * 1e6,      Prices.Byte * 1e9, Model.latency() * 1e3,
          Model.nameLatency() * 1e3, Model.window(),    Model.samples()};
}

StoreQueue &Stores::of(uint64_t Device) {
  std::lock_guard Lock(Mutex);
  for (StoreQueue &Queue : Known)
    if (Queue.Device == Device)
      return Queue;
  StoreQueue &New = Known.emplace_back(Device, Numbers, Decisions);
  if (IsCancelled)
    New.cancel();
  return New;
}

StorePrices Stores::dearest() const {
  std::lock_guard Lock(Mutex);
  StorePrices Result{Numbers.GuessedRequest.count(),
                     Numbers.GuessedByte.count()};
  bool IsFirst = true;
  for (const StoreQueue &Queue : Known)
    if (StorePrices Prices = Queue.prices();
        std::exchange(IsFirst, false) || Prices.Request > Result.Request)
      Result = Prices;
  return Result;
}

std::vector<StoreFigures> Stores::figures() const {
  std::lock_guard Lock(Mutex);
  std::vector<StoreFigures> Result;
  for (const StoreQueue &Queue : Known)
    Result.push_back(Queue.figures());
  return Result;
}

void Stores::cancel() {
  std::lock_guard Lock(Mutex);
  IsCancelled = true;
  for (StoreQueue &Queue : Known)
    Queue.cancel();
}

} // namespace headstart
