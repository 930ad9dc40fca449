//===- EngineWork.cpp - The work of the threads ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Protocol. A thread requests a task from the scheduler, does it, and requests
/// the next. For one input these are
///
///     prepare ─ open ─ hold ─ publish ─┬─ inspect ─┬─ plan ─ fetch
///                                      │           └─ (ELF) plan later
///                                      └─ fetch (whole, or by the profile)
///
/// and then, for each later stage of the link, fetch. The linker's own threads
/// call `take`, which waits at most for the opening of one file, and `reached`,
/// which never waits.
///
/// Shutdown. `cancel` ends all waits for room (Gate.h) and in the scheduler,
/// and threads check it between two steps of fetching. The threads share
/// ownership of the engine's state, and the linker of the held bytes, so that a
/// thread that hangs can be left.
///
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "headstart/LLVM.h"
#include "headstart/OS/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace headstart {

void EngineImpl::work(unsigned Id) {
  // After the linker's own lanes.
  constexpr int FirstPlace = 100;
  SaveAndRestore<TraceLane *> Lane(
      TraceLane::current(),
      Options.Trace ? &Options.Trace->addLane("prefetch " + std::to_string(Id),
                                              FirstPlace + static_cast<int>(Id))
                    : nullptr);
  WorkPart Part(PrefetchWork::Scheduling, workTimes());
  if (!os::hasMemoryFor([&] { workThrough(); }))
    noteOutOfMemory();
  if (std::optional<os::DiskUse> Use = os::diskUse(os::DiskUser::Thread)) {
    Figures.ReadBytes += Use->Bytes;
    Figures.Stops += Use->Stops;
  } else {
    Figures.ReportsDiskUse.store(false);
  }
  if (++Figures.Ended == Figures.Started.load() && Options.TrimsHeaps &&
      !Figures.IsUnfinished.load())
    os::trimHeaps();
}

void EngineImpl::workThrough() {
  std::optional<Worker> Own;
  llvm::scope_exit AtEnd([&] { freeWorker(Own); });
  Scheduler::Work Next;
  while (true) {
    Figures.noteProgress();
    {
      TraceSpan Wait;
      Next =
          Inputs.next(skipped(), [&] { Wait.begin("wait for inputs"); }, Next);
    }
    if (Next.Stage != LinkStage::Parse) {
      freeWorker(Own); // only the first stage inspects
    } else if (!Own && (Next.What == Scheduler::Task::Prepare ||
                        Next.What == Scheduler::Task::Plan ||
                        Next.What == Scheduler::Task::Symbols)) {
      Own.emplace();
      ++Inspecting;
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
      prepare(*Next.Entry, Next.IsClaimed, *Own);
      break;
    case Scheduler::Task::Plan:
      planInspected(*Next.Entry, std::move(Next.File), *Own);
      break;
    case Scheduler::Task::Symbols:
      enterSymbols(*Next.Entry, std::move(Next.File), *Own);
      break;
    case Scheduler::Task::Begin:
      begin(Next.Stage);
      break;
    case Scheduler::Task::Fetch:
      fetchStage(*Next.Entry, Next.Stage, std::move(Next.File),
                 std::move(Next.Rest));
      break;
    }
  }
}

void EngineImpl::freeWorker(std::optional<Worker> &Own) {
  if (!Own)
    return;
  Own.reset();
  if (--Inspecting == 0)
    trimIfShort();
}

/// If memory is short, returns what the threads and the linker have freed to
/// the system. Else it would keep inputs from being cached.
void EngineImpl::trimIfShort() {
  if (!TheFetcher.window().isShort())
    return;
  note(Decision::HeapsTrimmed);
  os::trimHeaps();
}

