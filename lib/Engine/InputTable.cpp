//===- InputTable.cpp - The engine's inputs and their states --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputTable.h"

using namespace llvm;

namespace headstart {

void InputTable::fill(const std::vector<NamedInput> &Inputs) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Entries.reserve(Inputs.size());
  for (const NamedInput &Named : Inputs) {
    auto Entry = std::make_unique<InputEntry>(
        Named, static_cast<uint32_t>(Entries.size()));
    // Two rules for one name (an input and a /defaultlib) may find two files;
    // the first keeps the name, the other is found by its path.
    auto [It, IsNew] = ByPath.try_emplace(Named.Name, Entry.get());
    if (!IsNew && It->second->Named->Search == Named.Search)
      continue;
    Entries.push_back(std::move(Entry));
  }
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

bool InputTable::waitUntilPublished(InputEntry &Entry) {
  std::unique_lock<std::mutex> Lock(Mutex);
  Published.wait(Lock, [&] {
    return Entry.State == EntryState::Ready ||
           Entry.State == EntryState::Unavailable;
  });
  return Entry.State == EntryState::Ready;
}

InputEntry *InputTable::find(StringRef Path, bool &Claimed) {
  Claimed = false;
  std::unique_lock<std::mutex> Lock(Mutex);
  auto It = ByPath.find(Path);
  if (It == ByPath.end())
    return nullptr;
  InputEntry *Entry = It->second;
  if (Entry->State == EntryState::Waiting) {
    Entry->State = EntryState::Opening;
    Claimed = true;
    return Entry;
  }
  Published.wait(Lock, [&] { return Entry->State != EntryState::Opening; });
  return Entry;
}

} // namespace headstart
