//===- Fetcher.h - Fetches ranges of files ----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: fetches planned ranges in steps, through the gate.
/// Bytes that the linker has requested are no longer ahead of it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_FETCHER_H
#define HEADSTART_LIB_ENGINE_FETCHER_H

#include "EngineFigures.h"
#include "Gate.h"
#include "InputEntry.h"
#include "LinkerPosition.h"
#include "Policy.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Formats/ByteSource.h"
#include "headstart/OS/PageCache.h"
#include <cstddef>
#include <memory>

namespace headstart {

/// Every function may be called from any thread.
class Fetcher {
public:
  /// All arguments must outlive it.
  Fetcher(const EngineOptions &Options, const os::PageCache &Cache,
          EngineFigures &Figures);

  /// Returns what to fetch of \p Entry for \p Stage: the planned ranges whose
  /// member \p IsWanted. Combines them, also with small ones of later stages,
  /// if the bytes between them cost less than a request does now. Unless memory
  /// is short, no range is returned twice.
  std::vector<PlannedRange>
  takeRanges(InputEntry &Entry, LinkStage Stage,
             llvm::function_ref<bool(uint32_t)> IsWanted);
  /// Fetches \p Planned, a range of \p Entry, for \p Stage, from \p File. Waits
  /// for room and for the store. Returns false if nothing more can be fetched
  /// of this input, or at all.
  bool fetch(InputEntry &Entry, const PlannedRange &Planned, LinkStage Stage,
             const os::OpenFile &File);
  std::vector<ByteRange> fetchedOf(const InputEntry &Entry) const;

  void noteRequested(InputEntry &Entry);

  /// Returns a gate at which each read of an inspection of \p Entry waits for
  /// its turn at the store, unless it makes no request.
  std::unique_ptr<ReadGate> inspectionGate(InputEntry &Entry);

  /// Chooses how \p Entry, an object or an archive of ELF, is fetched.
  void choose(InputEntry &Entry, bool IsInspected) const;

  Policy &policy() { return Choice; }
  Gate &gate() { return TheGate; }
  /// Makes fewer and larger requests if one is expensive. The linker's mapping
  /// then also reads more around each page, which is too much for little
  /// memory.
  const os::PageCache &cacheFor(const InputEntry &Entry) const {
    return Entry.Store && !window().mayBeShort() &&
                   Choice.isDear(Entry.Store->prices())
               ? LargeCache
               : Cache;
  }
  MemoryWindow &window() { return TheGate.memory(); }
  const MemoryWindow &window() const { return TheGate.memory(); }
  void sample() const; ///< for the trace

private:
  class InspectionGate;

  void leave(InputEntry &Entry, uint64_t Bytes,
             const std::optional<StoreQueue::Answer> &Answer);
  bool isLarge(const InputEntry &Entry, const PlannedRange &Planned) const;
  std::optional<uint64_t> missingOf(const InputEntry &Entry,
                                    const os::OpenFile &File, ByteRange Step);
  bool isFollowed(const InputEntry &Entry, LinkStage Stage,
                  const PlannedRange &Planned) const;
  bool enter(InputEntry &Entry, uint64_t Bytes, LinkStage Stage,
             bool IsFollowed, bool IsLarge);
  os::HintResult fetchStep(InputEntry &Entry, const os::OpenFile &File,
                           ByteRange Step, bool IsLarge);
  bool fetchLarge(const InputEntry &Entry, const os::OpenFile &File,
                  ByteRange Step, os::HintResult &Result);
  os::HintResult fetchSmall(const InputEntry &Entry, const os::OpenFile &File,
                            ByteRange Step, bool WasSkipped) const;

  const EngineOptions &Options;
  const Tuning &Numbers;
  const os::PageCache &Cache;
  const os::PageCache LargeCache;
  EngineFigures &Figures;
  Gate TheGate;
  LinkerPosition Position;
  Policy Choice;
  mutable std::mutex Mutex; ///< guards Taken and Fetched of all entries
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_FETCHER_H
