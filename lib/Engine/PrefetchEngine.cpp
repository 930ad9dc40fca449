//===- PrefetchEngine.cpp - Begin, hand over, tell ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine's functions for its owner and for the linker. EngineWork.cpp has
// the work of the threads and the protocol.
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/PrefetchEngine.h"
#include "EngineImpl.h"
#include "headstart/OS/PageTables.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

/// Descriptors that the linker itself may need at once, outputs included.
static constexpr uint64_t SpareDescriptors = 32;

static EngineOptions withDefaults(EngineOptions Options,
                                  const os::PageCache &Cache) {
  if (Options.MaxMappings == 0)
    Options.MaxMappings = os::maxMappings() / 2;
  Options.Plan.PageBytes = Cache.pageSize();
  // Policy decides; smaller files are read whole for the hand-over.
  Options.Plan.WholeFileBytes = minMappedBytes(Cache.pageSize());
  return Options;
}

EngineImpl::EngineImpl(const EngineOptions &Options, const os::PageCache &Cache)
    : Options(withDefaults(Options, Cache)), Cache(Cache),
      TheFetcher(this->Options, this->Cache, Figures) {}

void EngineImpl::start(LinkCommand TheCommand) {
  Command = std::move(TheCommand);
  if (Options.Profile)
    addRecordedInputs();
  Resolver = std::make_unique<InputResolver>(Command);
  Planner = std::make_unique<FilePlanner>(Options.Plan);
  uint64_t Free = os::freeDescriptors();
  uint64_t Ours = Free > SpareDescriptors ? (Free - SpareDescriptors) / 2 : 0;
  // A thread holds one file and its count of waits (os::processorWait) and, for
  // a moment, the directory of another. Even a single input may name thousands.
  const uint64_t Jobs =
      std::min<uint64_t>(Command.Inputs.empty() ? 0 : Options.Jobs, Ours);
  MaxThreads = std::min<uint64_t>(
      std::max(Options.Jobs, Options.HighLatencyJobs), Ours / 3);
  Inputs.fill(Command, /*MaxFiles=*/Ours - std::min(Ours, 2 * Jobs));
  // ExpectedBytes is an estimate, so it must exceed the limit by half.
  if (Options.ExpectedBytes != 0)
    (void)decideShortage(Options.ExpectedBytes / 3 * 2, /*IsComplete=*/false);
  if (Ours == 0)
    Figures.addProblem("too few descriptors for threads", "prefetch",
                       std::to_string(Free) + " are free");
  WantedThreads.store(Jobs);
  startThreads(Jobs);
  std::lock_guard Lock(StartMutex);
  if (!IsJoining && Figures.Started.load() != 0 && MaxThreads > 1)
    (void)Workers.start([Mine = shared_from_this()] { Mine->watch(); });
}

/// Starts more threads if all hang. Threads that wait for an unresponsive file
/// system do not fetch the inputs on other file systems.
void EngineImpl::watch() {
  uint64_t Seen = Figures.Progress.load();
  auto HasMoved = [&] {
    const uint64_t Before = std::exchange(Seen, Figures.Progress.load());
    return Seen != Before || TheFetcher.gate().waiting() != 0;
  };
  while (std::optional<bool> AllHang =
             Inputs.waitForStall(Options.Numbers.StallTime, HasMoved))
    if (*AllHang)
      startMore(MaxThreads, 0);
}

void EngineImpl::startThreads(uint64_t Count) {
  std::lock_guard Lock(StartMutex);
  for (unsigned I = Figures.Started.load(); !IsJoining && I < Count; ++I) {
    if (std::error_code E =
            Workers.start([Mine = shared_from_this(), I] { Mine->work(I); })) {
      Figures.addProblem("cannot start a thread", "prefetch", E.message());
      break;
    }
    Figures.Started.store(I + 1);
  }
}

void EngineImpl::startMore(uint64_t Count, double Latency) {
  // If the latency is only an estimate, a few more threads are not worthwhile.
  uint64_t Before = WantedThreads.load();
  if (Count <= Before || (Latency != 0 && Count < 2 * Before) ||
      Before >= MaxThreads)
    return;
  Count = std::min(Count, MaxThreads);
  if (!WantedThreads.compare_exchange_strong(Before, Count))
    return;
  note(Decision::MoreThreads);
  Figures.Latency.store(Latency);
  unsigned None = 0;
  Figures.StartedFirst.compare_exchange_strong(None,
                                               static_cast<unsigned>(Before));
  startThreads(Count);
}

