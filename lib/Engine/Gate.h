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
///  - when fewer steps are in flight than its store's window (StoreModel.h).
///
/// The steps of a store begin in the order of their places: by stage, then by
/// input. A step for which the linker waits begins at once. Memory is measured
/// without the gate's mutex.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_GATE_H
#define HEADSTART_LIB_ENGINE_GATE_H

#include "MemoryWindow.h"
#include "StoreModel.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/Decisions.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace headstart {

class Gate;

/// How long the calling thread waited for a store, and how much of that time it
/// had no processor. If the processors are busy, every store looks slow.
struct StoreTime {
  Tuning::Seconds All{0};
  /// The most time that the thread was runnable but had no processor.
  Tuning::Seconds Unscheduled{0};

  Tuning::Seconds scheduled() const { return All - Unscheduled; }
  /// Whether the time shows nothing about a latency.
  bool isMostlyUnscheduled() const { return Unscheduled > scheduled(); }
};

/// Times one thread from construction to `elapsed`. Querying its wait for a
/// processor at both ends would cost more than a fast store takes, so a thread
/// queries it at the end of a slow time and at the beginning of the next.
class StoreTimer {
public:
  StoreTimer() {
    if (WasSlow)
      (void)newProcessorWait();
    Begin = os::now();
  }

  StoreTime elapsed(const Tuning &Numbers) const {
    StoreTime Result{os::now() - Begin};
    WasSlow = Result.All >= Numbers.SlowAnswer;
    if (!WasSlow)
      return Result;
    Result.Unscheduled = std::min<Tuning::Seconds>(
        newProcessorWait().value_or(Nanoseconds(0)), Result.All);
    return Result;
  }

private:
  using Nanoseconds = std::chrono::nanoseconds;

  /// How long the thread has waited for a processor since the last call, or
  /// since the thread started.
  static std::optional<Nanoseconds> newProcessorWait() {
    const std::optional<Nanoseconds> Now = os::processorWait();
    if (!Now)
      return std::nullopt;
    const Nanoseconds Before(Known);
    Known = Now->count();
    return *Now - Before;
  }

  static inline thread_local bool WasSlow = false; ///< at the last time
  static inline thread_local Nanoseconds::rep Known = 0;

  std::chrono::steady_clock::time_point Begin;
};

/// The steps of one store. Every function may be called from any thread.
class StoreQueue {
public:
  /// Only Gate::store calls it.
  StoreQueue(Gate &Owner, uint64_t Device);

  const uint64_t Device; ///< as in FileIdentity

  struct Step {
    uint32_t Place = 0; ///< of the input in the order of the stage
    LinkStage Stage = LinkStage::Parse;
    /// The bytes that are fetched for the stage and count as ahead of the
    /// linker from now on; 0: an inspection, which needs no room.
    uint64_t Bytes = 0;
    bool IsUrgent = false;   ///< the linker waits for it, so it does not wait
    bool IsFollowed = false; ///< see MemoryWindow::add
    bool IsLarge = false;    ///< it is meant to fetch large pages
  };
  /// Waits until \p Wanted may begin. Calls \p OnWait, unless it is null,
  /// before it waits for memory. Returns false if the gate is cancelled.
  bool enter(const Step &Wanted, llvm::function_ref<void()> OnWait = nullptr);
  struct Answer {
    uint64_t Bytes;    ///< none of them were cached
    unsigned Requests; ///< that fetched the bytes, at least
    StoreTime Time;
    bool ShowsLatency = true; ///< as far as known, all of one request
  };
  /// Ends a step that began with \p Bytes (Step). The store's model learns from
  /// \p Done, if it has a value.
  void leave(uint64_t Bytes, const std::optional<Answer> &Done);
  void noteName(const StoreTime &Time);
  StorePrices prices() const { return {Request.load(), Byte.load()}; }
  /// The seconds that a request takes that waits for no other, and that opening
  /// a file by its name takes; 0: not known yet.
  double latency() const { return Latency.load(); }
  double nameLatency() const { return NameLatency.load(); }
  /// The number of steps that may be in flight; 0: not known yet.
  unsigned atOnce() const { return AtOnce.load(); }

  /// Whether the store may answer a step in large pages sooner than \p Requests
  /// small ones, of which more may be in flight; false while it is not known.
  /// FUSE skips requests for large pages while many are in flight
  /// (fs/fuse/file.c, fuse_readahead), and some file systems do not support
  /// them. While the first such step is in flight, no other tries.
  bool mayBeLarge(uint64_t Requests) const;
  /// Begins to fetch large pages in a step that has begun. Returns the number
  /// for `noteLarge`; nullopt if too many steps are in flight.
  std::optional<unsigned> beginLarge();
  void noteLarge(unsigned Number, bool HasArrived);

  /// What happens to ELF inputs if memory is short; decided once.
  enum class WhenShort : uint8_t { Unknown, Leave, Fetch };
  std::atomic<WhenShort> ELFInputs{WhenShort::Unknown};

private:
  friend class Gate;
  struct Waiter {
    const Step &Wanted;
    os::Condition MayBegin;
  };

  bool areMostLarge() const;
  Waiter *next() const;
  void learn(const Answer &Done);
  uint64_t newOthersBytes();
  void wakeNext();
  void wait(Waiter &Mine, std::unique_lock<std::mutex> &Lock,
            llvm::function_ref<void()> OnWait);
  void waitForMemory(Waiter &Mine, std::unique_lock<std::mutex> &Lock);

  Gate &Owner;
  // Guarded by the gate's mutex:
  std::multimap<uint64_t, Waiter *> Waiting; ///< by place
  StoreModel Model;
  /// The numbers of the next step in large pages and of the first one since
  /// LargeWindow was reduced.
  unsigned NextLarge = 0, FirstOfWindow = 0;
  bool HasArrived = false; ///< any step in large pages
  uint64_t Own = 0; ///< the bytes of steps that were answered or are in flight
  /// What the process had read without steps when this was last queried.
  std::optional<uint64_t> OthersBytes;

  /// The model's values in seconds, readable without the mutex.
  std::atomic<double> Request, Byte;
  std::atomic<double> Latency{0}, NameLatency{0};
  std::atomic<unsigned> AtOnce{0}; ///< its window; 0: not known yet
  /// The most steps in flight with which large pages arrive, as far as is
  /// known. Changed under the mutex.
  std::atomic<double> LargeWindow;
  std::atomic<bool> IsTrying{false}; ///< the first step in large pages
};

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
  void touched(LinkStage For, uint64_t Bytes);
  void reached(LinkStage Now);
  /// Sets a function that may find room while threads wait for it and memory is
  /// short, and returns whether it did. One of them calls it, without the
  /// mutex, every FollowAfter. Call this before any thread enters.
  void setFollower(std::function<bool()> Function) {
    Follow = std::move(Function);
  }
  /// The number of threads that wait for memory now.
  unsigned waiting() const { return WaitingForMemory.load(); }

  void cancel();
  bool isCancelled() const { return IsCancelled.load(); }

private:
  friend class StoreQueue;
  void wakeAll();
  void findRoom(std::unique_lock<std::mutex> &Lock);

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  std::function<bool()> Follow;
  mutable std::mutex Mutex;
  // Guarded by Mutex:
  MemoryWindow Memory; ///< except for what any thread may call
  std::list<StoreQueue> Stores;
  /// When a waiting thread follows the linker again.
  StoreModel::Time NextFollow;

  std::atomic<bool> IsCancelled{false}; ///< changed under Mutex
  std::atomic<unsigned> WaitingForMemory{0};
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_GATE_H
