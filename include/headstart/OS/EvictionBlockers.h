//===- EvictionBlockers.h - What keeps pages of files in memory -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Why pages of a file cannot be evicted, as far as the system tells.
/// One source per platform in `lib/OS/<Platform>/EvictionBlockers.cpp`; the
/// standard library only, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_EVICTIONBLOCKERS_H
#define HEADSTART_OS_EVICTIONBLOCKERS_H

#include "headstart/OS/MappedFile.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headstart::os {

/// Where the contents of a file come from.
enum class FileBacking : uint8_t {
  Disk,   ///< or a server, or anything else that can give them again
  Memory, ///< memory is all there is: the pages stay until the file goes
  None,   ///< the system makes them up when they are read: there are no pages
};

/// Where the contents of \p File come from; Disk where that is not known. Does
/// not block. Any thread.
FileBacking backingOf(const OpenFile &File);

/// Who holds pages of a file.
struct FileUse {
  bool IsMapped = false; ///< by a process
  bool IsLocked = false; ///< in memory, by a process (mlock)
};

/// Asks every process that this one may query (those of the same user; all,
/// for root) what it has mapped. One answer for each of the files \p Paths;
/// none is in use where the system does not tell, or the file cannot be opened.
/// Takes some 0.1 ms a process, for one that has mapped some of the files as
/// long as a scan of its page tables, and maps each file for a moment:
/// the system names mapped files by devices and inodes that are not always
/// those of FileIdentity. Blocks for metadata only. Any thread.
std::vector<FileUse> findUses(std::span<const std::string> Paths);

} // namespace headstart::os

#endif // HEADSTART_OS_EVICTIONBLOCKERS_H