/// Decides whether to fetch anything for \p Stage; for Parse, whether to enter
/// the symbols of the inputs that are not lazy.
void EngineImpl::begin(LinkStage Stage) {
  bool IsBegun = false;
  (void)decideShortage(Figures.Inputs.load(), /*IsComplete=*/true);
  if (Stage == LinkStage::Parse) {
    TakesLazy.store(!isWorthSymbols(LazyBytes.load()));
    IsBegun =
        Planner->plansTogether() && LazyBytes.load() != 0 && !TakesLazy.load();
    note(IsBegun ? Decision::SymbolsPass : Decision::SymbolsPassSkipped);
  } else {
    // Unless memory is short, bytes that are read again are still cached.
    IsBegun = !isReadAgain(Stage) || TheFetcher.window().isShort();
    note(IsBegun ? Decision::StageBegun : Decision::StageNotBegun);
  }
  Inputs.begin(Stage, IsBegun);
  if (Stage != LinkStage::Parse)
    trimIfShort();
}

/// Whether the profile has most inputs: it lacks small ones, and those that a
/// warm link left to the linker.
bool EngineImpl::areMostRecorded() const {
  return Recorded.size() > Inputs.size() / 2;
}

/// Returns the bytes of all inputs: those of the profile or, if the others are
/// like those counted, of these.
double EngineImpl::expectedBytes() const {
  if (areMostRecorded())
    return double(std::max(RecordedBytes, Figures.Inputs.load()));
  const auto Counted = double(Figures.Counted.load());
  return Counted == 0
             ? 0
             : double(Figures.Inputs.load()) / Counted * double(Inputs.size());
}

/// Decides whether memory is short for a link of inputs of \p InputsBytes; see
/// MemoryWindow::decide.
bool EngineImpl::decideShortage(uint64_t InputsBytes, bool IsComplete) const {
  if (TheFetcher.window().isDecided())
    return TheFetcher.window().isShort();
  const Tuning &Numbers = Options.Numbers;
  const bool IsTogether = Planner->plansTogether();
  // The pages of the output count in the profile's peak. The kernel can write
  // them back, and hardly any ELF link fetches if it is short of memory.
  const LinkProfile *const Last = IsTogether ? nullptr : Options.Profile.get();
  auto NeedOf = [&](double Bytes) {
    Bytes *= IsTogether ? Numbers.MemoryNeedOfELF : Numbers.MemoryNeed;
    // A link that compiled bitcode may have needed far more than this one will.
    if (Last && Last->PeakBytes != 0)
      Bytes = std::min(double(Last->PeakBytes), Numbers.MostNeed * Bytes);
    return static_cast<uint64_t>(std::min(Bytes, 0x1p63));
  };
  return TheFetcher.window().decide(NeedOf(double(InputsBytes)), IsComplete,
                                    NeedOf(expectedBytes()));
}

/// Whether the engine only opens \p Entry, because memory is short. lld's ELF
/// driver writes section by section, and so reads all inputs many times. If
/// they fit into memory without what it allocates, the waits for a store of
/// high latency cost more. Nothing if that is not known yet: \p Entry is
/// inspected, but not fetched. \p AreCounted: all inputs.
std::optional<bool> EngineImpl::leavesToLinker(const InputEntry &Entry,
                                               bool AreCounted) const {
  if (!decideShortage(Figures.Inputs.load(), /*IsComplete=*/false) ||
      !Planner->plansTogether())
    return false;
  if (!Entry.Store)
    return true;
  using Rule = StoreQueue::WhenShort;
  StoreQueue &Store = *Entry.Store;
  if (Store.ELFInputs.load() == Rule::Unknown) {
    const double Latency = Store.latency();
    const bool IsWorth =
        TheFetcher.policy().isWorthReadingTwice(Latency, Store.prices());
    const bool Fits =
        expectedBytes() <= double(TheFetcher.window().availableBefore());
    // The inputs that are not counted yet may be smaller.
    const bool MayFit = Fits || !(AreCounted || areMostRecorded());
    if (MayFit && (Latency == 0 || (IsWorth && !Fits)))
      return std::nullopt;
    Rule Before = Rule::Unknown;
    Store.ELFInputs.compare_exchange_strong(
        Before, IsWorth && Fits ? Rule::Fetch : Rule::Leave);
  }
  return Store.ELFInputs.load() == Rule::Leave;
}

