//===- DirectorySnapshot.h - A directory, read once -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The names that one directory had at one moment. A snapshot is immutable, so
/// that threads can share it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H
#define HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H

#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryTraits.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
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

private:
  friend class DirectorySnapshot;
  uint64_t hash(bool IgnoreCase) const;

  llvm::StringRef Text;
  mutable std::array<std::optional<uint64_t>, 2> Hashes; ///< by IgnoreCase
};

/// How a directory is read.
struct SnapshotOptions {
  /// A directory with more entries is the error `errc::file_too_large`.
  uint64_t MaxEntries = std::numeric_limits<uint64_t>::max();

  // For tests: Traits and Clock replace os::traitsOf and os::fileClockNs.
  // Listed runs between a listing and the second stat of the directory.
  std::function<os::DirectoryTraits(const os::DirectoryHandle &)> Traits;
  std::function<int64_t()> Clock;
  std::function<void()> Listed;
};

class DirectorySnapshot {
public:
  using Ptr = std::shared_ptr<const DirectorySnapshot>;

  /// Reads \p Directory, which must not have been listed before, and closes it.
  /// After any error \p Result is unchanged. Blocks. Any thread.
  ///
  /// The listing shows one moment: no entry was added, removed or renamed while
  /// it was read. Fails with `errc::not_supported` if that cannot be verified
  /// on this file system, and with `errc::resource_unavailable_try_again` if
  /// the directory changes, or has just changed.
  ///
  /// The directory's change and modification times must be the same before and
  /// after the reading. The clock of change times ticks in milliseconds, so two
  /// changes shortly after one another can have one time (git calls such
  /// entries "racily clean"). If the file system allows that, a directory that
  /// changed just before it was read cannot be verified.
  static std::error_code read(os::DirectoryHandle Directory,
                              const SnapshotOptions &Options, Ptr &Result);

  /// The number of entries.
  size_t size() const { return Hashes.size(); }

  /// Whether a stat of \p Name would have found nothing in the directory at the
  /// moment of the snapshot. False also means that the answer is unknown, as
  /// for a name that the file system may consider the same as that of an entry.
  bool lacks(const SnapshotName &Name) const;

  /// The identity of the directory before it was read.
  const os::FileIdentity &identity() const { return Directory; }

private:
  DirectorySnapshot() = default;
  std::error_code list(os::DirectoryReader &Reader, uint64_t MaxEntries);

  /// The names' hashes, sorted. Names with equal hashes only make `lacks`
  /// return false, and a user who creates them on purpose makes no search
  /// slower.
  std::vector<uint64_t> Hashes;
  os::FileIdentity Directory;
  bool MayIgnoreCase = true;
  bool OnlyASCII = true;
};

} // namespace headstart

#endif // HEADSTART_FILETREE_DIRECTORYSNAPSHOT_H