/// Indexes the profile by path, and adds inputs that only other inputs name.
void EngineImpl::addRecordedInputs() {
  // A name that lld searches for is compared by file name, with what lld may
  // add to it.
  StringSet<> Names;
  for (const NamedInput &Input : Command.Inputs)
    Names.insert(Input.Search == SearchRule::Verbatim
                     ? StringRef(Input.Name)
                     : sys::path::filename(Input.Name));
  auto IsNamed = [&](StringRef Path) {
    const StringRef Stem = sys::path::stem(Path);
    StringRef Library = Stem;
    Library.consume_front("lib");
    return Names.contains(Path) || Names.contains(sys::path::filename(Path)) ||
           Names.contains(Stem) || Names.contains(Library);
  };
  for (const RecordedFile &File : Options.Profile->Files) {
    Recorded.try_emplace(File.Path, &File);
    RecordedBytes += File.Version.Size;
    if (File.Path.empty() || IsNamed(File.Path))
      continue;
    NamedInput Input;
    Input.Name = File.Path;
    Input.Reason = InputReason::Recorded;
    Input.Turn = UINT8_MAX; // until an input names it
    Input.Optional = true;  // this link may no longer read it
    Command.Inputs.push_back(std::move(Input));
  }
}

/// Queries how much of an input is cached, before anything of it is read.
void EngineImpl::noteResidency(InputEntry &Entry, const NamedInput &Named,
                               const os::OpenFile &File) {
  ++Figures.Counted; // first, so that the expected need is not too large
  Figures.Inputs += File.size();
  WorkPart Part(PrefetchWork::Residency);
  Entry.Before = Cache.residency(File, {0, File.size()});
  if (Entry.Before) {
    Figures.Resident += residentBytes(Entry);
    noteCached(Entry, Named);
  } else {
    Figures.Unknown += File.size();
  }
  if (Options.Trace)
    Options.Trace->sample("found in memory",
                          [&] { return Figures.Resident.load(); });
}

/// Samples how much of an input is cached, if the system does not report it.
/// Only the engine's threads do this, because it takes time, and because lld
/// may have so many threads that they wait for a processor, which a timed read
/// would count.
void EngineImpl::sampleResidency(InputEntry &Entry, const os::OpenFile &File) {
  WorkPart Part(PrefetchWork::Residency);
  const ByteRange All{0, File.size()};
  const bool IsRecorded = Entry.Record && !Entry.Record->Touched.empty();
  Entry.SeemsCached = Cache.seemsCached(
      File, IsRecorded ? ArrayRef(Entry.Record->Touched) : ArrayRef(All));
  if (Entry.SeemsCached == true)
    Figures.SeemsResident += File.size();
  noteCached(Entry, Entry.Named);
}

void EngineImpl::noteCached(const InputEntry &Entry, const NamedInput &Named) {
  note(Entry.isCached() ? Decision::Cached
       : !Entry.Before  ? Decision::CacheUnknown
       : Entry.isCold() ? Decision::NotCached
                        : Decision::PartlyCached);
  if (!isObjectByName(Named))
    return;
  StreakBytes = Entry.Identity.Size;
  // After a link that fetched by its profile, the rest of a file is not cached.
  const bool IsCached = Entry.isCached() || (Entry.Before && Entry.Record &&
                                             hasTouchedPages(Entry));
  Streak = IsCached ? Streak.load() + 1 + skipped() : 0;
}

uint64_t EngineImpl::residentBytes(const InputEntry &Entry) const {
  return std::min(Entry.Before->ResidentPages * Cache.pageSize(),
                  Entry.Identity.Size);
}