void EngineImpl::scan(const InputEntry &Entry, FileInspector &Inspector) {
  TraceSpan Span("look inside", Entry.Path);
  WorkPart Part(PrefetchWork::Inspecting);
  Inputs.add(Entry, Resolver->scan(Entry.Named, Entry.Path, Inspector));
}

/// Whether to scan the object \p Entry for references, which the profile has of
/// a recorded object. Most objects name the same inputs, so of those that are
/// inspected for nothing else a few are enough.
bool EngineImpl::isWorthScanning(const InputEntry &Entry) {
  if (Entry.Record) {
    note(Decision::ScanSkippedRecorded);
    return false;
  }
  const bool IsScanned =
      !Entry.isCached() &&
      !(Entry.Method == FetchMethod::Whole && Planner->plansTogether());
  const bool IsWorth = IsScanned || DependencyScans.fetch_add(1) <
                                        Options.Numbers.MaxDependencyScans;
  note(IsWorth ? Decision::Scanned : Decision::ScanSkippedEnough);
  return IsWorth;
}

bool EngineImpl::waitUntilPublished(InputEntry &Entry) {
  TraceSpan Wait;
  return Inputs.waitUntilPublished(
      Entry, [&] { Wait.begin("wait for the linker's open"); });
}

/// Opens \p File, that of \p Entry, unless it was kept open. Returns false if
/// it cannot be opened.
static bool reopen(const InputEntry &Entry, FilePointer &File) {
  if (File)
    return true;
  auto Opened = std::make_shared<os::OpenFile>();
  if (!os::OpenFile::open(Entry.Path, *Opened))
    File = std::move(Opened);
  return File != nullptr;
}

/// Returns the file of \p Entry, which is then published; null if it cannot be
/// opened. \p IsClaimed: the caller opens it.
FilePointer EngineImpl::open(InputEntry &Entry, bool IsClaimed) {
  TraceSpan Span("open", Entry.Named.Name);
  WorkPart Part(PrefetchWork::Opening);
  FilePointer File;
  if (IsClaimed) {
    if (Directories.beforeOpen(Entry.Named.Name, Command, NameLatency.load(),
                               TheFetcher.policy()))
      note(Decision::DirectoryListed);
    File = openAndPublish(Entry, Entry.Named, /*ForLinker=*/false);
    if (Entry.Contents)
      Span.event().Flow = {TraceFlow::From, Entry.flow()};
  } else if (waitUntilPublished(Entry)) {
    // The linker was faster and has the buffer, but the engine still fetches
    // the bytes after the first pages.
    File = Inputs.takeFile(Entry);
    (void)reopen(Entry, File);
  }
  if (File) {
    if (!Entry.Before && !Entry.hasCopy())
      sampleResidency(Entry, *File);
    Span.event().Bytes = File->size();
    if (Entry.Before)
      Span.event().Resident = residentBytes(Entry);
  }
  return File;
}

void EngineImpl::inspect(InputEntry &Entry, const FilePointer &File,
                         Worker &Own) const {
  if (Entry.hasCopy()) {
    Own.Inspector.open(Entry.Contents->bytes(), Entry.Identity);
    return;
  }
  Own.Gate = TheFetcher.inspectionGate(Entry);
  Own.Inspector.open(*File, Own.Gate.get(), Entry.Headers);
}

/// Starts the threads that keep the store of \p Entry busy. Preparing a cached
/// file takes the time of its name. The first names are timed before the first
/// requests, because threads that were added earlier would open files for which
/// a directory's listing is enough. Threads that cannot request anything yet
/// would choose by the guessed prices.
void EngineImpl::startMoreFor(const InputEntry &Entry) {
  const bool IsCached = Entry.isCached();
  const double Latency =
      IsCached ? Entry.Store->nameLatency() : Entry.Store->latency();
  const double Wanted = TheFetcher.policy().threads(Latency);
  const double Useful = Options.Numbers.WindowGain * Entry.Store->atOnce();
  startMore(static_cast<uint64_t>(IsCached ? Wanted : std::min(Wanted, Useful)),
            Latency);
}

