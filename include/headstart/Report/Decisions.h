//===- Decisions.h - How often each decision was taken ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A counter for each branch of the engine's decisions. `--prefetch-stats=FILE`
/// shows them, and the simulation fails if a branch was never taken: what no
/// test reaches is not tested.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_DECISIONS_H
#define HEADSTART_REPORT_DECISIONS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headstart {

/// The branches, in groups; not all of a group exclude each other.
enum class Decision : uint8_t {
  // How much of an opened input is cached:
  Cached,
  PartlyCached,
  NotCached,
  CacheUnknown,
  // Who opens an input; StreakLeft: the linker, in a streak of cached ones.
  PreparedInOrder,
  PreparedUrgent,
  PreparedDeferred,
  StreakLeft,
  LinkerOpened,
  LinkerWaited,   ///< for a thread that was opening it
  LinkerTimedOut, ///< and opened it itself
  // What is held for the linker:
  HeldCopy,
  HeldMapping,
  HeldNothing,
  JustChanged, ///< too lately for its times to show the next change
  HandedOver,
  ChangedSinceOpen,
  // How an input is fetched:
  WholeCheaper,
  WholeFewArchives,
  ByProfile,
  ByTouchedRanges, ///< of a profile without a plan
  ByLayout,
  ByLayoutAndProfile,
  NotNeeded, ///< cached, copied, or no time for it
  NotOpened, ///< missing, empty, not a regular file, or it cannot be read
  // Whether an object is scanned for dependencies:
  Scanned,
  ScanSkippedRecorded,
  ScanSkippedEnough,
  // ELF: symbols, and members of archives.
  SymbolsPass,
  SymbolsPassSkipped,
  SymbolsRead,
  SymbolsReadOfLeft,
  SymbolsNotRead,
  LazyFetched,
  LazyFetchedUnasked, ///< since to know would cost more
  LazyNotLinked,
  // Stages:
  StageBegun,
  StageNotBegun,
  // Memory:
  MemoryPlentiful,
  MemoryShort,
  LeftForMemory, ///< ELF, short of memory: only opened
  WaitedForMemory,
  PressureHigh,
  MeasuredWaiting, ///< memory was measured while threads waited
  Released,        ///< what the linker has finished with
  // Stores:
  AnsweredFromCache, ///< as far as is known: it says nothing of the store
  AnswerUnscheduled, ///< the thread waited for a processor meanwhile
  AnswerCounted,
  WaitedForStore,
  UrgentRequest, ///< went before those that wait
  WindowGrew,
  WindowShrank,
  MoreThreads,
  DirectoryListed,
  PathRefreshed,
  RangesCombined,
  AlreadyFetched,
  LargePages,
  LargePagesFailed,
  Stepwise,
  // Stores that do not answer:
  Stalled,
  StalledDirectory,
};
inline constexpr size_t NumDecisions =
    static_cast<size_t>(Decision::StalledDirectory) + 1;

/// Its key in the JSON: "whole small". A literal.
const char *decisionName(Decision What);

/// Every function may be called from any thread.
class DecisionCounts {
public:
  void note(Decision What) {
    Counts[static_cast<size_t>(What)].fetch_add(1, std::memory_order_relaxed);
  }
  std::array<uint64_t, NumDecisions> read() const {
    std::array<uint64_t, NumDecisions> Result;
    for (size_t I = 0; I != NumDecisions; ++I)
      Result[I] = Counts[I].load(std::memory_order_relaxed);
    return Result;
  }

private:
  std::array<std::atomic<uint64_t>, NumDecisions> Counts{};
};

} // namespace headstart

#endif // HEADSTART_REPORT_DECISIONS_H
