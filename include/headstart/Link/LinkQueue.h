//===- LinkQueue.h - Links that do not fit into memory together -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A build starts as many links as there are processors. Where their memory is
/// more than the machine's (or the control group's), each pushes out what the
/// others need, and some are killed. So the links of one user make a queue: one
/// begins when there is room for it beside those that run.
///
/// Each link has a file in a folder of the user's cache, and a lock on it,
/// which its end releases, however it ends. Who begins next is decided under a
/// lock of the folder. A link that runs waits for nobody, and the first in the
/// queue begins when nobody runs: so there is no deadlock.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKQUEUE_H
#define HEADSTART_LINK_LINKQUEUE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace headstart {

/// One link's place. One thread at a time.
class LinkQueue {
public:
  /// Of a link that needs \p NeedBytes; \p Folder is made when it is missing.
  LinkQueue(std::string Folder, uint64_t NeedBytes)
      : Folder(std::move(Folder)), NeedBytes(NeedBytes) {}
  LinkQueue(const LinkQueue &) = delete;
  LinkQueue &operator=(const LinkQueue &) = delete;
  /// Leaves the queue.
  ~LinkQueue();

  enum class Answer : uint8_t {
    Begin, ///< there is room, or nobody else
    Wait,  ///< ask again in a moment
    None,  ///< there can be no queue: the folder cannot be used
  };
  /// Whether the link may begin on a machine with \p TotalBytes, of which
  /// \p AvailableBytes are free now. Blocks for the files of the folder, and
  /// for half a second at most for others that ask.
  Answer ask(uint64_t TotalBytes, uint64_t AvailableBytes);

  /// Changes with those that run, as the last `ask` found them.
  uint64_t running() const { return Running; }

private:
  struct Place;
  std::vector<Place> others() const;
  bool enter(uint64_t Number);

  std::string Folder;
  uint64_t NeedBytes;
  std::string Name; ///< of our file; empty: none
  uint64_t Number = 0;
  int File = -1;
  uint64_t Running = 0;
};

} // namespace headstart

#endif // HEADSTART_LINK_LINKQUEUE_H
