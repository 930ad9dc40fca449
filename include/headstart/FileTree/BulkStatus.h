//===- BulkStatus.h - Changes of many files ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares many files with their recorded identities, directory by directory,
/// on several threads.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_BULKSTATUS_H
#define HEADSTART_FILETREE_BULKSTATUS_H

#include "headstart/FileTree/DirectorySnapshot.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace headstart {

/// A path and the recorded identity of its file.
struct KnownFile {
  llvm::StringRef Path; ///< symbolic links are followed
  os::FileIdentity Identity;
};

/// The state of a file compared with its recorded identity.
enum class FileChange : uint8_t {
  Same,    ///< device, inode, size and times are unchanged
  Changed, ///< another file has the path, or the file was modified
  Missing,
  Unknown, ///< the stat failed
};

/// The name of \p Change: "same", "changed", "missing" or "unknown".
llvm::StringRef changeName(FileChange Change);

struct BulkOptions {
  /// The number of threads, including the caller's. If the system cannot start
  /// one of them, fewer threads do the work.
  unsigned Jobs = 1;
  /// How directories are read if their listings contain sizes and times.
  SnapshotOptions Snapshot;
};

/// Returns the state of each of \p Files, in their order. Blocks. Any thread.
std::vector<FileChange> compareFiles(llvm::ArrayRef<KnownFile> Files,
                                     const BulkOptions &Options = {});

} // namespace headstart

#endif // HEADSTART_FILETREE_BULKSTATUS_H
