//===- EngineWork.cpp - What the engine's threads do ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Protocol. A thread asks the scheduler what is next, does that, and asks
/// again. For one input that is
///
///     prepare ─ open ─ hold ─ publish ─┬─ look inside ─┬─ plan ─ fetch
///                                      │               └─ (ELF) plan later
///                                      └─ fetch (whole, or by the record)
///
/// and then, for each later stage of the link, fetch. Names that are found
/// inside go to the scheduler's list, bytes come through the fetcher, what is
/// held is the store's. The linker's own threads come in by `take`, which never
/// waits for more than the opening of one file, and by `reached`, which never
/// waits.
///
/// Threads wait for the disk, for room (Gate.h), and in the scheduler:
/// for inputs to come, and for the linker's opening of one. The linker waits
/// for none of these through us.
///
/// Shutdown. `cancel` ends all waiting for room and in the scheduler, and is
/// looked at between two steps of fetching. The threads share the engine's
/// state with the engine, as the linker shares what is held: one that has not
/// ended when `join` has waited long enough is detached, and no order of
/// destruction can leave a thread or the linker with an unmapped page.
///
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "headstart/LLVM.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace headstart {

void PrefetchEngine::Impl::work(unsigned Id) {
  // Behind the linker's own lanes.
  constexpr int FirstPlace = 100;
  TraceLane::Use Lane(
      Options.Trace ? &Options.Trace->addLane("prefetch " + std::to_string(Id),
                                              FirstPlace + static_cast<int>(Id))
                    : nullptr);
  WorkMeter Meter(workTimes(), PrefetchWork::Scheduling);
  if (!os::hasMemoryFor([&] { workThrough(); }))
    noteOutOfMemory();
  if (std::optional<os::DiskUse> Use = os::diskUse(os::DiskUser::Thread)) {
    Figures.ReadBytes.fetch_add(Use->Bytes);
    Figures.Stops.fetch_add(Use->Stops);
  } else {
    Figures.ReportsDiskUse.store(false);
  }
  Figures.Ended.fetch_add(1);
}

void PrefetchEngine::Impl::workThrough() {
  Worker Own;
  Scheduler::Work Next;
  while (true) {
    {
      TraceWait Wait("wait for inputs");
      Next = Inputs.next(skipped(), [&] { Wait.begin(); }, Next.Entry);
    }
    switch (Next.What) {
    case Scheduler::Task::None:
      return;
    case Scheduler::Task::Refresh: {
      TraceSpan Span("look at", Next.Entry->Path);
      note(Decision::PathRefreshed);
      std::error_code Ignored;
      (void)os::statFile(Next.Entry->Path, Ignored);
      break;
    }
    case Scheduler::Task::Prepare:
      prepare(*Next.Entry, Next.IsClaimed, Own);
      break;
    case Scheduler::Task::Plan:
      planInspected(*Next.Entry, std::move(Next.File), Own);
      break;
    case Scheduler::Task::Symbols:
      enterSymbols(*Next.Entry, std::move(Next.File), Own);
      break;
    case Scheduler::Task::Begin:
      if (Next.Stage == LinkStage::Parse) {
        Bytes.window().decide(Figures.Inputs.load());
        TakesLazy.store(!isWorthSymbols(LazyBytes.load()));
      }
      begin(Next.Stage);
      break;
    case Scheduler::Task::Fetch:
      fetchStage(*Next.Entry, Next.Stage, std::move(Next.File));
      break;
    }
  }
}

void PrefetchEngine::Impl::begin(LinkStage Stage) {
  const bool IsBegun = begins(Stage);
  if (Stage == LinkStage::Parse)
    note(IsBegun ? Decision::SymbolsPass : Decision::SymbolsPassSkipped);
  else
    note(IsBegun ? Decision::StageBegun : Decision::StageNotBegun);
  Inputs.begin(Stage, IsBegun);
}

/// Whether anything is to be fetched for \p Stage; of Parse, whether the
/// symbols of what needs no plan are to be entered.
bool PrefetchEngine::Impl::begins(LinkStage Stage) const {
  if (leavesToLinker())
    return false;
  if (Stage == LinkStage::Parse)
    return Planner->planTogether() && LazyBytes.load() != 0 &&
           !TakesLazy.load();
  return !isReadAgain(Stage) || Bytes.window().isShort(); // it is still there
}

/// Whether the engine only opens files. lld's ELF driver writes section by
/// section, and so goes through all inputs many times: short of memory,
/// whatever is fetched ahead, and what is remembered of symbols, is taken from
/// that.
bool PrefetchEngine::Impl::leavesToLinker() const {
  return Planner->planTogether() &&
         Bytes.window().decideEarly(Figures.Inputs.load());
}

