//===- Decisions.h - Counters of the engine's decisions ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A counter for each branch of the engine's decisions. `--prefetch-stats=FILE`
/// writes them. The simulation fails if it never took a branch, since no test
/// would then cover that branch.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_DECISIONS_H
#define HEADSTART_REPORT_DECISIONS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headstart {

/// The branches, in groups. Some branches of a group can occur together.
enum class Decision : uint8_t {
  // The share of an opened input that is cached:
  Cached,
  PartlyCached,
  NotCached,
  CacheUnknown,
  // The thread that opens an input:
  PreparedInOrder,
  PreparedUrgent,
  PreparedDeferred,
  StreakLeft, ///< to the linker, after a row of cached inputs
  LinkerOpened,
  LinkerWaited,   ///< for a thread that was opening the input
  LinkerTimedOut, ///< in that wait, and opened the input itself
  // The contents held for the linker:
  HeldCopy,
  HeldMapping,
  HeldNothing,
  JustChanged, ///< so recently that its times may not show the next change
  HandedOver,
  ChangedSinceOpen,
  // The method by which an input is fetched:
  WholeCheaper,
  WholeFewArchives,
  ByProfile,
  ByTouchedRanges, ///< of a profile that has no plan
  ByLayout,
  ByLayoutAndProfile,
  NotNeeded, ///< cached, copied, changed, or memory is short
  NotOpened, ///< missing, empty, unreadable, or not a regular file
  // Whether an object is scanned for dependencies:
  Scanned,
  ScanSkippedRecorded,
  ScanSkippedEnough,
  // ELF: symbols and members of archives.
  SymbolsPass,
  SymbolsPassSkipped,
  SymbolsRead,
  SymbolsReadOfLeft,
  SymbolsNotRead,
  LazyFetched,
  LazyFetchedUnasked, ///< resolving the symbols would cost more
  LazyNotLinked,
  // Stages:
  StageBegun,
  StageNotBegun,
  // Memory:
  MemoryPlentiful,
  MemoryShort,
  LeftForMemory, ///< ELF with little memory: only opened
  WaitedForMemory,
  PressureHigh,
  MeasuredWaiting, ///< a waiting thread measured the memory
  Released,        ///< a range that the linker has finished with
  // Stores:
  AnsweredFromCache, ///< as far as is known; not a measurement
  AnswerUnscheduled, ///< the thread also waited for a processor
  AnswerCounted,
  WaitedForStore,
  UrgentRequest, ///< overtook the requests that wait
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

/// Returns the key in the JSON, a literal: "whole cheaper".
const char *decisionName(Decision What);

/// One counter for each decision. Any thread may call any function.
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
