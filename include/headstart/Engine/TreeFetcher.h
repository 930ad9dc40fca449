//===- TreeFetcher.h - Fetch whole files, as many as come -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Brings files into memory with several threads, while they are still being
/// found, within a budget. What the program that reads them needs is not known;
/// for a link there is PrefetchEngine.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_TREEFETCHER_H
#define HEADSTART_ENGINE_TREEFETCHER_H

#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace headstart {

struct TreeFetchOptions {
  unsigned Jobs = 8; ///< threads
  /// The most to bring into memory; what is there already costs nothing.
  uint64_t BudgetBytes = UINT64_MAX;
  /// How much of a file is fetched between two checks of `cancel`.
  uint64_t StepBytes = uint64_t(4) << 20;
};

/// A file to fetch.
struct FileToFetch {
  std::string Path;
  uint64_t Size = 0; ///< as far as is known; for the figures
};

/// A reading of what has been done so far.
struct TreeFetchFigures {
  uint64_t Files = 0;         ///< that were added
  uint64_t Bytes = 0;         ///< their sizes
  uint64_t DoneBytes = 0;     ///< of Bytes, that nothing is left to do about
  uint64_t FetchedFiles = 0;  ///< of which something was fetched
  uint64_t FetchedBytes = 0;  ///< that were not in memory, and now are
  uint64_t ResidentFiles = 0; ///< that were in memory as a whole
  uint64_t ResidentBytes = 0; ///< that were in memory
  uint64_t LeftOutFiles = 0;  ///< that did not fit into the budget
  uint64_t LeftOutBytes = 0;  ///< of them, that are not in memory
  uint64_t SkippedFiles = 0;  ///< no regular files
  uint64_t ChangedFiles = 0;  ///< gone, or smaller, when it was their turn
  uint64_t FailedFiles = 0;   ///< that could not be opened or read
  /// Other names of a file that another one names; they count for nothing else.
  uint64_t SameFiles = 0;
  uint64_t BudgetBytes = UINT64_MAX;

  /// Of DoneBytes, what has been brought in or was there.
  uint64_t fetchedBytes() const {
    return DoneBytes - std::min(DoneBytes, LeftOutBytes);
  }
  /// The most that can still have to be brought in: of the files whose turn has
  /// not come, what the budget has room for.
  uint64_t leftBytes() const {
    return std::min(Bytes - std::min(Bytes, DoneBytes),
                    BudgetBytes - std::min(BudgetBytes, FetchedBytes));
  }
};

/// Fetches files in the order in which they come. `add`, `finish` and `cancel`
/// may be called by any thread, also before `start`; the rest by one.
class TreeFetcher {
public:
  /// Told of each file that cannot be opened or read; called by several
  /// threads at once.
  using ProblemSink =
      std::function<void(const std::string &Path, std::error_code Error)>;

  TreeFetcher(const TreeFetchOptions &Options, ProblemSink OnProblem);
  /// Cancels and joins.
  ~TreeFetcher();
  TreeFetcher(const TreeFetcher &) = delete;
  TreeFetcher &operator=(const TreeFetcher &) = delete;

  /// Starts the threads. Where none can be started, `join` does the work.
  void start();

  /// Adds files. Blocks while very many are waiting, so that memory is bounded.
  void add(std::vector<FileToFetch> Files);

  /// There will be no more files.
  void finish();

  /// Stops: what is waiting is dropped, and what is under way after its step.
  void cancel();

  /// Waits until all is done, after `finish` or `cancel`. Blocks.
  void join();

  /// Any thread. Each figure is right; between them a file may be under way.
  TreeFetchFigures figures() const;

private:
  using Counter = std::atomic<uint64_t>;

  /// The next file; nothing when there will be none.
  std::optional<FileToFetch> take();
  void work();
  void fetch(const FileToFetch &Wanted);
  /// Fetches \p File as a whole.
  void fetchSteps(const FileToFetch &Wanted, const os::OpenFile &File);
  bool claim(uint64_t Missing);
  /// Whether \p Identity has come by already, under another name or this one.
  bool isKnown(const os::FileIdentity &Identity);
  void failed(const FileToFetch &Wanted, std::error_code Error);
  /// How many bytes of \p Range are not in memory; all if the system does not
  /// report it.
  uint64_t missingIn(const os::OpenFile &File, ByteRange Range) const;

  TreeFetchOptions Options;
  ProblemSink OnProblem;
  os::PageCache Cache;

  std::mutex Mutex;
  std::condition_variable Changed;
  std::deque<FileToFetch> Waiting; ///< guarded by Mutex
  bool IsFinished = false;         ///< guarded by Mutex
  bool HasThreads = false;         ///< guarded by Mutex
  std::atomic<bool> Cancelled = false;

  std::mutex KnownMutex;
  /// Devices and inodes of files; guarded by KnownMutex.
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> Known;

  Counter Claimed = 0; ///< of the budget
  Counter Files = 0, Bytes = 0, DoneBytes = 0, FetchedFiles = 0,
          FetchedBytes = 0, ResidentFiles = 0, ResidentBytes = 0,
          LeftOutFiles = 0, LeftOutBytes = 0, SkippedFiles = 0,
          ChangedFiles = 0, FailedFiles = 0, SameFiles = 0;

  os::Threads Threads; // the last: its threads use what is above
};

} // namespace headstart

#endif // HEADSTART_ENGINE_TREEFETCHER_H
