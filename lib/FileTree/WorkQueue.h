//===- WorkQueue.h - Work that many threads share ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stack of work items for each thread. Other threads steal from its far end.
///
/// The owner pushes and pops at the back of its stack. A walk is thus depth
/// first, and few directories are open or pending. Thieves take items from the
/// front, where the largest subtrees are, up to half of them at a time. Each
/// stack has its own mutex.
///
/// A thread that finds no work sleeps. No wake-up is lost: the thread first
/// increments `Sleeping`, then checks all stacks again, and holds `IdleMutex`
/// until it waits. A pusher first makes its work visible and then reads
/// `Sleeping`. All four accesses are sequentially consistent, so the sleeper
/// sees the work or the pusher sees the sleeper.
///
/// There may be more threads than should run, started while the disk was slow.
/// A push wakes one only while fewer than `Wanted` are awake; otherwise the
/// pushing thread, which is awake, will take the work itself.
///
/// `Outstanding` counts the items that were pushed and are not `done`. An item
/// is counted before it can be stolen, and pushed before its parent is done.
/// When the count falls to 0, no item can follow, and all threads wake up.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_FILETREE_WORKQUEUE_H
#define HEADSTART_LIB_FILETREE_WORKQUEUE_H

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace headstart {

/// The queue of the protocol above. \p T is small and copied.
template <typename T> class WorkQueue {
public:
  /// \p Count is the most threads that may exist. The first one exists already.
  explicit WorkQueue(unsigned Count) : Stacks(Count) {}

  /// The number of threads, each counted before it is started.
  std::atomic<unsigned> Started = 1;
  /// How many threads should be awake while there is work.
  std::atomic<unsigned> Wanted = 1;

  /// Adds \p Work to the stack of the thread \p Owner.
  void push(unsigned Owner, llvm::ArrayRef<T> Work) {
    if (Work.empty())
      return;
    Outstanding.fetch_add(Work.size(), std::memory_order_relaxed);
    {
      Stack &S = Stacks[Owner];
      std::lock_guard Lock(S.Mutex);
      S.Items.insert(S.Items.end(), Work.begin(), Work.end());
      S.Size.store(S.Items.size());
    }
    wakeOne();
  }

  /// Returns work for \p Owner; nothing after all work is done, or after
  /// `stop`. Blocks while other threads may still push.
  std::optional<T> take(unsigned Owner) {
    while (!Stopped.load(std::memory_order_relaxed)) {
      if (std::optional<T> Work = pop(Owner))
        return Work;
      if (std::optional<T> Work = steal(Owner))
        return Work;
      std::unique_lock Lock(IdleMutex);
      Sleeping.fetch_add(1);
      if (!hasWork() && Outstanding.load() != 0 && !Stopped.load())
        Idle.wait(Lock);
      Sleeping.fetch_sub(1);
      if (Outstanding.load() == 0)
        return std::nullopt;
    }
    return std::nullopt;
  }

  /// Marks one item that was taken as done.
  void done() {
    if (Outstanding.fetch_sub(1) == 1)
      wakeAll();
  }

  /// Makes every `take` return nothing. Any thread.
  void stop() {
    Stopped.store(true);
    wakeAll();
  }

  /// Whether a thread waits for work.
  bool hasSleepers() const {
    return Sleeping.load(std::memory_order_relaxed) != 0;
  }

  /// Whether any stack has work.
  bool hasWork() const {
    return std::any_of(Stacks.begin(), Stacks.end(),
                       [](const Stack &S) { return S.Size.load() != 0; });
  }

  /// Wakes a thread that waits for work, if fewer than `Wanted` are awake.
  void wakeOne() {
    unsigned Asleep = Sleeping.load();
    if (Asleep == 0 || Started - Asleep >= Wanted)
      return;
    std::lock_guard Lock(IdleMutex);
    Idle.notify_one();
  }

  /// Removes the work left after `stop`. No other thread may use the queue.
  std::vector<T> drain() {
    std::vector<T> Left;
    for (Stack &S : Stacks) {
      Left.insert(Left.end(), S.Items.begin(), S.Items.end());
      S.Items.clear();
    }
    return Left;
  }

private:
  static constexpr size_t MaxStolen = 16;

  struct alignas(64) Stack {
    std::mutex Mutex;
    std::deque<T> Items;
    std::atomic<size_t> Size = 0; ///< of Items, readable without the mutex
  };

  std::optional<T> pop(unsigned Owner) {
    Stack &S = Stacks[Owner];
    if (S.Size.load(std::memory_order_relaxed) == 0)
      return std::nullopt;
    std::lock_guard Lock(S.Mutex);
    if (S.Items.empty())
      return std::nullopt;
    T Work = S.Items.back();
    S.Items.pop_back();
    S.Size.store(S.Items.size());
    return Work;
  }

  std::optional<T> steal(unsigned Thief) {
    for (size_t I = 1; I < Stacks.size(); ++I) {
      Stack &Victim = Stacks[(Thief + I) % Stacks.size()];
      if (Victim.Size.load(std::memory_order_relaxed) == 0)
        continue;
      T Taken[MaxStolen];
      size_t Count = 0;
      {
        std::lock_guard Lock(Victim.Mutex);
        Count = std::min((Victim.Items.size() + 1) / 2, MaxStolen);
        std::copy_n(Victim.Items.begin(), Count, Taken);
        Victim.Items.erase(Victim.Items.begin(),
                           Victim.Items.begin() +
                               static_cast<std::ptrdiff_t>(Count));
        Victim.Size.store(Victim.Items.size());
      }
      if (Count == 0)
        continue;
      if (Count > 1) {
        Stack &S = Stacks[Thief];
        std::lock_guard Lock(S.Mutex);
        S.Items.insert(S.Items.end(), Taken, Taken + Count - 1);
        S.Size.store(S.Items.size());
      }
      wakeOne();
      return Taken[Count - 1];
    }
    return std::nullopt;
  }

  void wakeAll() {
    std::lock_guard Lock(IdleMutex);
    Idle.notify_all();
  }

  std::vector<Stack> Stacks;
  std::atomic<size_t> Outstanding = 0;
  std::atomic<bool> Stopped = false;
  std::atomic<unsigned> Sleeping = 0;
  std::mutex IdleMutex; ///< held from the last check for work to the wait
  std::condition_variable Idle;
};

} // namespace headstart

#endif // HEADSTART_LIB_FILETREE_WORKQUEUE_H
