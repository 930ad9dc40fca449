//===- DeviceModel.cpp - What a request costs, and how many ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceModel.h"
#include <algorithm>
#include <utility>

namespace headstart {

bool DeviceModel::mayBegin(bool IsLarge) const {
  return IsCancelled || !Far.load() ||
         (UnderWay < Window &&
          (!IsLarge || LargeUnderWay < Numbers.MaxLargeRequests));
}

/// The first request in the order of places for which there is room; null:
/// there is none. There may be room for a small one behind a large one.
DeviceModel::Waiter *DeviceModel::next() const {
  for (const auto &[Place, Each] : Waiting)
    if (mayBegin(Each->IsLarge))
      return Each;
  return nullptr;
}

/// Wakes the next request; it wakes the one after it.
void DeviceModel::wakeNext() {
  if (Waiter *Next = next())
    Next->MayBegin.notifyOne();
}

bool DeviceModel::enter(uint64_t Place, bool IsUrgent, bool IsLarge) {
  std::unique_lock Lock(Mutex);
  // Also if there is room: it may belong to a request that has been woken, and
  // does not run yet.
  const bool HasRoom = Waiting.empty() && mayBegin(IsLarge);
  if (IsUrgent && !HasRoom)
    Decisions.note(Decision::UrgentRequest);
  if (!IsUrgent && !HasRoom) {
    Waiter Mine;
    Mine.IsLarge = IsLarge;
    auto It = Waiting.emplace(Place, &Mine);
    if (next() != &Mine)
      Decisions.note(Decision::WaitedForStore);
    while (!IsCancelled && next() != &Mine)
      Mine.MayBegin.wait(Lock);
    Waiting.erase(It);
  }
  ++UnderWay;
  LargeUnderWay += IsLarge;
  MostUnderWay = std::max(MostUnderWay, UnderWay);
  wakeNext();
  return !IsCancelled;
}

void DeviceModel::leave(bool IsLarge) {
  std::lock_guard Lock(Mutex);
  --UnderWay;
  LargeUnderWay -= IsLarge;
  wakeNext();
}

void DeviceModel::cancel() {
  std::lock_guard Lock(Mutex);
  IsCancelled = true;
  for (auto &[Place, Waiter] : Waiting)
    Waiter->MayBegin.notifyOne();
}

/// How long a request takes that does not wait for others. Most requests of a
/// group wait behind some that fetch much, so the shortest count; but not the
/// very shortest, which may find in memory what another has fetched. An old
/// group counts for less and less: a store may become slower. One group of slow
/// answers may be chance, and what follows costs threads: it takes two.
void DeviceModel::noteLatency(double Sample) {
  constexpr size_t Samples = 8, Rank = 1;
  constexpr double Aging = 1.005;
  Latencies.push_back(Sample);
  if (Latencies.size() != Samples)
    return;
  auto Short = Latencies.begin() + Rank;
  std::nth_element(Latencies.begin(), Short, Latencies.end());
  Latency = Latency == 0 ? *Short : std::min(*Short, Latency * Aging);
  Latencies.clear();
  const bool IsHigh =
      std::exchange(HasGroup, true) && Latency >= Numbers.HighLatency.count();
  if (Far.exchange(IsHigh) != IsHigh)
    Decisions.note(IsHigh ? Decision::HighLatency : Decision::LowLatencyAgain);
}

/// The best until now is what the device gives; an old one counts for less and
/// less.
void DeviceModel::noteBandwidth(const Answer &Done) {
  constexpr Seconds MinTime{0.05};
  constexpr double Aging = 0.998;
  if (Since == Time())
    Since = Done.End;
  Bytes += Done.Bytes;
  // To look into a file takes a small one.
  Requests += Done.Bytes != 0 ? Done.Requests : 0;
  Seconds Took = Done.End - Since;
  if (Took < MinTime)
    return;
  Rate = std::max(Rate * Aging, double(Bytes) / Took.count());
  MostRequests = std::max(MostRequests * Aging, Requests / Took.count());
  Bytes = Requests = 0;
  Since = Done.End;
}

/// A request took so many seconds; alone it would have taken \p Ideal.
void DeviceModel::adapt(double Ideal, double Took) {
  constexpr double Spare = 2, NoWait = 0.8, Growth = 1.5;
  IdealSum += Ideal;
  TookSum += Took;
  if (++Answered < Window)
    return;
  double Share = std::min(1.0, IdealSum / TookSum);
  if (Share > NoWait)
    AtOnce = std::max(AtOnce, std::min(Window, double(MostUnderWay)));
  MostUnderWay = 0;
  double Next =
      Share > NoWait ? Window * Growth : (Window + Window * Share + Spare) / 2;
  Next = std::clamp(Next, Numbers.FirstWindow, Numbers.MaxWindow);
  if (Next != Window)
    Decisions.note(Next > Window ? Decision::WindowGrew
                                 : Decision::WindowShrank);
  Window = Next;
  IdealSum = TookSum = 0;
  Answered = 0;
}

void DeviceModel::note(const Answer &Done) {
  std::lock_guard Lock(Mutex);
  noteBandwidth(Done);
  double Took = (Seconds(Done.End - Done.Begin) - Done.Unscheduled).count();
  double Transfer = double(Done.Bytes) / (Rate == 0 ? Numbers.FirstRate : Rate);
  Delivered += Done.Bytes;
  RequestTime += double(Done.Requests) * requestSeconds();
  ByteTime += Transfer;
  // While few are under way a byte seems to take longer than it does. A thread
  // that mostly waited for a processor has learned nothing of the store.
  if (Done.IsFirst && Done.Unscheduled.count() <= Took)
    noteLatency(std::max(Took / 2, Took - Transfer));
  if (Far.load() && Done.Bytes != 0)
    adapt(Latency + Transfer, Took);
  wakeNext();
}

/// What a request takes while as many others as possible are under way.
double DeviceModel::requestSeconds() const {
  const double Guess = Latency / AtOnce;
  return MostRequests == 0 ? Guess : std::min(Guess, 1 / MostRequests);
}

RequestCost DeviceModel::cost() const {
  std::lock_guard Lock(Mutex);
  // What it gives shows only when enough is asked for.
  if (Delivered < Numbers.FirstBytes || Rate == 0)
    return {requestSeconds(), 1 / Numbers.FirstRate};
  const double Most = Numbers.MaxBalance;
  double Balance =
      ByteTime == 0 ? 1 : std::clamp(RequestTime / ByteTime, 1 / Most, Most);
  return {requestSeconds() * Balance, 1 / Rate};
}

DeviceModel::Seconds DeviceModel::latency() const {
  std::lock_guard Lock(Mutex);
  return Seconds(Latency);
}

unsigned DeviceModel::window() const {
  std::lock_guard Lock(Mutex);
  return static_cast<unsigned>(Window);
}

DeviceModel &Devices::of(uint64_t Device) {
  std::lock_guard Lock(Mutex);
  for (DeviceModel &Model : Known)
    if (Model.Device == Device)
      return Model;
  DeviceModel &New = Known.emplace_back(Device, Numbers, Decisions);
  if (IsCancelled)
    New.cancel();
  return New;
}

RequestCost Devices::farthest() const {
  std::lock_guard Lock(Mutex);
  RequestCost Result;
  for (const DeviceModel &Model : Known)
    if (RequestCost Cost = Model.isFar() ? Model.cost() : RequestCost();
        Cost.Request > Result.Request)
      Result = Cost;
  return Result;
}

void Devices::cancel() {
  std::lock_guard Lock(Mutex);
  IsCancelled = true;
  for (DeviceModel &Model : Known)
    Model.cancel();
}

} // namespace headstart
