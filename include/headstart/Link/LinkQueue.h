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
/// A link that is stopped (SIGSTOP, Ctrl-Z) does not count, nor does one that
/// has started the link that asks, nor one that hangs: in HangLimits' number of
/// questions, it has used no processor and read from no disk. So a link that
/// hangs delays the others once, and they still begin one by one.
///
/// The contents of a link's file are for `headstart queue` and for this check:
/// lines of a key and its value. What cannot be read is unknown. On Windows
/// nothing can be read, since a lock there keeps others from reading.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKQUEUE_H
#define HEADSTART_LINK_LINKQUEUE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// The directory in \p Cache of the queue for the memory \p MemoryName (see
/// os::memoryName), so that machines and containers with one cache do not wait
/// for each other. Links that were told how many bytes there are (\p SizeBytes)
/// have their own. Reads no file; any thread.
std::string queueDirectory(llvm::StringRef Cache, llvm::StringRef MemoryName,
                           std::optional<uint64_t> SizeBytes);

/// What the queue knows of a link.
struct QueuedLink {
  uint64_t Number = 0; ///< in the order of arrival
  uint64_t NeedBytes = 0;
  bool Runs = false;
  bool IsIdle = false;                ///< stopped: it does not count
  llvm::sys::TimePoint<> Since;       ///< when it came, or began
  std::optional<uint64_t> Process;    ///< in its own space (os::processSpace)
  std::optional<uint64_t> TotalBytes; ///< that the links share
  std::string Output;                 ///< empty: unknown

  // For the queue itself.
  std::string File;
  bool Lives = false;               ///< its process has the lock
  std::optional<uint64_t> Progress; ///< changes while it works; if known
};

/// The directories of the queues in \p Cache.
std::vector<std::string> queueDirectories(const std::string &Cache);

/// The links of the queue in \p Directory, in the order of arrival. Removes the
/// queue if it has none. Blocks as `LinkQueue::ask`.
std::vector<QueuedLink> linksInQueue(const std::string &Directory);

/// Whether \p File, from `LinkQueue::file`, is that of a link that has not
/// ended. Not in that link's process, which would lose its lock.
bool isInQueue(const std::string &File);

/// After how many questions without progress another link counts as hung. They
/// come every 50 ms: 20 seconds, or a minute if its progress is unknown. Not by
/// a clock, which runs while the process that asks is stopped.
struct HangLimits {
  unsigned Polls = 400;
  unsigned UnknownPolls = 1200;
};

/// One link's place. One thread at a time.
class LinkQueue {
public:
  /// For a link of \p Output that needs \p NeedBytes. `poll` creates
  /// \p Directory if it is missing.
  LinkQueue(std::string Directory, uint64_t NeedBytes, std::string Output = "",
            HangLimits Limits = {})
      : Directory(std::move(Directory)), NeedBytes(NeedBytes),
        Output(std::move(Output)), Limits(Limits) {}
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
  Answer poll(uint64_t TotalBytes, uint64_t AvailableBytes);

  /// Leaves the queue. The last link of a queue also removes its directory, and
  /// directories that killed links have left in the cache. Blocks as `poll`,
  /// for a tenth of a second at most for other links.
  void leave();

  /// Whether the last `poll` did not count a link because it hangs.
  bool ignoresHungLink() const { return IgnoresHungLink; }

  /// The path and the descriptor of this link's file; empty and -1: none.
  std::string file() const;
  int descriptor() const { return File; }

private:
  bool enter(uint64_t Number, uint64_t TotalBytes);
  bool counts(QueuedLink &Other);

  struct Observed {
    std::optional<uint64_t> Progress;
    unsigned Polls = 0; ///< since it has changed
  };

  std::string Directory;
  uint64_t NeedBytes;
  std::string Output;
  std::string Name; ///< of our file; empty: none
  uint64_t Number = 0;
  int File = -1;
  HangLimits Limits;
  std::map<std::string, Observed> Others; ///< by their files
  bool IgnoresHungLink = false;
  bool HasPolled = false;
};

} // namespace headstart

#endif // HEADSTART_LINK_LINKQUEUE_H
