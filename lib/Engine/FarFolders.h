//===- FarFolders.h - Folders that are listed once --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine. On a file system that is far away each name costs a
/// round trip, and FUSE asks for those of one folder one after the other
/// (fs/fuse/dir.c, fuse_lock_inode, where the server does not allow more). A
/// listing brings all of them, and the system keeps what it brought: FUSE and
/// NFS have a call for that (READDIRPLUS), sshfs and rclone remember it. So a
/// folder with some inputs is listed before the first of them is opened. The
/// listing itself is not used: whether a file is there the system says.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_FARFOLDERS_H
#define HEADSTART_LIB_ENGINE_FARFOLDERS_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <mutex>

namespace headstart {

/// Every function may be called from any thread.
class FarFolders {
public:
  /// \p Numbers must outlive it.
  explicit FarFolders(const Tuning &Numbers) : Numbers(Numbers) {}

  /// \p Path, an input of \p Command, is about to be opened: lists its folder
  /// if that is worth it and was not done, and says whether. Blocks, also while
  /// another thread lists it, until all is cancelled at the latest.
  bool beforeOpen(llvm::StringRef Path, const LinkCommand &Command);
  void cancel();

private:
  enum class State : uint8_t { Unlisted, Listing, Listed };
  struct Folder {
    uint64_t Inputs = 0;
    State Now = State::Unlisted;
  };

  const Tuning &Numbers;
  std::mutex Mutex;
  os::Condition Listed;
  // Guarded by Mutex:
  llvm::StringMap<Folder> Folders; ///< filled by the first call
  bool IsFilled = false, IsCancelled = false;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_FARFOLDERS_H
