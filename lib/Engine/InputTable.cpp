//===- InputTable.cpp - The engine's inputs and their states --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace llvm;

namespace headstart {

/// The most that the linker waits for a file that a thread is opening: then it
/// opens the file itself, and hears from the system why it takes so long.
static constexpr std::chrono::seconds Patience(1);

/// Waits on \p Changed, under \p Lock, until \p IsDone, or for \p MaxWait.
template <class Predicate>
static void
waitFor(std::condition_variable &Changed, std::unique_lock<std::mutex> &Lock,
        InputTable::Waits OnWait, Predicate IsDone,
        std::optional<std::chrono::seconds> MaxWait = std::nullopt) {
  if (IsDone())
    return;
  if (OnWait)
    OnWait();
  if (MaxWait)
    Changed.wait_for(Lock, *MaxWait, IsDone);
  else
    Changed.wait(Lock, IsDone);
}

/// Enters \p Named, and tells whether it is new: a name that is known under the
/// same rule is not.
std::pair<InputEntry *, bool> InputTable::make(NamedInput Named) {
  // What is found by a path is owned first: there may be no memory for more.
  InputEntry *Entry =
      Entries
          .emplace_back(std::make_unique<InputEntry>(
              std::move(Named), static_cast<uint32_t>(Entries.size())))
          .get();
  const NamedInput &Mine = Entry->Named;
  // Two rules for one name (an input and a /defaultlib; scripts of two folders)
  // may find two files; the first keeps the name, the others are found by their
  // paths.
  auto [It, IsNew] = ByPath.try_emplace(Mine.Name, Entry);
  NamedInput &Other = It->second->Named;
  if (!IsNew && Other.Search == Mine.Search &&
      Other.StaticOnly == Mine.StaticOnly &&
      (Mine.Search != SearchRule::ScriptInput ||
       sys::path::parent_path(Other.From) ==
           sys::path::parent_path(Mine.From))) {
    Entries.pop_back();
    return {It->second, false};
  }
  return {Entry, true};
}

void InputTable::fill(std::vector<NamedInput> Inputs,
                      function_ref<bool(StringRef)> IsRecorded) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Entries.reserve(Inputs.size());
  for (NamedInput &Named : Inputs) {
    bool Whole = Named.Whole, Lazy = Named.Lazy;
    auto [Entry, IsNew] = make(std::move(Named));
    if (IsNew)
      Waiting.push_back(Entry);
    Entry->IsRecorded = IsRecorded(Entry->Named.Name);
    // `a.a --whole-archive a.a`: what is read of a file is what its names need
    // together.
    Entry->Named.Whole |= Whole;
    Entry->Named.Lazy &= Lazy;
  }
}

size_t InputTable::size() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Entries.size();
}

bool InputTable::isObject(const NamedInput &Input) {
  StringRef Extension = sys::path::extension(Input.Name);
  return Extension.equals_insensitive(".obj") ||
         Extension.equals_insensitive(".o");
}

/// Leaves \p Entry to the linker, if it is an object that nobody has begun
/// with. Under the lock.
bool InputTable::leave(InputEntry &Entry) {
  if (Entry.State != EntryState::Waiting || Entry.IsRecorded ||
      !isObject(Entry.Named))
    return false;
  Entry.State = EntryState::Unavailable;
  // The planner may still want its symbols.
  if (Entry.Named.Search == SearchRule::AsGiven) {
    Entry.Path = Entry.Named.Name;
    Entry.WasLeft = true;
  }
  Entry.Flags.fetch_or(InputEntry::PlannedFlag | InputEntry::BegunFlag);
  return true;
}

InputTable::Work InputTable::nextWork(unsigned Skipped, Waits OnWait) {
  std::unique_lock<std::mutex> Lock(Mutex);
  waitFor(More, Lock, OnWait, [&] {
    return Cancelled || !Waiting.empty() || !Unplanned.empty() || Looking == 0;
  });
  if (Cancelled || (Waiting.empty() && Unplanned.empty()))
    return {};
  ++Looking;
  if (!Waiting.empty()) {
    InputEntry *Entry = Waiting.front();
    Waiting.pop_front();
    Entry->Place = NextPlace++;
    for (; Skipped != 0 && !Waiting.empty() && leave(*Waiting.front());
         --Skipped)
      Waiting.pop_front();
    return {Entry, false};
  }
  InputEntry *Entry = Unplanned.begin()->second;
  Unplanned.erase(Unplanned.begin());
  return {Entry, true};
}

void InputTable::beginLook() {
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Looking;
}

