//===- Fetcher.h - How bytes come -------------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: brings planned ranges into memory, in steps, and no
/// further ahead of the linker than memory allows.
///
/// Invariants:
///  - what is ahead of the linker is at most the budget, and one step for each
///    thread (MemoryWindow.h);
///  - a step is the most that happens between two looks at `cancel`; whoever
///    waits for room is woken by it;
///  - what the linker has asked for is no longer ahead of it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_FETCHER_H
#define HEADSTART_LIB_ENGINE_FETCHER_H

#include "DeviceModel.h"
#include "DiskProbe.h"
#include "EngineFigures.h"
#include "FetchCost.h"
#include "InputEntry.h"
#include "MemoryWindow.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/TraceLog.h"
#include <atomic>
#include <cstddef>
#include <memory>

namespace headstart {

/// Every function may be called from any thread.
class Fetcher {
public:
  Fetcher(const EngineOptions &Options, const os::PageCache &Cache,
          EngineFigures &Figures);

  /// Fetches the range \p Index of the plan of \p Entry, for \p Stage, from
  /// \p File. Waits for room and for the disk. False when there is nothing more
  /// to fetch of this input, or at all.
  bool fetch(InputEntry &Entry, size_t Index, LinkStage Stage,
             const os::OpenFile &File);
  /// Says that \p Bytes of \p Path were read otherwise.
  void noteRead(uint64_t Bytes);

  /// The linker has asked for \p Entry.
  void giveBack(InputEntry &Entry);
  /// The linker has come to \p Stage.
  void reached(LinkStage Stage);

  /// Whether the next object, none of which is in memory, should be fetched as
  /// a whole: see DiskProbe.h.
  bool fetchesWhole() {
    return Probe.fetchesWhole(ColdObjects.fetch_add(1), os::now());
  }

  /// Does \p Read, which reads the first bytes of \p Entry, as one request.
  /// False, and it is not done, when all is cancelled.
  bool look(InputEntry &Entry, llvm::function_ref<void()> Read);

  /// What is read first of an input stands at its two ends: where a request
  /// takes long both are asked for at the same time.
  void askForEnds(const InputEntry &Entry, const os::OpenFile &File) const;
  /// \p Entry has its plan: where requests cost more than some bytes, it comes
  /// in fewer of them.
  void settlePlan(InputEntry &Entry);
  /// Whether all of \p Entry, on a device that is far away, costs less than
  /// \p Looks requests that tell what is needed of it, and that.
  bool isWholeCheaper(const InputEntry &Entry, unsigned Looks) const;

  FetchCost &cost() { return Cost; }
  Devices &devices() { return AllDevices; }
  const os::PageCache &cacheFor(const InputEntry &Entry) const {
    return Entry.Device && Entry.Device->isFar() ? FarCache : Cache;
  }
  MemoryWindow &window() { return Window; }
  const MemoryWindow &window() const { return Window; }
  void sample() const; ///< for the trace

private:
  void note(InputEntry &Entry,
            const std::optional<DeviceModel::Answer> &Answer);
  bool prefersFewRequests(const InputEntry &Entry) const;
  bool waitForRoom(LinkStage Stage);
  bool isLarge(const InputEntry &Entry, const PlannedRange &Planned) const;
  unsigned requestsFor(uint64_t Bytes, bool IsInLarge) const;
  std::optional<os::HintResult> fetchStep(InputEntry &Entry,
                                          const os::OpenFile &File,
                                          ByteRange Step, LinkStage Stage,
                                          bool IsLarge);
  bool fetchLarge(const InputEntry &Entry, const os::OpenFile &File,
                  ByteRange Step, os::HintResult &Result);
  os::HintResult fetchSmall(const InputEntry &Entry, const os::OpenFile &File,
                            ByteRange Step, bool IsPassedOver) const;

  const Tuning &Numbers;
  const os::PageCache &Cache;
  const os::PageCache FarCache;
  EngineFigures &Figures;
  const std::shared_ptr<TraceLog> Trace;
  MemoryWindow Window;
  DiskProbe Probe;
  FetchCost Cost;
  Devices AllDevices;
  std::atomic<size_t> ColdObjects{0}; ///< planned until now
};

/// Whether the linker reads \p Range at \p Stage.
bool isReadIn(const PlannedRange &Range, LinkStage Stage);
/// What the linker reads a second time; while memory lasts it is still there.
inline bool isReadAgain(LinkStage Stage) {
  return Stage > LinkStage::DebugSymbols;
}

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_FETCHER_H
