//===- ListedDirectories.cpp - Listed before they are opened --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListedDirectories.h"
#include "headstart/OS/DirectoryReader.h"
#include "llvm/Support/Path.h"
#include <array>
#include <chrono>
#include <string>

using namespace llvm;

namespace headstart {

/// Lists \p Path, and stops after about \p Most entries, or when a request has
/// ended after \p Seconds.
static void list(const std::string &Path, uint64_t Most, double Seconds) {
  const auto Begin = os::now();
  os::DirectoryHandle Directory;
  if (os::DirectoryHandle::open(Path, Directory))
    return;
  os::DirectoryReader Reader;
  Reader.start(Directory);
  std::array<os::DirectoryEntry, 256> Entries;
  std::error_code Error;
  for (uint64_t Read = 0; Read < Most;) {
    const size_t Got = Reader.read(Entries, Error);
    if (Got == 0 || Error)
      return;
    Read += Got;
    if (std::chrono::duration<double>(os::now() - Begin).count() > Seconds)
      return;
  }
}

bool ListedDirectories::beforeOpen(StringRef Path, const LinkCommand &Command,
                                   double NameLatency, const Policy &Choice) {
  // If names are that cheap, no number of them is worth a listing.
  if (!Choice.isWorthListing(UINT32_MAX, NameLatency))
    return false;
  const StringRef Name = sys::path::parent_path(Path);
  std::unique_lock Lock(Mutex);
  if (!IsFilled)
    for (const NamedInput &Input : Command.Inputs)
      ++Directories[sys::path::parent_path(Input.Name)].Inputs;
  IsFilled = true;
  auto It = Directories.find(Name);
  if (It == Directories.end())
    return false;
  Directory &Mine = It->second;
  const bool Lists = Mine.Now == State::Unlisted &&
                     Choice.isWorthListing(Mine.Inputs, NameLatency);
  if (Lists) {
    Mine.Now = State::Listing;
    const auto Most =
        static_cast<uint64_t>(double(Mine.Inputs) * Numbers.MaxEntriesPerInput);
    // A listing that takes longer than the names it saves is given up: nothing
    // is known of its price before.
    const double Saved = double(Mine.Inputs) * NameLatency;
    Lock.unlock();
    list(Name.str(), Most, Saved);
    Lock.lock();
    Mine.Now = State::Listed;
    Listed.notifyAll();
  }
  while (Mine.Now == State::Listing && !IsCancelled)
    Listed.wait(Lock);
  return Lists;
}

void ListedDirectories::cancel() {
  {
    std::lock_guard Lock(Mutex);
    IsCancelled = true;
  }
  Listed.notifyAll();
}

} // namespace headstart