/// Opens a claimed entry, which is \p Named, and publishes the result. A file
/// that could be opened stays open for the caller or, with \p ForLinker, for
/// the thread that prepares the entry.
FilePointer EngineImpl::openAndPublish(InputEntry &Entry,
                                       const NamedInput &Named,
                                       bool ForLinker) {
  const StoreTimer Timer;
  const ResolvedInput Found = Resolver->resolve(Named);
  Entry.Path = Found.Path;
  auto Skip = [&] {
    Inputs.publish(Entry, EntryState::Unavailable);
    return nullptr;
  };
  auto Fail = [&](StringRef What, StringRef Reason) {
    Figures.addProblem(What, Entry.Path, Reason);
    return Skip();
  };
  if (!Found.exists())
    return Named.Optional ? Skip()
                          : Fail("not found before the link:", "no such file");
  // Another name of an input that is in progress already.
  if (!Inputs.settle(Entry, Found))
    return Skip();
  if (Found.Status.Kind != os::FileKind::Regular)
    return Fail("not a regular file, left to the linker:",
                Found.Status.Kind == os::FileKind::Directory
                    ? "it is a directory"
                    : "it is a FIFO, a device or a socket");
  // There is nothing to fetch. The files of /proc and tracefs have this size,
  // too, and reading them may block or have an effect.
  if (Found.Status.Identity.Size == 0)
    return Skip();
  auto File = std::make_shared<os::OpenFile>();
  if (std::error_code E = os::OpenFile::open(Found.Path, Found.Status, *File))
    return Fail("cannot open", E.message());
  Entry.Identity = File->identity();
  Entry.Record = recordOf(Entry.Path, Entry.Identity);
  Entry.Store = &TheFetcher.gate().store(Entry.Identity.Device);
  Entry.Seen = os::now();
  // lld-link on Windows opens all inputs at once, each on its own thread
  // (COFF/Driver.cpp, createFutureForFile). Windows does not report how long
  // these wait for a processor, nor how often they wait. (The first report of
  // the former takes a descriptor on Linux.)
  if (!ForLinker || os::countWaits())
    Entry.Store->noteName(Timer.elapsed(Options.Numbers));
  NameLatency = Entry.Store->nameLatency();
  noteResidency(Entry, Named, *File);
  Entry.Contents = hold(*File, Entry.Path,
                        /*IsCold=*/Entry.Before && !Entry.Before->complete());
  note(!Entry.Contents   ? Decision::HeldNothing
       : Entry.hasCopy() ? Decision::HeldCopy
                         : Decision::HeldMapping);
  // Once the linker has an archive, it may request the archive's references.
  if (Entry.hasCopy() && !isObjectByName(Named)) {
    FileInspector Inspector;
    Inspector.open(Entry.Contents->bytes(), Entry.Identity);
    Entry.IsScanned = Inspector.kind() == file_magic::archive;
    if (Entry.IsScanned)
      Inputs.add(Entry, Resolver->scan(Named, Entry.Path, Inspector));
  }
  Inputs.publish(Entry, EntryState::Ready, ForLinker ? File : nullptr);
  return File;
}

std::unique_ptr<MemoryBuffer> EngineImpl::take(StringRef Path,
                                               const BufferRequest &Request) {
  constexpr int Place = 1; // below the linker's stages
  SaveAndRestore<TraceLane *> Lane(
      TraceLane::current(),
      Options.Trace ? &Options.Trace->laneOfThisThread("linker's inputs", Place)
                    : nullptr);
  WorkPart Part(PrefetchWork::HandingOver, workTimes());
  std::optional<NamedInput> Claimed;
  std::optional<TraceClock::time_point> Begin;
  InputEntry *Entry = [&] {
    TraceSpan Wait;
    return Inputs.request(Path, skipped() != 0, Claimed, [&] {
      Begin = os::now();
      Wait.begin("wait until it is open");
    });
  }();
  if (Begin)
    Figures.Waited += (os::now() - *Begin).count();
  // The span begins after the opening for which it waited, because viewers
  // reverse an arrow that points to an earlier beginning.
  TraceSpan Span("left to the linker", Path);
  if (!Entry)
    return nullptr;
  if (Claimed) {
    TraceSpan Opening("open", Path);
    (void)openAndPublish(*Entry, *Claimed, /*ForLinker=*/true);
  }
  // From here on the entry is published and no longer changes, and the
  // scheduler has made its fields visible to this thread.
  TheFetcher.noteRequested(*Entry);
  TheFetcher.sample();
  if (Entry->Store && Entry->Store->nameLatency() > Options.Numbers.slowName())
    Inputs.refreshAhead(*Entry);
  std::unique_ptr<MemoryBuffer> Buffer = handOver(*Entry, Path, Request);
  if (Buffer) {
    Span.event().Name = "handed over";
    Span.event().Bytes = Entry->Identity.Size;
    if (!Claimed)
      Span.event().Flow = {TraceFlow::To, Entry->flow()};
  }
  return Buffer;
}

