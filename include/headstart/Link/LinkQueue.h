//===- LinkQueue.h - Links that do not fit into memory together -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A build starts as many links as there are processors. If they need more
/// memory than the machine (or the control group) has, they evict each other's
/// pages, and the kernel kills some. The links that share a cache and a memory
/// therefore form a queue: a link begins when it fits into memory alongside
/// those that run.
///
/// A queue is a directory in the user's cache. Each link has a file in it, and
/// a lock on the file, which the kernel releases when the link ends in any way.
/// A lock of the directory guards the decision which link begins next. A link
/// that runs does not wait, and the first link in the queue begins when no
/// other runs, so there is no deadlock. The last link that leaves removes the
/// directory.
///
/// A link that is stopped (SIGSTOP, Ctrl-Z) does not count. Neither does a hung
/// link, which used no processor and read from no disk during HangLimits'
/// number of polls. It therefore delays the others once, and they still begin
/// one by one. A link that a queued link started does not wait.
///
/// A link's file has lines of a key and its value, for `headstart queue` and
/// for this check. A value that cannot be read is unknown.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKQUEUE_H
#define HEADSTART_LINK_LINKQUEUE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace headstart {

/// Opens \p Path as \p File, creates it if it is missing, and locks it. The
/// kernel releases the lock when the process ends in any way. Returns
/// `no_lock_available` only if another process holds the lock for all of
/// \p Timeout. Blocks.
std::error_code lockFile(const std::string &Path,
                         std::chrono::milliseconds Timeout, int &File);

/// The directory in \p Cache of the queue for the memory \p MemoryName (see
/// os::memoryName), so that machines and containers with one cache do not wait
/// for each other. Links whose user set the size of the memory (\p SizeBytes)
/// have a queue of their own. Reads no file; any thread.
std::string queueDirectory(llvm::StringRef Cache, llvm::StringRef MemoryName,
                           std::optional<uint64_t> SizeBytes);

/// The state of a link in a queue.
struct QueuedLink {
  uint64_t Number = 0; ///< in the order of arrival
  uint64_t NeedBytes = 0;
  bool Runs = false;
  bool IsIdle = false;                ///< stopped: it does not count
  llvm::sys::TimePoint<> Since;       ///< when it arrived, or began
  std::optional<uint64_t> Process;    ///< its id in its os::processSpace
  std::optional<uint64_t> TotalBytes; ///< the memory that the links share
  std::string Output;                 ///< empty: unknown

  // For the queue itself.
  std::string File;
  bool Lives = false;               ///< whether its process holds the lock
  std::optional<uint64_t> Progress; ///< changes while it works; absent: unknown
};

/// The directories of the queues in \p Cache.
std::vector<std::string> queueDirectories(const std::string &Cache);

/// Returns the links of the queue in \p Directory, in the order of arrival.
/// Removes a queue without links. Blocks like `LinkQueue::poll`.
std::vector<QueuedLink> linksInQueue(const std::string &Directory);

/// Whether \p File, from `LinkQueue::file`, belongs to a link that has not
/// ended. That link's process must not call this: it would lose its lock.
bool isInQueue(const std::string &File);

/// The number of polls without progress after which another link counts as
/// hung. A link polls every 50 ms: 20 seconds, or a minute if the progress is
/// unknown. A clock would also run while the polling process is stopped.
struct HangLimits {
  unsigned Polls = 400;
  unsigned UnknownPolls = 1200;
};

/// One link's place in the queue. Only one thread at a time may use it.
class LinkQueue {
public:
  /// The place of a link of \p Output that needs \p NeedBytes. `poll` creates
  /// \p Directory if it is missing.
  LinkQueue(std::string Directory, uint64_t NeedBytes, std::string Output = "",
            HangLimits Limits = {})
      : Directory(std::move(Directory)), NeedBytes(NeedBytes),
        Output(std::move(Output)), Limits(Limits) {}
  LinkQueue(const LinkQueue &) = delete;
  LinkQueue &operator=(const LinkQueue &) = delete;
  ~LinkQueue() { leave(); }

  enum class Answer : uint8_t {
    Begin, ///< the link fits into memory, or no other link runs
    Wait,  ///< the caller polls again in a moment
    None,  ///< the directory cannot be used, so there is no queue
  };
  /// Whether the link may begin on a machine with \p TotalBytes, of which
  /// \p AvailableBytes are free now. A file that cannot be opened does not
  /// count as a link. Blocks for the files of the directory, and for at most
  /// half a second for other links that poll.
  Answer poll(uint64_t TotalBytes, uint64_t AvailableBytes);

  /// Leaves the queue. The last link of a queue also removes its directory, and
  /// directories that killed links have left in the cache. Blocks like `poll`,
  /// for at most a tenth of a second for other links.
  void leave();

  /// Whether the last `poll` ignored a link because it hangs.
  bool ignoresHungLink() const { return IgnoresHungLink; }

  /// The path and the descriptor of this link's file; empty and -1: none.
  std::string file() const;
  int descriptor() const { return File; }

private:
  bool enter(uint64_t Number, uint64_t TotalBytes);
  bool counts(QueuedLink &Other);

  struct Observed {
    std::optional<uint64_t> Progress;
    unsigned Polls = 0; ///< since Progress changed
  };

  std::string Directory;
  uint64_t NeedBytes;
  std::string Output;
  std::string Name; ///< the name of this link's file; empty: none
  uint64_t Number = 0;
  int File = -1;
  HangLimits Limits;
  std::map<std::string, Observed> Others; ///< keyed by their files
  bool IgnoresHungLink = false;
  bool HasPolled = false;
};

} // namespace headstart

#endif // HEADSTART_LINK_LINKQUEUE_H
