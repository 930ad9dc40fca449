//===- Scheduler.cpp - Who is next ----------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

/// The stages for which a file is kept open. For stages in which the linker
/// reads bytes a second time, it is reopened.
static constexpr StageSet KeptFor = (1U << NumFirstStages) - 1;

void Scheduler::fill(const LinkCommand &Command, uint64_t MaxFiles) {
  std::lock_guard Lock(Mutex);
  MaxKept = MaxFiles;
  Model = &Command.model();
  Reads = Command;
  List.emplace(Command);
}

size_t Scheduler::size() const {
  std::lock_guard Lock(Mutex);
  return List ? List->size() : 0;
}

bool Scheduler::wasLeft(StringRef Path) const {
  std::lock_guard Lock(Mutex);
  std::optional<uint32_t> Number = List ? List->find(Path) : std::nullopt;
  if (!Number || *Number >= Entries.size())
    return false;
  const InputEntry &Entry = Entries[*Number];
  // The linker may have come while the engine was opening it.
  const bool IsHeldTooLate = Entry.State == EntryState::Ready &&
                             Entry.Contents && Entry.IsRequested.load();
  return (Entry.WasLeft || IsHeldTooLate) && !Entry.IsHandedOver.load();
}

InputEntry &Scheduler::entry(uint32_t Number) {
  for (auto N = static_cast<uint32_t>(Entries.size()); N <= Number; ++N)
    Entries.emplace_back(N, (*List)[N]);
  return Entries[Number];
}

/// Returns false if \p Entry was taken before.
bool Scheduler::take(InputEntry &Entry) {
  const uint32_t Place = List->take(Entry.Number);
  if (Place != 0)
    Entry.Place = Place;
  return Place != 0;
}

/// Leaves \p Entry to the linker if it is an object that no thread has claimed.
bool Scheduler::leave(InputEntry &Entry) {
  if (Entry.State != EntryState::Waiting || !isObjectByName(Entry.Named))
    return false;
  (void)take(Entry);
  Entry.State = EntryState::Unavailable;
  Entry.IsPlanned = true;
  note(Decision::StreakLeft);
  Entry.WasLeft = true;
  // The planner may still need its symbols.
  if (Entry.Named.Search == SearchRule::Verbatim)
    Entry.Path = Entry.Named.Name;
  return true;
}

InputEntry *Scheduler::takeNext(unsigned Skipped) {
  while (!Urgent.empty()) {
    InputEntry &Entry = *Urgent.back();
    Urgent.pop_back();
    if (take(Entry)) {
      note(Decision::PreparedUrgent);
      return &Entry;
    }
  }
  while (std::optional<uint32_t> Number = List->next()) {
    InputEntry &Entry = entry(*Number);
    // The linker may never request it.
    if (Entry.Named.OnDemand) {
      List->pass();
      continue;
    }
    (void)take(Entry);
    for (; Skipped != 0; --Skipped) {
      std::optional<uint32_t> Behind = List->next();
      if (!Behind || !leave(entry(*Behind)))
        break;
    }
    note(Decision::PreparedInOrder);
    return &Entry;
  }
  return nullptr;
}

std::optional<bool> Scheduler::waitForStall(std::chrono::milliseconds Long,
                                            function_ref<bool()> HasMoved) {
  std::unique_lock Lock(Mutex);
  const auto End = os::now() + std::chrono::minutes(1);
  while (!IsOver && os::now() < End) {
    const auto Until = os::now() + Long;
    while (!IsOver && Over.waitUntil(Lock, Until))
      ;
    // HasMoved goes first, because it must be called in any case.
    if (HasMoved() || IsOver || Busy <= Hanging)
      continue;
    note(Decision::Stalled);
    Hanging = Busy;
    ++NumStalls;
    const bool AllHang = Idle == 0;
    Lock.unlock();
    More.notifyAll(); // for threads that wait for the hanging ones
    return AllHang;
  }
  return std::nullopt;
}

std::optional<Scheduler::Work> Scheduler::requestDecision(LinkStage Next) {
  if (std::exchange(IsDeciding, true))
    return std::nullopt;
  return Work{Task::Begin, nullptr, Next, nullptr};
}

InputEntry *Scheduler::nextWithSymbols() {
  while (Entered < Entries.size()) {
    InputEntry &Entry = Entries[Entered++];
    // An entry that a thread hangs in is left out.
    if (Entry.Place != 0 && Entry.IsPlanned && !Entry.HasSymbols.exchange(true))
      return &Entry;
  }
  return nullptr;
}