void EngineImpl::prepare(InputEntry &Entry, bool IsClaimed, Worker &Own) {
  FilePointer File = open(Entry, IsClaimed);
  auto LeaveAll = [&](Decision Why) {
    note(Why);
    Inputs.planned(Entry, 0, nullptr);
  };
  if (!File)
    return LeaveAll(Decision::NotOpened);
  WorkPart Part(PrefetchWork::Inspecting);
  startMoreFor(Entry);
  const bool IsObject = isObjectByName(Entry.Named);
  // Inspecting an object would fetch much of it.
  if (leavesToLinker(Entry).value_or(false) && IsObject)
    return LeaveAll(Decision::LeftForMemory);
  inspect(Entry, File, Own);
  if (IsObject)
    TheFetcher.choose(Entry, /*IsInspected=*/false);
  if (isPlannedUninspected(Entry))
    return planAndFetch(Entry, File, needsPlan(Entry, *File), Own);
  // Archives, scripts and stubs name inputs that the linker reads next. The
  // references of objects come after all known inputs, so objects are best
  // scanned after they have been read.
  if (!Entry.IsScanned && !Own.Inspector.isObject())
    scan(Entry, Own.Inspector);
  // It may have been decided meanwhile.
  if (leavesToLinker(Entry).value_or(false))
    return LeaveAll(Decision::LeftForMemory);
  const bool NeedsPlan = needsPlan(Entry, *File);
  if (Planner->plansTogether() && Own.Inspector.kind() == file_magic::archive) {
    TheFetcher.choose(Entry, /*IsInspected=*/false);
    if (Entry.Method == FetchMethod::Whole)
      return planAndFetch(Entry, File, NeedsPlan, Own);
  }
  if (Planner->plansTogether() && NeedsPlan && !Entry.recordedPlan()) {
    // The linker reads the section headers of all inputs before it reads the
    // symbols of any. Kept, those of 300 C++ objects take 8% of their bytes.
    TraceSpan Span("skim", Entry.Path);
    if (Own.Inspector.isObject())
      Own.Inspector.readAheadELF();
    else
      Entry.Headers = Own.Inspector.elf();
    if (Entry.hasArchiveHeaders() && Entry.isLazy())
      ArchiveBytes += File->size();
    Inputs.planLater(Entry, File);
    return;
  }
  // By now more is known about the store and about such files.
  if (IsObject && NeedsPlan && !Planner->plansTogether())
    TheFetcher.choose(Entry, /*IsInspected=*/true);
  planAndFetch(Entry, File, NeedsPlan, Own);
}

/// Plans an entry that was prepared before. The planner knows which members of
/// archives are linked after all inputs are planned, so no thread goes on to
/// the next stage before.
void EngineImpl::planInspected(InputEntry &Entry, FilePointer File,
                               Worker &Own) {
  if (leavesToLinker(Entry, /*AreCounted=*/true).value_or(false) ||
      !reopen(Entry, File)) {
    note(Decision::NotNeeded);
    Entry.Headers = nullptr;
    Inputs.planned(Entry, 0, nullptr);
    return;
  }
  inspect(Entry, File, Own);
  // By now more is known about the store and about such files. Only the headers
  // of an archive were read, and no member.
  TheFetcher.choose(Entry, /*IsInspected=*/isObjectByName(Entry.Named));
  planAndFetch(Entry, File, /*NeedsPlan=*/true, Own);
}

