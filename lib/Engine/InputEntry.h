//===- InputEntry.h - One input on its way to the linker --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: the state of one input, and who may write it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_INPUTENTRY_H
#define HEADSTART_LIB_ENGINE_INPUTENTRY_H

#include "Policy.h"
#include "headstart/Engine/HintedBuffer.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Formats/ELF.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/BitVector.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

class StoreQueue;

/// The state of an entry on its way to the linker.
///
///     Waiting ──claim──► Opening ──publish──► Ready
///                           └──────publish──► Unavailable
///
/// The thread that claims an entry opens it outside the lock.
enum class EntryState : uint8_t { Waiting, Opening, Ready, Unavailable };

/// The source of a plan. Other: one that knows no more than the page tables.
enum class PlanSource : uint8_t { Other, Layout, Record };

using FilePointer = std::shared_ptr<const os::OpenFile>;

struct InputEntry {
  InputEntry(uint32_t Number, const NamedInput &Named)
      : Named(Named), Number(Number) {}

  /// In the InputList; unchanged once a thread prepares the entry.
  const NamedInput &Named;
  const uint32_t Number; ///< in the InputList

  /// InputList::place. The scheduler sets it, before a thread of the engine
  /// works for the entry.
  uint32_t Place = 0;

  // Guarded by the scheduler:
  unsigned Threads = 0; ///< that work for it
  unsigned Stalls = 0;  ///< as counted when the last of them began
  EntryState State = EntryState::Waiting;
  std::chrono::steady_clock::time_point Claimed; ///< since then Opening
  bool WasLeft = false; ///< to the linker; Path is set if the name is one
  std::atomic<bool> IsPlanned{false}; ///< readable without its lock
  StageSet Stages = 0;                ///< that still have something to fetch
  /// Kept open while a task needs it and there are enough descriptors.
  FilePointer File;

  // The claimer writes these, others read them after State is Ready:
  std::string Path;
  os::FileIdentity Identity;
  std::optional<os::Residency> Before;          ///< at the open, if reported
  std::shared_ptr<const FileContents> Contents; ///< null: fetched only
  /// The store that holds it; null: the engine never opened it.
  StoreQueue *Store = nullptr;
  /// When it was opened or, under the scheduler's lock, its path queried again.
  std::chrono::steady_clock::time_point Seen;
  /// From the last link, if that read this very file; else null.
  const RecordedFile *Record = nullptr;
  bool IsScanned = false; ///< its references were added before that

  // The thread that plans the entry writes these, others read them after
  // IsPlanned:
  /// By a sample, if Before is unknown; nullopt: a sample shows nothing.
  std::optional<bool> SeemsCached;
  std::vector<PlannedRange> Plan;
  bool IsBitcode = false;                ///< see LinkerModel::orderIn
  PlanSource Source = PlanSource::Other; ///< not Other: Plan is complete
  FetchMethod Method = FetchMethod::Inspect;
  /// The ranges that the last link touched, if its record has no plan.
  std::vector<PlannedRange> Touched;
  // Guarded by the fetcher:
  llvm::BitVector Taken;          ///< the ranges of Plan that threads fetch
  std::vector<ByteRange> Fetched; ///< not what was fetched a second time

  /// Those of an input of an ELF link, until its symbols are entered; null if
  /// it is an object.
  std::shared_ptr<const ELFFile> Headers;

  /// The fetched bytes of the first stage that the linker has not requested
  /// yet; the memory budget counts them.
  std::atomic<uint64_t> BytesAhead{0};
  std::atomic<bool> HasSymbols{false};   ///< a thread has begun to enter them
  std::atomic<bool> IsRequested{false};  ///< by the linker
  std::atomic<bool> IsRead{false};       ///< in part, by the engine
  std::atomic<bool> IsHandedOver{false}; ///< to the linker
  std::atomic<bool> HasFailed{false};    ///< it cannot be fetched

  /// The plan in the last link's record; null if there is none.
  const std::vector<PlannedRange> *recordedPlan() const {
    return Record && !Record->Plan.empty() ? &Record->Plan : nullptr;
  }

  /// Whether none of it was cached when it was opened.
  bool isCold() const { return Before && Before->ResidentPages == 0; }
  /// Whether that is so or, if Before is unknown, a sample does not exclude it.
  bool mayBeCold() const {
    return Before ? isCold() : !SeemsCached.value_or(false);
  }
  /// Whether all of it was cached or, if Before is unknown, seems so.
  bool isCached() const {
    return Before ? Before->complete() : SeemsCached.value_or(false);
  }

  bool hasArchiveHeaders() const { return Headers && Headers->IsArchive; }
  bool isLazy() const { return headstart::isLazy(Named, hasArchiveHeaders()); }

  /// Whether Contents is a copy of all of it.
  bool hasCopy() const { return Contents && !Contents->isMapped(); }

  /// The number of the trace's arrow from an input's opening to its hand-over.
  uint64_t flow() const { return uint64_t(Number) + 1; }
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_INPUTENTRY_H
