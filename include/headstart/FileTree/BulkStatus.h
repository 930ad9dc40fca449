//===- BulkStatus.h - Whether many files are what they were -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares many files with what is recorded of them: by directory, each opened
/// once, on several threads.
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

/// A file as it was.
struct KnownFile {
  llvm::StringRef Path; ///< links are followed
  os::FileIdentity Identity;
};

/// What has become of it.
enum class FileChange : uint8_t {
  Same,    ///< device, inode, size and times are what they were
  Changed, ///< something else is there, or the same file in another state
  Missing,
  Unknown, ///< it cannot be stat'ed
};

/// The change in a word: "same", "changed", "missing", "unknown".
llvm::StringRef changeName(FileChange Change);

struct BulkOptions {
  /// Threads, the caller's included; those that cannot be started are done
  /// without.
  unsigned Jobs = 1;
  /// How directories are read where listings bring sizes and times.
  SnapshotOptions Snapshot;
};

/// What has become of each of \p Files, in their order. Blocks. Any thread.
std::vector<FileChange> compareFiles(llvm::ArrayRef<KnownFile> Files,
                                     const BulkOptions &Options = {});

} // namespace headstart

#endif // HEADSTART_FILETREE_BULKSTATUS_H
