//===- DirectoryTraits.h - What a file system promises ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What one may conclude from the listing of a directory, and from the times
/// that its file system keeps. One source per platform in
/// `lib/OS/<Platform>/DirectoryTraits.cpp`; the standard library only, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_DIRECTORYTRAITS_H
#define HEADSTART_OS_DIRECTORYTRAITS_H

#include "headstart/OS/DirectoryReader.h"

#include <cstdint>

namespace headstart::os {

/// What is known of the file system that a directory is on. Where nothing is
/// known, the defaults hold: they promise nothing.
struct DirectoryTraits {
  /// Whether a stat of a path might find an entry that is spelled otherwise.
  bool MayIgnoreCase = true;
  /// Whether every entry that can be found is listed, and every entry that is
  /// added, removed or renamed shows in the directory's ChangedNs at once: of
  /// file systems on the network, in user space or made up by the kernel this
  /// is not known.
  bool ReportsChanges = false;
  /// Whether a change always shows in ChangedNs once that has been queried.
  /// Without, one within the same tick of the clock does not.
  bool ReportsEveryChange = false;
  /// Whether listings bring sizes and times that need no stat
  /// (`DirectoryEntry::hasOwnStatus`).
  bool ListsStatus = false;
};

/// What the file system of \p Directory promises. Blocks for no more than the
/// directory's own metadata. Any thread.
DirectoryTraits traitsOf(const DirectoryHandle &Directory);
/// DirectoryTraits::ReportsEveryChange of the file system of \p File.
bool reportsEveryChange(const OpenFile &File);

/// The time by the clock from which file systems take theirs, in nanoseconds
/// since the epoch: a change from now on gets no earlier ChangedNs. Any thread.
int64_t fileClockNs();

/// Whether a change after \p NowNs (of `fileClockNs`) gives what was changed at
/// \p ChangedNs another time. \p ReportsEveryChange: see DirectoryTraits.
inline bool showsNextChange(int64_t ChangedNs, int64_t NowNs,
                            bool ReportsEveryChange = false) {
  constexpr int64_t Second = 1'000'000'000;
  // Ticks are 1 to 10 ms (CONFIG_HZ of 1000 to 100).
  constexpr int64_t Margin = 20'000'000;
  // Some file systems keep whole seconds only (ext2, ext3; ext4 with inodes of
  // 128 bytes: of 200 files made after a look each, none showed), and statfs(2)
  // does not tell them from the others. The time may be anything, the first
  // that 64 bits hold as well.
  if (ChangedNs % Second == 0)
    return ChangedNs <= NowNs - 2 * Second;
  return ReportsEveryChange || ChangedNs <= NowNs - Margin;
}

} // namespace headstart::os

#endif // HEADSTART_OS_DIRECTORYTRAITS_H
