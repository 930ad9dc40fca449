//===- PlayedSystem.cpp - An operating system that is played --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlayedSystem.h"
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

using namespace headstart;
using namespace headstart::played;

static World *TheWorld = nullptr;

uint64_t Dice::next() {
  uint64_t Z = State += 0x9e3779b97f4a7c15;
  Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
  Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
  return Z ^ (Z >> 31);
}

namespace {
/// Stacks are used again: to make one costs more than a run.
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

/// Addresses that nobody may touch, for mappings.
constexpr uint64_t AddressBytes = uint64_t(1) << 40;
char *addresses() {
  static char *const Base = [] {
    void *New = mmap(nullptr, AddressBytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return New == MAP_FAILED ? nullptr : static_cast<char *>(New);
  }();
  return Base;
}
} // namespace

struct World::Fiber {
  ucontext_t Context{};
  char *Stack = nullptr;
  std::function<void()> Work;
  bool IsOwn = false;
  bool IsDone = false;
  bool IsRunnable = true;
  Nanoseconds WakeAt = Never; ///< when it does not wait for something else
  const void *On = nullptr;   ///< the condition that it waits for
  bool TimedOut = false;
  unsigned Weight = 1; ///< how often it is chosen
  unsigned Guards = 0; ///< of hasMemoryFor, around each other

