//===- InputTable.h - The engine's inputs and their states ------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: one entry per input, and who may touch what of it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_INPUTTABLE_H
#define HEADSTART_LIB_ENGINE_INPUTTABLE_H

#include "headstart/Engine/FileContents.h"
#include "headstart/Engine/FilePlanner.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/InputScanner.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// Where an entry stands on its way to the linker.
///
///     Waiting ──claim──► Opening ──publish──► Ready
///                           └──────publish──► Unavailable
///
/// Whoever claims an entry, a thread of the engine or the linker's own, opens
/// it outside the lock and publishes what came of it. Nothing of an entry is
/// written after it was published but Flags.
enum class EntryState : uint8_t { Waiting, Opening, Ready, Unavailable };

struct InputEntry {
  InputEntry(NamedInput Named, uint32_t Number)
      : Named(std::move(Named)), Number(Number) {}

  NamedInput Named; ///< not changed after InputTable::fill
  /// The last link touched a part of it: it is not small. Written before any
  /// thread starts.
  bool IsRecorded = false;
  const uint32_t Number; ///< in the order of the command line; what inputs name
                         ///< comes after that
  EntryState State = EntryState::Waiting; ///< guarded by InputTable::Mutex
  bool WasLeft = false; ///< to the linker, with its path; guarded likewise

  // Written by the claimer, read by anyone after State is Ready:
  std::string Path;
  os::FileIdentity Identity;
  std::optional<os::Residency> Before; ///< as it was found, where that is told
  std::shared_ptr<const FileContents> Contents; ///< null: fetched only

  // Written by the one thread of the engine that plans the entry, read by
  // others after they have seen PlannedFlag:
  std::vector<PlannedRange> Plan;
  /// How many bytes of each range of Plan were fetched; each written by the one
  /// thread that fetches the range, read when all threads are joined.
  std::vector<uint64_t> Fetched;
  std::shared_ptr<const SkimmedFile> Skimmed; ///< between two steps
  uint32_t Place = 0; ///< in the order in which it was prepared
  static constexpr uint16_t PlannedFlag = 0x8000;
  /// Set by the thread that prepares the entry, so that no other does.
  static constexpr uint16_t BegunFlag = 0x4000;
  /// Set by the one thread that tells the planner of the entry's symbols.
  static constexpr uint16_t SymbolsFlag = 0x2000;
  /// PlannedFlag, BegunFlag, SymbolsFlag, and one bit for each stage that a
  /// thread came for before there was a plan: see PrefetchEngine.cpp.
  std::atomic<uint16_t> Flags{0};

  /// Bytes of the parse phase that were fetched and that the linker has not
  /// asked for yet: what the memory budget counts.
  std::atomic<uint64_t> BytesAhead{0};
  /// Whether the linker has asked for it.
  std::atomic<bool> Asked{false};
  /// Whether it got the contents from us.
  std::atomic<bool> Given{false};
};

/// All entries, by order and by path. What inputs name is added while threads
/// are at work, so a thread may find nothing to prepare while another is still
/// looking into an input: it waits for that. Every function may be called from
/// any thread.
class InputTable {
public:
  /// Makes the entries; a name that comes twice gets one. \p IsRecorded tells
  /// of a name whether the last link's record has it. To be called once, before
  /// any thread starts.
  void fill(
      std::vector<NamedInput> Inputs,
      llvm::function_ref<bool(llvm::StringRef)> IsRecorded =
          [](llvm::StringRef) { return false; });

  size_t size() const;

  /// What is to be done with an entry in the first stage.
  struct Work {
    InputEntry *Entry = nullptr; ///< null: nothing more
    bool Plans = false;          ///< it was prepared, and is to be planned
  };

  /// Called before somebody waits; may be null.
  using Waits = llvm::function_ref<void()>;

  /// The next work, in the order in which the linker will ask: first all that
  /// is to be prepared, then what was left to be planned. While there is none,
  /// waits as long as some may still come. None when there is nothing more, or
  /// the table was cancelled. The caller says `looked` when it has seen what
  /// the entry names, or `planLater`. Of the objects right behind it that
  /// nobody has begun with, at most \p Skipped are left to the linker.
  Work nextWork(unsigned Skipped = 0, Waits OnWait = nullptr);
  /// Takes an entry out of its turn; it is looked into like the others.
  void beginLook();
  /// The caller has looked into one entry.
  void looked();
  /// The same, and somebody is to plan \p Entry when all is prepared.
  void planLater(InputEntry &Entry);
  /// Adds what an input of \p Turn (NamedInput::Turn) names: the linker will
  /// ask for it next, or after all that is known of that turn. Of what is known
  /// by its name already, only the turn may change. What is read on demand is
  /// only known, so that the linker finds it.
  void add(std::vector<FoundInput> Found, uint8_t Turn);

  /// The next entry whose turn it is for \p Stage (of the first, to be
  /// finished); null when there is none. Each is given out once.
  InputEntry *nextFor(LinkStage Stage);
  /// The caller has finished with an entry of the first stage.
  void finished();
  /// Waits until all entries are finished, or the table is cancelled.
  void waitUntilFinished(Waits OnWait = nullptr);

  /// Ends all waiting, for entries to come and for those that somebody opens:
  /// whoever claims one after this may leave it as it is.
  void cancel();

  /// Makes the caller the one who opens \p Entry; false when it is another's,
  /// or done.
  bool claim(InputEntry &Entry);

  /// Ends what `claim` began. \p Contents may be null with Ready: the file
  /// exists but is not held for the linker.
  void publish(InputEntry &Entry, EntryState State, std::string Path,
               const os::FileIdentity &Identity,
               std::shared_ptr<const FileContents> Contents);

  /// Whether another entry than \p Entry has the file at \p Path.
  bool isTaken(llvm::StringRef Path, const InputEntry &Entry) const;

  /// Calls \p Visit, under the lock, with every entry that is Ready.
  void forEachReady(llvm::function_ref<void(const InputEntry &)> Visit);

  /// Waits until \p Entry is published, or the table is cancelled; true when it
  /// is Ready, or was left to the linker and has a path. Orders what the
  /// claimer wrote before the caller.
  bool waitUntilPublished(InputEntry &Entry, Waits OnWait = nullptr);

  /// The entry that the linker means by \p Path; claims it for the caller when
  /// nobody has begun (\p Claimed), waits when somebody is at it, for a second
  /// at most. Null when there is none, or when it is not open by then. With
  /// \p Leaves, an object that is not open yet is left to the linker, and null.
  InputEntry *find(llvm::StringRef Path, bool Leaves, bool &Claimed,
                   Waits OnWait = nullptr);

  /// Whether \p Input is an object by its name: an archive is hardly ever read
  /// as a whole.
  static bool isObject(const NamedInput &Input);

private:
  std::pair<InputEntry *, bool> make(NamedInput Named);
  bool leave(InputEntry &Entry);

  mutable std::mutex Mutex;
  std::condition_variable Published;
  std::condition_variable More; ///< Waiting has grown, or cannot any more
  // All guarded by Mutex:
  llvm::StringMap<InputEntry *> ByPath;
  std::vector<std::unique_ptr<InputEntry>> Entries;
  std::deque<InputEntry *> Waiting;           ///< to be prepared
  std::map<uint32_t, InputEntry *> Unplanned; ///< by their places in the turn
  uint32_t NextPlace = 0;
  size_t Looking = 0; ///< threads that may still add
  std::array<size_t, NumLinkStages> Cursors{};
  size_t Finished = 0;
  bool Cancelled = false;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_INPUTTABLE_H