PrefetchEngine::PrefetchEngine(const EngineOptions &Options,
                               const os::PageCache &Cache)
    : State(std::make_shared<EngineImpl>(Options, Cache)) {}

PrefetchEngine::~PrefetchEngine() {
  cancel();
  (void)join(std::chrono::seconds(1));
}

void PrefetchEngine::start(LinkCommand Command) {
  State->start(std::move(Command));
}

std::unique_ptr<MemoryBuffer>
PrefetchEngine::take(StringRef Path, const BufferRequest &Request) {
  std::unique_ptr<MemoryBuffer> Buffer;
  if (!os::hasMemoryFor([&] { Buffer = State->take(Path, Request); }))
    State->noteOutOfMemory();
  return Buffer;
}

void PrefetchEngine::reached(LinkStage Stage) {
  State->TheFetcher.gate().reached(Stage);
  State->TheFetcher.sample();
}

bool PrefetchEngine::wasShortOfMemory() const {
  return State->TheFetcher.window().isShort();
}

unsigned PrefetchEngine::waitingForMemory() const {
  return State->TheFetcher.gate().waiting();
}

void PrefetchEngine::cancel() { State->cancel(); }

void PrefetchEngine::join() {
  State->startNoMore();
  State->Workers.join();
}

bool PrefetchEngine::join(std::chrono::milliseconds MaxWait) {
  State->startNoMore();
  return State->Workers.join(MaxWait);
}

/// Whether to record what the linker touched in \p Entry. A small file on the
/// command line needs no record, because it is read whole, in its turn.
static bool isWorthRecording(const InputEntry &Entry) {
  return Entry.IsHandedOver.load() &&
         (Entry.Contents->isMapped() || !isOnCommandLine(Entry.Named.Reason));
}

PrefetchEngine::ProfileUse PrefetchEngine::profileUse() const {
  ProfileUse Use;
  for (const InputEntry &Entry : State->Inputs.ready()) {
    if (!isWorthRecording(Entry))
      continue;
    ++(Entry.Record ? Use.Matched : Use.Changed);
    // The files of a record that was made elsewhere have other times.
    const bool IsNew =
        Entry.Record && Entry.Record->Version != Entry.Identity.version();
    if (IsNew || (Entry.Record && !Entry.recordedPlan() && Entry.IsPlanned &&
                  Entry.Source == PlanSource::Layout))
      ++Use.Refined;
  }
  if (const LinkProfile *Profile = State->Options.Profile.get())
    for (const RecordedFile &File : Profile->Files)
      if (State->Inputs.wasLeft(File.Path))
        Use.Left.push_back(&File);
  return Use;
}

/// Returns what the next link fetches of \p Entry, of which \p Touched are in
/// the page tables. These also contain pages that were only near a touched
/// page, so nothing is added to an object, whose plan by layout is complete.
static std::vector<PlannedRange> planNextTime(const InputEntry &Entry,
                                              ArrayRef<ByteRange> Touched,
                                              ArrayRef<ByteRange> Fetched,
                                              const PlanOptions &Options) {
  if (Entry.Source == PlanSource::Other)
    return {};
  if (Entry.Source == PlanSource::Layout && isObjectByName(Entry.Named))
    return cutPlan(Entry.Plan, Touched, Entry.Identity.Size, Options);
  // Pages between combined ranges were fetched, and so are near touched ones.
  const std::vector<ByteRange> Gaps = without(Fetched, rangesOf(Entry.Plan));
  return restrictPlan(Entry.Plan, without(Touched, Gaps), Entry.Identity.Size,
                      Options);
}

std::optional<std::vector<RecordedFile>> PrefetchEngine::touched() const {
  os::PageTables Tables;
  std::vector<RecordedFile> Result;
  for (const InputEntry &Entry : State->Inputs.ready()) {
    if (!isWorthRecording(Entry))
      continue;
    RecordedFile File{Entry.Path, Entry.Identity.version(), {}, {}};
    if (!Entry.Contents->isMapped()) {
      File.Touched = {{0, Entry.Identity.Size}};
    } else if (std::optional<std::vector<ByteRange>> Present =
                   Entry.Contents->touched(Tables)) {
      File.Touched = std::move(*Present);
      if (Entry.IsPlanned)
        File.Plan = planNextTime(Entry, File.Touched,
                                 State->TheFetcher.fetchedOf(Entry),
                                 State->Options.Plan);
    } else {
      return std::nullopt;
    }
    // A cached file was not planned, but its recorded plan still holds.
    if (File.Plan.empty() && Entry.recordedPlan())
      File.Plan = *Entry.recordedPlan();
    Result.push_back(std::move(File));
  }
  return Result;
}

