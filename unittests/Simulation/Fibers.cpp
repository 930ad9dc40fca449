//===- Fibers.cpp - Threads that a seed schedules -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fibers.h"
#include <algorithm>
#include <climits>
#include <functional>
#include <link.h>
#include <new>
#include <span>
#include <sys/mman.h>
#include <utility>

namespace headstart::simulation {

namespace {
/// Reuses stacks, because mapping one costs more than a run.
class StackPool {
public:
  static constexpr size_t Bytes = size_t(256) << 10;
  char *take() {
    if (!Free.empty()) {
      char *Stack = Free.back();
      Free.pop_back();
      return Stack;
    }
    void *New = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (New == MAP_FAILED)
      throw std::bad_alloc();
    return static_cast<char *>(New);
  }
  void give(char *Stack) { Free.push_back(Stack); }

private:
  std::vector<char *> Free;
};
StackPool Stacks;

/// Returns the thread_local variables of this program for the one real thread
/// that runs all fibers.
std::span<char> threadLocals() {
  static const std::span<char> Found = [] {
    std::span<char> Result;
    if (IsSanitized)
      return Result;
    dl_iterate_phdr(
        [](dl_phdr_info *Info, size_t, void *Argument) {
          for (int I = 0; I != Info->dlpi_phnum; ++I)
            if (Info->dlpi_phdr[I].p_type == PT_TLS && Info->dlpi_tls_data)
              *static_cast<std::span<char> *>(Argument) = {
                  static_cast<char *>(Info->dlpi_tls_data),
                  Info->dlpi_phdr[I].p_memsz};
          return 1; // the program is the first entry
        },
        &Result);
    return Result;
  }();
  return Found;
}

/// How long a fiber may keep a processor while others wait for it.
constexpr Nanoseconds ProcessorSlice = 1'000'000;

/// The argument of `enter`, because makecontext passes no pointer.
Fibers *Entering = nullptr;
} // namespace

Fibers::~Fibers() {
  for (const std::unique_ptr<Fiber> &Each : All)
    Stacks.give(Each->Stack);
}

void Fibers::enter() {
  Fibers *These = Entering;
  Fiber *Mine = These->Running;
  Mine->Work();
  Mine->Work = nullptr;
  Mine->IsDone = true;
  These->releaseProcessor();
  --These->Alive;
  These->leave(These->Runnable, Mine);
  These->yield();
}

void Fibers::start(std::function<void()> Work, bool IsEngine) {
  auto New = std::make_unique<Fiber>();
  New->Stack = Stacks.take();
  New->Work = std::move(Work);
  New->IsEngine = IsEngine;
  New->Number = All.size();
  // Some threads rarely get a processor.
  New->Weight =
      Random.onceIn(4) ? 1 : static_cast<unsigned>(Random.between(1, 16));
  getcontext(&New->Context);
  New->Context.uc_stack.ss_sp = New->Stack;
  New->Context.uc_stack.ss_size = StackPool::Bytes;
  New->Context.uc_link = nullptr;
  makecontext(&New->Context, Fibers::enter, 0);
  EngineFibers += IsEngine;
  ++Alive;
  makeRunnable(New.get());
  // The variables as at the program's start, before any fiber changes them.
  const std::span<char> Locals = threadLocals();
  static const std::vector<char> Untouched(Locals.begin(), Locals.end());
  New->Locals = Untouched;
  All.push_back(std::move(New));
}

void Fibers::leave(std::vector<Fiber *> &From, Fiber *Leaver) {
  From[Leaver->Place] = From.back();
  From[Leaver->Place]->Place = Leaver->Place;
  From.pop_back();
}

/// \p Woken must be in neither list.
void Fibers::makeRunnable(Fiber *Woken) {
  Woken->On = nullptr;
  Woken->Timer = 0;
  Woken->Place = Runnable.size();
  Runnable.push_back(Woken);
}

/// The calling fiber waits until \p Until, or until \p On is woken.
void Fibers::suspend(Nanoseconds Until, const void *On) {
  ++Running->Waits;
  releaseProcessor();
  pause(Until, On);
}

/// Like suspend, but keeps the processor.
void Fibers::pause(Nanoseconds Until, const void *On) {
  leave(Runnable, Running);
  Running->On = On;
  Running->TimedOut = false;
  if (On) {
    Running->Place = Waiting.size();
    Waiting.push_back(Running);
  }
  if (Until != Never) {
    Running->Timer = ++NumTimers;
    Timers.push_back({Until, NumTimers, Running});
    std::push_heap(Timers.begin(), Timers.end(), std::greater<>());
  }
  yield();
}

void Fibers::yield() {
  if (!Running)
    return;
  if (IsSanitized)
    swapcontext(&Running->Context, &Main);
  else if (_setjmp(Running->Jump) == 0)
    _longjmp(MainJump, 1);
}

/// Runs \p Next until it yields. Does not use swapcontext, whose two system
/// calls took half of the time.
void Fibers::resume(Fiber &Next) {
  if (IsSanitized) {
    swapcontext(&Main, &Next.Context);
  } else if (_setjmp(MainJump) == 0) {
    if (std::exchange(Next.HasBegun, true))
      _longjmp(Next.Jump, 1);
    setcontext(&Next.Context);
  }
}

void Fibers::takeProcessor() {
  Fiber &Mine = *Running;
  if (Mine.HasProcessor)
    return;
  if (BusyProcessors < Processors) {
    ++BusyProcessors;
    Mine.HasProcessor = true;
    Mine.SliceLeft = ProcessorSlice;
    return;
  }
  const Nanoseconds Begin = Time;
  Ready.push_back(&Mine);
  pause(Never, nullptr); // until releaseProcessor hands over a processor
  Mine.ProcessorWait += Time - Begin;
}

void Fibers::releaseProcessor() {
  if (!std::exchange(Running->HasProcessor, false))
    return;
  if (Ready.empty()) {
    --BusyProcessors;
    return;
  }
  Fiber *Next = Ready.front();
  Ready.pop_front();
  Next->HasProcessor = true;
  Next->SliceLeft = ProcessorSlice;
  makeRunnable(Next);
}

void Fibers::compute(Nanoseconds For) {
  // Smaller amounts are added up, because each pause is a simulation step.
  constexpr Nanoseconds Least = 5000;
  if (Processors == 0 || !Running)
    return;
  Fiber &Mine = *Running;
  Mine.Owed += For;
  Mine.ProcessorTime += For;
  if (Mine.Owed < Least)
    return;
  while (Mine.Owed > 0) {
    takeProcessor();
    const Nanoseconds Part = std::min(Mine.Owed, Mine.SliceLeft);
    Mine.Owed -= Part;
    Mine.SliceLeft -= Part;
    pause(Time + Part, nullptr);
    if (Mine.SliceLeft != 0)
      continue;
    if (Ready.empty())
      Mine.SliceLeft = ProcessorSlice;
    else
      releaseProcessor();
  }
}

void Fibers::sleep(Nanoseconds For) { suspend(Time + For, nullptr); }

void Fibers::block(const void *On) {
  ++Blocked;
  suspend(Never, On);
  --Blocked;
}

void Fibers::wait(const void *On, std::unique_lock<std::mutex> &Lock,
                  Nanoseconds Until, bool &TimedOut) {
  Lock.unlock();
  if (Running->Locks != 0)
    fail("a thread waits while it holds another mutex");
  // Only threads that wait for a store use a condition of their own.
  const auto *Address = static_cast<const char *>(On);
  const bool IsOwn =
      Address >= Running->Stack && Address < Running->Stack + StackPool::Bytes;
  if (!std::exchange(Running->WaitsForStore, IsOwn))
    Running->FewestRequests.fill(UINT_MAX);
  suspend(Until, On);
  TimedOut = Running->TimedOut;
  Lock.lock();
}

void Fibers::wake(const void *On, bool All) {
  std::vector<Fiber *> Sleepers;
  for (Fiber *Each : Waiting)
    if (Each->On == On)
      Sleepers.push_back(Each);
  if (!All && Sleepers.size() > 1)
    Sleepers = {Sleepers[Random.below(Sleepers.size())]};
  for (Fiber *Each : Sleepers) {
    leave(Waiting, Each);
    makeRunnable(Each);
  }
}

/// Advances the clock to the next timer. Returns false if there is none.
bool Fibers::advance() {
  if (OnQuiet)
    OnQuiet();
  while (!Timers.empty() && (Runnable.empty() || Timers.front().At <= Time)) {
    const Timer Next = Timers.front();
    std::pop_heap(Timers.begin(), Timers.end(), std::greater<>());
    Timers.pop_back();
    if (Next.Of->Timer != Next.Number)
      continue;
    Time = std::max(Time, Next.At);
    Next.Of->TimedOut = Next.Of->On != nullptr;
    if (Next.Of->On)
      leave(Waiting, Next.Of);
    makeRunnable(Next.Of);
  }
  return !Runnable.empty();
}

/// Returns the fiber to run next. Null: no thread can ever run.
Fiber *Fibers::choose() {
  if (Runnable.empty() && !advance())
    return nullptr;
  while (Runnable.size() != 1) {
    const uint64_t Drawn = Random.next();
    Fiber *Next = Runnable[(Drawn >> 8) % Runnable.size()];
    if (Drawn % Fiber::MaxWeight < Next->Weight)
      return Next;
  }
  return Runnable.front();
}

void Fibers::switchTo(Fiber &Next) {
  const std::span<char> Locals = threadLocals();
  std::copy(Next.Locals.begin(), Next.Locals.end(), Locals.begin());
  Running = &Next;
  Entering = this;
  resume(Next);
  Running = nullptr;
  std::copy(Locals.begin(), Locals.end(), Next.Locals.begin());
}

std::string Fibers::run(uint64_t MaxSteps) {
  for (uint64_t Step = 0; Failure.empty(); ++Step) {
    if (Step == MaxSteps)
      return "it does not end";
    Fiber *Next = choose();
    if (!Next)
      return Alive == 0 ? "" : "some threads wait for each other";
    switchTo(*Next);
  }
  return Failure;
}

} // namespace headstart::simulation