/// Adds what the file of \p Entry names.
void PrefetchEngine::Impl::follow(const InputEntry &Entry,
                                  FileInspector &Inspector) {
  TraceSpan Span("look inside", Entry.Path);
  WorkPart Part(PrefetchWork::Inspecting);
  Inputs.add(Entry, Resolver->scan(Entry.Named, Entry.Path, Inspector));
}

/// Whether to look what the object \p Entry names. What a recorded one names is
/// recorded too. Objects mostly name the same: of those that are looked into
/// for nothing else, a few are enough.
bool PrefetchEngine::Impl::isWorthFollowing(const InputEntry &Entry) {
  if (Entry.Record) {
    note(Decision::ScanSkippedRecorded);
    return false;
  }
  const bool IsScanned =
      !Entry.isCached() &&
      !(Entry.Method == FetchMethod::Whole && Planner->planTogether());
  const bool IsWorth =
      IsScanned || DependencyScans.fetch_add(1, std::memory_order_relaxed) <
                       Options.Numbers.MaxDependencyScans;
  note(IsWorth ? Decision::Scanned : Decision::ScanSkippedEnough);
  return IsWorth;
}

bool PrefetchEngine::Impl::waitUntilPublished(InputEntry &Entry) {
  TraceWait Wait("wait for the linker's open");
  return Inputs.waitUntilPublished(Entry, [&] { Wait.begin(); });
}

/// Opens \p File, that of \p Entry, where it was not kept open. False when it
/// cannot be had.
static bool reopen(const InputEntry &Entry, FilePointer &File) {
  if (File)
    return true;
  auto Opened = std::make_shared<os::OpenFile>();
  if (!os::OpenFile::open(Entry.Path, *Opened))
    File = std::move(Opened);
  return File != nullptr;
}

/// The file of \p Entry, which is published then; null when it cannot be had.
/// \p IsClaimed: the caller is to open it.
FilePointer PrefetchEngine::Impl::open(InputEntry &Entry, bool IsClaimed) {
  TraceSpan Span("open", Entry.Named.Name);
  WorkPart Part(PrefetchWork::Opening);
  FilePointer File;
  if (IsClaimed) {
    if (const double Latency = NameLatency.load(); Latency != 0)
      if (Directories.beforeOpen(
              Entry.Named.Name, Command, [&](uint64_t Count) {
                return Bytes.policy().isWorthListing(Count, Latency);
              }))
        note(Decision::DirectoryListed);
    File = openAndPublish(Entry, Entry.Named, /*ForLinker=*/false);
    if (Entry.Contents)
      Span.event().Flow = {TraceFlow::From, Entry.flow()};
  } else if (waitUntilPublished(Entry)) {
    // The linker was faster. It has the buffer; the bytes behind the first
    // pages are still ours to fetch.
    File = Inputs.takeFile(Entry);
    (void)reopen(Entry, File);
  }
  if (File) {
    if (!Entry.Before && !Entry.hasCopy())
      sampleResidency(Entry, *File);
    Span.event().Bytes = File->size();
    if (Entry.Before)
      Span.event().Resident = residentBytes(Entry, File->size());
  }
  return File;
}

void PrefetchEngine::Impl::inspect(InputEntry &Entry, const FilePointer &File,
                                   Worker &Own) const {
  if (Entry.hasCopy()) {
    Own.Inspector.open(Entry.Contents->bytes(), Entry.Identity);
    return;
  }
  Own.Gate = Bytes.inspectionGate(Entry);
  Own.Inspector.open(*File, &Bytes.cacheFor(Entry), Entry.Headers,
                     Own.Gate.get());
}

