//===- Threads.cpp - Threads that may fail to start -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

using namespace headstart::os;

static thread_local bool IsOwnThread = false;
static thread_local bool IsStartingOwn = false;
static thread_local unsigned Guards = 0; // nesting depth of hasMemoryFor

namespace {
struct Shared {
  std::mutex Mutex;
  std::shared_ptr<const std::function<bool()>> EndThreads; // guarded by Mutex
};
} // namespace

// Never destroyed: a thread may fail to start while the process ends.
static Shared &shared() {
  static Shared *const TheOne = new Shared;
  return *TheOne;
}

void headstart::os::onThreadShortage(
    std::shared_ptr<const std::function<bool()>> EndThreads) {
  const std::lock_guard<std::mutex> Lock(shared().Mutex);
  shared().EndThreads.swap(EndThreads);
}

void headstart::os::throwBadAlloc() { throw std::bad_alloc(); }

bool headstart::os::detail::hasMemoryFor(void (*Work)(void *), void *Argument) {
  ++Guards;
  bool HasMemory = true;
  try {
    Work(Argument);
  } catch (const std::bad_alloc &) {
    HasMemory = false;
  }
  --Guards;
  return HasMemory;
}

bool headstart::os::survivesBadAlloc() { return IsOwnThread || Guards != 0; }

bool headstart::os::detail::isStartingOwn() { return IsStartingOwn; }

bool headstart::os::detail::endOwnThreads() {
  std::shared_ptr<const std::function<bool()>> EndThreads;
  {
    const std::lock_guard<std::mutex> Lock(shared().Mutex);
    EndThreads = shared().EndThreads;
  }
  return EndThreads && (*EndThreads)();
}

std::chrono::steady_clock::time_point headstart::os::now() {
  return std::chrono::steady_clock::now();
}

void Condition::wait(std::unique_lock<std::mutex> &Lock) { Changed.wait(Lock); }

bool Condition::waitUntil(std::unique_lock<std::mutex> &Lock,
                          std::chrono::steady_clock::time_point Time) {
  return Changed.wait_until(Lock, Time) == std::cv_status::no_timeout;
}

void Condition::notifyOne() { Changed.notify_one(); }
void Condition::notifyAll() { Changed.notify_all(); }

struct Threads::Count {
  std::mutex Mutex;
  std::condition_variable None;
  size_t Running = 0; // guarded by Mutex
  // Once the threads are left:
  std::vector<std::thread> Handles;
  Count *Next = nullptr;
  std::shared_ptr<Count> Self;

  void add(size_t Difference) {
    const std::lock_guard<std::mutex> Lock(Mutex);
    Running += Difference;
    if (Running == 0)
      None.notify_all();
  }
  bool haveAllEnded() {
    const std::lock_guard<std::mutex> Lock(Mutex);
    return Running == 0;
  }
};

bool Threads::isOwn() { return IsOwnThread; }

std::error_code Threads::startAsIs(std::function<void()> Work) {
  std::error_code Error;
  IsStartingOwn = true;
  try {
    if (!Alive)
      Alive = std::make_shared<Count>();
    Alive->add(1);
    std::shared_ptr<void> Counted(nullptr, [Mine = Alive](void *) {
      Mine->add(static_cast<size_t>(-1));
    });
    Running.emplace_back(
        [Counted = std::move(Counted), Mine = std::move(Work)]() mutable {
          // The first thread-local object is destroyed last, so join() also
          // leaves a thread that hangs in the destructor of another one.
          thread_local std::shared_ptr<void> UntilEnd;
          IsOwnThread = true;
          try {
            Mine();
          } catch (const std::bad_alloc &) { // NOLINT: the contract of start
          }
          // Not earlier: if Mine calls exit(), that destroys the thread-local
          // objects, but the thread may go on in a handler of exit().
          UntilEnd = std::move(Counted);
        });
  } catch (const std::system_error &E) {
    Error = E.code();
  } catch (const std::bad_alloc &) {
    Error = std::make_error_code(std::errc::not_enough_memory);
  }
  IsStartingOwn = false;
  return Error;
}

void Threads::join() {
  for (std::thread &T : Running)
    T.join();
  Running.clear();
}

bool Threads::join(std::chrono::milliseconds MaxWait) {
  if (Running.empty())
    return !HasLeft;
  {
    std::unique_lock<std::mutex> Lock(Alive->Mutex);
    if (Alive->None.wait_for(Lock, MaxWait,
                             [&] { return Alive->Running == 0; })) {
      Lock.unlock();
      join();
      return !HasLeft;
    }
  }
  HasLeft = true;
  leave();
  return false;
}

/// Leaves the threads to themselves, and joins those of earlier calls that have
/// ended. Detaching a thread is not safe while it ends: glibc 2.36 reads its
/// descriptor afterwards, which the thread may have freed (pthread_detach.c).
/// Allocates nothing, since memory may be short.
void Threads::leave() {
  static Count *Left = nullptr; // guarded by the mutex
  const std::lock_guard<std::mutex> Lock(shared().Mutex);
  Alive->Handles = std::exchange(Running, {});
  Alive->Next = std::exchange(Left, Alive.get());
  // Threads that are started from now on are counted separately.
  Left->Self = std::move(Alive);
  for (Count **Each = &Left; *Each != nullptr;) {
    Count &This = **Each;
    if (!This.haveAllEnded()) {
      Each = &This.Next;
      continue;
    }
    for (std::thread &T : This.Handles)
      T.join();
    *Each = This.Next;
    This.Self = nullptr;
  }
}
