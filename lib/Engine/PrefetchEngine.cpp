//===- PrefetchEngine.cpp - The threads that fetch a link's inputs --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Protocol. Each stage of the link has a cursor over all inputs. A thread
/// takes the next input of the earliest stage that has any left, so that the
/// parse phase of every file is under way before the next phase of any; an
/// input that the linker asks for out of turn goes first:
///
///     parse:    claim ─ open ─ map ─ publish ─ look inside ─ plan ─ set
///     Planned
///               ─ fetch
///     others:   wait for nobody: fetch the stage's ranges of a planned input
///
/// A thread that comes for a later stage of an input which has no plan yet (its
/// planner is still waiting for the disk) leaves a bit in Flags and goes on;
/// the planner sees the bit when it sets Planned, and fetches for that stage
/// too. Exactly one of the two sees the other's bit, since both are set by
/// atomic read-modify-writes of the same word.
///
/// What an input names inside itself is added to the table while others work;
/// a thread that finds nothing more to prepare waits for those that are still
/// looking (InputTable::nextWork).
///
/// Otherwise threads wait for the disk, for room (MemoryWindow.h), for the
/// linker's opening of an input, and, of ELF, for each other's symbols before
/// the second stage. The linker waits for none of these through us; `take`
/// waits for the opening of the one file that it asks for, a second at most.
///
/// Shutdown. `cancel` sets a flag that is looked at before every step and by
/// whoever waits, for room or for an input. The threads share the engine's
/// state with the engine, as the linker shares what it holds: one that has not
/// ended when `join` has waited long enough is let go of, and no order of
/// destruction can leave a thread or the linker with an unmapped page.
///
//===----------------------------------------------------------------------===//

#include "headstart/Engine/PrefetchEngine.h"
#include "EngineImpl.h"
#include "Stages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <atomic>
#include <optional>

using namespace llvm;