/// Plans \p Entry, which \p Own inspects, if it needs a plan. Fetches its first
/// stage, and then scans it, if at all.
void EngineImpl::planAndFetch(InputEntry &Entry, const FilePointer &File,
                              bool NeedsPlan, Worker &Own) {
  if (NeedsPlan)
    plan(Entry, *File, Own);
  else
    note(Decision::NotNeeded);
  StageSet Stages = 0;
  for (const PlannedRange &R : Entry.Plan) {
    Stages |= Command.model().stagesOf(R.Stage, R.Why);
    Entry.IsBitcode |= R.Why == PartKind::Bitcode;
  }
  Inputs.planned(Entry, Stages, File);
  fetchStage(Entry, LinkStage::Parse, File);
  if ((isPlannedUninspected(Entry) || Own.Inspector.isObject()) &&
      isWorthScanning(Entry) && Own.Inspector.isObject())
    scan(Entry, Own.Inspector);
}

/// Whether to enter the symbols of all inputs, to find out which of \p Lazy
/// bytes are needed.
bool EngineImpl::isWorthSymbols(uint64_t Lazy) const {
  const uint64_t Cached =
      Figures.Resident.load() + Figures.SeemsResident.load();
  const uint64_t All = Figures.Inputs.load();
  const double Missing = All == 0 ? 0 : double(All - Cached) / double(All);
  return TheFetcher.policy().isWorthSymbols(
      Lazy, Inputs.size() - EnteredFiles.load(), All - EnteredBytes.load(),
      Missing * double(Inputs.size() - InspectedFiles.load()),
      TheFetcher.gate().dearest());
}