  static void enter() {
    Fiber *Mine = TheWorld->Running;
    Mine->Work();
    Mine->Work = nullptr;
    Mine->IsDone = true;
    TheWorld->yield();
  }
};

World::World(uint64_t Seed)
    : Chance(Seed), Before(std::exchange(TheWorld, this)) {}

World::~World() {
  for (const std::unique_ptr<Fiber> &F : Fibers)
    Stacks.give(F->Stack);
  TheWorld = Before;
}

World &World::current() { return *TheWorld; }

File &World::write(const std::string &Path, uint64_t Size,
                   std::map<uint64_t, std::string> Bytes) {
  auto New = std::make_shared<File>();
  New->Path = Path;
  New->Identity = {1, NextInode++, Size, Time, Time};
  New->Bytes = std::move(Bytes);
  New->IsResident.resize((Size + PageBytes - 1) / PageBytes);
  return *(Files[Path] = New);
}

void World::replace(const std::string &Path) {
  std::shared_ptr<File> Old = Files[Path];
  write(Path, Old->Identity.Size, Old->Bytes);
}

void World::start(std::function<void()> Work, bool IsOwn) {
  auto New = std::make_unique<Fiber>();
  New->Stack = Stacks.take();
  New->Work = std::move(Work);
  New->IsOwn = IsOwn;
  // Some threads hardly ever get a processor.
  New->Weight = Chance.onceIn(4) ? 1 : 1 + Chance.below(16);
  getcontext(&New->Context);
  New->Context.uc_stack.ss_sp = New->Stack;
  New->Context.uc_stack.ss_size = StackPool::Bytes;
  New->Context.uc_link = nullptr;
  makecontext(&New->Context, Fiber::enter, 0);
  Fibers.push_back(std::move(New));
}

bool World::isOwn() const { return Running && Running->IsOwn; }

size_t World::thread() const {
  size_t Number = 0;
  while (Number < Fibers.size() && Fibers[Number].get() != Running)
    ++Number;
  return Number;
}

void World::yield() { swapcontext(&Running->Context, &Main); }

/// Who goes on; the clock is put forward when nobody can. Null: nobody ever.
World::Fiber *World::choose() {
  unsigned Weights = 0;
  Nanoseconds Next = Never;
  for (const std::unique_ptr<Fiber> &F : Fibers)
    if (F->IsRunnable && !F->IsDone)
      Weights += F->Weight;
    else if (!F->IsDone)
      Next = std::min(Next, F->WakeAt);
  if (Weights == 0) {
    if (Next == Never)
      return nullptr;
    Time = std::max(Time, Next);
    for (const std::unique_ptr<Fiber> &F : Fibers)
      if (!F->IsDone && !F->IsRunnable && F->WakeAt <= Time) {
        F->IsRunnable = true;
        F->TimedOut = F->On != nullptr;
        F->On = nullptr;
        Weights += F->Weight;
      }
  }
  uint64_t Drawn = Chance.below(Weights);
  for (const std::unique_ptr<Fiber> &F : Fibers) {
    if (!F->IsRunnable || F->IsDone)
      continue;
    if (Drawn < F->Weight)
      return F.get();
    Drawn -= F->Weight;
  }
  return nullptr;
}

std::string World::run() {
  constexpr uint64_t MaxSteps = 5'000'000;
  for (uint64_t Step = 0; Failure.empty(); ++Step) {
    if (Step == MaxSteps)
      return "it does not end";
    Fiber *Next = choose();
    if (!Next) {
      bool All = std::all_of(Fibers.begin(), Fibers.end(),
                             [](const auto &F) { return F->IsDone; });
      return All ? "" : "some threads wait for each other";
    }
    Running = Next;
    swapcontext(&Main, &Next->Context);
    Running = nullptr;
  }
  return Failure;
}

void World::sleep(Nanoseconds For) {
  Running->IsRunnable = false;
  Running->WakeAt = Time + For;
  yield();
}

void World::pause() {
  if (Running)
    yield();
}

void World::wait(const void *On, std::unique_lock<std::mutex> &Lock,
                 Nanoseconds Until, bool &TimedOut) {
  Lock.unlock();
  Running->IsRunnable = false;
  Running->On = On;
  Running->WakeAt = Until;
  Running->TimedOut = false;
  yield();
  TimedOut = Running->TimedOut;
  Lock.lock();
}

void World::wake(const void *On, bool All) {
  std::vector<Fiber *> Sleepers;
  for (const std::unique_ptr<Fiber> &F : Fibers)
    if (F->On == On && !F->IsDone)
      Sleepers.push_back(F.get());
  if (!All && Sleepers.size() > 1)
    Sleepers = {Sleepers[Chance.below(Sleepers.size())]};
  for (Fiber *F : Sleepers) {
    F->On = nullptr;
    F->IsRunnable = true;
  }
}

unsigned &World::guards() { return Running->Guards; }

void World::allocate() {
  if ((isOwn() || guards() != 0) && goesWrong(Wrong.Memory))
    throw std::bad_alloc();
}

/// Puts pages out of memory until there is room again.
void World::evict() {
  while (ResidentPages * PageBytes > MemoryBytes && ResidentPages != 0) {
    auto It = Files.begin();
    std::advance(It, Chance.below(Files.size()));
    std::vector<bool> &Pages = It->second->IsResident;
    for (size_t I = 0; I != Pages.size(); ++I)
      if (Pages[I]) {
        Pages[I] = false;
        --ResidentPages;
      }
  }
}

void World::load(File &Of, ByteRange Range) {
  Range = Range.clippedTo(Of.Identity.Size);
  if (Range.empty())
    return;
  uint64_t Missing = 0;
  for (uint64_t P = Range.Offset / PageBytes; P * PageBytes < Range.end(); ++P)
    if (!Of.IsResident[P]) {
      Of.IsResident[P] = true;
      ++Missing;
    }
  if (Missing == 0)
    return;
  ResidentPages += Missing;
  evict();
  ChannelFree.resize(Store.Channels, 0);
  auto Free = std::min_element(ChannelFree.begin(), ChannelFree.end());
  Nanoseconds Begin = std::max({Time, *Free, BandwidthFree});
  auto Takes = static_cast<Nanoseconds>(
      static_cast<double>(Missing * PageBytes) * Store.NanosecondsPerByte);
  BandwidthFree = Begin + Takes;
  *Free = BandwidthFree + Store.Latency;
  constexpr Nanoseconds StallTime = 100'000'000'000; // 100 s
  sleep(*Free - Time + (isOwn() && goesWrong(Wrong.Stall) ? StallTime : 0));
}

void World::tell(const char *What, const std::string &Path, ByteRange Range) {
  if (!IsTold)
    return;
  std::fprintf(stderr, "%12.3f ms  %s %zu  %-8s %s +%llu %llu\n",
               static_cast<double>(Time) / 1e6, isOwn() ? "thread" : "linker",
               thread(), What, Path.c_str(),
               static_cast<unsigned long long>(Range.Offset),
               static_cast<unsigned long long>(Range.Length));
}

void World::begin(File &Of) {
  if (isOwn() && !std::exchange(Of.IsBegun, true) && OnBegin)
    OnBegin(Of);
}

const char *World::map(const std::shared_ptr<File> &Of) {
  uint64_t Length = (Of->Identity.Size / PageBytes + 1) * PageBytes;
  if (NextAddress + Length > AddressBytes)
    NextAddress = 0;
  const char *Data = addresses() + NextAddress;
  NextAddress += Length;
  Mappings[Data + Length] = Of;
  return Data;
}

void World::unmap(const char *Data) {
  auto It = Mappings.upper_bound(Data);
  if (It != Mappings.end())
    Mappings.erase(It);
}

std::shared_ptr<File> World::mappedAt(const char *Data,
                                      uint64_t &Offset) const {
  auto It = Mappings.upper_bound(Data);
  if (It == Mappings.end())
    return nullptr;
  uint64_t Length = (It->second->Identity.Size / PageBytes + 1) * PageBytes;
  Offset = static_cast<uint64_t>(Data - (It->first - Length));
  return It->second;
}
