//===- Scheduler.h - Who is next --------------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: what a thread is to do next, and which inputs are
/// open. A monitor: one mutex guards all of it, nobody does anything slow with
/// the mutex held, and all waiting of threads for each other is here.
///
/// The order, anew for each answer:
///
///  0. on a high-latency device: a stat of the paths that the linker comes to
///     next, since it stats them itself, and waits;
///  1. the input that the linker asked for before any thread came to it;
///  2. inputs to prepare (open, look inside), in the linker's order; what an
///     input names comes into that order while others work;
///  3. of ELF, when all are prepared: inputs to plan; the symbols of those that
///     need no plan;
///  4. what is to be fetched, by stage of the link, then in the linker's order;
///  5. where a file system does not answer: inputs of the directories that
///     threads hung in, which were skipped until then.
///
/// Invariants:
///  - each input is prepared, planned and entered by one thread, once; each of
///    its stages is fetched once;
///  - no thread goes on to 3 or 4 while another may still name inputs that the
///    linker reads at once, unless threads hang; inputs that come later go
///    first when they come;
///  - after `cancel` nobody waits, and there is nothing more to do.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_SCHEDULER_H
#define HEADSTART_LIB_ENGINE_SCHEDULER_H

#include "InputEntry.h"
#include "headstart/Inputs/InputList.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/Tuning.h"
#include "headstart/Report/Decisions.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headstart {

/// Every function may be called from any thread.
class Scheduler {
public:
  struct Settings {
    Tuning Numbers;
    DecisionCounts *Decisions = nullptr; ///< null: not counted
    /// All inputs are prepared before the symbols of any are entered.
    bool PlanTogether = false;
    uint64_t MaxKept = 0; ///< files that are kept open between two tasks
    /// Whether the last link has touched a part of the input of that name: it
    /// is not left to the linker. Null: it has not.
    std::function<bool(llvm::StringRef)> IsRecorded;
  };

  /// Takes in the inputs of \p Command. To be called once, before any thread
  /// starts.
  void fill(const LinkCommand &Command, Settings TheSettings);

  size_t size() const;

  enum class Task : uint8_t {
    None,    ///< there is nothing more to do
    Refresh, ///< stats its path again, so that the system knows the answer
    Prepare, ///< open it, look inside; then `done`, or `planLater`
    Plan,    ///< what was left for later; then `done`
    Symbols, ///< enter the symbols of what needs no plan; then `done`
    Begin,   ///< decide whether a stage is begun; then `begin`
    Fetch,   ///< what is planned for the stage
  };
  struct Work {
    Task What = Task::None;
    InputEntry *Entry = nullptr;
    /// Of Begin: Parse stands for the symbols.
    LinkStage Stage = LinkStage::Parse;
    FilePointer File; ///< null: it was not kept open
    /// Of Prepare: whether the caller is the one who opens it.
    bool IsClaimed = false;
  };

  /// Called before somebody waits; may be null.
  using Waits = llvm::function_ref<void()>;

  /// What the calling thread is to do next, after its work for \p Finished
  /// (null: for no input). While there is nothing, waits as long as something
  /// may still come. Of the objects right behind one to prepare, at most \p
  /// Skipped are left to the linker.
  Work next(unsigned Skipped = 0, Waits OnWait = nullptr,
            InputEntry *Finished = nullptr);

  /// How a wait for threads that hang ended.
  enum class Stall : uint8_t {
    None, ///< nothing is left to do, all is cancelled, or a minute has passed
    Some, ///< some threads hang, others wait for something to do
    All,
  };
  /// Waits until threads hang in directories where none hung before: for \p
  /// Long no thread has asked for anything to do, and \p HasMoved, called under
  /// the lock, says that nothing has since it was called last. From then on
  /// inputs of these directories come last, and no thread waits for those that
  /// hang.
  Stall waitForStall(std::chrono::milliseconds Long,
                     llvm::function_ref<bool()> HasMoved);

  /// The caller has done its task: it names nothing more that comes at once.
  void done(Task What);
  /// The same, and somebody is to plan \p Entry when all is prepared. \p File
  /// is kept for that if it may.
  void planLater(InputEntry &Entry, const FilePointer &File);
  /// Adds what \p Entry names.
  void add(const InputEntry &Entry, std::vector<FoundInput> Found);
  /// \p Entry has its plan, with something to fetch for \p Stages. The first
  /// of these is the caller's to fetch. \p File is kept for the rest, and for
  /// the symbols, if it may. \p IsDone: the caller's task as well, as by
  /// `done`.
  void planned(InputEntry &Entry, StageSet Stages, const FilePointer &File,
               bool IsDone);
  /// See InputList::place.
  uint32_t place(const InputEntry &Entry) const;
  /// Whether the caller is the one who tells the planner of the symbols of
  /// \p Entry.
  bool beginSymbols(InputEntry &Entry);
  /// Answers Task::Begin. When a stage is not begun, no later one is.
  void begin(LinkStage Stage, bool IsBegun);