/// Enters the symbols of an input, unless its plan has. Which members of
/// archives are linked depends on the symbols of every input, cached or not.
void EngineImpl::enterSymbols(InputEntry &Entry, FilePointer File,
                              Worker &Own) {
  llvm::scope_exit Entered([&] { Inputs.done(); });
  if (leavesToLinker(Entry, /*AreCounted=*/true).value_or(false) ||
      !waitUntilPublished(Entry) ||
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

/// Returns the profile's record of \p Path if the file is still the recorded
/// one, or may pass for it; else null.
const RecordedFile *
EngineImpl::recordOf(StringRef Path, const os::FileIdentity &Identity) const {
  const RecordedFile *File = Recorded.lookup(Path);
  const bool IsSame =
      File &&
      (File->Version == Identity.version() ||
       (Options.IsProfileElsewhere && File->Version.Size == Identity.Size));
  return IsSame ? File : nullptr;
}

/// Whether as many pages of \p Entry are cached as the last link touched.
bool EngineImpl::hasTouchedPages(const InputEntry &Entry) const {
  return Entry.Before->ResidentPages * Cache.pageSize() >=
         Entry.Record->touchedBytes();
}

/// Whether some bytes of \p Entry may have to be fetched.
bool EngineImpl::needsPlan(const InputEntry &Entry,
                           const os::OpenFile &File) const {
  WorkPart Part(PrefetchWork::Residency);
  // A small file that is held has been read as a whole.
  if (Entry.hasCopy() || Entry.isCached())
    return false;
  if (!Entry.Before || !Entry.Record || !hasTouchedPages(Entry))
    return true;
  // Other bytes than the last link touched may never have been fetched.
  return !llvm::all_of(Entry.Record->Touched, [&](ByteRange Range) {
    std::optional<os::Residency> Part = Cache.residency(File, Range);
    return Part && Part->complete();
  });
}

unsigned EngineImpl::skipped() const {
  const unsigned Length = Streak.load();
  if (Length < Options.Numbers.MinStreak)
    return 0; // reading the prices takes locks
  return TheFetcher.policy().skipped(Length, double(StreakBytes.load()),
                                     NameLatency.load(),
                                     TheFetcher.gate().dearest());
}

/// Plans \p Entry, which \p Own inspects. If a link reads mostly objects, its
/// few archives are fetched whole: finding out which of their members are
/// linked would take the symbols of all those objects.
void EngineImpl::plan(InputEntry &Entry, const os::OpenFile &File,
                      Worker &Own) {
  TraceSpan Span("plan", Entry.Path);
  WorkPart Part(PrefetchWork::Planning);
  const bool IsCheaper = Entry.Method == FetchMethod::Whole;
  if (IsCheaper || (Entry.hasArchiveHeaders() && Entry.isLazy() &&
                    !Entry.Record && !isWorthSymbols(ArchiveBytes.load()))) {
    note(IsCheaper ? Decision::WholeCheaper : Decision::WholeFewArchives);
    Entry.Plan = planFile({}, File.size(), Options.Plan);
  } else {
    planParts(Entry, File, Own);
  }
  Entry.Taken.resize(Entry.Plan.size());
}

/// Plans \p Entry by its profile, by its layout, or by both.
void EngineImpl::planParts(InputEntry &Entry, const os::OpenFile &File,
                           Worker &Own) {
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
    // The record of an archive shows which members are linked.
    if (!(Record && Entry.hasArchiveHeaders())) {
      if (Entry.isLazy()) {
        Entry.HasSymbols = true;
        EnteredBytes += File.size();
        ++EnteredFiles;
      }
      Entry.Headers = nullptr;
    }
    ++InspectedFiles;
    const auto Begin = os::processorTime();
    Entry.Plan = Planner->plan(Own.Inspector, Entry.Named, Entry.Place,
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
  if (Entry.Source == PlanSource::Layout && isObjectByName(Entry.Named))
    TheFetcher.policy().notePlan(File.size(), Entry.Plan, Inspection.count(),
                                 Entry.Store->prices());
  for (const PlannedRange &R : Entry.Plan)
    if (R.Member != 0)
      LazyBytes += R.Range.Length;
}

/// Whether to fetch bytes of the lazy input \p Member; 0: they are not lazy.
bool EngineImpl::isWanted(uint32_t Member) {
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

/// Removes what exceeds about \p Bytes from \p Ranges, and returns it.
static std::vector<PlannedRange> splitOff(std::vector<PlannedRange> &Ranges,
                                          uint64_t Bytes) {
  std::vector<PlannedRange> Rest;
  auto It = Ranges.begin();
  for (; It != Ranges.end() && It->Range.Length < Bytes; ++It)
    Bytes -= It->Range.Length;
  if (It == Ranges.end())
    return Rest;
  Rest.assign(It, Ranges.end());
  const uint64_t Cut =
      alignTo(It->Range.Offset + Bytes, os::PageCache::LargeStepBytes);
  if (Cut < It->Range.end()) {
    It->Uncut = Rest.front().Uncut = It->uncut();
    Rest.front().Range = {Cut, It->Range.end() - Cut};
    It->Range.Length = Cut - It->Range.Offset;
  } else {
    Rest.erase(Rest.begin());
  }
  Ranges.erase(It + 1, Ranges.end());
  return Rest;
}

/// Fetches \p Ranges of \p Entry, if they are empty those planned for \p Stage;
/// opens \p File if it is null. Leaves to others what is much for one thread.
void EngineImpl::fetchStage(InputEntry &Entry, LinkStage Stage,
                            FilePointer File,
                            std::vector<PlannedRange> Ranges) {
  if (leavesToLinker(Entry, /*AreCounted=*/Stage != LinkStage::Parse)
          .value_or(true))
    return;
  WorkPart Part(PrefetchWork::Fetching);
  const bool IsKept = !Ranges.empty() && File;
  if (Ranges.empty())
    Ranges = TheFetcher.takeRanges(
        Entry, Stage, [&](uint32_t Member) { return isWanted(Member); });
  if (Ranges.empty() || !reopen(Entry, File))
    return;
  if (std::vector<PlannedRange> Rest =
          splitOff(Ranges, Options.Numbers.TaskBytes);
      !Rest.empty())
    Inputs.fetchRest(Entry, Stage, IsKept ? File : Inputs.keep(File),
                     std::move(Rest));
  for (const PlannedRange &Range : Ranges) {
    if (TheFetcher.window().isShort())
      releaseConsumed(TheFetcher.window().stage());
    if (!TheFetcher.fetch(Entry, Range, Stage, *File))
      return;
    if (Stage != LinkStage::Parse) // if there are few inputs, it is known late
      startMoreFor(Entry);
  }
}

} // namespace headstart