/// A thread's work for one input in the first stage.
void PrefetchEngine::Impl::prepare(InputEntry &Entry, bool IsClaimed,
                                   Worker &Own) {
  llvm::scope_exit Prepared([&] { Inputs.done(Scheduler::Task::Prepare); });
  FilePointer File = open(Entry, IsClaimed);
  auto LeaveAll = [&](Decision Why) {
    note(Why);
    Prepared.release();
    Inputs.planned(Entry, 0, nullptr, /*IsDone=*/true);
  };
  if (!File)
    return LeaveAll(Decision::NotOpened);
  WorkPart Part(PrefetchWork::Inspecting);
  // To prepare a cached file takes the time of its name. The first names are
  // timed before the first requests: threads that were added earlier would open
  // files for which a directory's listing is enough.
  const double Latency =
      Entry.isCached() ? Entry.Store->nameLatency() : Entry.Store->latency();
  startMore(Bytes.policy().threads(Latency), Latency);
  inspect(Entry, File, Own);
  if (isObjectByName(Entry.Named))
    chooseMethod(Entry, *File, /*IsInspected=*/false);
  if (isPlannedUnseen(Entry)) {
    Prepared.release();
    return prepareUnseen(Entry, File, Own);
  }
  // Archives, scripts and stubs name what the linker reads next. What objects
  // name comes after all that is known, and is best looked for when the object
  // has been read.
  if (!Entry.IsFollowed && !Own.Inspector.isObject())
    follow(Entry, Own.Inspector);
  if (leavesToLinker())
    return LeaveAll(Decision::LeftForMemory);
  if (Planner->planTogether() && Own.Inspector.kind() == file_magic::archive) {
    chooseMethod(Entry, *File, /*IsInspected=*/false);
    if (Entry.Method == FetchMethod::Whole) {
      Prepared.release();
      return prepareUnseen(Entry, File, Own);
    }
  }
  bool NeedsPlan = needsPlan(Entry, *File);
  if (Planner->planTogether() && NeedsPlan && !Entry.recordedPlan()) {
    // The linker reads the section headers of all inputs before it reads the
    // symbols of any.
    TraceSpan Span("skim", Entry.Path);
    Entry.Headers = Own.Inspector.elf();
    if (Entry.Headers->IsArchive)
      ArchiveBytes.fetch_add(File->size(), std::memory_order_relaxed);
    Prepared.release();
    Inputs.planLater(Entry, File);
    return;
  }
  Prepared.release();
  // The symbols of an ELF input are entered when no thread plans it any more.
  const bool PlansItself = NeedsPlan && !Planner->planTogether();
  if (PlansItself)
    Inputs.done(Scheduler::Task::Prepare);
  planAndFinish(Entry, File, NeedsPlan, /*IsDone=*/!PlansItself, Own);
}

/// Plans \p Entry if it needs that, and fetches. \p IsDone: see
/// Scheduler::planned.
void PrefetchEngine::Impl::planAndFinish(InputEntry &Entry,
                                         const FilePointer &File,
                                         bool NeedsPlan, bool IsDone,
                                         Worker &Own) {
  if (NeedsPlan)
    plan(Entry, *File, Own);
  else
    note(Decision::NotNeeded);
  finish(Entry, File, IsDone, Own);
}

/// The same for what needs no look: it is looked into when it is there, if at
/// all.
void PrefetchEngine::Impl::prepareUnseen(InputEntry &Entry,
                                         const FilePointer &File, Worker &Own) {
  bool NeedsPlan = !leavesToLinker() && needsPlan(Entry, *File);
  planAndFinish(Entry, File, NeedsPlan, /*IsDone=*/true, Own);
}

/// Plans an entry that was prepared before. Which members of archives are
/// linked is known when all is planned: nobody goes on to the next stage
/// before.
void PrefetchEngine::Impl::planInspected(InputEntry &Entry, FilePointer File,
                                         Worker &Own) {
  llvm::scope_exit Planned([&] { Inputs.done(Scheduler::Task::Plan); });
  if (leavesToLinker() || !reopen(Entry, File)) {
    note(Decision::NotNeeded);
    Entry.Headers = nullptr;
    Planned.release();
    Inputs.planned(Entry, 0, nullptr, /*IsDone=*/true);
    return;
  }
  inspect(Entry, File, Own);
  // By now more is known of the store and of such files. Of an archive only the
  // headers were read, and no member.
  chooseMethod(Entry, *File, /*IsInspected=*/isObjectByName(Entry.Named));
  plan(Entry, *File, Own);
  Planned.release();
  finish(Entry, File, /*IsDone=*/true, Own);
}

/// The stages for which \p Plan has something to fetch.
static StageSet stagesOf(ArrayRef<PlannedRange> Plan,
                         const LinkerModel &Model) {
  StageSet Stages = 0;
  for (const PlannedRange &R : Plan)
    Stages |= Model.stagesOf(R.Stage, R.Why);
  return Stages;
}

/// Fetches the first stage of \p Entry, which has its plan and into which the
/// caller looks. \p IsDone: see Scheduler::planned.
void PrefetchEngine::Impl::finish(InputEntry &Entry, const FilePointer &File,
                                  bool IsDone, Worker &Own) {
  Inputs.planned(Entry, stagesOf(Entry.Plan, Command.model()), File, IsDone);
  fetchStage(Entry, LinkStage::Parse, File);
  if ((isPlannedUnseen(Entry) || Own.Inspector.isObject()) &&
      isWorthFollowing(Entry) && Own.Inspector.isObject())
    follow(Entry, Own.Inspector);
}

