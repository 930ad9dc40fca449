//===- ListedDirectories.h - Listed before they are opened --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine. On a high-latency store each name costs a round trip,
/// and FUSE looks up the names of one directory one after the other
/// (fs/fuse/dir.c, fuse_lock_inode, where the server does not allow more). A
/// listing brings all of them, and the system keeps what it brought: FUSE and
/// NFS have a call for that (READDIRPLUS), sshfs and rclone remember it. So a
/// directory with some inputs is listed when the first opens have told how long
/// a name takes, and the others wait for that. The
/// listing itself is not used: whether a file exists the system says.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_LISTEDDIRECTORIES_H
#define HEADSTART_LIB_ENGINE_LISTEDDIRECTORIES_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <mutex>

namespace headstart {

/// Every function may be called from any thread.
class ListedDirectories {
public:
  /// \p Numbers must outlive it.
  explicit ListedDirectories(const Tuning &Numbers) : Numbers(Numbers) {}

  /// \p Path, an input of \p Command, is about to be opened: lists its
  /// directory if \p IsWorth says so of the number of its inputs and that was
  /// not done, and returns whether it did. Blocks, also while another thread
  /// lists it, until all is cancelled at the latest.
  bool beforeOpen(llvm::StringRef Path, const LinkCommand &Command,
                  llvm::function_ref<bool(uint64_t)> IsWorth);
  void cancel();

private:
  enum class State : uint8_t { Unlisted, Listing, Listed };
  struct Directory {
    uint64_t Inputs = 0;
    State Now = State::Unlisted;
  };

  const Tuning &Numbers;
  std::mutex Mutex;
  os::Condition Listed;
  // Guarded by Mutex:
  llvm::StringMap<Directory> Directories; ///< filled by the first call
  bool IsFilled = false, IsCancelled = false;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_LISTEDDIRECTORIES_H
