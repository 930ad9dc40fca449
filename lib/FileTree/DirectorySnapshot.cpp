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
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

/// The most times that a directory is read which changes while it is read.
static constexpr unsigned MaxAttempts = 3;

/// Returns a hash that, with \p IgnoreCase, does not depend on the case of A to
/// Z.
static uint64_t hashOf(StringRef Name, bool IgnoreCase) {
  if (!IgnoreCase)
    return xxh3_64bits(Name);
  SmallString<256> Lower;
  Lower.resize_for_overwrite(Name.size());
  transform(Name, Lower.begin(), [](char C) { return toLower(C); });
  return xxh3_64bits(Lower);
}

SnapshotName::SnapshotName(StringRef Path)
    : Text(Path.take_until([](char C) { return sys::path::is_separator(C); })) {
}

uint64_t SnapshotName::hash(bool IgnoreCase) const {
  std::optional<uint64_t> &Hash = Hashes[IgnoreCase];
  if (!Hash)
    Hash = hashOf(Text, IgnoreCase);
  return *Hash;
}

std::error_code DirectorySnapshot::list(os::DirectoryReader &Reader,
                                        uint64_t MaxEntries) {
  Hashes.clear();
  OnlyASCII = true;
  std::array<os::DirectoryEntry, 128> Batch;
  while (true) {
    std::error_code Error;
    size_t Count = Reader.read(Batch, Error);
    if (Error)
      return Error;
    if (Count == 0)
      break;
    for (const os::DirectoryEntry &Entry : ArrayRef(Batch).take_front(Count)) {
      const StringRef Name = Entry.Name;
      Hashes.push_back(hashOf(Name, MayIgnoreCase));
      OnlyASCII &= isASCII(Name);
    }
    if (size() > MaxEntries)
      return std::make_error_code(std::errc::file_too_large);
  }
  llvm::sort(Hashes);
  return {};
}

std::error_code DirectorySnapshot::read(os::DirectoryHandle Directory,
                                        const SnapshotOptions &Options,
                                        Ptr &Result) {
  std::shared_ptr<DirectorySnapshot> New(new DirectorySnapshot);
  os::DirectoryTraits Traits =
      Options.Traits ? Options.Traits(Directory) : os::traitsOf(Directory);
  New->MayIgnoreCase = Traits.MayIgnoreCase;
  if (!Traits.ReportsChanges)
    return std::make_error_code(std::errc::not_supported);
  os::DirectoryReader Reader;
  for (unsigned Attempt = 0; Attempt != MaxAttempts; ++Attempt) {
    if (Attempt != 0) {
      os::DirectoryHandle Again;
      if (std::error_code E = Directory.openFrom(".", Again))
        return E;
      Directory = std::move(Again);
    }
    // Read the clock first: a change after the stat below has a later time.
    int64_t Now = Options.Clock ? Options.Clock() : os::fileClockNs();
    if (std::error_code E = Directory.identity(New->Directory))
      return E;
    const int64_t Changed = New->Directory.ChangedNs;
    if (Changed == 0 ||
        !os::showsNextChange(Changed, Now, Traits.ReportsEveryChange))
      break;
    Reader.start(Directory);
    if (std::error_code E = New->list(Reader, Options.MaxEntries))
      return E;
    if (Options.Listed)
      Options.Listed();
    os::FileIdentity After;
    if (std::error_code E = Directory.identity(After))
      return E;
    if (After.ChangedNs == Changed &&
        After.ModifiedNs == New->Directory.ModifiedNs) {
      Result = std::move(New);
      return {};
    }
  }
  return std::make_error_code(std::errc::resource_unavailable_try_again);
}

// A file system that ignores case may fold other letters than A to Z, and
// ignore some characters (ext4 normalizes names). On such a file system only
// ASCII names are known to differ.
bool DirectorySnapshot::lacks(const SnapshotName &Name) const {
  const StringRef Text = Name.text();
  if (Text.empty() || Text == "." || Text == ".." ||
      (MayIgnoreCase && !(OnlyASCII && isASCII(Text))))
    return false;
  return !std::binary_search(Hashes.begin(), Hashes.end(),
                             Name.hash(MayIgnoreCase));
}

} // namespace headstart
