//===- ListedDirectories.h - Listed before they are opened --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: lists directories before their inputs are opened. On
/// a high-latency store each name costs a round trip, and FUSE looks up the
/// names of a directory one after the other (fs/fuse/dir.c, fuse_lock_inode). A
/// listing fetches all names, and the system caches them (READDIRPLUS of FUSE
/// and NFS; sshfs and rclone remember them). Its result is not used: the system
/// still decides whether a file exists.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_LISTEDDIRECTORIES_H
#define HEADSTART_LIB_ENGINE_LISTEDDIRECTORIES_H

#include "Policy.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
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

  /// Lists the directory of \p Path, an input of \p Command that the caller is
  /// about to open, if no thread has listed it and that is worthwhile by
  /// \p Choice. Returns whether it did. The listing stops when it has taken
  /// \p NameLatency seconds for each input. Blocks; `cancel` ends the wait for
  /// another thread that lists the directory.
  bool beforeOpen(llvm::StringRef Path, const LinkCommand &Command,
                  double NameLatency, const Policy &Choice);
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