  /// See InputList::settle.
  bool settle(const InputEntry &Entry, const ResolvedInput &Found);
  /// The caller has opened \p Entry, or could not. \p Contents may be null with
  /// Ready: the file exists but is not held for the linker. \p File is kept, if
  /// it may, for the thread that prepares the entry.
  void publish(InputEntry &Entry, EntryState State, std::string Path,
               const os::FileIdentity &Identity,
               std::shared_ptr<const FileContents> Contents,
               const FilePointer &File = nullptr);
  /// Waits until \p Entry is published, or all is cancelled; true when it is
  /// Ready, or was left to the linker and has a path. Orders what the claimer
  /// wrote before the caller.
  bool waitUntilPublished(InputEntry &Entry, Waits OnWait = nullptr);
  /// The file that was kept for \p Entry, which is then the caller's; or null.
  FilePointer takeFile(InputEntry &Entry);

  /// The entry that the linker means by \p Path, which goes first from now on
  /// if no thread has come to it. Claims it for the caller when nobody has
  /// (\p Claimed is then how it is named); waits when somebody is at it, for a
  /// second at most. Null when there is none, or when it is not open by then.
  /// With \p Leaves, an object that is not open yet is left to the linker, and
  /// null.
  InputEntry *request(llvm::StringRef Path, bool Leaves,
                      std::optional<NamedInput> &Claimed,
                      Waits OnWait = nullptr);

  /// The linker gets \p Entry, of a high-latency device: the next ones are due
  /// to be stat'ed again.
  void refreshAhead(const InputEntry &Entry);

  struct ReadyEntry {
    const InputEntry *Entry;
    bool IsPlanned; ///< nothing changes its plan any more
  };
  /// The entries that are Ready. Inspect them without the lock: the system
  /// calls for 100,000 of them take long.
  std::vector<ReadyEntry> ready() const;

  void cancel();

private:
  enum class Phase : uint8_t { Preparing, Entering, Fetching };

  InputEntry &entry(uint32_t Number);
  bool leave(InputEntry &Entry);
  void keep(InputEntry &Entry, const FilePointer &File);
  InputEntry *takeNext(unsigned Skipped);
  InputEntry *takeDeferred();
  InputEntry *nextRefresh();
  Work prepare(InputEntry &Entry);
  bool skipStalledDirectories();
  bool waitsFor(size_t Others) const {
    return Others != 0 && StalledDirectories.empty();
  }
  void note(Decision What) {
    if (Own.Decisions)
      Own.Decisions->note(What);
  }
  void end();
  bool isInStalledDirectory(const InputEntry &Entry) const;
  std::optional<Work> tryNext(unsigned Skipped);
  std::optional<Work> requestDecision(LinkStage Next);
  InputEntry *nextWithSymbols();
  std::optional<Work> nextFetch();

  mutable std::mutex Mutex;
  os::Condition Published;
  os::Condition More; ///< there may be work, or an end of it
  os::Condition Over; ///< IsOver
  Settings Own;       ///< not changed by threads, as the next
  /// How many files are kept open. Shared with them.
  std::shared_ptr<std::atomic<uint64_t>> NumKept =
      std::make_shared<std::atomic<uint64_t>>(0);
  // All guarded by Mutex:
  std::optional<InputList> List;
  const LinkerModel *Model = nullptr; ///< set with List
  std::deque<InputEntry> Entries;     ///< by number
  InputEntry *Urgent = nullptr;       ///< asked for last, and not prepared
  /// What is to be fetched for a stage, and for the first one, planned: by
  /// stage, then in the linker's order.
  std::map<std::pair<LinkStage, uint32_t>, InputEntry *> Queue;
  size_t NumScanning = 0; ///< threads that may name inputs that come at once
  size_t Entering = 0;    ///< threads that enter symbols
  Phase Now = Phase::Preparing;
  bool IsDeciding = false;            ///< somebody has a Begin to answer
  LinkStage Stage = LinkStage::Parse; ///< the last one that was begun
  unsigned End = NumLinkStages;       ///< from here on none is
  size_t Entered = 0; ///< the symbols of the entries before it were handed out
  size_t RefreshBegin = 0,
         RefreshEnd = 0; ///< the entries from here to there are due
  bool IsCancelled = false;
  bool IsOver = false;      ///< cancelled, or a thread was told that it is done
  uint64_t NumRequests = 0; ///< calls of next
  size_t Idle = 0;          ///< threads that wait in next
  /// Directories in which all threads hung, as the inputs' names have them.
  llvm::StringSet<> StalledDirectories;
  std::deque<uint32_t>
      Deferred; ///< of these directories, to be prepared at last
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_SCHEDULER_H
