//===- Gate.cpp - When a step may begin -----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
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
  for (const StoreQueue &Store : Stores)
    if (StorePrices Prices = Store.prices();
        &Store == &Stores.front() || Prices.Request > Result.Request)
      Result = Prices;
  return Result;
}

std::vector<StoreFigures> Gate::figures() const {
  std::lock_guard Lock(Mutex);
  std::vector<StoreFigures> Result;
  for (const StoreQueue &Store : Stores) {
    const StoreModel &Of = Store.Model;
    Result.push_back({Of.prices().Request * 1e6, Of.prices().Byte * 1e9,
                      Of.latency() * 1e3, Of.nameLatency() * 1e3, Of.window(),
                      Of.samples()});
  }
  return Result;
}

/// Looks for room in memory, which other processes may have released as well.
void Gate::findRoom(std::unique_lock<std::mutex> &Lock) {
  const auto Now = os::now();
  if (Now < NextFollow)
    return;
  NextFollow = Now + Numbers.FollowAfter;
  bool IsFound = false, HasMeasured = false;
  {
    Lock.unlock();
    // If an allocation fails, the caller's cleanup needs the mutex.
    llvm::scope_exit Relock([&] { Lock.lock(); });
    IsFound = Follow && Follow();
    HasMeasured = Memory.ahead() >= Memory.limit() && Memory.measureIfDue();
    if (HasMeasured)
      Decisions.note(Decision::MeasuredWaiting);
  }
  if (IsFound || HasMeasured)
    wakeAll();
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

void Gate::touched(LinkStage For, uint64_t Bytes) {
  std::lock_guard Lock(Mutex);
  Memory.touched(For, Bytes);
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

StoreQueue::StoreQueue(Gate &Owner, uint64_t Device)
    : Device(Device), Owner(Owner), Model(Owner.Numbers),
      Request(Model.prices().Request), Byte(Model.prices().Byte),
      LargeWindow(Owner.Numbers.MaxWindow) {}

/// Whether a step in large pages waits until fewer steps are in flight: most of
/// the next ones are such steps, too. Else the small ones would wait as well.
bool StoreQueue::areMostLarge() const {
  unsigned Seen = 0, Large = 0;
  for (const auto &[Place, Each] : Waiting) {
    Large += Each->Wanted.IsLarge;
    if (++Seen >= Owner.Numbers.FirstWindow)
      break;
  }
  return 2 * Large > Seen;
}

StoreQueue::Waiter *StoreQueue::next() const {
  if (Model.inFlight() >= Model.window() && !Owner.IsCancelled)
    return nullptr;
  for (const auto &[Place, Each] : Waiting) {
    if (Owner.IsCancelled)
      return Each;
    const StoreQueue::Step &Wanted = Each->Wanted;
    if (Wanted.Bytes != 0 &&
        !Owner.Memory.hasRoom(Wanted.Stage, Wanted.IsFollowed))
      continue;
    const bool Waits = Wanted.IsLarge && Model.inFlight() != 0 &&
                       Model.inFlight() + 1 > LargeWindow && areMostLarge();
    return Waits ? nullptr : Each;
  }
  return nullptr;
}

/// Wakes the next step, which wakes the one after it. If all wait for memory,
/// wakes the first, which checks whether there is more now.
void StoreQueue::wakeNext() {
  if (Waiter *Next = next())
    Next->MayBegin.notifyOne();
  else if (!Waiting.empty() && Model.inFlight() < Model.window())
    Waiting.begin()->second->MayBegin.notifyOne();
}

bool StoreQueue::enter(const Step &Wanted, llvm::function_ref<void()> OnWait) {
  const bool HasMeasured = Wanted.Bytes != 0 && Owner.Memory.measureIfDue();
  std::unique_lock Lock(Owner.Mutex);
  if (HasMeasured)
    Owner.wakeAll();
  {
    Waiter Mine{Wanted, {}};
    const auto It =
        Waiting.emplace((uint64_t(Wanted.Stage) << 32) | Wanted.Place, &Mine);
    llvm::scope_exit Erase([&] { Waiting.erase(It); });
    // With a budget of 0, nothing is fetched.
    const bool MayFetch = Wanted.Bytes == 0 || Owner.Memory.limit() != 0;
    if (next() != &Mine && Wanted.IsUrgent && MayFetch)
      Owner.Decisions.note(Decision::UrgentRequest);
    else if (Waiter *const First = next(); First != &Mine) {
      // A step in large pages may have waited for others like it.
      if (First)
        First->MayBegin.notifyOne();
      wait(Mine, Lock, OnWait);
    }
  }
  Model.begin(os::now());
  Own += Wanted.Bytes;
  if (Wanted.Bytes != 0)
    Owner.Memory.add(Wanted.Stage, Wanted.Bytes, Wanted.IsFollowed);
  wakeNext();
  return !Owner.IsCancelled;
}

/// Waits until there is room in memory for the step of \p Mine. The linker
/// makes room as it proceeds. If memory is short, the first thread in the queue
/// looks for room as well, and wakes the others.
void StoreQueue::waitForMemory(Waiter &Mine,
                               std::unique_lock<std::mutex> &Lock) {
  while (!Owner.IsCancelled &&
         !Owner.Memory.hasRoom(Mine.Wanted.Stage, Mine.Wanted.IsFollowed)) {
    const bool IsFirst = Waiting.begin()->second == &Mine;
    if (!Owner.Memory.isShort() || !IsFirst) {
      Mine.MayBegin.wait(Lock);
      continue;
    }
    (void)Mine.MayBegin.waitUntil(Lock, os::now() + Owner.Numbers.FollowAfter);
    if (!Owner.IsCancelled)
      Owner.findRoom(Lock);
  }
}

void StoreQueue::wait(Waiter &Mine, std::unique_lock<std::mutex> &Lock,
                      llvm::function_ref<void()> OnWait) {
  const Step &Wanted = Mine.Wanted;
  bool HasNoted = false;
  while (!Owner.IsCancelled && next() != &Mine) {
    if (Wanted.Bytes != 0 &&
        !Owner.Memory.hasRoom(Wanted.Stage, Wanted.IsFollowed)) {
      Owner.Decisions.note(Decision::WaitedForMemory);
      if (OnWait)
        std::exchange(OnWait, nullptr)();
      ++Owner.WaitingForMemory;
      llvm::scope_exit Leave([&] { --Owner.WaitingForMemory; });
      waitForMemory(Mine, Lock);
    } else {
      if (!std::exchange(HasNoted, true))
        Owner.Decisions.note(Decision::WaitedForStore);
      Mine.MayBegin.wait(Lock);
    }
  }
}

void StoreQueue::leave(uint64_t Bytes, const std::optional<Answer> &Done) {
  std::lock_guard Lock(Owner.Mutex);
  Model.end(os::now());
  Own -= Bytes;
  if (Done)
    learn(*Done);
  wakeNext();
}

bool StoreQueue::mayBeLarge(uint64_t Requests) const {
  return AtOnce != 0 && !IsTrying &&
         double(Requests) * LargeWindow * Owner.Numbers.WindowGain >= AtOnce;
}

std::optional<unsigned> StoreQueue::beginLarge() {
  std::lock_guard Lock(Owner.Mutex);
  if (IsTrying || Model.inFlight() > LargeWindow)
    return std::nullopt;
  IsTrying = NextLarge == 0;
  return NextLarge++;
}

/// One more step may be in flight after WindowRequests that arrived, and fewer
/// after one that did not. All that began before that failed together.
void StoreQueue::noteLarge(unsigned Number, bool Arrived) {
  const Tuning &Numbers = Owner.Numbers;
  std::lock_guard Lock(Owner.Mutex);
  const double Window = LargeWindow;
  IsTrying = false;
  if (Arrived) {
    HasArrived = true;
    LargeWindow = Window + 1 / Numbers.WindowRequests;
  } else if (Number >= FirstOfWindow) {
    FirstOfWindow = NextLarge;
    LargeWindow = Window > Numbers.FailedLargeWindow ? Numbers.FailedLargeWindow
                  : Window >= 2                      ? Window - 1
                  : HasArrived                       ? 1
                                                     : 0;
  }
}

/// Returns the bytes that the process has read since the last call, and no
/// step: the linker's own reads. If several stores are in use, it is not known
/// from which it read.
uint64_t StoreQueue::newOthersBytes() {
  if (llvm::any_of(Owner.Stores, [&](const StoreQueue &Each) {
        return &Each != this && Each.Own != 0;
      }))
    return 0;
  const std::optional<os::DiskUse> Use = os::diskUse(os::DiskUser::Process);
  if (!Use || Use->Bytes < Own)
    return 0;
  const uint64_t Now = Use->Bytes - Own;
  const uint64_t Before = OthersBytes.value_or(Now);
  OthersBytes = std::max(Now, Before);
  return *OthersBytes - Before;
}

void StoreQueue::learn(const Answer &Done) {
  const double Elapsed = Done.Time.scheduled().count();
  const unsigned Before = Model.window();
  Own += Done.Bytes;
  if (Model.noteAnswer(Done.Bytes, Done.Requests, Done.Time.scheduled(),
                       Done.Time.Unscheduled))
    Model.endWindow(newOthersBytes());
  // The wait of a thread that mostly waited for a processor, or for the
  // transfer, shows nothing about the latency.
  const double Transfer = double(Done.Bytes) * Model.prices().Byte;
  if (Done.ShowsLatency && Done.Requests == 1 &&
      !Done.Time.isMostlyUnscheduled() && Transfer <= Elapsed / 2)
    Model.noteLatency(Elapsed - Transfer);
  Latency = Model.latency();
  AtOnce = Model.samples() == 0 ? 0 : Model.window();
  if (Model.samples() != 0) {
    Request = Model.prices().Request;
    Byte = Model.prices().Byte;
  }
  if (Model.window() != Before)
    Owner.Decisions.note(Model.window() > Before ? Decision::WindowGrew
                                                 : Decision::WindowShrank);
}

void StoreQueue::noteName(const StoreTime &Time) {
  if (Time.isMostlyUnscheduled())
    return;
  std::lock_guard Lock(Owner.Mutex);
  Model.noteName(Time.scheduled().count());
  NameLatency = Model.nameLatency();
  // While nothing else is known, a request is assumed to take as long.
  if (Model.samples() == 0)
    Request =
        std::max<double>(Request, NameLatency / Owner.Numbers.FirstWindow);
}

} // namespace headstart
