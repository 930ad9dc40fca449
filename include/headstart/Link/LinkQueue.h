//===- LinkQueue.h - Links that do not fit into memory together -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A build starts as many links as there are processors. If their memory is
/// more than the machine's (or the control group's), each pushes out what the
/// others need, and some are killed. So the links that share a cache and a
/// memory form a queue: one begins when there is room for it beside those that
/// run.
///
/// A queue is a directory in the user's cache. Each link has a file in it, and
/// a lock on the file, which the system releases when the link ends, however it
/// ends. A lock of the directory guards the decision which link begins next. A
/// link that runs does not wait, and the first in the queue begins when no
/// other runs: so there is no deadlock. The last link that leaves removes the
/// directory.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKQUEUE_H
#define HEADSTART_LINK_LINKQUEUE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace headstart {

/// The directory in \p Cache of the queue for the memory \p MemoryName (see
/// os::memoryName), so that machines and containers with one cache do not wait
/// for each other. Links that were told how many bytes there are (\p SizeBytes)
/// have their own. Reads no file; any thread.
std::string queueDirectory(llvm::StringRef Cache, llvm::StringRef MemoryName,
                           std::optional<uint64_t> SizeBytes);

/// One link's place. One thread at a time.
class LinkQueue {
public:
  /// For a link that needs \p NeedBytes. `ask` creates \p Directory if it is
  /// missing.
  LinkQueue(std::string Directory, uint64_t NeedBytes)
      : Directory(std::move(Directory)), NeedBytes(NeedBytes) {}
  LinkQueue(const LinkQueue &) = delete;
  LinkQueue &operator=(const LinkQueue &) = delete;
  ~LinkQueue() { leave(); }

  enum class Answer : uint8_t {
    Begin, ///< there is room, or no other link
    Wait,  ///< ask again in a moment
    None,  ///< there can be no queue: the directory cannot be used
  };
  /// Whether the link may begin on a machine with \p TotalBytes, of which
  /// \p AvailableBytes are free now. A file that cannot be opened is not
  /// counted as a link. Blocks for the files of the directory, and for half a
  /// second at most for other links that ask.
  Answer ask(uint64_t TotalBytes, uint64_t AvailableBytes);

  /// Leaves the queue. The last link of a queue also removes its directory, and
  /// directories that killed links have left in the cache. Blocks as `ask`, for
  /// a tenth of a second at most for other links.
  void leave();

  /// Changes with those that run, as the last `ask` found them.
  uint64_t running() const { return Running; }

private:
  bool enter(uint64_t Number);

  std::string Directory;
  uint64_t NeedBytes;
  std::string Name; ///< of our file; empty: none
  uint64_t Number = 0;
  int File = -1;
  uint64_t Running = 0;
  bool HasAsked = false;
};

} // namespace headstart

#endif // HEADSTART_LINK_LINKQUEUE_H