void InputTable::looked() {
  bool Last = false;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Last = --Looking == 0;
  }
  if (Last)
    More.notify_all();
}

void InputTable::planLater(InputEntry &Entry) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    --Looking;
    Unplanned.emplace(Entry.Place, &Entry);
  }
  More.notify_one();
}

void InputTable::add(std::vector<FoundInput> Found, uint8_t Turn) {
  if (Found.empty())
    return;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::vector<InputEntry *> Next;
    auto Later = [](uint8_t Turn, const InputEntry *Other) {
      return Turn < Other->Named.Turn;
    };
    for (FoundInput &F : Found) {
      F.Input.Turn = Turn;
      auto [Entry, IsNew] = make(std::move(F.Input));
      if (IsNew && Entry->Named.OnDemand)
        continue;
      // What is known from a record, at the end of all, comes here. (That it
      // then stands in Waiting twice is seen by whoever comes second.)
      if (F.Next && (IsNew || Entry->State == EntryState::Waiting))
        Next.push_back(Entry);
      else if (IsNew)
        Waiting.insert(llvm::upper_bound(Waiting, Turn, Later), Entry);
    }
    Waiting.insert(Waiting.begin(), Next.begin(), Next.end());
  }
  More.notify_all();
}

InputEntry *InputTable::nextFor(LinkStage Stage) {
  std::lock_guard<std::mutex> Lock(Mutex);
  size_t &Cursor = Cursors[static_cast<size_t>(Stage)];
  return Cursor < Entries.size() ? Entries[Cursor++].get() : nullptr;
}

void InputTable::finished() {
  bool All = false;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    All = ++Finished == Entries.size();
  }
  if (All)
    More.notify_all();
}

void InputTable::waitUntilFinished(Waits OnWait) {
  std::unique_lock<std::mutex> Lock(Mutex);
  waitFor(More, Lock, OnWait,
          [&] { return Cancelled || Finished == Entries.size(); });
}

void InputTable::cancel() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Cancelled = true;
  }
  More.notify_all();
  Published.notify_all();
}

bool InputTable::isTaken(StringRef Path, const InputEntry &Entry) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto It = ByPath.find(Path);
  return It != ByPath.end() && It->second != &Entry &&
         (It->second->Named.Search == SearchRule::AsGiven ||
          (It->second->State == EntryState::Ready && It->second->Path == Path));
}

bool InputTable::claim(InputEntry &Entry) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Entry.State != EntryState::Waiting)
    return false;
  Entry.State = EntryState::Opening;
  return true;
}

void InputTable::publish(InputEntry &Entry, EntryState State, std::string Path,
                         const os::FileIdentity &Identity,
                         std::shared_ptr<const FileContents> Contents) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Entry.Path = std::move(Path);
    Entry.Identity = Identity;
    Entry.Contents = std::move(Contents);
    Entry.State = State;
    if (State == EntryState::Ready)
      ByPath.try_emplace(Entry.Path, &Entry);
  }
  Published.notify_all();
}

void InputTable::forEachReady(function_ref<void(const InputEntry &)> Visit) {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (const std::unique_ptr<InputEntry> &Entry : Entries)
    if (Entry->State == EntryState::Ready)
      Visit(*Entry);
}

bool InputTable::waitUntilPublished(InputEntry &Entry, Waits OnWait) {
  std::unique_lock<std::mutex> Lock(Mutex);
  waitFor(Published, Lock, OnWait, [&] {
    return Cancelled || Entry.State == EntryState::Ready ||
           Entry.State == EntryState::Unavailable;
  });
  return Entry.State == EntryState::Ready ||
         (Entry.State == EntryState::Unavailable && Entry.WasLeft);
}

InputEntry *InputTable::find(StringRef Path, bool Leaves, bool &Claimed,
                             Waits OnWait) {
  Claimed = false;
  std::unique_lock<std::mutex> Lock(Mutex);
  auto It = ByPath.find(Path);
  if (It == ByPath.end())
    return nullptr;
  InputEntry *Entry = It->second;
  if (Leaves && (leave(*Entry) || (Entry->State == EntryState::Opening &&
                                   isObject(Entry->Named))))
    return nullptr;
  if (Entry->State == EntryState::Waiting) {
    Entry->State = EntryState::Opening;
    Claimed = true;
    return Entry;
  }
  waitFor(
      Published, Lock, OnWait,
      [&] { return Cancelled || Entry->State != EntryState::Opening; },
      Patience);
  return Entry->State != EntryState::Opening ? Entry : nullptr;
}

} // namespace headstart
