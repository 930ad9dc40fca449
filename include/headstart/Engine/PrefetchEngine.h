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
/// order while the linker runs, and hand the linker what they have opened.
///
/// It never decides what is linked. Whatever it cannot do (a missing file, no
/// more threads, descriptors or mappings) it counts and leaves to the linker.
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
#include <string>
#include <vector>

namespace headstart::os {
struct DiskUse;
struct SystemMemory;
} // namespace headstart::os

namespace headstart {

struct LinkProfile;
struct LinkStats;
struct RecordedFile;
class TraceLog;

struct EngineOptions {
  /// Whether processor time is measured; costs some clock reads an input.
  bool MeasuresProcessor = false;
  /// Threads. More than cores on purpose: they wait for the disk, not for a
  /// processor. Cut to what the limit on open files allows.
  unsigned Jobs = 8;
  /// The same when the inputs' store has a high latency, where each waits
  /// longer; where it is less, Jobs.
  unsigned HighLatencyJobs = 0;
  /// That the link may use; 0: the system's own word.
  unsigned Processors = 0;
  /// The most bytes fetched and not yet asked for by the linker.
  uint64_t BudgetBytes = UINT64_MAX;
  /// About how much all inputs have; 0: not known. What is much more than
  /// memory holds is not even begun with.
  uint64_t ExpectedBytes = 0;
  /// The most mappings that the engine makes; 0: half of what the system
  /// allows a process. Further inputs are fetched but not handed over.
  uint64_t MaxMappings = 0;
  /// Whether buffers are handed over at all; without, the engine only fetches.
  bool HandOver = true;
  PlanOptions Plan;
  /// The numbers that decisions use.
  Tuning Numbers;
  /// What the last link of the same output touched; may be null. Shared, and
  /// not changed by anybody.
  std::shared_ptr<const LinkProfile> Profile;
  /// Whether Profile may be of another directory or machine: of a file then its
  /// path and its size count, and what was touched is always told anew.
  bool IsProfileElsewhere = false;
  /// Tells what memory there is; null: the system's own word. From any thread.
  std::function<os::SystemMemory()> ReadMemory;
  /// Where threads log what they do; may be null.
  std::shared_ptr<TraceLog> Trace;
};

class PrefetchEngine {
public:
  /// Starts no thread yet. \p Options and \p Cache are copied.
  explicit PrefetchEngine(const EngineOptions &Options,
                          const os::PageCache &Cache = os::PageCache());
  /// Cancels, and waits for the threads for at most a second: one that waits
  /// for a file system that does not answer is detached, with all that it
  /// uses. Buffers that were taken stay valid.
  ~PrefetchEngine();
  PrefetchEngine(const PrefetchEngine &) = delete;
  PrefetchEngine &operator=(const PrefetchEngine &) = delete;

  /// Starts fetching the inputs of \p Command, in its order. Returns at once.
  /// To be called once.
  void start(LinkCommand Command);

  /// Starts fetching the files at \p Paths, in their order.
  void startFiles(const std::vector<std::string> &Paths);

  /// The buffer of \p Path, if the engine has it or can have it at once: null
  /// when it does not know the path, could not open it, or when the path names
  /// another file by now (replaced, deleted or changed since it was opened).
  /// Null is no error: the caller opens the file itself and hears from the
  /// system what is wrong with it.
  ///
  /// Blocks for no more than the opening of this one file, and for a second at
  /// most where another thread is at it. Any thread.
  std::unique_ptr<llvm::MemoryBuffer> take(llvm::StringRef Path,
                                           const BufferRequest &Request);

  /// The linker has come to \p Stage: what was fetched for it makes room for
  /// more. Short of memory it is also what fetching for the next stage waits
  /// for. Never blocks. Any thread.
  void reached(LinkStage Stage);

  /// Whether memory was short: then pages that the linker has touched may have
  /// left memory, and `touched` does not tell of them. After `join` only.
  bool wasShortOfMemory() const;

  /// How many of its threads wait now, since as much is fetched as may be. Any
  /// thread.
  unsigned waitingForMemory() const;

  /// Asks the threads to stop after the step they are at (a step is at most
  /// 512 KiB, or 2 MiB of a disk that counts requests). Does not block. Any
  /// thread.
  void cancel();

  /// Waits for the threads to end: when everything is fetched, or soon after
  /// `cancel`. One thread only.
  void join();

  /// The same, for at most \p MaxWait. False when some have not ended: they are
  /// detached, with all that they use. One thread only.
  bool join(std::chrono::milliseconds MaxWait);

  /// How much of the profile holds for what the linker was handed.
  struct ProfileUse {
    uint64_t Matched = 0; ///< files that are what was recorded
    uint64_t Changed = 0; ///< files that are not, or are not recorded
    uint64_t Refined = 0; ///< of Matched: now more is known than before
  };
  ProfileUse profileUse() const;

  /// What the linker has touched of the inputs that it was handed, in the order
  /// of the inputs; copies count as touched as a whole. Without small files
  /// that the command line names, of which there is nothing to remember. Reads
  /// the page tables; to be called when the linker is done, and before it frees
  /// its buffers. Nothing where the system does not tell.
  std::optional<std::vector<RecordedFile>> touched() const;
  /// How many bytes the linker was handed that `touched` leaves out.
  uint64_t copiedBytes() const;

  /// How many fetched bytes lie outside of what \p Touched (of `touched`) says.
  /// After a `join` that waited for all threads only.
  uint64_t wastedBytes(llvm::ArrayRef<RecordedFile> Touched) const;

  /// What its threads have read from disks; nothing where the system does not
  /// tell. After `join` only.
  std::optional<os::DiskUse> diskUse() const;

  /// Adds the figures so far to \p Stats (inputs, bytes, calls, hand-overs,
  /// problems; first and last hint counted from \p Origin). Any thread.
  void addTo(LinkStats &Stats,
             std::chrono::steady_clock::time_point Origin) const;

private:
  class Impl;
  std::shared_ptr<Impl> State; ///< the threads' as well
};

} // namespace headstart

#endif // HEADSTART_ENGINE_PREFETCHENGINE_H
