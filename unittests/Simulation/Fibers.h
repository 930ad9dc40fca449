//===- Fibers.h - Threads that a seed schedules -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The threads of a simulated process, and its clock. All threads are fibers of
/// one real thread. A fiber runs until it reaches a point where a real thread
/// could be delayed (a system call, a wait, a mutex of another thread). The
/// seed chooses the fiber that runs next.
///
/// The clock stands still while any fiber can run.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_FIBERS_H
#define HEADSTART_UNITTESTS_SIMULATION_FIBERS_H

#include "SeededRandom.h"
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <ucontext.h>
#include <vector>

namespace headstart::simulation {

using Nanoseconds = int64_t;
inline constexpr Nanoseconds Never = INT64_MAX;
inline constexpr Nanoseconds Second = 1'000'000'000;

/// The most devices that a run has.
inline constexpr size_t MaxDevices = 4;

struct Fiber {
  ucontext_t Context{}; ///< its start; sanitized, also where it continues
  std::jmp_buf Jump{};  ///< where it continues
  bool HasBegun = false;
  char *Stack = nullptr;
  std::function<void()> Work;
  size_t Number = 0;
  bool IsEngine = false; ///< a thread of the engine, not one of the linker
  bool IsDone = false;
  bool TimedOut = false;
  const void *On = nullptr; ///< the condition or mutex that it waits for
  uint64_t Timer = 0;       ///< the timer that may wake it
  size_t Place = 0;         ///< its index in Runnable or Waiting
  unsigned Weight = MaxWeight;
  unsigned Guards = 0;           ///< the nesting depth of hasMemoryFor
  unsigned Locks = 0;            ///< the number of mutexes that it holds
  uint64_t Waits = 0;            ///< the number of its waits
  Nanoseconds ProcessorWait = 0; ///< time spent waiting for a processor
  Nanoseconds ProcessorTime = 0; ///< time for which it was charged
  bool HasProcessor = false;     ///< see Fibers::compute
  Nanoseconds SliceLeft = 0;     ///< rest of its processor's time slice
  Nanoseconds Owed = 0;          ///< processor time still to be taken
  std::vector<char> Locals;      ///< its copy of the thread_local variables
  /// Whether it waits for its turn at a store (DeviceModel::enter), and for a
  /// judge the fewest requests that each device had under way during the wait.
  bool WaitsForStore = false;
  std::array<unsigned, MaxDevices> FewestRequests{};

  static constexpr unsigned MaxWeight = 16;
};

// The sanitizers keep their state of the one real thread in thread_local
// variables. Under a sanitizer, all fibers therefore share these variables. The
// sanitizers support swapcontext, but not a longjmp to another stack.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool IsSanitized = true;
#else
inline constexpr bool IsSanitized = false;
#endif

class Fibers {
public:
  explicit Fibers(uint64_t Seed) : Random(Seed) {}
  ~Fibers();
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;

  SeededRandom Random;

  /// Starts \p Work on its own thread.
  void start(std::function<void()> Work, bool IsEngine);
  /// Runs until all threads have ended, for at most \p MaxSteps. Returns the
  /// failure, or an empty string.
  std::string run(uint64_t MaxSteps);

  Nanoseconds now() const { return Time; }
  void setTime(Nanoseconds Start) { Time = Start; }
  void sleep(Nanoseconds For);
  /// May let another thread run.
  void yield();

  /// The number of processors; 0: computing takes no time.
  unsigned Processors = 0;
  /// The calling fiber computes for the given time. If all processors are busy,
  /// it waits for one, first come, first served. It keeps its processor until
  /// it waits for something else, or until its slice ends while others wait.
  void compute(Nanoseconds For);

  /// Returns the calling fiber; null outside all fibers.
  Fiber *running() const { return Running; }
  bool isEngine() const { return Running && Running->IsEngine; }
  size_t startedByEngine() const { return EngineFibers; }

  /// \name The operations of std::mutex and os::Condition
  /// @{
  void wait(const void *On, std::unique_lock<std::mutex> &Lock,
            Nanoseconds Until, bool &TimedOut);
  void wake(const void *On, bool All);
  /// Waits for the mutex \p On, which another fiber holds.
  void block(const void *On);
  /// Whether a fiber waits for a mutex.
  bool hasBlocked() const { return Blocked != 0; }
  /// @}

  /// Called when no thread can run, before the clock advances.
  std::function<void()> OnQuiet;
  /// Calls \p Visit with each fiber that waits for a condition.
  template <class Function> void forEachWaiting(Function Visit) {
    for (Fiber *Each : Waiting)
      Visit(*Each);
  }

  void fail(const std::string &Why) {
    if (Failure.empty())
      Failure = Why;
  }
  bool isFailed() const { return !Failure.empty(); }

private:
  struct Timer {
    Nanoseconds At;
    uint64_t Number; ///< if not Fiber::Timer, the fiber has been woken
    Fiber *Of;
    bool operator>(const Timer &Other) const { return At > Other.At; }
  };

  static void enter();
  void switchTo(Fiber &Next);
  void resume(Fiber &Next);
  void leave(std::vector<Fiber *> &From, Fiber *Leaver);
  void makeRunnable(Fiber *Woken);
  void suspend(Nanoseconds Until, const void *On);
  void pause(Nanoseconds Until, const void *On);
  void takeProcessor();
  void releaseProcessor();
  bool advance();
  Fiber *choose();

  std::vector<std::unique_ptr<Fiber>> All;
  std::vector<Fiber *> Runnable, Waiting; ///< the latter for something
  std::vector<Timer> Timers;              ///< a heap, the next one first
  std::deque<Fiber *> Ready;              ///< fibers that wait for a processor
  unsigned BusyProcessors = 0;
  uint64_t NumTimers = 0;
  size_t EngineFibers = 0, Alive = 0, Blocked = 0;
  Fiber *Running = nullptr;
  ucontext_t Main{};
  std::jmp_buf MainJump{};
  Nanoseconds Time = 0;
  std::string Failure;
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_FIBERS_H
