//===- DirectorySnapshot.h - A directory, read once -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The entries of one directory as they were at one moment, with an index of
/// their names. Immutable: share one among threads.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H
#define HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H

#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryTraits.h"
#include "llvm/ADT/SmallVector.h"
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

/// Which names are the same.
enum class CaseRule : uint8_t {
  Exact,         ///< byte for byte
  IgnoreASCII,   ///< except the case of A to Z
  IgnoreUnicode, ///< except case, as Unicode's simple case folding has it; no
                 ///< normalization; bytes that are not UTF-8 stay as they are
};

/// Whether \p A and \p B are the same name.
bool isSameName(llvm::StringRef A, llvm::StringRef B, CaseRule Rule);

/// A name to look up in many snapshots; hashed once, when it is first needed.
/// Not to be used by two threads at once.
class SnapshotName {
public:
  /// What is looked up is the first part of \p Path, a path relative to the
  /// directory, which must stay where it is.
  explicit SnapshotName(llvm::StringRef Path);

  llvm::StringRef text() const { return Text; }
  /// Whether an entry can have the name: not "", "." or "..".
  bool isEntryName() const;
  /// The same for all names that are one under any CaseRule.
  uint64_t hash() const;
  bool isASCII() const;

private:
  llvm::StringRef Text;
  mutable uint64_t Hash = 0;
  mutable bool IsHashed = false;
  mutable bool OnlyASCII = false;
};

/// How a directory is read.
struct SnapshotOptions {
  /// Whether each entry is asked for its size and times where the listing does
  /// not bring them, or only hints at them: a call for each.
  bool WithStatus = false;
  /// Gives an error in place of a snapshot that is not verified:
  /// `errc::not_supported` where none on this file system is,
  /// `errc::resource_unavailable_try_again` where the directory changes, or has
  /// just changed.
  bool OnlyVerified = false;
  /// The most memory for names, index and all; what is larger is
  /// `errc::file_too_large`.
  uint64_t MaxBytes = uint64_t(256) << 20;
  uint64_t MaxEntries = std::numeric_limits<uint64_t>::max();
  /// How often the directory is read when it changes meanwhile.
  unsigned Attempts = 3;

  // For tests: in place of os::traitsOf and os::fileClockNs; what runs between
  // a listing and the second stat of the directory; what changes an entry as it
  // is listed.
  std::function<os::DirectoryTraits(const os::DirectoryHandle &)> Traits;
  std::function<int64_t()> Clock;
  std::function<void()> Listed;
  std::function<void(os::DirectoryEntry &)> Entry;
};

/// What a snapshot says of each of its entries.
struct SnapshotMetadata {
  bool Types = false;  ///< no type is EntryType::Unknown
  bool Inodes = false; ///< but where something is mounted on an entry
  /// Sizes and times, as they were when they were read, and no mere hints.
  bool Status = false;
};

class DirectorySnapshot {
public:
  using Ptr = std::shared_ptr<const DirectorySnapshot>;

  /// Reads \p Directory, which has not been listed from before, and closes it.
  /// On an error, also in the middle, \p Result stays what it is. Blocks. Any
  /// thread.
  static std::error_code read(os::DirectoryHandle Directory,
                              const SnapshotOptions &Options, Ptr &Result);
  /// Opens and reads \p Path; "" is the current directory.
  static std::error_code read(const std::string &Path,
                              const SnapshotOptions &Options, Ptr &Result);

  size_t size() const { return Records.size(); }
  /// In the order of the listing. The name lives as long as the snapshot, with
  /// a zero behind it.
  os::DirectoryEntry entry(size_t Index) const;
  /// The first entry that has \p Name by \p Rule. One that has it byte for byte
  /// is preferred.
  std::optional<os::DirectoryEntry> find(const SnapshotName &Name,
                                         CaseRule Rule = CaseRule::Exact) const;

  /// Whether a stat of \p Name would have found nothing in the directory, at
  /// the moment of the snapshot. False also means: not known. Never true of a
  /// snapshot that is not verified, nor of a name that the file system might
  /// take for another one in the directory.
  bool lacks(const SnapshotName &Name) const;

  /// Whether the listing is that of one moment: nothing was added, removed or
  /// renamed while it was read. What entries are and hold may have changed.
  ///
  /// The directory's identity and change time were the same before and after.
  /// Since the clock of change times ticks in milliseconds, a change can hide
  /// behind one shortly before it (git calls such entries "racily clean"):
  /// where the file system may hide changes so, a directory that had just
  /// changed when it was read cannot be verified.
  bool isVerified() const { return Verified; }

  SnapshotMetadata metadata() const { return Metadata; }
  /// The directory itself, before it was read.
  const os::FileIdentity &identity() const { return Directory; }
  /// How often it was read.
  unsigned attempts() const { return Attempts; }
  /// The memory that it takes.
  uint64_t bytes() const;

private:
  struct Record {
    uint32_t NameAt; ///< in Names
    uint16_t NameLength;
    os::EntryType Type;
    bool HasStatus;
    bool StatusIsHint;
  };
  /// Open addressing: the names' hashes, eight to a cache line, so that a name
  /// that is not there costs one.
  struct Slot {
    uint32_t Tag = 0;
    uint32_t Record = 0; ///< index + 1; 0: free
  };

  DirectorySnapshot() = default;
  std::error_code list(const os::DirectoryHandle &From,
                       os::DirectoryReader &Reader,
                       const SnapshotOptions &Options);
  std::error_code index();
  llvm::StringRef name(const Record &R) const {
    return {Names.data() + R.NameAt, R.NameLength};
  }

  std::vector<char> Names;
  std::vector<Record> Records;
  std::vector<uint64_t> Inodes;
  std::vector<os::FileIdentity> Statuses; ///< empty, or one for each record
  std::vector<Slot> Slots;                ///< a power of two
  unsigned Shift = 63;                    ///< of a hash, for the first slot
  os::FileIdentity Directory;
  SnapshotMetadata Metadata;
  unsigned Attempts = 0;
  bool Verified = false;
  bool MayIgnoreCase = true;
  bool OnlyASCII = true;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H