/// Returns the rest of an entry that is being fetched for a stage of at most
/// \p UpTo, if there is one, and no thread hangs in the entry.
std::optional<Scheduler::Work> Scheduler::nextRest(LinkStage UpTo) {
  const auto It = llvm::find_if(Rests, [&](const auto &Each) {
    const InputEntry &Entry = *Each.second.Entry;
    return Each.first.first > UpTo || Hanging == 0 || Entry.Threads == 0 ||
           Entry.Stalls == NumStalls;
  });
  if (It == Rests.end() || It->first.first > UpTo)
    return std::nullopt;
  note(Decision::RestFetched);
  return std::move(Rests.extract(It).mapped());
}

std::optional<Scheduler::Work> Scheduler::nextFetch() {
  if (std::optional<Work> Rest = nextRest(Stage))
    return Rest;
  if (Queue.empty())
    return Work();
  const auto First = Queue.begin();
  const LinkStage Next = First->first.first;
  if (Next > Stage)
    return requestDecision(Next);
  InputEntry &Entry = *First->second;
  Queue.erase(First);
  Work Result{Task::Fetch, &Entry, Next, Entry.File};
  Entry.Stages &= ~bitOf(Next);
  if (!(Entry.Stages & KeptFor))
    Entry.File = nullptr;
  return Result;
}

static void claim(InputEntry &Entry) {
  Entry.State = EntryState::Opening;
  Entry.Claimed = os::now();
}

Scheduler::Work Scheduler::prepare(InputEntry &Entry) {
  ++Unfinished;
  const bool IsClaimed = Entry.State == EntryState::Waiting;
  if (IsClaimed)
    claim(Entry);
  return Work{Task::Prepare, &Entry, LinkStage::Parse, nullptr, IsClaimed};
}

InputEntry *Scheduler::nextRefresh() {
  if (RefreshBegin >= RefreshEnd)
    return nullptr;
  const auto Time = os::now();
  while (RefreshBegin < RefreshEnd) {
    InputEntry &Entry = Entries[RefreshBegin++];
    if (Entry.State == EntryState::Ready && Entry.Contents &&
        !Entry.IsRequested.load() && Entry.Seen < Time - Numbers.FreshFor) {
      Entry.Seen = Time;
      return &Entry;
    }
  }
  return nullptr;
}

/// Returns the next task; nullopt while it is unknown.
std::optional<Scheduler::Work> Scheduler::tryNext(unsigned Skipped) {
  if (IsCancelled || !List)
    return Work();
  if (InputEntry *Entry = nextRefresh())
    return Work{Task::Refresh, Entry, LinkStage::Parse, nullptr};
  // What is being fetched comes before what the linker reads after it.
  if (Urgent.empty())
    if (std::optional<Work> Rest = nextRest(LinkStage::Parse))
      return Rest;
  if (InputEntry *Entry = takeNext(Skipped))
    return prepare(*Entry);
  if (const auto First = Queue.begin();
      First != Queue.end() && First->first.first == LinkStage::Parse) {
    InputEntry *Entry = First->second;
    Queue.erase(First);
    ++Unfinished;
    return Work{Task::Plan, Entry, LinkStage::Parse,
                std::exchange(Entry->File, nullptr)};
  }
  if (Now == Phase::Preparing)
    return waitsFor(Unfinished) ? std::nullopt
                                : requestDecision(LinkStage::Parse);
  if (Now == Phase::Entering) {
    if (InputEntry *Entry = nextWithSymbols()) {
      ++Unfinished;
      Work Next{Task::Symbols, Entry, LinkStage::Parse, Entry->File};
      if (!(Entry->Stages & KeptFor))
        Entry->File = nullptr;
      return Next;
    }
    if (waitsFor(Unfinished))
      return std::nullopt;
    Now = Phase::Fetching;
  }
  std::optional<Work> Next = nextFetch();
  if (Next && Next->What == Task::None) {
    // Where names are slow, paths become due as the linker comes nearer.
    HasOnlyPaths = MayRefresh && RefreshEnd != 0 &&
                   RefreshedAt + Numbers.RefreshStep < Entries.size();
    // Others may add inputs, or a rest.
    if (HasOnlyPaths || waitsFor(Busy))
      return std::nullopt;
  }
  return Next;
}