/// Whether to know which of \p Lazy bytes are needed is worth reading the
/// symbols of all inputs that were not inspected.
bool PrefetchEngine::Impl::isWorthSymbols(uint64_t Lazy) const {
  const uint64_t Cached =
      Figures.Resident.load() + Figures.SeemsResident.load();
  const uint64_t All = Figures.Inputs.load();
  return Bytes.policy().isWorthSymbols(
      Lazy, Inputs.size() - EnteredFiles.load(), All - EnteredBytes.load(),
      All == 0 ? 0 : double(All - Cached) / double(All),
      Bytes.gate().dearest());
}

/// Which members of archives are linked depends on the symbols of every input,
/// also of those that needed no plan, being in memory.
void PrefetchEngine::Impl::enterSymbols(InputEntry &Entry, FilePointer File,
                                        Worker &Own) {
  llvm::scope_exit Entered([&] { Inputs.done(Scheduler::Task::Symbols); });
  if (leavesToLinker() || !waitUntilPublished(Entry) ||
      (!Entry.hasCopy() && !reopen(Entry, File))) {
    note(Decision::SymbolsNotRead);
    return;
  }
  note(Entry.Store ? Decision::SymbolsRead : Decision::SymbolsReadOfLeft);
  TraceSpan Span("read symbols", Entry.Path);
  WorkPart Part(PrefetchWork::Inspecting);
  inspect(Entry, File, Own);
  Entry.Headers = nullptr;
  Planner->enterSymbols(Own.Inspector, Entry.Named, Own.Buffers);
}

/// The record of \p Path, when the file is still the one that was recorded, or
/// what may pass for it.
const RecordedFile *
PrefetchEngine::Impl::recordOf(StringRef Path,
                               const os::FileIdentity &Identity) const {
  const RecordedFile *File = Recorded.lookup(Path);
  if (!File ||
      (File->Identity != Identity &&
       !(Options.IsProfileElsewhere && File->Identity.Size == Identity.Size)))
    return nullptr;
  return File;
}

/// Whether all that the last link touched of \p File is in memory. What it did
/// not touch was perhaps never fetched: a warm file need not be whole.
bool PrefetchEngine::Impl::isResident(const InputEntry &Entry,
                                      const os::OpenFile &File) const {
  if (Entry.Before->ResidentPages <
      Entry.Record->touchedBytes() / Cache.pageSize())
    return false;
  return llvm::all_of(Entry.Record->Touched, [&](ByteRange Range) {
    std::optional<os::Residency> Part = Cache.residency(File, Range);
    return Part && Part->complete();
  });
}

/// Whether anything of an entry may have to be fetched.
bool PrefetchEngine::Impl::needsPlan(const InputEntry &Entry,
                                     const os::OpenFile &File) const {
  WorkPart Part(PrefetchWork::Residency);
  // A small file that is held was read to be held.
  if (Entry.hasCopy() || Entry.isCached())
    return false;
  return !Entry.Before || !Entry.Record || !isResident(Entry, File);
}

/// How many objects behind the next one are left to the linker.
unsigned PrefetchEngine::Impl::skipped() const {
  const unsigned Length = Streak.load(std::memory_order_relaxed);
  if (Length < Options.Numbers.MinStreak)
    return 0; // the prices take locks
  return Bytes.policy().skipped(Length, double(StreakBytes.load()),
                                NameLatency.load(), Bytes.gate().dearest());
}

/// Chooses how \p Entry, an object or an archive of ELF, is fetched.
void PrefetchEngine::Impl::chooseMethod(InputEntry &Entry,
                                        const os::OpenFile &File,
                                        bool IsInspected) const {
  const std::vector<PlannedRange> *Recorded = Entry.recordedPlan();
  if (!Recorded && Entry.Record) {
    Entry.Touched =
        restrictPlan({}, Entry.Record->Touched, File.size(), Options.Plan);
    Recorded = &Entry.Touched;
  }
  Entry.Method = Bytes.choose(
      Entry, Recorded ? ArrayRef(*Recorded) : ArrayRef<PlannedRange>(),
      IsInspected);
}

/// Why \p Entry is fetched whole; nothing: it is planned. If a link reads
/// mostly objects, the few archives are: to know which members it takes, the
/// symbols of all those objects would have to be read.
std::optional<Decision>
PrefetchEngine::Impl::whyWhole(const InputEntry &Entry) const {
  if (Entry.Method == FetchMethod::Whole)
    return Decision::WholeCheaper;
  if (Entry.Headers && Entry.Headers->IsArchive && !Entry.Record &&
      !isWorthSymbols(ArchiveBytes.load()))
    return Decision::WholeFewArchives;
  return std::nullopt;
}

