//===- EngineImpl.h - The engine's shared state -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: composes its parts. EngineWork.cpp has the protocol.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_ENGINEIMPL_H
#define HEADSTART_LIB_ENGINE_ENGINEIMPL_H

#include "EngineFigures.h"
#include "Fetcher.h"
#include "ListedDirectories.h"
#include "Scheduler.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/Threads.h"
#include "headstart/Plan/FilePlanner.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace headstart {

/// The objects that a thread reuses for each input.
struct Worker {
  std::unique_ptr<ReadGate> Gate; ///< of Inspector
  FileInspector Inspector;
  SymbolBuffers Buffers;
};

class EngineImpl : public std::enable_shared_from_this<EngineImpl> {
public:
  EngineImpl(const EngineOptions &Options, const os::PageCache &Cache);

  void start(LinkCommand TheCommand);
  std::unique_ptr<llvm::MemoryBuffer> take(llvm::StringRef Path,
                                           const BufferRequest &Request);
  void cancel() {
    if (Inputs.cancel() && Figures.Started.load() != 0)
      Figures.IsUnfinished.store(true);
    TheFetcher.gate().cancel();
    Directories.cancel();
  }
  /// Null if processor time is not measured.
  WorkTimes *workTimes() {
    return Options.MeasuresProcessor ? &Figures.Processor : nullptr;
  }
  /// Prevents further thread starts; called before the threads are joined.
  void startNoMore() {
    Inputs.refreshNoMore();
    std::lock_guard Lock(StartMutex);
    IsJoining = true;
  }
  /// Cancels everything, because the linker needs the remaining memory. No
  /// thread then waits for work that the calling thread leaves unfinished.
  void noteOutOfMemory() {
    Figures.IsOutOfMemory.store(true);
    cancel();
  }

private:
  void addRecordedInputs();
  const RecordedFile *recordOf(llvm::StringRef Path,
                               const os::FileIdentity &Identity) const;
  void startThreads(uint64_t Count);
  /// Starts threads until there are \p Count. The reason is \p Latency, in
  /// seconds; 0: the threads stall.
  void startMore(uint64_t Count, double Latency);
  void startMoreFor(const InputEntry &Entry);
  unsigned skipped() const;
  void watch();
  void work(unsigned Id);
  void workThrough();
  void freeWorker(std::optional<Worker> &Own);
  void trimIfShort();
  void begin(LinkStage Stage);
  void inspect(InputEntry &Entry, const FilePointer &File, Worker &Own) const;
  void prepare(InputEntry &Entry, bool IsClaimed, Worker &Own);
  void planInspected(InputEntry &Entry, FilePointer File, Worker &Own);
  void planAndFetch(InputEntry &Entry, const FilePointer &File, bool NeedsPlan,
                    Worker &Own);
  void enterSymbols(InputEntry &Entry, FilePointer File, Worker &Own);
  void fetchStage(InputEntry &Entry, LinkStage Stage, FilePointer File,
                  std::vector<PlannedRange> Ranges = {});

  FilePointer open(InputEntry &Entry, bool IsClaimed);
  FilePointer openAndPublish(InputEntry &Entry, const NamedInput &Named,
                             bool ForLinker);
  bool waitUntilPublished(InputEntry &Entry);
  void noteResidency(InputEntry &Entry, const NamedInput &Named,
                     const os::OpenFile &File);
  void sampleResidency(InputEntry &Entry, const os::OpenFile &File);
  void noteCached(const InputEntry &Entry, const NamedInput &Named);
  uint64_t residentBytes(const InputEntry &Entry) const;

