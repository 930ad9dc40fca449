//===- Scheduler.h - Who is next --------------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: what a thread does next, and which inputs are open. A
/// monitor, in which the threads wait for each other. The order, determined
/// anew for each answer:
///
///  0. on a high-latency store: a stat of the paths that the linker comes to
///     next, because the linker stats them itself and waits;
///  1. the input that the linker requested before any thread came to it;
///  2. the rest of an input that is being fetched for the first stage; then
///     inputs to prepare (open, inspect), in the linker's order; references of
///     an input join that order while other threads work;
///  3. for ELF, after all inputs are prepared: inputs to plan, then the symbols
///     of those whose plans have not entered them;
///  4. planned bytes to fetch, by stage, then in the linker's order;
///  5. where names are slow: paths that become due as the linker comes nearer.
///
/// Invariants:
///  - one thread prepares, plans and enters an input, each once; each
///    range of its stages is fetched once;
///  - no thread goes on to 3 or 4 while another may still name inputs that the
///    linker reads at once, unless that one hangs; inputs that are found later
///    go first;
///  - no thread joins another one that hangs in an input;
///  - after `cancel` no thread waits, and there is nothing more to do.
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
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace headstart {

/// Every function may be called from any thread.
class Scheduler {
public:
  /// Both must outlive it.
  Scheduler(const Tuning &Numbers, DecisionCounts &Decisions)
      : Numbers(Numbers), Decisions(Decisions) {}

  /// Stores the inputs of \p Command. At most \p MaxFiles files are kept open
  /// between two tasks. Call it once, before any thread starts.
  void fill(const LinkCommand &Command, uint64_t MaxFiles = 0);

  size_t size() const;

  /// Whether the input was left to the linker, as cached.
  bool wasLeft(llvm::StringRef Path) const;

  enum class Task : uint8_t {
    None,    ///< there is nothing more to do
    Refresh, ///< stat the path again, so that the system knows the answer
    Prepare, ///< open and inspect the input; then `planned`, or `planLater`
    Plan,    ///< plan the input of `planLater`; then `planned`
    Symbols, ///< enter the symbols of an input; then `done`
    Begin,   ///< decide whether a stage is begun; then `begin`
    Fetch,   ///< fetch what is planned for the stage
  };
  struct Work {
    Task What = Task::None;
    InputEntry *Entry = nullptr;
    /// Only Begin and Fetch have others; for Begin, Parse means the symbols.
    LinkStage Stage = LinkStage::Parse;
    FilePointer File; ///< null: it was not kept open
    /// For Prepare: whether the caller opens the input.
    bool IsClaimed = false;
    /// For Fetch: what another thread has left; empty: what is planned.
    std::vector<PlannedRange> Rest = {}; // NOLINT: compilers warn without it
    unsigned Stalls = 0;                 ///< as counted when a thread got it
  };

  /// Called before a thread waits; may be null.
  using Waits = llvm::function_ref<void()>;

  /// Returns the next task of the calling thread, after \p Finished. Waits
  /// while there is no task and one may still come. Leaves to the linker at
  /// most \p Skipped of the objects that directly follow one to prepare.
  Work next(unsigned Skipped, Waits OnWait, const Work &Finished);
  Work next(unsigned Skipped = 0, Waits OnWait = nullptr) {
    return next(Skipped, OnWait, Work());
  }

  /// Waits until more threads hang than before: every \p Long, \p HasMoved
  /// reports under the lock if there was progress since its last call. After
  /// that, no thread waits for those that hang. Returns whether all threads
  /// hang (else some wait for a task); nullopt if nothing is left to do, all is
  /// cancelled, or a minute has passed.
  std::optional<bool> waitForStall(std::chrono::milliseconds Long,
                                   llvm::function_ref<bool()> HasMoved);

  /// Notes that the caller has entered the symbols.
  void done();
  /// Has a thread plan \p Entry after all inputs are prepared. Keeps \p File
  /// for that, if the limit allows it. The caller adds no more inputs that come
  /// at once.
  void planLater(InputEntry &Entry, const FilePointer &File);
  /// Adds the references of \p Entry.
  void add(const InputEntry &Entry, std::vector<FoundInput> Found);
  /// Notes the plan of \p Entry, with something to fetch for \p Stages, of
  /// which the caller fetches the first. Keeps \p File, if the limit allows it.
  /// The caller adds no more inputs that come at once.
  void planned(InputEntry &Entry, StageSet Stages, const FilePointer &File);
  /// Returns a pointer that keeps \p File open for a later task; null if the
  /// limit does not allow it.
  FilePointer keep(const FilePointer &File);
  /// Has a thread fetch \p Rest of what is planned of \p Entry for \p Stage,
  /// from \p Kept or, if it is null, from the file opened again.
  void fetchRest(InputEntry &Entry, LinkStage Stage, FilePointer Kept,
                 std::vector<PlannedRange> Rest);
  /// Answers Task::Begin. If a stage is not begun, no later one is.
  void begin(LinkStage Stage, bool IsBegun);

  /// See InputList::settle.
  bool settle(const InputEntry &Entry, const ResolvedInput &Found);
  /// Publishes \p Entry, which the caller has filled. Keeps \p File, if it is
  /// not null and the limit allows it, for the thread that prepares the entry.
  void publish(InputEntry &Entry, EntryState State,
               const FilePointer &File = nullptr);
  /// Waits until \p Entry is published or all is cancelled. Returns whether it
  /// is open, or left with a path; the caller then sees what its thread wrote.
  bool waitUntilPublished(InputEntry &Entry, Waits OnWait = nullptr);
  /// Passes the file that was kept for \p Entry, or null, to the caller.
  FilePointer takeFile(InputEntry &Entry);

  /// Returns the entry that the linker means by \p Path, and has it prepared
  /// next if no thread has come to it. If no thread has claimed it, claims it
  /// for the caller and sets \p Claimed to its name. If a thread is opening it,
  /// waits until a second after its claim. Returns null if no entry is open by
  /// then. With \p Leaves, leaves an object that is not open yet to the linker.
  InputEntry *request(llvm::StringRef Path, bool Leaves,
                      std::optional<NamedInput> &Claimed,
                      Waits OnWait = nullptr);

  /// Has the entries after \p Entry, which the linker gets from a high-latency
  /// store, stat'ed again.
  void refreshAhead(const InputEntry &Entry);
  void refreshNoMore(); ///< ends threads that only wait for that

  /// The entries that are Ready. Inspect them without the lock: the system
  /// calls for 100,000 take long.
  std::vector<std::reference_wrapper<const InputEntry>> ready() const;

  /// Returns whether something was left to do.
  bool cancel();

private:
  enum class Phase : uint8_t { Preparing, Entering, Fetching };

  InputEntry &entry(uint32_t Number);
  bool take(InputEntry &Entry);
  bool leave(InputEntry &Entry);
  void keepFor(InputEntry &Entry, const FilePointer &File);
  InputEntry *takeNext(unsigned Skipped);
  InputEntry *nextRefresh();
  Work prepare(InputEntry &Entry);
  /// Whether a thread waits for \p Others, not all of which hang.
  bool waitsFor(size_t Others) const { return Others != 0 && Busy > Hanging; }
  void note(Decision What) { Decisions.note(What); }
  void end();
  std::optional<Work> tryNext(unsigned Skipped);
  std::optional<Work> requestDecision(LinkStage Next);
  InputEntry *nextWithSymbols();
  std::optional<Work> nextFetch();
  std::optional<Work> nextRest(LinkStage UpTo);

  const Tuning &Numbers;
  DecisionCounts &Decisions;
  mutable std::mutex Mutex;
  os::Condition Published;
  os::Condition More;   ///< there may be a task, or no more tasks
  os::Condition Over;   ///< IsOver
  uint64_t MaxKept = 0; ///< unchanged by threads, like the next member
  /// The number of files kept open, which share it.
  std::shared_ptr<std::atomic<uint64_t>> NumKept =
      std::make_shared<std::atomic<uint64_t>>(0);
  // All guarded by Mutex:
  std::optional<InputList> List;
  const LinkerModel *Model = nullptr; ///< set with List
  ReadKinds Reads;                    ///< set with List
  std::deque<InputEntry> Entries;     ///< by number
  /// Requested and not prepared; all before the last one are on demand.
  std::vector<InputEntry *> Urgent;
  /// The entries to fetch for a stage and, for the first one, to plan: by
  /// stage, then in the linker's order.
  std::map<std::pair<LinkStage, uint32_t>, InputEntry *> Queue;
  /// What is left of entries that are being fetched, likewise.
  std::map<std::pair<LinkStage, uint32_t>, Work> Rests;
  /// Tasks for which the next phase waits: not `planned`, `planLater` or
  /// `done`.
  size_t Unfinished = 0;
  size_t Busy = 0;    ///< threads that work for an entry
  size_t Hanging = 0; ///< of these, since the last stall
  unsigned NumStalls = 0;
  Phase Now = Phase::Preparing;
  bool IsDeciding = false;            ///< a thread has a Begin to answer
  LinkStage Stage = LinkStage::Parse; ///< the last one that was begun
  unsigned End = NumLinkStages;       ///< the first one that is not begun
  size_t Entered = 0; ///< entries whose symbols were given to threads
  size_t RefreshBegin = 0, RefreshEnd = 0; ///< the entries due for a stat
  bool MayRefresh = true;
  bool HasOnlyPaths = false; ///< to do: all planned bytes were given to threads
  size_t RefreshedAt = 0;    ///< the entry that the linker had reached by then
  std::chrono::steady_clock::time_point RefreshTime; ///< of the last change
  bool IsCancelled = false;
  bool IsOver = false; ///< cancelled, or a thread has got Task::None
  size_t Idle = 0;     ///< threads that wait in next
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_SCHEDULER_H
