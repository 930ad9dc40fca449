//===- EngineImpl.h - The engine's state ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: its state. PrefetchEngine.cpp holds what the threads
/// do, EngineHandOver.cpp how inputs are opened and handed over,
/// EngineFigures.cpp what is said of it afterwards.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_ENGINEIMPL_H
#define HEADSTART_LIB_ENGINE_ENGINEIMPL_H

#include "DiskProbe.h"
#include "InputTable.h"
#include "MemoryWindow.h"
#include "Problems.h"
#include "WarmStreak.h"
#include "headstart/Engine/FilePlanner.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/InputScanner.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

class PrefetchEngine::Impl
    : public std::enable_shared_from_this<PrefetchEngine::Impl> {
public:
  Impl(const EngineOptions &Options, const os::PageCache &Cache)
      : Options(Options), Cache(Cache),
        Window(
            Options.BudgetBytes, Options.ReadMemory ? Options.ReadMemory : [] {
              return os::SystemMemory::read();
            }) {
    if (Options.MaxMappings == 0)
      this->Options.MaxMappings = os::maxMappings() / 2;
    this->Options.Plan.PageBytes = Cache.pageSize();
  }

  void start(LinkCommand TheCommand);
  std::unique_ptr<llvm::MemoryBuffer> take(llvm::StringRef Path,
                                           const BufferRequest &Request);
  void cancel() {
    if (Ended.load() != Started.load())
      Unfinished.store(true);
    Window.cancel();
    Table.cancel();
  }
  /// The linker needs what memory there is. Nobody waits for what the calling
  /// thread leaves half done: the table is cancelled with everything else.
  void noteOutOfMemory() {
    OutOfMemory.store(true);
    cancel();
  }
  void join() { Workers.join(); }
  bool join(std::chrono::milliseconds MaxWait) { return Workers.join(MaxWait); }
  void reached(LinkStage Stage);
  bool wasShortOfMemory() const { return Window.isShort(); }
  unsigned waitingForMemory() const { return Window.waiting(); }
  void addTo(LinkStats &Stats, TraceClock::time_point Origin) const;
  PrefetchEngine::ProfileUse profileUse();
  std::optional<std::vector<RecordedFile>> touched();
  uint64_t copiedBytes();
  uint64_t wastedBytes(llvm::ArrayRef<RecordedFile> Touched);
  std::optional<os::DiskUse> diskUse() const;

private:
  void addRecordedInputs();
  const RecordedFile *recordOf(llvm::StringRef Path,
                               const os::FileIdentity &Identity) const;
  void work(unsigned Id);
  void workThrough(TraceLane *Lane);
  InputEntry *find(llvm::StringRef Path, bool &Claimed, TraceLane *Lane);
  TraceLane *linkersLane();
  void sampleWindow() const;
  bool isResident(const os::OpenFile &File, const os::Residency &Before,
                  const RecordedFile &Record) const;
  uint64_t residentBytes(const os::Residency &Found, uint64_t FileBytes) const;
  bool waitUntilPublished(InputEntry &Entry, TraceLane *Lane);
  void noteResidency(InputEntry &Entry, const os::OpenFile &File);
  void openAndPublish(InputEntry &Entry, os::OpenFile &File, TraceLane *Lane);
  bool hold(const os::OpenFile &File, const std::string &Path, bool Cold,
            TraceLane *Lane, std::shared_ptr<const FileContents> &Contents);
  void follow(const InputEntry &Entry, const os::OpenFile &File, bool IsObject,
              TraceLane *Lane);
  bool leavesToLinker();
  bool isWorthSymbols() const;
  /// Makes the caller the one who tells the planner of the symbols of \p Entry.
  static bool beginSymbols(InputEntry &Entry) {
    return !(Entry.Flags.fetch_or(InputEntry::SymbolsFlag) &
             InputEntry::SymbolsFlag);
  }
  void enterSymbols(PlanScratch &Scratch, TraceLane *Lane);
  void prepareUrgent(PlanScratch &Scratch, TraceLane *Lane);
  void prepare(InputEntry &Entry, PlanScratch &Scratch, TraceLane *Lane);
  void planLooked(InputEntry &Entry, PlanScratch &Scratch, TraceLane *Lane);
  void fetchPlanned(InputEntry &Entry, const os::OpenFile &File, bool IsObject,
                    TraceLane *Lane);
  bool needsPlan(const InputEntry &Entry, const os::OpenFile &File) const;
  void planEntry(InputEntry &Entry, const os::OpenFile &File,
                 PlanScratch &Scratch, TraceLane *Lane);
  void fetchStage(InputEntry &Entry, LinkStage Stage, const os::OpenFile *File,
                  TraceLane *Lane);
  bool fetchRange(InputEntry &Entry, size_t Index, LinkStage Stage,
                  const os::OpenFile &File, TraceLane *Lane);
  bool waitForRoom(LinkStage Stage, TraceLane *Lane);
  void giveBack(InputEntry &Entry);
  /// The number of the arrow from where an input is opened to where the linker
  /// gets it.
  static uint64_t flowOf(const InputEntry &Entry) {
    return uint64_t(Entry.Number) + 1;
  }
  void giveUpFinished();

  EngineOptions Options;
  os::PageCache Cache;
  LinkCommand Command;
  std::unique_ptr<InputResolver> Resolver;
  std::unique_ptr<InputScanner> Scanner;
  InputTable Table;
  std::unique_ptr<FilePlanner> Planner;
  llvm::StringMap<const RecordedFile *> Recorded; // of Options.Profile, by path
  DiskProbe Probe;
  WarmStreak Streak;
  std::atomic<size_t> ColdObjects{0}; ///< planned until now
  std::atomic<unsigned> ResidentLooks{0};
  /// Whether any plan has ranges that depend on what is linked.
  std::atomic<bool> HasLazyRanges{false};
  MemoryWindow Window;
  /// The input that the linker asked for last, if no thread has come to it.
  std::atomic<InputEntry *> Urgent{nullptr};
  /// The stage up to which finished bytes were given up.
  std::atomic<LinkStage> GivenUp{LinkStage::Parse};

  // Figures.
  std::atomic<uint64_t> InputsBytes{0}, ResidentBytes{0}, UnknownBytes{0},
      HintedBytes{0}, HintCalls{0}, HandedOver{0}, Mappings{0};
  TimeSpan Hints;
  std::atomic<uint64_t> ReadBytes{0}, Stops{0}; ///< of the threads that ended
  std::atomic<bool> TellsDiskUse{true};
  /// How long the linker waited for inputs that a thread was opening.
  std::atomic<TraceClock::duration::rep> Waited{0};
  std::atomic<bool> Unfinished{false};  ///< cancelled before all was done
  std::atomic<bool> OutOfMemory{false}; ///< an allocation has failed
  std::atomic<unsigned> Ended{0};       ///< threads
  ProblemCounter Problems;

  std::atomic<unsigned> Started{0}; ///< threads
  /// The engine joins them, or lets them go, before it gives up its share of
  /// this: so the last of them, which destroys it, has none to join.
  os::Threads Workers;
};

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_ENGINEIMPL_H
