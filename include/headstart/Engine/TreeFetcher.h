//===- TreeFetcher.h - Fetch whole files, as many as come -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fetches whole files with several threads, within a budget, while more files
/// are still being found.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_TREEFETCHER_H
#define HEADSTART_ENGINE_TREEFETCHER_H

#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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
  /// The most bytes to fetch; bytes that are cached already cost nothing.
  uint64_t BudgetBytes = UINT64_MAX;
  /// The bytes of a file that are fetched between two checks of `cancel`.
  uint64_t StepBytes = uint64_t(4) << 20;
};

struct FileToFetch {
  std::string Path;
  uint64_t Size = 0; ///< as far as known; for the figures
};

/// A snapshot of the progress.
struct TreeFetchFigures {
  uint64_t Files = 0;         ///< files that were added
  uint64_t Bytes = 0;         ///< their sizes
  uint64_t DoneBytes = 0;     ///< of Bytes: nothing is left to do
  uint64_t FetchedFiles = 0;  ///< files of which something was fetched
  uint64_t FetchedBytes = 0;  ///< bytes that were not cached, and now are
  uint64_t ResidentFiles = 0; ///< files that were cached as a whole
  uint64_t ResidentBytes = 0; ///< bytes that were cached
  uint64_t UnknownFiles = 0;  ///< files whose residency is not reported
  uint64_t UnknownBytes = 0;  ///< their bytes, which count as not cached
  uint64_t LeftOutFiles = 0;  ///< files that did not fit into the budget
  uint64_t LeftOutBytes = 0;  ///< their bytes that are not cached
  uint64_t SkippedFiles = 0;  ///< files that are not regular
  uint64_t ChangedFiles = 0;  ///< files gone, or smaller, at their turn
  uint64_t FailedFiles = 0;   ///< files that could not be opened or read
  /// Further names of a file; only Files, Bytes and DoneBytes include them.
  uint64_t SameFiles = 0;
  uint64_t BudgetBytes = UINT64_MAX;

  /// The part of DoneBytes that was fetched or was cached already.
  uint64_t fetchedBytes() const {
    return DoneBytes - std::min(DoneBytes, LeftOutBytes);
  }
  /// The most bytes that may still have to be fetched: those of the files that
  /// are not done, as far as the budget has room for them.
  uint64_t leftBytes() const {
    return std::min(Bytes - std::min(Bytes, DoneBytes),
                    BudgetBytes - std::min(BudgetBytes, FetchedBytes));
  }
};

/// Fetches files in the order in which they are added. Any thread may call
/// `figures` and, also before `start`, `add`, `finish` and `cancel`; one thread
/// calls the rest.
class TreeFetcher {
public:
  /// Receives each file that cannot be opened or read; several threads call it
  /// at once.
  using ProblemSink =
      std::function<void(const std::string &Path, std::error_code Error)>;

  TreeFetcher(const TreeFetchOptions &Options, ProblemSink OnProblem);
  /// Cancels and joins.
  ~TreeFetcher();
  TreeFetcher(const TreeFetcher &) = delete;
  TreeFetcher &operator=(const TreeFetcher &) = delete;

  /// Starts the threads. If none can be started, `join` does the work.
  void start();

  /// Adds files. Blocks while very many wait, so that memory is bounded.
  void add(std::vector<FileToFetch> Files);

  /// Declares that no more files will be added.
  void finish();

  /// Drops the waiting files, and stops those in progress after their step.
  void cancel();

  /// Blocks until all is done, after `finish` or `cancel`.
  void join();

  TreeFetchFigures figures() const;

private:
  /// Waits for the next file; nullopt if none will come.
  std::optional<FileToFetch> take();
  void work();
  void fetch(const FileToFetch &Wanted);
  /// Fetches the whole \p File, step by step. Returns how many bytes of
  /// \p Wanted these have counted as done.
  uint64_t fetchSteps(const FileToFetch &Wanted, const os::OpenFile &File);
  /// Calls \p Change with the figures, under Mutex.
  void count(llvm::function_ref<void(TreeFetchFigures &)> Change);
  bool claim(uint64_t Missing);
  /// Whether \p Identity was seen before, under another name or this one.
  bool isKnown(const os::FileIdentity &Identity);
  void failed(const FileToFetch &Wanted, std::error_code Error);
  /// The number of bytes of \p Range that are not cached; nullopt if the system
  /// does not report it.
  std::optional<uint64_t> missingIn(const os::OpenFile &File,
                                    ByteRange Range) const;

  TreeFetchOptions Options;
  ProblemSink OnProblem;
  os::PageCache Cache;

  std::atomic<bool> Cancelled = false;
  mutable std::mutex Mutex;
  std::condition_variable Changed;
  // Guarded by Mutex:
  std::deque<FileToFetch> Waiting;
  bool IsFinished = false;
  bool HasThreads = false;
  /// Devices and inodes of the files seen.
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> Known;
  uint64_t Claimed = 0; ///< bytes of the budget
  TreeFetchFigures Figures;

  os::Threads Threads; // last, because its threads use the members above
};

} // namespace headstart

#endif // HEADSTART_ENGINE_TREEFETCHER_H
