//===- EvictionBlockers.h - Why pages stay cached ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reasons why a file's pages cannot be evicted, as far as the system
/// reports them.
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

/// The source of a file's contents.
enum class FileBacking : uint8_t {
  Disk,   ///< or a server, or anything else that can supply them again
  Memory, ///< only memory: the pages stay until the file is deleted
  None,   ///< the kernel generates them when they are read: there are no pages
};

/// Returns where the contents of \p File come from, or Disk if that is unknown.
/// Does not block. Thread-safe.
FileBacking backingOf(const OpenFile &File);

/// How processes use a file's pages.
struct FileUse {
  bool IsMapped = false; ///< by a process
  bool IsLocked = false; ///< in memory, by a process (mlock)
};

/// Queries the mappings of every process that this one may query (those of the
/// same user; of all users for root). Returns one result for each file in \p
/// Paths; a file is in no use if the system does not report uses, or the file
/// cannot be opened. Takes some 0.1 ms per process, and for one that has mapped
/// some of the files as long as a scan of its page tables. Maps each file for a
/// moment: the system identifies mapped files by devices and inodes that may
/// differ from those of FileIdentity. Blocks for metadata only. Thread-safe.
std::vector<FileUse> findUses(std::span<const std::string> Paths);

} // namespace headstart::os

#endif // HEADSTART_OS_EVICTIONBLOCKERS_H
