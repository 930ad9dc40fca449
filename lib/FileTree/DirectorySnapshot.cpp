//===- DirectorySnapshot.cpp - A directory, read once ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/DirectorySnapshot.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <array>
#include <bit>
#include <utility>

using namespace llvm;

namespace headstart {

/// The most times that a directory is read which changes while it is read.
static constexpr unsigned MaxAttempts = 3;

/// Returns a hash that does not depend on the case of A to Z.
static uint64_t hashOf(StringRef Name) {
  SmallString<256> Lower;
  Lower.resize_for_overwrite(Name.size());
  transform(Name, Lower.begin(), [](char C) { return toLower(C); });
  return xxh3_64bits(Lower);
}

SnapshotName::SnapshotName(StringRef Path)
    : Text(Path.take_until([](char C) { return sys::path::is_separator(C); })) {
}

bool SnapshotName::isEntryName() const {
  return !Text.empty() && Text != "." && Text != "..";
}

uint64_t SnapshotName::hash() const {
  if (!IsHashed) {
    Hash = hashOf(Text);
    IsHashed = true;
  }
  return Hash;
}

std::error_code DirectorySnapshot::list(const os::DirectoryHandle &From,
                                        os::DirectoryReader &Reader,
                                        const SnapshotOptions &Options) {
  Names.clear();
  Records.clear();
  Inodes.clear();
  Statuses.clear();
  OnlyASCII = true;
  std::array<os::DirectoryEntry, 128> Batch;
  while (true) {
    std::error_code Error;
    size_t Count = Reader.read(Batch, Error);
    if (Error)
      return Error;
    if (Count == 0)
      break;
    for (os::DirectoryEntry &Entry : MutableArrayRef(Batch).take_front(Count)) {
      if (Options.Entry)
        Options.Entry(Entry);
      // The stat fails if the entry was removed. Then it has no status.
      if (Options.WithStatus && !Entry.hasOwnStatus() && From.addStatus(Entry))
        Entry.dropHint();
      if (Entry.HasStatus) {
        Statuses.resize(Records.size());
        Statuses.push_back(Entry.Identity);
      }
      Records.push_back({static_cast<uint32_t>(Names.size()),
                         static_cast<uint16_t>(Entry.Name.size()), Entry.Type,
                         Entry.HasStatus, Entry.StatusIsHint});
      Inodes.push_back(Entry.Identity.Inode);
      Names.insert(Names.end(), Entry.Name.begin(), Entry.Name.end());
      Names.push_back('\0');
    }
    // The offsets of names have 32 bits.
    if (bytes() > std::min<uint64_t>(Options.MaxBytes, UINT32_MAX / 2) ||
        size() > Options.MaxEntries)
      return std::make_error_code(std::errc::file_too_large);
  }
  if (!Statuses.empty())
    Statuses.resize(Records.size());
  return {};
}

std::error_code DirectorySnapshot::index() {
  // A user can create names whose hashes begin with the same bits on purpose.
  // A million ordinary names, at a load of one half, need at most 34 steps.
  constexpr size_t MaxRowLength = 256;
  Slots.assign(std::bit_ceil(std::max<size_t>(Records.size() * 2, 8)), {});
  Shift = 64 - Log2_64(Slots.size());
  size_t Mask = Slots.size() - 1;
  for (size_t I = 0; I != Records.size(); ++I) {
    const StringRef Name = name(Records[I]);
    const uint64_t Hash = hashOf(Name);
    OnlyASCII &= isASCII(Name);
    size_t At = Hash >> Shift;
    size_t Steps = 0;
    while (Slots[At].Record != 0) {
      At = (At + 1) & Mask;
      if (++Steps == MaxRowLength)
        return std::make_error_code(std::errc::file_too_large);
    }
    Slots[At] = {static_cast<uint32_t>(Hash), static_cast<uint32_t>(I + 1)};
  }
  return {};
}

std::error_code DirectorySnapshot::read(os::DirectoryHandle Directory,
                                        const SnapshotOptions &Options,
                                        Ptr &Result) {
  std::shared_ptr<DirectorySnapshot> New(new DirectorySnapshot);
  os::DirectoryTraits Traits =
      Options.Traits ? Options.Traits(Directory) : os::traitsOf(Directory);
  New->MayIgnoreCase = Traits.MayIgnoreCase;
  if (Options.OnlyVerified && !Traits.ReportsChanges)
    return std::make_error_code(std::errc::not_supported);
  os::DirectoryReader Reader;
  for (unsigned Attempt = 1;; ++Attempt) {
    // Read the clock first: a change after the stat below has a later time.
    int64_t Now = Options.Clock ? Options.Clock() : os::fileClockNs();
    if (std::error_code E = Directory.identity(New->Directory))
      return E;
    const int64_t Changed = New->Directory.ChangedNs;
    bool WouldShow =
        Traits.ReportsChanges && Changed != 0 &&
        os::showsNextChange(Changed, Now, Traits.ReportsEveryChange);
    if (Options.OnlyVerified && !WouldShow)
      return std::make_error_code(std::errc::resource_unavailable_try_again);
    Reader.start(Directory);
    if (std::error_code E = New->list(Directory, Reader, Options))
      return E;
    if (Options.Listed)
      Options.Listed();
    os::FileIdentity After;
    if (std::error_code E = Directory.identity(After))
      return E;
    bool Same = After.ChangedNs == New->Directory.ChangedNs &&
                After.ModifiedNs == New->Directory.ModifiedNs;
    New->Verified = Same && WouldShow;
    if (Same || Attempt == MaxAttempts)
      break;
    os::DirectoryHandle Again;
    if (std::error_code E =
            Directory.openBelow(".", os::LinkRule::Follow, Again))
      return E;
    Directory = std::move(Again);
  }
  if (Options.OnlyVerified && !New->Verified)
    return std::make_error_code(std::errc::resource_unavailable_try_again);
  if (std::error_code E = New->index())
    return E;
  Result = std::move(New);
  return {};
}

std::error_code DirectorySnapshot::read(const std::string &Path,
                                        const SnapshotOptions &Options,
                                        Ptr &Result) {
  os::DirectoryHandle Directory;
  if (std::error_code E = os::DirectoryHandle::open(Path, Directory))
    return E;
  return read(std::move(Directory), Options, Result);
}

os::DirectoryEntry DirectorySnapshot::entry(size_t Index) const {
  const Record &R = Records[Index];
  os::DirectoryEntry Entry;
  Entry.Name = {Names.data() + R.NameAt, R.NameLength};
  Entry.Type = R.Type;
  Entry.HasStatus = R.HasStatus;
  Entry.StatusIsHint = R.StatusIsHint;
  if (R.HasStatus)
    Entry.Identity = Statuses[Index];
  else
    Entry.Identity.Inode = Inodes[Index];
  return Entry;
}

std::optional<size_t> DirectorySnapshot::indexOf(const SnapshotName &Name,
                                                 bool IgnoreCase) const {
  uint64_t Hash = Name.hash();
  auto Tag = static_cast<uint32_t>(Hash);
  size_t Mask = Slots.size() - 1;
  for (size_t At = Hash >> Shift; Slots[At].Record != 0; At = (At + 1) & Mask) {
    if (Slots[At].Tag != Tag)
      continue;
    size_t Index = Slots[At].Record - 1;
    StringRef Candidate = name(Records[Index]);
    if (IgnoreCase ? Candidate.equals_insensitive(Name.text())
                   : Candidate == Name.text())
      return Index;
  }
  return std::nullopt;
}

std::optional<os::DirectoryEntry>
DirectorySnapshot::find(const SnapshotName &Name) const {
  std::optional<size_t> Index = indexOf(Name, /*IgnoreCase=*/false);
  return Index ? std::optional(entry(*Index)) : std::nullopt;
}

// A file system that ignores case may fold other letters than A to Z, and
// ignore some characters (ext4 normalizes names). On such a file system only
// ASCII names are known to differ.
bool DirectorySnapshot::lacks(const SnapshotName &Name) const {
  if (!Verified || !Name.isEntryName() ||
      (MayIgnoreCase && !(OnlyASCII && isASCII(Name.text()))))
    return false;
  return !indexOf(Name, MayIgnoreCase);
}

uint64_t DirectorySnapshot::bytes() const {
  // The index has at most four slots per name. It does not exist before the
  // directory has been listed.
  uint64_t IndexBytes = Slots.empty() ? 4 * sizeof(Slot) * Records.size()
                                      : sizeof(Slot) * Slots.size();
  return Names.size() + Records.size() * sizeof(Record) +
         Inodes.size() * sizeof(uint64_t) +
         Statuses.size() * sizeof(os::FileIdentity) + IndexBytes;
}

} // namespace headstart