  /// Maps \p File, or reads it if it is small. Returns null if the engine
  /// should not or cannot hold it. \p IsCold: some bytes of a small file are
  /// not cached; blocks to read them.
  std::shared_ptr<const FileContents>
  hold(const os::OpenFile &File, const std::string &Path, bool IsCold);
  std::shared_ptr<const FileContents>
  copy(const os::OpenFile &File, const std::string &Path, bool IsCold);
  /// Returns the buffer of \p Entry, which is published, for a linker that
  /// requests \p Path. Stats the path again; null if it is no longer the file
  /// that is held.
  std::unique_ptr<llvm::MemoryBuffer> handOver(InputEntry &Entry,
                                               llvm::StringRef Path,
                                               const BufferRequest &Request);
  /// If memory is short: marks as cold what no stage from \p Now on reads. The
  /// linker has come to \p Now. One thread does this, once for each stage.
  void releaseConsumed(LinkStage Now);

  void scan(const InputEntry &Entry, FileInspector &Inspector);
  bool isWorthScanning(const InputEntry &Entry);
  void note(Decision What) { Figures.Decisions.note(What); }
  bool decideShortage(uint64_t InputsBytes, bool IsComplete) const;
  bool areMostRecorded() const;
  double expectedBytes() const;
  std::optional<bool> leavesToLinker(const InputEntry &Entry,
                                     bool AreCounted = false) const;
  bool isWorthSymbols(uint64_t LazyBytes) const;
  bool isWanted(uint32_t Member);
  /// Whether \p Entry is an object that is planned without an inspection. Other
  /// files may name inputs that the linker reads next.
  bool isPlannedUninspected(const InputEntry &Entry) const {
    return isObjectByName(Entry.Named) && Entry.Method != FetchMethod::Inspect;
  }
  bool hasTouchedPages(const InputEntry &Entry) const;
  bool needsPlan(const InputEntry &Entry, const os::OpenFile &File) const;
  void plan(InputEntry &Entry, const os::OpenFile &File, Worker &Own);
  void planParts(InputEntry &Entry, const os::OpenFile &File, Worker &Own);

public:
  const EngineOptions Options;
  const os::PageCache Cache;
  LinkCommand Command;
  std::unique_ptr<InputResolver> Resolver;
  std::unique_ptr<FilePlanner> Planner;
  llvm::StringMap<const RecordedFile *> Recorded; // of Options.Profile, by path
  uint64_t RecordedBytes = 0;                     ///< the sizes of these files
  EngineFigures Figures;
  mutable Fetcher TheFetcher;
  Scheduler Inputs{Options.Numbers, Figures.Decisions};
  std::atomic<uint64_t> Mappings{0};
  /// The stage up to which consumed bytes were released.
  std::atomic<LinkStage> ReleasedUpTo{LinkStage::Parse};
  /// The number of cached objects in a row, including those left to the linker,
  /// and the size of the last one.
  std::atomic<unsigned> Streak{0};
  std::atomic<uint64_t> StreakBytes{0};
  ListedDirectories Directories{Options.Numbers};
  std::atomic<unsigned> DependencyScans{0};
  std::atomic<uint64_t> ArchiveBytes{0}; ///< of ELF archives to be planned
  /// Planned bytes that are fetched only if their lazy input is linked.
  std::atomic<uint64_t> LazyBytes{0};
  /// The sizes and the number of the files whose symbols are known.
  std::atomic<uint64_t> EnteredBytes{0}, EnteredFiles{0};
  std::atomic<uint64_t> InspectedFiles{0}; ///< their symbols are cached by now
  /// Whether all lazy bytes are fetched, because they are so few that finding
  /// out which are linked would cost more.
  std::atomic<bool> TakesLazy{false};
  /// The seconds that opening a file by its name took on the last store.
  std::atomic<double> NameLatency{0};
  std::atomic<unsigned> Inspecting{0}; ///< threads that have a Worker
  uint64_t MaxThreads = 0; ///< at most what the limit on open files allows
  std::atomic<uint64_t> WantedThreads{0};
  std::mutex StartMutex;  ///< guards Workers until they are joined
  bool IsJoining = false; ///< guarded by StartMutex
  /// Joined or left before the engine releases its reference to this
  /// object.
  os::Threads Workers;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_ENGINEIMPL_H
