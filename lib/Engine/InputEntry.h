//===- InputEntry.h - One input on its way to the linker --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: what it knows of one input, and who may write it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_INPUTENTRY_H
#define HEADSTART_LIB_ENGINE_INPUTENTRY_H

#include "Policy.h"
#include "headstart/Engine/HintedBuffer.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Formats/ELF.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/LinkProfile.h"
#include "headstart/Report/Decisions.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

class StoreQueue;

/// Where an entry stands on its way to the linker.
///
///     Waiting ──claim──► Opening ──publish──► Ready
///                           └──────publish──► Unavailable
///
/// Whoever claims an entry, a thread of the engine or the linker's own, opens
/// it outside the lock and publishes what came of it.
enum class EntryState : uint8_t { Waiting, Opening, Ready, Unavailable };

/// What a plan was made from. Other: nothing that tells more than the page
/// tables do.
enum class PlanSource : uint8_t { Other, Layout, Record };

using FilePointer = std::shared_ptr<const os::OpenFile>;

struct InputEntry {
  InputEntry(uint32_t Number, const NamedInput &Named)
      : Named(Named), Number(Number) {}

  /// In the InputList; not changed any more when a thread prepares the entry.
  const NamedInput &Named;
  const uint32_t Number; ///< in the InputList

  // Guarded by the scheduler:
  unsigned Threads = 0; ///< that work for it
  EntryState State = EntryState::Waiting;
  bool WasLeft = false; ///< to the linker, with its path
  bool IsPlanned = false;
  bool HasSymbols = false; ///< the planner knows its symbols, or will
  StageSet Stages = 0;     ///< for which something is left to fetch
  /// Descriptors are few: kept while there are enough, and somebody needs it.
  FilePointer File;

  // Written by the claimer, read by anyone after State is Ready:
  std::string Path;
  os::FileIdentity Identity;
  std::optional<os::Residency> Before; ///< as it was found, where that is told
  std::shared_ptr<const FileContents> Contents; ///< null: fetched only
  /// On which it lies; null: it was never opened by us.
  StoreQueue *Store = nullptr;
  std::chrono::steady_clock::time_point Seen; ///< when it was opened
  /// Of the last link, where that had this very file.
  const RecordedFile *Record = nullptr;
  bool IsFollowed = false; ///< what it names was added before that

  // Written by the one thread that plans the entry, read by others after
  // IsPlanned:
  bool SeemsCached = false; ///< where Before is not told: by a sample of it
  std::vector<PlannedRange> Plan;
  PlanSource Source = PlanSource::Other; ///< of Plan, which is then all of it
  FetchMethod Method = FetchMethod::Inspect;
  /// What the last link touched of it, if that had no plan.
  std::vector<PlannedRange> Touched;
  /// How many bytes of each range of Plan were fetched; each written by the one
  /// thread that fetches the range, read when all threads are joined.
  std::vector<uint64_t> Fetched;
  /// Until its symbols are entered; null for what is not ELF.
  std::shared_ptr<const ELFFile> Headers;

  /// Bytes of the first stage that were fetched and that the linker has not
  /// asked for yet: what the memory budget counts.
  std::atomic<uint64_t> BytesAhead{0};
  std::atomic<bool> IsRequested{false};  ///< the linker has asked for it
  std::atomic<bool> IsRead{false};       ///< something of it was, by us
  std::atomic<bool> IsHandedOver{false}; ///< it got the contents from us

  /// What the last link's plan left of it; null when there is none.
  const std::vector<PlannedRange> *recordedPlan() const {
    return Record && !Record->Plan.empty() ? &Record->Plan : nullptr;
  }

  /// Whether nothing of it was in memory when it was opened.
  bool isCold() const { return Before && Before->ResidentPages == 0; }
  /// The same, or nothing is known of it.
  bool mayBeCold() const { return Before ? isCold() : !SeemsCached; }
  /// Whether all of it was.
  bool isCached() const { return Before ? Before->complete() : SeemsCached; }

  /// Whether all of it was read, to be held.
  bool hasCopy() const { return Contents && !Contents->isMapped(); }

  /// The number of the arrow in the trace from where an input is opened to
  /// where the linker gets it.
  uint64_t flow() const { return uint64_t(Number) + 1; }
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_INPUTENTRY_H
