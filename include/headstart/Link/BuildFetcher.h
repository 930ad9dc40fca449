//===- BuildFetcher.h - Fetch what links will read --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fetches ranges of files, link by link, while a build runs. The build has
/// priority: the threads are background threads, and can be paused.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_BUILDFETCHER_H
#define HEADSTART_LINK_BUILDFETCHER_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Determines when the threads of BuildFetcher may fetch, so that the build has
/// the rest of the disk's bandwidth. A low priority is not enough where the
/// disk has a limit (a control group, a volume in the cloud): once fetches have
/// reached it, each read of a compiler waits, whatever its priority.
///
/// Threads fetch at full speed for a short time, which shows the bandwidth,
/// then several times as many bytes at a share of the bandwidth, then again at
/// full speed, as in BBR (Cardwell, Cheng, Gunn, Yeganeh, Jacobson: "BBR:
/// Congestion-Based Congestion Control", ACM Queue 2016). A compiler's read may
/// also wait behind one step of each thread, so paced steps are as small as the
/// threads can make them without falling behind.
///
/// Not thread-safe. Has no clock: each function takes the time.
class FetchPace {
public:
  using Time = std::chrono::steady_clock::time_point;
  using Seconds = std::chrono::duration<double>;

  explicit FetchPace(const Tuning &Numbers)
      : Numbers(Numbers), Step(Numbers.MaxBuildStep) {}

  /// The bytes that one step should have.
  uint64_t stepBytes() const {
    return isProbing() ? Numbers.MaxBuildStep : Step;
  }
  /// Returns when the next step, of \p Bytes, may begin. Call it when a thread
  /// is free for that step.
  Time reserve(Time Now, uint64_t Bytes);
  /// Notes that a step begins.
  void begin(Time Now);
  /// Notes that a step has fetched \p Bytes.
  void end(Time Now, uint64_t Bytes);

private:
  bool isProbing() const { return PacedBytes == 0; }

  const Tuning Numbers;
  uint64_t Step;
  unsigned InFlight = 0;
  Time Since; ///< the last end of a step, or a later begin with none in flight
  // This probe:
  Seconds Busy{0}; ///< with steps in flight
  uint64_t ProbedBytes = 0;
  // After it:
  uint64_t PacedBytes = 0; ///< the bytes before the next probe; 0: it runs
  Seconds ByteTime{0};     ///< for one byte
  Time Next;               ///< when the next step may begin
  Time Until;              ///< the next probe begins, whatever was fetched
};

/// The ranges of one file that a link will read.
struct FileRanges {
  std::string Path;
  std::vector<ByteRange> Ranges;          ///< in order, disjoint
  std::optional<os::FileVersion> Planned; ///< the file that was planned

  /// Whether \p Now is the planned version, or that is unknown. Another file is
  /// skipped.
  bool areOf(const os::FileIdentity &Now) const {
    return !Planned || *Planned == Now.version();
  }
};

/// The progress for one link. It excludes ranges that an earlier link reads.
struct BuildLinkFigures {
  std::string Output;
  uint64_t Files = 0, FilesDone = 0;
  uint64_t Bytes = 0;
  uint64_t FetchedBytes = 0;  ///< bytes that were not cached, and now are
  uint64_t ResidentBytes = 0; ///< bytes that were cached
  uint64_t LeftOutBytes = 0;  ///< bytes that did not fit into the budget
  uint64_t ChangedFiles = 0;  ///< files that are missing or have changed
  bool IsPlanned = false;     ///< whether all files are known
  bool IsTooLarge = false;    ///< whether the link does not fit into memory
  bool HasBegun = false;      ///< whether the link reads the rest itself

  /// Whether no file is left to fetch.
  bool isDone() const { return IsPlanned && FilesDone == Files; }
};

/// Assigns the budget in the order of the files, so that earlier links come
/// first with any number of threads. Any thread may call a function, unless its
/// comment says otherwise.
class BuildFetcher {
public:
  BuildFetcher(uint64_t BudgetBytes, unsigned Jobs,
               uint64_t AvailableBytes = UINT64_MAX, const Tuning &Numbers = {})
      : BudgetBytes(BudgetBytes), AvailableBytes(AvailableBytes), Jobs(Jobs),
        Pace(Numbers) {}
  /// Cancels, and joins the threads.
  ~BuildFetcher();
  BuildFetcher(const BuildFetcher &) = delete;
  BuildFetcher &operator=(const BuildFetcher &) = delete;

  /// Adds a link after the others, and returns its number.
  size_t addLink(std::string Output);
  /// Adds the files of \p Link, which needs \p NeedBytes of memory. The caller
  /// calls this once for each link, in the order of the links. If the link
  /// needs more than is available, nothing is fetched for it: the pages that
  /// came first, which it reads first, would be evicted before it begins.
  void add(size_t Link, std::vector<FileRanges> Files, uint64_t NeedBytes = 0);
  /// Leaves the bytes that are not fetched yet to \p Link itself.
  void linkHasBegun(size_t Link);
  /// Declares that no more links will be added.
  void finish();

  /// Starts the threads; the caller calls this once. If no thread can be
  /// started, nothing is fetched.
  void start();
  /// Requests that the threads end. Does not block.
  void cancel();
  /// Waits at most \p MaxWait until every file of all links is finished.
  /// Returns whether they are, or this was cancelled.
  bool waitFor(std::chrono::milliseconds MaxWait);

  /// Stops the threads after their step, and waits for this for at most a tenth
  /// of a second. Only one thread may pause and resume.
  void pause();
  void resume();
  /// Waits while this is paused; returns false if it is cancelled, or if
  /// \p Link has begun. Until `leave`, the calling thread counts as one that
  /// fetches.
  bool enter(std::optional<size_t> Link = std::nullopt);
  void leave();

  std::vector<BuildLinkFigures> figures() const;

private:
  struct Item {
    size_t Link = 0;
    uint64_t Turn = 0; ///< the position in the order of claims
    FileRanges File;
  };

  void work();
  std::optional<Item> take();
  void fetch(const Item &Next);
  std::vector<ByteRange> missingIn(const os::OpenFile &File,
                                   const FileRanges &Wanted) const;
  bool claim(const Item &Next, std::optional<uint64_t> Missing);
  void fetchSteps(const Item &Next, const os::OpenFile &File,
                  llvm::ArrayRef<ByteRange> Missing);
  bool enter(std::unique_lock<std::mutex> &Lock);
  uint64_t stepBytes() const;
  bool enterStep(size_t Link, uint64_t Bytes);
  uint64_t leaveStep(size_t Link, uint64_t Bytes);
  /// Whether every file is finished, or this is cancelled; the lock is held.
  bool isFinished() const {
    return IsCancelled || (IsFinished && Done == Added);
  }

  const uint64_t BudgetBytes, AvailableBytes;
  const unsigned Jobs;
  const os::PageCache Cache = os::PageCache().withoutMappings();

  mutable std::mutex Mutex;
  os::Condition Changed;
  // Guarded by Mutex:
  std::deque<Item> Waiting;
  std::deque<BuildLinkFigures> Links;
  llvm::StringMap<std::vector<ByteRange>> Planned; ///< by path
  uint64_t Added = 0, Done = 0;                    ///< numbers of files
  uint64_t Turn = 0, Claimed = 0;
  bool IsFinished = false, IsPaused = false, IsCancelled = false;
  unsigned Active = 0; ///< the threads between enter and leave
  FetchPace Pace;

  os::Threads Threads; // last: the threads use the members above
};

} // namespace headstart

#endif // HEADSTART_LINK_BUILDFETCHER_H