namespace headstart {

namespace {

/// Between two looks at the cancel flag; also the most that one wait for the
/// disk is worth. Half a megabyte is 5 ms on a disk of 100 MB/s.
constexpr uint64_t StepBytes = 512 * 1024;

/// The same for a disk that counts requests.
constexpr uint64_t LargeStepBytes = 2 * 1024 * 1024;

/// Looking into all 3,217 objects of a warm link cost 7% of it.
constexpr unsigned MaxResidentLooks = 32;

/// Descriptors that the linker itself may need at once, outputs included.
constexpr uint64_t SpareDescriptors = 32;

} // namespace

void PrefetchEngine::Impl::start(LinkCommand TheCommand) {
  Command = std::move(TheCommand);
  if (Options.Profile)
    addRecordedInputs();
  Resolver = std::make_unique<InputResolver>(Command);
  Scanner = std::make_unique<InputScanner>(*Resolver);
  Table.fill(Command.Inputs,
             [&](StringRef Name) { return Recorded.contains(Name); });
  Planner = std::make_unique<FilePlanner>(Options.Plan, Cache);
  // A thread holds a file, and the folder of another for a moment.
  uint64_t Free = os::freeDescriptors();
  uint64_t MaxJobs =
      Free > SpareDescriptors ? (Free - SpareDescriptors) / 2 : 0;
  // A single input may name thousands.
  uint64_t Jobs = std::min<uint64_t>(Table.size() ? Options.Jobs : 0, MaxJobs);
  if (MaxJobs == 0)
    Problems.add("too few descriptors for threads", "prefetch",
                 std::to_string(Free) + " are free");
  for (unsigned I = 0; I != Jobs; ++I) {
    if (std::error_code E =
            Workers.start([Mine = shared_from_this(), I] { Mine->work(I); })) {
      Problems.add("cannot start a thread", "prefetch", E.message());
      break;
    }
    Started.store(I + 1);
  }
}

/// Indexes the profile by path, and adds the inputs that only other inputs
/// name: the last link has come across them.
void PrefetchEngine::Impl::addRecordedInputs() {
  NamedFiles Names(Command);
  for (const RecordedFile &File : Options.Profile->Files) {
    Recorded.try_emplace(File.Path, &File);
    if (File.Path.empty() || Names.has(File.Path))
      continue;
    NamedInput Input;
    Input.Name = File.Path;
    Input.Reason = InputReason::Recorded;
    Command.Inputs.push_back(std::move(Input));
  }
}

void PrefetchEngine::Impl::work(unsigned Id) {
  // Behind the linker's own lanes.
  constexpr int FirstPlace = 100;
  if (!os::hasMemoryFor([&] {
        workThrough(Options.Trace ? &Options.Trace->addLane(
                                        "prefetch " + std::to_string(Id),
                                        FirstPlace + static_cast<int>(Id))
                                  : nullptr);
      }))
    noteOutOfMemory();
  if (std::optional<os::DiskUse> Use = os::diskUse(os::DiskUser::Thread)) {
    ReadBytes.fetch_add(Use->Bytes);
    Stops.fetch_add(Use->Stops);
  } else {
    TellsDiskUse.store(false);
  }
  Ended.fetch_add(1);
}

void PrefetchEngine::Impl::workThrough(TraceLane *Lane) {
  PlanScratch Scratch;
  for (unsigned S = 0; S != NumLinkStages; ++S) {
    auto Stage = static_cast<LinkStage>(S);
    if (isReadAgain(Stage) && !Window.isShort())
      break; // it is still there
    if (Stage != LinkStage::Parse && leavesToLinker())
      break;
    while (!Window.isCancelled()) {
      if (Stage == LinkStage::Parse) {
        prepareUrgent(Scratch, Lane);
        auto [Entry, Plans] = [&] {
          TraceWait Wait(Lane, "wait for inputs");
          return Table.nextWork(Streak.skipped(), [&] { Wait.begin(); });
        }();
        if (!Entry)
          break;
        if (Plans)
          planLooked(*Entry, Scratch, Lane);
        else
          prepare(*Entry, Scratch, Lane);
        continue;
      }
      InputEntry *Entry = Table.nextFor(Stage);
      if (!Entry)
        break;
      uint16_t Mine = uint16_t(1) << S;
      if (Entry->Flags.fetch_or(Mine) & InputEntry::PlannedFlag)
        fetchStage(*Entry, Stage, nullptr, Lane);
    }
    if (Stage == LinkStage::Parse) {
      Window.decide(InputsBytes.load());
      enterSymbols(Scratch, Lane);
    }
  }
}

/// Whether the engine only opens files. lld's ELF driver writes section by
/// section, and so goes through all inputs many times: short of memory,
/// whatever is fetched ahead, and what is remembered of symbols, is taken from
/// that.
bool PrefetchEngine::Impl::leavesToLinker() {
  return Planner->planTogether() && Window.decideEarly(InputsBytes.load());
}

/// What the linker asked for out of turn comes before what is next in turn.
void PrefetchEngine::Impl::prepareUrgent(PlanScratch &Scratch,
                                         TraceLane *Lane) {
  if (!Urgent.load(std::memory_order_relaxed))
    return;
  if (InputEntry *Entry = Urgent.exchange(nullptr)) {
    Table.beginLook();
    prepare(*Entry, Scratch, Lane);
  }
}

/// Adds what \p File names.
void PrefetchEngine::Impl::follow(const InputEntry &Entry,
                                  const os::OpenFile &File, bool IsObject,
                                  TraceLane *Lane) {
  // What a recorded object names is recorded too; archives and scripts tell
  // the order as well. Objects mostly name the same: of those in memory, for
  // which there is nothing else to do, a few are enough.
  if (IsObject && recordOf(Entry.Path, File.identity()))
    return;
  if (!IsObject || !Entry.Before || !Entry.Before->complete() ||
      ResidentLooks.fetch_add(1, std::memory_order_relaxed) <
          MaxResidentLooks) {
    TraceSpan Span(Lane, "look inside", Entry.Path);
    Table.add(Scanner->scan(Entry.Named, Entry.Path, File), Entry.Named.Turn);
  }
}

bool PrefetchEngine::Impl::waitUntilPublished(InputEntry &Entry,
                                              TraceLane *Lane) {
  TraceWait Wait(Lane, "wait for the linker's open");
  return Table.waitUntilPublished(Entry, [&] { Wait.begin(); });
}

/// A thread's work for one input in the parse phase.
void PrefetchEngine::Impl::prepare(InputEntry &Entry, PlanScratch &Scratch,
                                   TraceLane *Lane) {
  llvm::scope_exit Looked([&] { Table.looked(); });
  if (Entry.Flags.fetch_or(InputEntry::BegunFlag) & InputEntry::BegunFlag)
    return;
  os::OpenFile File;
  {
    TraceSpan Span(Lane, "open", Entry.Named.Name);
    if (Table.claim(Entry)) {
      openAndPublish(Entry, File, Lane);
      if (Entry.Contents)
        Span.event().Flow = {TraceFlow::From, flowOf(Entry)};
    } else if (waitUntilPublished(Entry, Lane)) {
      // The linker was faster. It has the buffer; the bytes behind the first
      // pages are still ours to fetch.
      (void)os::OpenFile::open(Entry.Path, File);
    }
    if (File.isOpen())
      Span.event().Bytes = File.size();
    if (File.isOpen() && Entry.Before)
      Span.event().Resident = residentBytes(*Entry.Before, File.size());
  }
  if (!File.isOpen()) {
    Entry.Flags.fetch_or(InputEntry::PlannedFlag);
    return;
  }

  // Archives, scripts and stubs name what the linker reads next. What objects
  // name comes after all that is known, and is best looked for when the object
  // has been read.
  bool IsObject = Entry.Contents && !Entry.Contents->isMapped()
                      ? InputScanner::isObject(Entry.Contents->bytes())
                      : InputScanner::isObject(File);
  if (!IsObject)
    follow(Entry, File, IsObject, Lane);
  if (leavesToLinker()) {
    Entry.Flags.fetch_or(InputEntry::PlannedFlag);
    return;
  }
  bool NeedsPlan = needsPlan(Entry, File);
  if (Planner->planTogether() && NeedsPlan) {
    // The linker reads the section headers of all inputs before it reads the
    // symbols of any.
    TraceSpan Span(Lane, "skim", Entry.Path);
    Entry.Skimmed = Planner->skim(File, Scratch);
    Looked.release();
    Table.planLater(Entry);
    return;
  }
  Looked.release();
  Table.looked();
  if (NeedsPlan)
    planEntry(Entry, File, Scratch, Lane);
  fetchPlanned(Entry, File, IsObject, Lane);
}

/// Plans an entry that was prepared before. Which members of archives are
/// linked is known when all is planned: nobody goes on to the next stage
/// before.
void PrefetchEngine::Impl::planLooked(InputEntry &Entry, PlanScratch &Scratch,
                                      TraceLane *Lane) {
  os::OpenFile File;
  if (leavesToLinker() || os::OpenFile::open(Entry.Path, File)) {
    Entry.Skimmed = nullptr;
    Entry.Flags.fetch_or(InputEntry::PlannedFlag);
    Table.looked();
    return;
  }
  planEntry(Entry, File, Scratch, Lane);
  Table.looked();
  fetchPlanned(Entry, File, InputScanner::isObject(File), Lane);
}

/// Fetches the first stage of \p Entry, which has its plan, and those for which
/// others came before it had one.
void PrefetchEngine::Impl::fetchPlanned(InputEntry &Entry,
                                        const os::OpenFile &File, bool IsObject,
                                        TraceLane *Lane) {
  uint16_t Seen = Entry.Flags.fetch_or(InputEntry::PlannedFlag);
  fetchStage(Entry, LinkStage::Parse, &File, Lane);
  if (IsObject)
    follow(Entry, File, IsObject, Lane);
  for (unsigned S = 1; S != NumLinkStages; ++S)
    if (Seen & (uint16_t(1) << S))
      fetchStage(Entry, static_cast<LinkStage>(S), &File, Lane);
}

/// Whether what is not in memory is worth asking all inputs that are for their
/// symbols. In a warm link there are always some pages that the system has
/// taken away: that cost 5% of one.
bool PrefetchEngine::Impl::isWorthSymbols() const {
  constexpr uint64_t MinShare = 64; // of all inputs
  uint64_t All = InputsBytes.load();
  return HasLazyRanges.load() && All - ResidentBytes.load() >= All / MinShare;
}

/// Which members of archives are linked depends on the symbols of every input,
/// also of those that needed no plan, being in memory. Returns when all that
/// is known has been entered.
void PrefetchEngine::Impl::enterSymbols(PlanScratch &Scratch, TraceLane *Lane) {
  if (!Planner->planTogether())
    return;
  while (InputEntry *Entry = Table.nextFor(LinkStage::Parse)) {
    os::OpenFile File;
    if (isWorthSymbols() && !leavesToLinker() && !Window.isCancelled() &&
        waitUntilPublished(*Entry, Lane) && beginSymbols(*Entry) &&
        !os::OpenFile::open(Entry->Path, File)) {
      TraceSpan Span(Lane, "read symbols", Entry->Path);
      Planner->enterSymbols(File, Entry->Named, Scratch);
    }
    Table.finished();
  }
  TraceWait Wait(Lane, "wait for others' symbols");
  Table.waitUntilFinished([&] { Wait.begin(); });
}

/// The record of \p Path, when the file is still the one that was recorded.
const RecordedFile *
PrefetchEngine::Impl::recordOf(StringRef Path,
                               const os::FileIdentity &Identity) const {
  const RecordedFile *File = Recorded.lookup(Path);
  return File && File->Identity == Identity ? File : nullptr;
}

/// Whether all that the last link touched of \p File is in memory. What it did
/// not touch was perhaps never fetched: a warm file need not be whole.
bool PrefetchEngine::Impl::isResident(const os::OpenFile &File,
                                      const os::Residency &Before,
                                      const RecordedFile &Record) const {
  if (Before.ResidentPages < Record.touchedBytes() / Cache.pageSize())
    return false;
  return llvm::all_of(Record.Touched, [&](ByteRange Range) {
    std::optional<os::Residency> Part = Cache.residency(File, Range);
    return Part && Part->complete();
  });
}

/// Whether anything of an entry may have to be fetched.
bool PrefetchEngine::Impl::needsPlan(const InputEntry &Entry,
                                     const os::OpenFile &File) const {
  // A small file that is held was read to be held.
  if (Entry.Contents && !Entry.Contents->isMapped())
    return false;
  if (!Entry.Before)
    return true;
  if (Entry.Before->complete())
    return false;
  const RecordedFile *Record = recordOf(Entry.Path, File.identity());
  return !Record || !isResident(File, *Entry.Before, *Record);
}

/// Plans an entry that needs it.
void PrefetchEngine::Impl::planEntry(InputEntry &Entry,
                                     const os::OpenFile &File,
                                     PlanScratch &Scratch, TraceLane *Lane) {
  TraceSpan Span(Lane, "plan", Entry.Path);
  const RecordedFile *Record = recordOf(Entry.Path, File.identity());
  if (InputTable::isObject(Entry.Named) &&
      Probe.fetchesWhole(ColdObjects.fetch_add(1), TraceClock::now())) {
    Entry.Plan = planFile({}, File.size(), Options.Plan);
    Entry.Fetched.assign(Entry.Plan.size(), 0);
    return;
  }
  if (!Record)
    (void)beginSymbols(Entry);
  // Of /wholearchive every member is read, in the order of the file.
  Entry.Plan = Planner->plan(File, Entry.Named, Entry.Number, Scratch, Record,
                             Entry.Skimmed.get());
  Entry.Skimmed = nullptr;
  if (Entry.Before && Entry.Before->ResidentPages != 0)
    llvm::erase_if(Entry.Plan, [&](const PlannedRange &R) {
      std::optional<os::Residency> Part = Cache.residency(File, R.Range);
      return Part && Part->complete();
    });
  Entry.Fetched.assign(Entry.Plan.size(), 0);
  if (llvm::any_of(Entry.Plan,
                   [](const PlannedRange &R) { return R.Member != 0; }))
    HasLazyRanges.store(true);
}

void PrefetchEngine::Impl::fetchStage(InputEntry &Entry, LinkStage Stage,
                                      const os::OpenFile *File,
                                      TraceLane *Lane) {
  os::OpenFile Reopened;
  for (size_t I = 0; I != Entry.Plan.size(); ++I) {
    if (!isReadIn(Entry.Plan[I], Stage) ||
        !Planner->isLinked(Entry.Plan[I].Member))
      continue;
    if (!File) {
      // Descriptors are few, inputs may be many: it was closed long ago.
      if (os::OpenFile::open(Entry.Path, Reopened))
        return;
      File = &Reopened;
    }
    if (!fetchRange(Entry, I, Stage, *File, Lane))
      return;
  }
}

/// Fetches one range in steps. False when there is nothing more to do for this
/// input, or at all.
bool PrefetchEngine::Impl::fetchRange(InputEntry &Entry, size_t Index,
                                      LinkStage Stage, const os::OpenFile &File,
                                      TraceLane *Lane) {
  const PlannedRange &Planned = Entry.Plan[Index];
  TraceSpan Span(Lane, "fetch", Entry.Path);
  llvm::scope_exit Finish([&] {
    if (Span.event().Bytes == 0)
      Span.forget();
  });
  Span.event().Offset = Planned.Range.Offset;
  Span.event().Why = partName(Planned.Why);
  Span.event().Stage = linkStageName(Stage);
  uint64_t Done = 0;
  bool GoOn = true;
  while (GoOn && Done < Planned.Range.Length) {
    if (!waitForRoom(Stage, Lane))
      return false;
    if (Window.isShort())
      giveUpFinished();
    ByteRange Step{
        Planned.Range.Offset + Done,
        std::min(Probe.prefersWholeFiles() ? LargeStepBytes : StepBytes,
                 Planned.Range.Length - Done)};
    Window.add(Stage, Step.Length);
    if (Stage == LinkStage::Parse) {
      Entry.BytesAhead.fetch_add(Step.Length);
      // The linker may have asked between the two lines above.
      if (Entry.Asked.load())
        giveBack(Entry);
    }
    Hints.note(TraceClock::now());
    os::HintResult Result = Cache.fetch(&File, nullptr, Step);
    HintCalls.fetch_add(Result.Calls, std::memory_order_relaxed);
    HintedBytes.fetch_add(Result.AcceptedBytes, std::memory_order_relaxed);
    if (!isReadAgain(Stage))
      Entry.Fetched[Index] += Result.AcceptedBytes;
    Done += Step.Length;
    Span.event().Bytes += Result.AcceptedBytes;
    sampleWindow();
    if (Result.Outcome != os::HintOutcome::Accepted) {
      Problems.add("cannot fetch", Entry.Path,
                   Result.Outcome == os::HintOutcome::Unsupported
                       ? "not supported by this system"
                       : Result.Error.message());
      GoOn = false;
    }
  }
  Hints.note(TraceClock::now());
  return GoOn;
}

/// Waits while as much as memory allows is fetched and not used yet. False when
/// the engine is cancelled.
bool PrefetchEngine::Impl::waitForRoom(LinkStage Stage, TraceLane *Lane) {
  TraceWait Wait(Lane, "wait for memory");
  bool GoOn = Window.waitForRoom(Stage, [&] { Wait.begin(); });
  if (Wait.hasBegun())
    Probe.disturb();
  return GoOn;
}

/// Short of memory, tells the system that what the linker has finished with can
/// go first. One thread does it, once for each stage.
void PrefetchEngine::Impl::giveUpFinished() {
  LinkStage Now = Window.stage();
  LinkStage Before = GivenUp.exchange(Now);
  if (Before >= Now)
    return;
  Table.forEachReady([&](const InputEntry &Entry) {
    if (!(Entry.Flags.load() & InputEntry::PlannedFlag) || !Entry.Contents ||
        !Entry.Contents->isMapped())
      return;
    std::span<const char> Bytes = Entry.Contents->Mapping.bytes();
    for (const PlannedRange &Range : Entry.Plan)
      if (isFinishedBetween(Range, Before, Now) &&
          Range.Range.end() <= Bytes.size())
        (void)Cache.notNeededSoon(
            Bytes.subspan(Range.Range.Offset, Range.Range.Length));
  });
}

PrefetchEngine::PrefetchEngine(const EngineOptions &Options,
                               const os::PageCache &Cache)
    : State(std::make_shared<Impl>(Options, Cache)) {}

PrefetchEngine::~PrefetchEngine() {
  State->cancel();
  (void)State->join(std::chrono::seconds(1));
}

void PrefetchEngine::start(LinkCommand Command) {
  State->start(std::move(Command));
}

void PrefetchEngine::startFiles(const std::vector<std::string> &Paths) {
  LinkCommand Command;
  Command.Inputs.resize(Paths.size());
  for (size_t I = 0; I != Paths.size(); ++I)
    Command.Inputs[I].Name = Paths[I];
  State->start(std::move(Command));
}

std::unique_ptr<MemoryBuffer>
PrefetchEngine::take(StringRef Path, const BufferRequest &Request) {
  std::unique_ptr<MemoryBuffer> Buffer;
  if (!os::hasMemoryFor([&] { Buffer = State->take(Path, Request); }))
    State->noteOutOfMemory();
  return Buffer;
}

void PrefetchEngine::reached(LinkStage Stage) { State->reached(Stage); }

bool PrefetchEngine::wasShortOfMemory() const {
  return State->wasShortOfMemory();
}

unsigned PrefetchEngine::waitingForMemory() const {
  return State->waitingForMemory();
}

void PrefetchEngine::cancel() { State->cancel(); }

void PrefetchEngine::join() { State->join(); }

bool PrefetchEngine::join(std::chrono::milliseconds MaxWait) {
  return State->join(MaxWait);
}

} // namespace headstart