uint64_t PrefetchEngine::copiedBytes() const {
  uint64_t Copied = 0;
  for (const InputEntry &Entry : State->Inputs.ready())
    if (Entry.IsHandedOver.load() && !isWorthRecording(Entry))
      Copied += Entry.Identity.Size;
  return Copied;
}

uint64_t PrefetchEngine::wastedBytes(ArrayRef<RecordedFile> Touched) const {
  StringMap<ArrayRef<ByteRange>> ByPath;
  for (const RecordedFile &File : Touched)
    ByPath.try_emplace(File.Path, File.Touched);
  uint64_t Wasted = 0;
  for (const InputEntry &Entry : State->Inputs.ready()) {
    // A copy that was not handed over was read unnecessarily.
    if (Entry.hasCopy() && !Entry.IsHandedOver.load() && Entry.Before &&
        !Entry.Before->complete())
      Wasted += Entry.Identity.Size;
    Wasted += bytesOf(
        without(State->TheFetcher.fetchedOf(Entry), ByPath.lookup(Entry.Path)));
  }
  return Wasted;
}

std::optional<os::DiskUse> PrefetchEngine::diskUse() const {
  const EngineFigures &Figures = State->Figures;
  if (!Figures.ReportsDiskUse.load())
    return std::nullopt;
  return os::DiskUse{Figures.ReadBytes.load(), Figures.Stops.load()};
}

void PrefetchEngine::addTo(LinkStats &Stats,
                           TraceClock::time_point Origin) const {
  auto Milliseconds = [](auto Duration) {
    return std::chrono::duration<double, std::milli>(Duration).count();
  };
  const EngineImpl &Of = *State;
  const EngineFigures &Figures = Of.Figures;
  Stats.Inputs = Of.Inputs.size();
  Stats.OpenedInputs = Figures.Counted.load();
  Stats.InputsBytes = Figures.Inputs.load();
  Stats.ResidentBytesBefore = Figures.Resident.load();
  Stats.UnknownBytesBefore = Figures.Unknown.load();
  Stats.HintedBytes = Figures.Hinted.load();
  Stats.HintCalls = Figures.HintCalls.load();
  Stats.HandedOver = Figures.HandedOver.load();
  Stats.Decisions = Figures.Decisions.read();
  Stats.Stores = Of.TheFetcher.gate().figures();
  Stats.BudgetBytes = Of.Options.BudgetBytes;
  Stats.Jobs = Figures.Started.load();
  Stats.FirstJobs = Figures.StartedFirst.load();
  Stats.LatencyMs = Figures.Latency.load() * 1e3;
  if (const int64_t First = Figures.FirstHint.load(); First != INT64_MAX) {
    const TraceClock::duration Before = Origin.time_since_epoch();
    Stats.FirstHintMs = Milliseconds(TraceClock::duration(First) - Before);
    Stats.LastHintMs =
        Milliseconds(TraceClock::duration(Figures.LastHint.load()) - Before);
  }
  Stats.Unfinished = Figures.IsUnfinished.load();
  Stats.ShortOfMemory = wasShortOfMemory();
  if (Of.Options.HandOver)
    Stats.WaitedMs = Milliseconds(TraceClock::duration(Figures.Waited.load()));
  if (Of.Options.MeasuresProcessor && os::processorTime()) {
    Stats.ProcessorMs.emplace();
    for (unsigned W = 0; W != NumPrefetchWorks; ++W)
      Stats.ProcessorMs->at(W) = Milliseconds(
          std::chrono::nanoseconds(Figures.Processor.at(W).load()));
  }
  if (Figures.IsOutOfMemory.load())
    Stats.Problems.push_back({"The prefetcher ran out of memory", 1});
  Figures.Problems.addTo(Stats.Problems);
}

} // namespace headstart