Scheduler::Work Scheduler::next(unsigned Skipped, Waits OnWait,
                                const Work &Finished) {
  std::unique_lock Lock(Mutex);
  if (Finished.Entry) {
    --Finished.Entry->Threads;
    --Busy;
    Hanging -= Finished.Stalls != NumStalls;
    if (!waitsFor(Busy))
      More.notifyAll();
  }
  while (true) {
    if (std::optional<Work> Next = tryNext(Skipped)) {
      if (Next->What == Task::None)
        end();
      if (Next->Entry) {
        ++Next->Entry->Threads;
        ++Busy;
        Next->Stalls = Next->Entry->Stalls = NumStalls;
      }
      return std::move(*Next);
    }
    if (OnWait)
      std::exchange(OnWait, nullptr)();
    ++Idle;
    More.wait(Lock);
    --Idle;
  }
}

void Scheduler::end() {
  if (!std::exchange(IsOver, true))
    Over.notifyAll();
}

void Scheduler::done() {
  {
    std::lock_guard Lock(Mutex);
    if (--Unfinished != 0)
      return;
  }
  More.notifyAll();
}

FilePointer Scheduler::keep(const FilePointer &File) {
  if (!File)
    return nullptr;
  if (NumKept->fetch_add(1) >= MaxKept) {
    NumKept->fetch_sub(1);
    return nullptr;
  }
  return FilePointer(File.get(), [Mine = FilePointer(File), Count = NumKept](
                                     const os::OpenFile *) mutable {
    Mine = nullptr;
    Count->fetch_sub(1);
  });
}

void Scheduler::keepFor(InputEntry &Entry, const FilePointer &File) {
  if (FilePointer Kept = keep(File))
    Entry.File = std::move(Kept);
}

void Scheduler::planLater(InputEntry &Entry, const FilePointer &File) {
  {
    std::lock_guard Lock(Mutex);
    --Unfinished;
    keepFor(Entry, File);
    Queue.try_emplace({LinkStage::Parse, Entry.Place}, &Entry);
  }
  More.notifyAll();
}

void Scheduler::add(const InputEntry &Entry, std::vector<FoundInput> Found) {
  if (Found.empty())
    return;
  {
    std::lock_guard Lock(Mutex);
    List->add(Entry.Number, std::move(Found));
  }
  More.notifyAll();
}

void Scheduler::planned(InputEntry &Entry, StageSet Stages,
                        const FilePointer &File) {
  bool IsMore = false;
  {
    std::lock_guard Lock(Mutex);
    Entry.IsPlanned = true;
    Entry.Stages = Stages & ((1U << End) - 1) & ~bitOf(LinkStage::Parse);
    for (unsigned S = 1; S != End; ++S)
      if (const auto Each = static_cast<LinkStage>(S);
          Entry.Stages & bitOf(Each))
        Queue.try_emplace(
            {Each, Model->orderIn(Each, Entry.Place, Reads, Entry.IsBitcode)},
            &Entry);
    const bool MayEnter = Model->PlansTogether && Now != Phase::Fetching;
    if ((Entry.Stages & KeptFor) || (MayEnter && !Entry.HasSymbols))
      keepFor(Entry, File);
    // Threads that wait for added inputs can fetch for its later stages.
    IsMore = Now == Phase::Fetching && Entry.Stages != 0;
    if (--Unfinished == 0)
      IsMore = true;
  }
  if (IsMore)
    More.notifyAll();
}

void Scheduler::fetchRest(InputEntry &Entry, LinkStage For, FilePointer Kept,
                          std::vector<PlannedRange> Rest) {
  {
    std::lock_guard Lock(Mutex);
    Rests.try_emplace(
        {For, Model->orderIn(For, Entry.Place, Reads, Entry.IsBitcode)},
        Work{Task::Fetch, &Entry, For, std::move(Kept), false,
             std::move(Rest)});
  }
  More.notifyOne();
}

void Scheduler::begin(LinkStage Next, bool IsBegun) {
  std::vector<FilePointer> Closed; // without the lock, since that may block
  {
    std::lock_guard Lock(Mutex);
    IsDeciding = false;
    if (Next == LinkStage::Parse) {
      Now = IsBegun ? Phase::Entering : Phase::Fetching;
      for (InputEntry &Entry : Entries)
        if (!IsBegun && Entry.File && !(Entry.Stages & KeptFor))
          Closed.push_back(std::move(Entry.File));
    } else if (IsBegun) {
      Stage = Next;
    } else {
      End = static_cast<unsigned>(Next);
      Queue.erase(Queue.lower_bound({Next, 0}), Queue.end());
      for (InputEntry &Entry : Entries)
        if (Entry.File)
          Closed.push_back(std::move(Entry.File));
    }
  }
  More.notifyAll();
}

