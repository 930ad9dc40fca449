//===- OSThreads.cpp - Threads, memory and clocks of lib/OS, simulated ----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread, memory and time functions of lib/OS that lib/Engine and the
// layers below it call, implemented with SimulatedOS. The linker's --wrap binds
// std::mutex to the functions at the end (CMakeLists.txt).
//
//===----------------------------------------------------------------------===//

#include "SimulatedOS.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include <pthread.h>
#include <utility>

using namespace headstart;
using namespace headstart::os;
using simulation::SimulatedOS;

SystemMemory SystemMemory::read(const std::string &) {
  SimulatedOS &OS = SimulatedOS::current();
  SystemMemory Memory;
  Memory.TotalBytes = OS.AvailableBytes;
  Memory.AvailableBytes = OS.AvailableBytes;
  Memory.PressurePercent = OS.PressurePercent;
  Memory.Stalled = std::chrono::duration_cast<std::chrono::microseconds>(
      os::now().time_since_epoch() * (OS.PressurePercent / 100));
  return Memory;
}

uint64_t os::maxMappings(const std::string &) { return 65530; }
std::optional<uint64_t> os::peakMemory() { return std::nullopt; }
uint64_t os::maxOpenFiles() { return 1024; }
uint64_t os::freeDescriptors() {
  SimulatedOS &OS = SimulatedOS::current();
  return OS.FreeDescriptors - OS.NumOpen;
}

std::optional<DiskUse> os::diskUse(DiskUser User) {
  if (User == DiskUser::Thread)
    return std::nullopt;
  DiskUse Use;
  for (const auto &Each : SimulatedOS::current().Devices)
    Use.Bytes += Each.Bytes;
  return Use;
}
std::optional<uint64_t> os::countWaits() {
  SimulatedOS &OS = SimulatedOS::current();
  if (!OS.ReportsWaits)
    return std::nullopt;
  return OS.running()->Waits;
}
std::optional<std::chrono::nanoseconds> os::processorWait() {
  SimulatedOS &OS = SimulatedOS::current();
  if (!OS.ReportsWaits)
    return std::nullopt;
  return std::chrono::nanoseconds(OS.running()->ProcessorWait);
}
std::optional<std::chrono::nanoseconds> os::processorTime() {
  return std::chrono::nanoseconds(
      SimulatedOS::current().running()->ProcessorTime);
}
unsigned os::usableProcessors() {
  const unsigned Processors = SimulatedOS::current().Processors;
  return Processors == 0 ? 2 : Processors;
}

std::chrono::steady_clock::time_point os::now() {
  return std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds(SimulatedOS::current().now()));
}

/// All threads have one priority.
void os::enterBackground() {}

int64_t os::fileClockNs() { return SimulatedOS::current().coarseTime(); }

void Condition::wait(std::unique_lock<std::mutex> &Lock) {
  bool TimedOut = false;
  SimulatedOS::current().wait(this, Lock, simulation::Never, TimedOut);
}

bool Condition::waitUntil(std::unique_lock<std::mutex> &Lock,
                          std::chrono::steady_clock::time_point Time) {
  bool TimedOut = false;
  SimulatedOS::current().wait(
      this, Lock, std::chrono::nanoseconds(Time.time_since_epoch()).count(),
      TimedOut);
  return !TimedOut;
}

void Condition::notifyOne() { SimulatedOS::current().wake(this, false); }
void Condition::notifyAll() { SimulatedOS::current().wake(this, true); }

struct Threads::Count {
  std::mutex Mutex;
  Condition None;
  size_t Running = 0;
};

std::error_code Threads::start(std::function<void()> Work) {
  SimulatedOS &OS = SimulatedOS::current();
  if (OS.failsOnceIn(OS.Wrong.Thread))
    return std::make_error_code(std::errc::resource_unavailable_try_again);
  if (!Alive)
    Alive = std::make_shared<Count>();
  ++Alive->Running;
  OS.start(
      [Mine = std::move(Work), Counted = Alive]() mutable {
        try {
          Mine();
        } catch (const std::bad_alloc &) { // NOLINT: the contract of start
        }
        Mine = nullptr;
        if (--Counted->Running == 0)
          Counted->None.notifyAll();
      },
      /*IsEngine=*/true);
  return {};
}

void Threads::join() {
  if (!Alive)
    return;
  std::unique_lock Lock(Alive->Mutex);
  while (Alive->Running != 0)
    Alive->None.wait(Lock);
}

bool Threads::join(std::chrono::milliseconds MaxWait) {
  if (!Alive)
    return !HasLeft;
  std::shared_ptr<Count> Mine = Alive;
  const auto Until = os::now() + MaxWait;
  std::unique_lock Lock(Mine->Mutex);
  while (Mine->Running != 0)
    if (!Mine->None.waitUntil(Lock, Until)) {
      HasLeft = true;
      Alive = nullptr;
      return false;
    }
  return !HasLeft;
}

bool Threads::isOwn() { return SimulatedOS::current().isEngine(); }

bool os::detail::hasMemoryFor(void (*Work)(void *), void *Argument) {
  simulation::Fiber *Mine = SimulatedOS::current().running();
  ++Mine->Guards;
  bool HasMemory = true;
  try {
    Work(Argument);
  } catch (const std::bad_alloc &) {
    HasMemory = false;
  }
  --Mine->Guards;
  return HasMemory;
}

// A thread that holds a mutex may be suspended, and others then wait for the
// mutex. Without simulated mutexes, fibers of one real thread would deadlock.
extern "C" {
int __real_pthread_mutex_trylock(pthread_mutex_t *Mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *Mutex);

int __wrap_pthread_mutex_trylock(pthread_mutex_t *Mutex) {
  const int Error = __real_pthread_mutex_trylock(Mutex);
  if (Error == 0 && SimulatedOS::exists() && SimulatedOS::current().running())
    ++SimulatedOS::current().running()->Locks;
  return Error;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *Mutex) {
  while (__wrap_pthread_mutex_trylock(Mutex) != 0)
    SimulatedOS::current().block(Mutex);
  return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *Mutex) {
  const int Error = __real_pthread_mutex_unlock(Mutex);
  if (SimulatedOS::exists() && SimulatedOS::current().running()) {
    --SimulatedOS::current().running()->Locks;
    if (SimulatedOS::current().hasBlocked())
      SimulatedOS::current().wake(Mutex, /*All=*/true);
  }
  return Error;
}
}
