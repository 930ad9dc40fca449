//===- WorkQueue.h - Work that many threads share ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stack of work for each thread, from whose far end the others steal.
///
/// The protocol. Newest first: the owner pushes and pops at the back of its
/// stack, so that a walk goes down before it goes on, and what is open or
/// pending stays little. Thieves take from the front, where the largest
/// subtrees are, up to half at a time. A stack is guarded by its own mutex.
///
/// Who finds nothing anywhere sleeps. No wake-up is lost: a sleeper counts
/// itself in `Sleeping` and only then looks at all stacks once more, under
/// `IdleMutex` until it waits; a pusher first makes its work visible and only
/// then reads `Sleeping`. Both are sequentially consistent, so one of the two
/// sees the other.
///
/// More threads may exist than are worth running (they were started while the
/// disk was slow). A push wakes one only while fewer than `wanted` are awake;
/// whoever pushed is awake and comes to the work itself.
///
/// The end. `Outstanding` counts what was pushed and is not `done`. Work is
/// counted before it can be stolen, and pushed before what it came from is
/// done; so when it falls to 0 there is none and can be none, and all wake up.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_FILETREE_WORKQUEUE_H // NOLINT(llvm-header-guard)
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

/// See above. \p T is small and copied.
template <typename T> class WorkQueue {
public:
  /// \p Count is how many threads there can be; one is there.
  explicit WorkQueue(unsigned Count) : Stacks(Count) {}

  /// There is one more thread.
  void addThread() { Started.fetch_add(1); }
  /// It could not be started.
  void removeThread() { Started.fetch_sub(1); }
  unsigned threads() const { return Started.load(); }
  /// How many threads should be awake while there is work.
  void setWanted(unsigned Count) {
    Wanted.store(Count, std::memory_order_relaxed);
  }
  unsigned wanted() const { return Wanted.load(std::memory_order_relaxed); }
  /// The same, unless somebody else has just said other than \p From.
  bool changeWanted(unsigned From, unsigned Count) {
    return Wanted.compare_exchange_strong(From, Count);
  }

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

  /// Puts back what was taken and is not done: it comes after all else that
  /// \p Owner has, and is the first to be stolen.
  void postpone(unsigned Owner, T Work) {
    {
      Stack &S = Stacks[Owner];
      std::lock_guard Lock(S.Mutex);
      S.Items.push_front(Work);
      S.Size.store(S.Items.size());
    }
    wakeOne();
  }

  /// Something for \p Owner to do; nothing when all is done, or after `stop`.
  /// Blocks while others may still push.
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

  /// One thing that was taken is done.
  void done() {
    if (Outstanding.fetch_sub(1) == 1)
      wakeAll();
  }

  /// Lets every `take` return nothing. Any thread.
  void stop() {
    Stopped.store(true);
    wakeAll();
  }

  /// What \p Owner has pending.
  size_t pending(unsigned Owner) const {
    return Stacks[Owner].Size.load(std::memory_order_relaxed);
  }

  /// Whether somebody waits for work.
  bool hasSleepers() const {
    return Sleeping.load(std::memory_order_relaxed) != 0;
  }

  /// Whether there is something to take.
  bool hasWork() const {
    return std::any_of(Stacks.begin(), Stacks.end(),
                       [](const Stack &S) { return S.Size.load() != 0; });
  }

  /// Wakes somebody who waits for work, if one more is wanted.
  void wakeOne() {
    unsigned Asleep = Sleeping.load();
    if (Asleep == 0 || Started.load(std::memory_order_relaxed) - Asleep >=
                           Wanted.load(std::memory_order_relaxed))
      return;
    std::lock_guard Lock(IdleMutex);
    Idle.notify_one();
  }

  /// Takes out what is left after `stop`. No other thread may use the queue.
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
    std::atomic<size_t> Size = 0; ///< of Items, to be read without the mutex
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
  std::atomic<unsigned> Started = 1;
  std::atomic<unsigned> Wanted = 1;
  std::atomic<unsigned> Sleeping = 0;
  std::mutex IdleMutex; ///< between the last look for work and the wait
  std::condition_variable Idle;
};

} // namespace headstart

#endif // HEADSTART_LIB_FILETREE_WORKQUEUE_H
