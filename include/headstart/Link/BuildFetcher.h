//===- BuildFetcher.h - Fetch what links will read --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fetches ranges of files, link by link, while a build runs, which always goes
/// first: the threads are background threads, and can be paused.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_BUILDFETCHER_H
#define HEADSTART_LINK_BUILDFETCHER_H

#include "headstart/OS/ByteRange.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// What a link will read of one file.
struct FileRanges {
  std::string Path;
  std::vector<ByteRange> Ranges; ///< in order, disjoint
  /// Of the file that the ranges are of; a file that has another one is
  /// skipped. Absent: it is not compared.
  std::optional<uint64_t> Size;
  std::optional<int64_t> ModifiedNs;
};

/// A reading of what was done for one link: of what no earlier one reads, too.
struct BuildLinkFigures {
  std::string Output;
  uint64_t Files = 0, FilesDone = 0;
  uint64_t Bytes = 0;
  uint64_t FetchedBytes = 0;  ///< that were not in memory, and now are
  uint64_t ResidentBytes = 0; ///< that were in memory
  uint64_t LeftOutBytes = 0;  ///< that did not fit into the budget
  uint64_t ChangedFiles = 0;  ///< gone, or others than those of the ranges
  bool IsPlanned = false;     ///< all files are known
  bool HasBegun = false;      ///< the rest is left to it

  /// Nothing is left to do.
  bool isDone() const { return IsPlanned && FilesDone == Files; }
};

/// Takes the budget in the order of the files, so that the earlier links come
/// first however many threads there are. Any thread, except where it says
/// otherwise.
class BuildFetcher {
public:
  BuildFetcher(uint64_t BudgetBytes, unsigned Jobs)
      : BudgetBytes(BudgetBytes), Jobs(Jobs) {}
  /// Cancels and joins.
  ~BuildFetcher();
  BuildFetcher(const BuildFetcher &) = delete;
  BuildFetcher &operator=(const BuildFetcher &) = delete;

  /// Adds a link after the others, and returns its number.
  size_t addLink(std::string Output);
  /// Adds the files of link \p Link. To be called in the order of the links,
  /// once for each.
  void add(size_t Link, std::vector<FileRanges> Files);
  /// Leaves what is not fetched yet to \p Link itself.
  void linkHasBegun(size_t Link);
  /// There will be no more links.
  void finish();

  /// Starts the threads; to be called once. Where none can be started, nothing
  /// is fetched.
  void start();
  /// Does not block.
  void cancel();
  /// Waits until every file was dealt with, for \p MaxWait at most; returns
  /// whether they were.
  bool waitFor(std::chrono::milliseconds MaxWait);

  /// The threads stop after their step; waits for that, for a tenth of a second
  /// at most. One thread may pause and resume.
  void pause();
  void resume();
  /// Waits while it is paused; false when it is cancelled. Until `leave` the
  /// calling thread counts as one that fetches.
  bool enter();
  void leave();

  std::vector<BuildLinkFigures> figures() const;

private:
  struct Item {
    size_t Link = 0;
    uint64_t Turn = 0; ///< in which the budget is taken
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
  bool isOver(size_t Link) const;

  const uint64_t BudgetBytes;
  const unsigned Jobs;
  os::PageCache Cache;

  mutable std::mutex Mutex;
  std::condition_variable Changed;
  // Guarded by Mutex:
  std::deque<Item> Waiting;
  std::deque<BuildLinkFigures> Links;
  llvm::StringMap<std::vector<ByteRange>> Planned; ///< by path
  uint64_t Added = 0, Done = 0;                    ///< files
  uint64_t Turn = 0, Claimed = 0;
  bool IsFinished = false, IsPaused = false, IsCancelled = false;
  unsigned Active = 0; ///< threads between enter and leave

  os::Threads Threads; // the last: its threads use what is above
};

} // namespace headstart

#endif // HEADSTART_LINK_BUILDFETCHER_H