bool Scheduler::settle(const InputEntry &Entry, const ResolvedInput &Found) {
  std::lock_guard Lock(Mutex);
  return List->settle(Entry.Number, Found);
}

void Scheduler::publish(InputEntry &Entry, EntryState State,
                        const FilePointer &File) {
  {
    std::lock_guard Lock(Mutex);
    Entry.State = State;
    keepFor(Entry, File);
  }
  Published.notifyAll();
}

bool Scheduler::waitUntilPublished(InputEntry &Entry, Waits OnWait) {
  std::unique_lock Lock(Mutex);
  while (!IsCancelled && (Entry.State == EntryState::Waiting ||
                          Entry.State == EntryState::Opening)) {
    if (OnWait)
      std::exchange(OnWait, nullptr)();
    Published.wait(Lock);
  }
  return Entry.State == EntryState::Ready ||
         (Entry.State == EntryState::Unavailable && Entry.WasLeft &&
          !Entry.Path.empty());
}

FilePointer Scheduler::takeFile(InputEntry &Entry) {
  std::lock_guard Lock(Mutex);
  return std::exchange(Entry.File, nullptr);
}

InputEntry *Scheduler::request(StringRef Path, bool Leaves,
                               std::optional<NamedInput> &Claimed,
                               Waits OnWait) {
  std::unique_lock Lock(Mutex);
  std::optional<uint32_t> Number = List ? List->find(Path) : std::nullopt;
  if (!Number)
    return nullptr;
  InputEntry &Entry = entry(*Number);
  Entry.IsRequested.store(true);
  if (Leaves && (leave(Entry) || (Entry.State == EntryState::Opening &&
                                  isObjectByName(Entry.Named))))
    return nullptr;
  if (Entry.Place == 0) {
    // Nothing else would prepare an input on demand.
    if (!Urgent.empty() && !Urgent.back()->Named.OnDemand)
      Urgent.pop_back();
    Urgent.push_back(&Entry);
    More.notifyOne();
  }
  if (Entry.State == EntryState::Waiting) {
    claim(Entry);
    Claimed = Entry.Named;
    note(Decision::LinkerOpened);
    return &Entry;
  }
  // Many threads may hang at once, and the linker waits for all of them
  // together no longer than for one.
  const auto Until = Entry.Claimed + Numbers.OpenTimeout;
  while (!IsCancelled && Entry.State == EntryState::Opening) {
    if (os::now() >= Until) {
      note(Decision::LinkerTimedOut);
      break;
    }
    if (OnWait) {
      std::exchange(OnWait, nullptr)();
      note(Decision::LinkerWaited);
    }
    (void)Published.waitUntil(Lock, Until);
  }
  return Entry.State != EntryState::Opening ? &Entry : nullptr;
}

void Scheduler::refreshAhead(const InputEntry &Entry) {
  {
    std::lock_guard Lock(Mutex);
    const size_t Next = Entry.Number + size_t(1);
    if (Next < RefreshedAt + Numbers.RefreshStep)
      return;
    // A system forgets what it was told too early: as many as the linker will
    // request in the time for which an answer is fresh.
    const auto Time = os::now();
    const double Reached = double(Next - RefreshedAt) *
                           (std::chrono::duration<double>(Numbers.FreshFor) /
                            (Time - RefreshTime));
    // In this order, 0 / 0 gives a step.
    const auto Ahead = static_cast<size_t>(
        std::max(double(Numbers.RefreshStep),
                 std::min(Reached, double(Numbers.RefreshAhead))));
    RefreshBegin = Next;
    RefreshEnd = std::min(Next + Ahead, Entries.size());
    RefreshedAt = Next;
    RefreshTime = Time;
  }
  More.notifyAll();
}

std::vector<std::reference_wrapper<const InputEntry>> Scheduler::ready() const {
  std::lock_guard Lock(Mutex);
  std::vector<std::reference_wrapper<const InputEntry>> Result;
  Result.reserve(Entries.size());
  llvm::copy_if(Entries, std::back_inserter(Result), [](const InputEntry &E) {
    return E.State == EntryState::Ready;
  });
  return Result;
}

void Scheduler::refreshNoMore() {
  {
    std::lock_guard Lock(Mutex);
    MayRefresh = false;
  }
  More.notifyAll();
}

bool Scheduler::cancel() {
  bool IsLeft = false;
  {
    std::lock_guard Lock(Mutex);
    IsLeft = Busy != 0 || (!IsOver && !HasOnlyPaths);
    IsCancelled = true;
    end();
  }
  More.notifyAll();
  Published.notifyAll();
  return IsLeft;
}

} // namespace headstart
