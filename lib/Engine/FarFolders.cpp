//===- FarFolders.cpp - Folders that are listed once ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FarFolders.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/Support/Path.h"
#include <array>
#include <string>

using namespace llvm;

namespace headstart {

/// Lists \p Path, but for what is behind \p Most entries.
static void list(const std::string &Path, uint64_t Most) {
  os::DirectoryHandle Folder;
  if (os::DirectoryHandle::open(Path, Folder))
    return;
  os::DirectoryReader Reader;
  Reader.start(Folder);
  std::array<os::DirectoryEntry, 256> Entries;
  std::error_code Error;
  for (uint64_t Read = 0; Read < Most;) {
    const size_t Got = Reader.read(Entries, Error);
    if (Got == 0 || Error)
      return;
    Read += Got;
  }
}

bool FarFolders::beforeOpen(StringRef Path, const LinkCommand &Command) {
  const StringRef Name = sys::path::parent_path(Path);
  std::unique_lock Lock(Mutex);
  if (!IsFilled)
    for (const NamedInput &Input : Command.Inputs)
      ++Folders[sys::path::parent_path(Input.Name)].Inputs;
  IsFilled = true;
  auto It = Folders.find(Name);
  if (It == Folders.end() || It->second.Inputs < Numbers.MinListedInputs)
    return false;
  Folder &Mine = It->second;
  const bool Lists = Mine.Now == State::Unlisted;
  if (Lists) {
    Mine.Now = State::Listing;
    const uint64_t Most = Mine.Inputs * Numbers.MaxEntriesPerInput;
    Lock.unlock();
    list(Name.str(), Most);
    Lock.lock();
    Mine.Now = State::Listed;
    Listed.notifyAll();
  }
  while (Mine.Now == State::Listing && !IsCancelled)
    Listed.wait(Lock);
  return Lists;
}

void FarFolders::cancel() {
  {
    std::lock_guard Lock(Mutex);
    IsCancelled = true;
  }
  Listed.notifyAll();
}

} // namespace headstart
