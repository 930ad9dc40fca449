//===- DirectorySnapshot.h - A directory, read once -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The entries that one directory had at one moment, with an index of their
/// names. A snapshot is immutable, so that threads can share it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H
#define HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H

#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryTraits.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headstart {

/// A name to look up in many snapshots. It is hashed once, at its first use.
/// Two threads must not use one object at the same time.
class SnapshotName {
public:
  /// The name is the first component of \p Path, which is relative to the
  /// directory and must outlive this object.
  explicit SnapshotName(llvm::StringRef Path);

  llvm::StringRef text() const { return Text; }
  /// Whether an entry can have the name: not "", "." or "..".
  bool isEntryName() const;
  /// Does not depend on the case of A to Z.
  uint64_t hash() const;

private:
  llvm::StringRef Text;
  mutable uint64_t Hash = 0;
  mutable bool IsHashed = false;
};

/// How a directory is read.
struct SnapshotOptions {
  /// Whether each entry is stat'ed if the listing has no size and times for it,
  /// or only hints: one system call per entry.
  bool WithStatus = false;
  /// Whether a snapshot that is not verified becomes an error:
  /// `errc::not_supported` if no snapshot can be verified on this file system,
  /// `errc::resource_unavailable_try_again` if the directory changes, or has
  /// just changed.
  bool OnlyVerified = false;
  /// The most memory that a snapshot may take, including names and index. A
  /// larger one is the error `errc::file_too_large`.
  uint64_t MaxBytes = uint64_t(256) << 20;
  uint64_t MaxEntries = std::numeric_limits<uint64_t>::max();

  // For tests: Traits and Clock replace os::traitsOf and os::fileClockNs.
  // Listed runs between a listing and the second stat of the directory. Entry
  // may modify each entry as it is listed.
  std::function<os::DirectoryTraits(const os::DirectoryHandle &)> Traits;
  std::function<int64_t()> Clock;
  std::function<void()> Listed;
  std::function<void(os::DirectoryEntry &)> Entry;
};

class DirectorySnapshot {
public:
  using Ptr = std::shared_ptr<const DirectorySnapshot>;

  /// Reads \p Directory, which must not have been listed before, and closes it.
  /// After any error \p Result is unchanged. Blocks. Any thread.
  static std::error_code read(os::DirectoryHandle Directory,
                              const SnapshotOptions &Options, Ptr &Result);
  /// Opens and reads \p Path; "" is the current directory.
  static std::error_code read(const std::string &Path,
                              const SnapshotOptions &Options, Ptr &Result);

  size_t size() const { return Records.size(); }
  /// The entry number \p Index, in the order of the listing. Its name is
  /// followed by a zero and lives as long as the snapshot.
  os::DirectoryEntry entry(size_t Index) const;
  /// The entry with exactly \p Name.
  std::optional<os::DirectoryEntry> find(const SnapshotName &Name) const;

  /// Whether a stat of \p Name would have found nothing in the directory at the
  /// moment of the snapshot. False also means that the answer is unknown, as
  /// for every name in a snapshot that is not verified, and for a name that the
  /// file system may consider the same as that of an entry.
  bool lacks(const SnapshotName &Name) const;

  /// Whether the listing shows one moment: no entry was added, removed or
  /// renamed while it was read. The contents and attributes of the entries may
  /// have changed.
  ///
  /// The directory's change and modification times were the same before and
  /// after the reading. The clock of change times ticks in milliseconds, so two
  /// changes shortly after one another can have one time (git calls such
  /// entries "racily clean"). If the file system allows that, a directory that
  /// changed just before it was read cannot be verified.
  bool isVerified() const { return Verified; }

  /// The identity of the directory before it was read.
  const os::FileIdentity &identity() const { return Directory; }
  /// The memory that the snapshot takes.
  uint64_t bytes() const;

private:
  struct Record {
    uint32_t NameAt; ///< in Names
    uint16_t NameLength;
    os::EntryType Type;
    bool HasStatus;
    bool StatusIsHint;
  };
  /// A slot of a hash table with open addressing. A cache line holds eight, so
  /// that the lookup of a missing name costs one cache line.
  struct Slot {
    uint32_t Tag = 0;    ///< part of the name's hash
    uint32_t Record = 0; ///< index + 1; 0: free
  };

  DirectorySnapshot() = default;
  std::error_code list(const os::DirectoryHandle &From,
                       os::DirectoryReader &Reader,
                       const SnapshotOptions &Options);
  std::error_code index();
  std::optional<size_t> indexOf(const SnapshotName &Name,
                                bool IgnoreCase) const;
  llvm::StringRef name(const Record &R) const {
    return {Names.data() + R.NameAt, R.NameLength};
  }

  std::vector<char> Names;
  std::vector<Record> Records;
  std::vector<uint64_t> Inodes;
  std::vector<os::FileIdentity> Statuses; ///< empty, or one for each record
  std::vector<Slot> Slots;                ///< their number is a power of two
  unsigned Shift = 63; ///< hash >> Shift is the first slot to try
  os::FileIdentity Directory;
  bool Verified = false;
  bool MayIgnoreCase = true;
  bool OnlyASCII = true;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H
