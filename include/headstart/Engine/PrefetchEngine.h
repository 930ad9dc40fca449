//===- PrefetchEngine.h - The threads that fetch inputs ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The engine: threads that open, map and fetch a link's inputs in the planned
/// order while the linker runs, and hand over to it what they have opened. It
/// counts whatever it cannot do (a missing file, no more threads, descriptors
/// or mappings) and leaves it to the linker.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_ENGINE_PREFETCHENGINE_H
#define HEADSTART_ENGINE_PREFETCHENGINE_H

#include "headstart/Engine/HintedBuffer.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Plan/Tuning.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headstart::os {
struct DiskUse;
struct SystemMemory;
} // namespace headstart::os

namespace headstart {

class EngineImpl;
struct LinkProfile;
struct LinkStats;
struct RecordedFile;
class TraceLog;

struct EngineOptions {
  /// Whether processor time is measured, at some clock reads per input.
  bool MeasuresProcessor = false;
  /// The number of threads, if the limit on open files allows it, and the
  /// number on a high-latency store if that is larger. More than there are
  /// cores, because they wait for the store.
  unsigned Jobs = 8;
  unsigned HighLatencyJobs = 0;
  /// The number of processors that the link may use; 0: as the system reports.
  unsigned Processors = 0;
  /// The most bytes that are fetched and not yet requested by the linker.
  uint64_t BudgetBytes = UINT64_MAX;
  /// The approximate size of all inputs, by which memory may count as short
  /// from the start; 0: unknown.
  uint64_t ExpectedBytes = 0;
  /// The most mappings that the engine makes; 0: half of what the system allows
  /// a process. Further inputs are fetched but not handed over.
  uint64_t MaxMappings = 0;
  /// Whether buffers are handed over; if not, the engine only fetches.
  bool HandOver = true;
  /// Whether to return free memory to the system when all is fetched, even if
  /// there is plenty: for a process that then only waits.
  bool TrimsHeaps = false;
  PlanOptions Plan; ///< of the same command (planOptionsOf)
  Tuning Numbers;
  /// The profile of the last link of the same output; may be null. Shared and
  /// immutable.
  std::shared_ptr<const LinkProfile> Profile;
  /// Whether Profile may come from another directory or machine. A file then
  /// matches by path and size; with another time it counts as refined.
  bool IsProfileElsewhere = false;
  /// Reports the available memory; null: the system's own report. Any thread.
  std::function<os::SystemMemory()> ReadMemory;
  /// The log to which the threads write; may be null.
  std::shared_ptr<TraceLog> Trace;
};

class PrefetchEngine {
public:
  /// Starts no thread yet. \p Options and \p Cache are copied.
  explicit PrefetchEngine(const EngineOptions &Options,
                          const os::PageCache &Cache = os::PageCache());
  /// Cancels, and waits at most a second for the threads. A thread that waits
  /// for an unresponsive file system is left, with everything that it uses.
  /// Buffers that were taken stay valid.
  ~PrefetchEngine();
  PrefetchEngine(const PrefetchEngine &) = delete;
  PrefetchEngine &operator=(const PrefetchEngine &) = delete;

  /// Starts fetching the inputs of \p Command, in its order. Returns at once.
  /// Call it once.
  void start(LinkCommand Command);

  /// Returns the buffer of \p Path if the engine has it or can open it at once.
  /// Returns null if the engine does not know or cannot open the path, or if
  /// the path now names another or a changed file. The caller then opens the
  /// file itself and gets the system's error.
  ///
  /// Blocks only to open this one file, or at most one second if another thread
  /// is opening it. Any thread.
  std::unique_ptr<llvm::MemoryBuffer> take(llvm::StringRef Path,
                                           const BufferRequest &Request);

  /// Notes that the linker has come to \p Stage: bytes that were fetched for
  /// that stage make room for more, if memory is short as soon as the linker
  /// touches them. Fetching for the stage after the next then waits for this
  /// call. Never blocks. Any thread.
  void reached(LinkStage Stage);

  /// Whether memory was short. If so, pages that the linker touched may have
  /// been evicted, and `touched` does not report them. After `join` only.
  bool wasShortOfMemory() const;

  /// The number of threads that wait now, because as much is fetched ahead as
  /// is allowed. Any thread.
  unsigned waitingForMemory() const;

  /// Requests that the threads stop after their current step (at most 512 KiB,
  /// or 2 MiB in large pages). Does not block. Any thread.
  void cancel();

  /// Waits until the threads end, after everything is fetched or soon after
  /// `cancel`. If memory is short, everything is fetched only if the linker
  /// reads it. One thread only.
  void join();
  /// Waits at most \p MaxWait. Detaches the threads that have not ended, with
  /// everything that they use, and then returns false. One thread only.
  bool join(std::chrono::milliseconds MaxWait);

  /// How well the profile matches the files that the linker was handed.
  struct ProfileUse {
    uint64_t Matched = 0; ///< files that match their record
    uint64_t Changed = 0; ///< files that do not match or have no record
    uint64_t Refined = 0; ///< of Matched: more is known now than before
    /// Files of the profile that were left to the linker, because those before
    /// them were cached. Nothing new is known of them.
    std::vector<const RecordedFile *> Left;
  };
  ProfileUse profileUse() const;

  /// The ranges that the linker has touched in the inputs that it was handed,
  /// in their order; nullopt if the system does not report them. A copy counts
  /// as touched as a whole; small files on the command line are left out. Reads
  /// the page tables, so the linker must be done and still have its buffers.
  std::optional<std::vector<RecordedFile>> touched() const;
  /// The number of handed-over bytes that `touched` leaves out.
  uint64_t copiedBytes() const;

  /// The number of fetched bytes outside of \p Touched, the result of
  /// `touched`. Only after a `join` that waited for all threads.
  uint64_t wastedBytes(llvm::ArrayRef<RecordedFile> Touched) const;

  /// The threads' reads from disks; nullopt if the system does not report them.
  /// After `join` only.
  std::optional<os::DiskUse> diskUse() const;

  /// Stores the figures so far in \p Stats (inputs, bytes, calls, hand-overs;
  /// first and last hint, counted from \p Origin), and adds the problems. Any
  /// thread.
  void addTo(LinkStats &Stats,
             std::chrono::steady_clock::time_point Origin) const;

private:
  std::shared_ptr<EngineImpl> State; ///< shared with the threads
};

} // namespace headstart

#endif // HEADSTART_ENGINE_PREFETCHENGINE_H