/// Plans \p Entry, into which the caller looks.
void PrefetchEngine::Impl::plan(InputEntry &Entry, const os::OpenFile &File,
                                Worker &Own) {
  TraceSpan Span("plan", Entry.Path);
  WorkPart Part(PrefetchWork::Planning);
  if (std::optional<Decision> Why = whyWhole(Entry)) {
    note(*Why);
    Entry.Plan = planFile({}, File.size(), Options.Plan);
  } else {
    planParts(Entry, File, Own);
  }
  Entry.Fetched.assign(Entry.Plan.size(), 0);
}

/// Plans \p Entry by its profile, by what it holds, or by both.
void PrefetchEngine::Impl::planParts(InputEntry &Entry,
                                     const os::OpenFile &File, Worker &Own) {
  const RecordedFile *Record = Entry.Record;
  std::chrono::duration<double> Inspection{0};
  if (const std::vector<PlannedRange> *Known = Entry.recordedPlan()) {
    note(Decision::ByProfile);
    Entry.Plan = roundToPages(*Known, File.size(), Options.Plan);
    Entry.Source = PlanSource::Record;
  } else if (Entry.Method == FetchMethod::Recorded) {
    note(Decision::ByTouchedRanges);
    Entry.Plan = std::move(Entry.Touched);
  } else {
    note(Record ? Decision::ByLayoutAndProfile : Decision::ByLayout);
    // Of an archive the record knows which members are linked.
    if (!(Record && Entry.Headers && Entry.Headers->IsArchive)) {
      (void)Inputs.beginSymbols(Entry);
      Entry.Headers = nullptr;
      EnteredBytes.fetch_add(File.size(), std::memory_order_relaxed);
      EnteredFiles.fetch_add(1, std::memory_order_relaxed);
    }
    const auto Begin = os::processorTime();
    Entry.Plan = Planner->plan(Own.Inspector, Entry.Named, Inputs.place(Entry),
                               Own.Buffers, Record);
    const auto End = os::processorTime();
    if (Begin && End)
      Inspection = *End - *Begin;
    Entry.Source = PlanSource::Layout;
  }
  if (Entry.Before && Entry.Before->ResidentPages != 0) {
    Entry.Source = PlanSource::Other;
    llvm::erase_if(Entry.Plan, [&](const PlannedRange &R) {
      std::optional<os::Residency> Part = Cache.residency(File, R.Range);
      return Part && Part->complete();
    });
  }
  Bytes.closeGaps(Entry);
  if (Entry.Source == PlanSource::Layout && isObjectByName(Entry.Named))
    Bytes.policy().notePlan(File.size(), Entry.Plan, Inspection.count());
  for (const PlannedRange &R : Entry.Plan)
    if (R.Member != 0)
      LazyBytes.fetch_add(R.Range.Length, std::memory_order_relaxed);
}

/// Whether what belongs to the lazy input \p Member is fetched; 0: it is not
/// lazy.
bool PrefetchEngine::Impl::isWanted(uint32_t Member) {
  if (Member == 0)
    return true;
  if (TakesLazy.load()) {
    note(Decision::LazyFetchedUnasked);
    return true;
  }
  const bool IsLinked = Planner->isLinked(Member);
  note(IsLinked ? Decision::LazyFetched : Decision::LazyNotLinked);
  return IsLinked;
}

/// Fetches what is planned for \p Stage; opens \p File when it is null.
void PrefetchEngine::Impl::fetchStage(InputEntry &Entry, LinkStage Stage,
                                      FilePointer File) {
  WorkPart Part(PrefetchWork::Fetching);
  if (Bytes.window().isShort() && Entry.Contents && !Entry.Plan.empty() &&
      Bytes.window().stage() < Command.model().firstUnplanned())
    Entry.Contents->setReadAround(false, Cache);
  for (size_t I = 0; I != Entry.Plan.size(); ++I) {
    const PlannedRange &Range = Entry.Plan[I];
    if (!(Command.model().stagesOf(Range.Stage, Range.Why) & bitOf(Stage)) ||
        !isWanted(Range.Member))
      continue;
    // While memory lasts, what was read before is still there.
    if (Range.Stage != Stage &&
        (!Bytes.window().isShort() || Stage < Bytes.window().stage()))
      continue;
    if (!reopen(Entry, File))
      return;
    if (Bytes.window().isShort())
      Held.releaseConsumed(Bytes.window().stage());
    if (!Bytes.fetch(Entry, I, Stage, *File))
      return;
  }
}

} // namespace headstart
