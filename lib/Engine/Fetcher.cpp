//===- Fetcher.cpp - How bytes come ---------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fetcher.h"
#include "headstart/LLVM.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>

using namespace llvm;

namespace headstart {

bool isReadIn(const PlannedRange &Range, LinkStage Stage) {
  switch (Stage) {
  case LinkStage::Contributions:
    return Range.Phase == FetchPhase::Contents;
  case LinkStage::Names:
    return Range.Phase == FetchPhase::Parse && Range.Why == PartKind::Symbols;
  case LinkStage::Commit:
    return Range.Phase == FetchPhase::DebugSymbols;
  default:
    return static_cast<unsigned>(Range.Phase) == static_cast<unsigned>(Stage);
  }
}

Fetcher::Fetcher(const EngineOptions &Options, const os::PageCache &Cache,
                 EngineFigures &Figures)
    : Numbers(Options.Numbers), Cache(Cache), FarCache(Cache.inLargeRequests()),
      Figures(Figures), Trace(Options.Trace),
      Window(
          Options.BudgetBytes,
          Options.ReadMemory ? Options.ReadMemory
                             : [] { return os::SystemMemory::read(); },
          Numbers, Figures.Decisions),
      Probe(Numbers, Figures.Decisions), Cost(Numbers),
      AllDevices(Numbers, Figures.Decisions) {}

void Fetcher::sample() const {
  if (!Trace)
    return;
  Trace->sample("fetched", [&] { return Figures.Hinted.load(); });
  Trace->sample("fetched ahead", [&] { return Window.ahead(); });
  Trace->sample("budget", [&] { return Window.limit(); });
}

void Fetcher::noteRead(uint64_t Bytes) {
  Figures.addHint(Bytes, 1);
  sample();
}

void Fetcher::giveBack(InputEntry &Entry) {
  Entry.IsAsked.store(true);
  Window.giveBack(Entry.BytesAhead.exchange(0));
}

void Fetcher::reached(LinkStage Stage) {
  Window.reached(Stage);
  sample();
}

/// Waits while as much as memory allows is fetched and not used yet. False when
/// all is cancelled.
bool Fetcher::waitForRoom(LinkStage Stage) {
  TraceWait Wait("wait for memory");
  bool GoOn = Window.waitForRoom(Stage, [&] { Wait.begin(); });
  if (Wait.hasBegun())
    Probe.disturb();
  return GoOn;
}

/// Whether \p Planned comes in large pages: all of a file that is mapped, and
/// on a device that is far away also what is most of the large pages in which
/// it lies. (Where a page is there, nothing around it is read. What comes in
/// one request anyway is not worth the risk that it does not: see fetchLarge.)
bool Fetcher::isLarge(const InputEntry &Entry,
                      const PlannedRange &Planned) const {
  if (!Entry.Device->HasLargePages.load() || !Entry.Contents ||
      !Entry.Contents->isMapped() || !Entry.isCold())
    return false;
  const ByteRange Range = Planned.Range;
  if (!Entry.Device->isFar())
    return Range == ByteRange{0, Entry.Identity.Size};
  constexpr uint64_t Page = os::PageCache::LargeStepBytes;
  const RequestCost Cost = Entry.Device->cost();
  const ByteRange Pages =
      ByteRange{alignDown(Range.Offset, Page),
                alignTo(Range.end(), Page) - alignDown(Range.Offset, Page)}
          .clippedTo(Entry.Identity.Size);
  return Range.Length >=
             Numbers.MinLargeSteps * FarCache.abilities().HintStepBytes &&
         Cost.of(Pages.Length, FetchCost::LargeRequestBytes) <=
             Cost.of(Range.Length, FarCache.abilities().HintStepBytes);
}

/// Fetches one step in large pages; false when it has to come otherwise. A
/// Linux before 5.18 takes that advice and does not do it, nor do some file
/// systems; and what was cached before may have kept the kernel from reading.
bool Fetcher::fetchLarge(const InputEntry &Entry, const os::OpenFile &File,
                         ByteRange Step, os::HintResult &Result) {
  DeviceModel &Device = *Entry.Device;
  Result = Entry.Contents->fetchInLargePages(Step, Cache);
  // In small steps a file that has shrunk fails again; what was short of memory
  // may not.
  if (Result.Outcome == os::HintOutcome::Failed)
    return false;
  if (Result.Outcome == os::HintOutcome::Accepted) {
    std::optional<os::Residency> Found = Cache.residency(File, Step);
    if (Found && Found->complete())
      return true;
  }
  if (!Device.isFar() || Result.Outcome == os::HintOutcome::Unsupported)
    Device.HasLargePages.store(false);
  return false;
}

/// Fetches one step. Where a large request was passed over, FUSE passes over
/// smaller ones of the same open file as well: it takes them for readahead.
os::HintResult Fetcher::fetchSmall(const InputEntry &Entry,
                                   const os::OpenFile &File, ByteRange Step,
                                   bool IsPassedOver) const {
  os::OpenFile Again;
  if (IsPassedOver && Entry.Device->isFar() &&
      !os::OpenFile::open(Entry.Path, Again) &&
      Again.identity() == File.identity())
    return FarCache.fetch(Again, Step);
  return cacheFor(Entry).fetch(File, Step);
}

namespace {
/// How long a thread waited for a processor. To query that at both ends of each
/// first request would cost more than a fast store takes: a thread queries it
/// at the end of a slow one, and at the beginning of the next.
struct ProcessorWait {
  bool WasSlow = false; ///< the last first request
  std::chrono::nanoseconds::rep Known = 0;
};
thread_local ProcessorWait Mine;

/// One request to a store, from here to `answer`.
class Request {
public:
  /// \p IsFirst: of the input.
  Request(const InputEntry &Entry, bool IsFirst)
      : WaitsBefore(Entry.isCold() ? std::nullopt : os::countWaits()),
        IsCold(Entry.isCold()), IsFirst(IsFirst), Begin(begin(IsFirst)) {}

  /// What it says of the store; nothing if it was answered from memory, as far
  /// as is known: of an input that is not known to be missing only what the
  /// thread has waited for counts.
  std::optional<DeviceModel::Answer> answer(uint64_t Bytes, unsigned Parts,
                                            const Tuning &Numbers) const {
    DeviceModel::Answer Result{Bytes, Parts, Begin, os::now(), IsFirst};
    if (!IsCold && (!WaitsBefore || os::countWaits() == WaitsBefore))
      return std::nullopt;
    if (!IsFirst)
      return Result;
    // A machine whose processors are busy makes every store look slow.
    Mine.WasSlow = Result.End - Begin >= Numbers.HighLatency;
    if (Mine.WasSlow)
      Result.Unscheduled = std::min<DeviceModel::Seconds>(newProcessorWait(),
                                                          Result.End - Begin);
    return Result;
  }

private:
  static DeviceModel::Time begin(bool IsFirst) {
    if (IsFirst && Mine.WasSlow)
      (void)newProcessorWait();
    return os::now();
  }
  /// How long the thread has waited for a processor since the last call, or
  /// since it began.
  static DeviceModel::Seconds newProcessorWait() {
    const std::chrono::nanoseconds Before(Mine.Known);
    const auto Now = os::processorWait().value_or(Before);
    Mine.Known = Now.count();
    return Now - Before;
  }

  const std::optional<uint64_t> WaitsBefore;
  const bool IsCold, IsFirst;
  const DeviceModel::Time Begin;
};
} // namespace

void Fetcher::note(InputEntry &Entry,
                   const std::optional<DeviceModel::Answer> &Answer) {
  if (!Answer) {
    Figures.Decisions.note(Decision::AnsweredFromCache);
    return;
  }
  Figures.Decisions.note(Answer->Unscheduled.count() != 0
                             ? Decision::AnswerUnscheduled
                             : Decision::AnswerCounted);
  Entry.Device->note(*Answer);
}

bool Fetcher::look(InputEntry &Entry, function_ref<void()> Read) {
  if (Entry.hasCopy()) {
    Read();
    return true;
  }
  if (!Entry.Device->enter(Entry.Number, Entry.IsAsked.load()))
    return false;
  // Only the first says something of the store: its latency.
  std::optional<Request> Timed;
  if (!Entry.isCached() && !Entry.IsRead.exchange(true))
    Timed.emplace(Entry, /*IsFirst=*/true);
  Read();
  std::optional<DeviceModel::Answer> Answer;
  if (Timed)
    Answer = Timed->answer(0, 1, Numbers);
  Entry.Device->leave();
  if (Timed)
    note(Entry, Answer);
  return true;
}

void Fetcher::askForEnds(const InputEntry &Entry,
                         const os::OpenFile &File) const {
  if (!Entry.Device->isFar() || Entry.hasCopy())
    return;
  const uint64_t Size = File.size();
  const uint64_t Length =
      std::clamp(Entry.Device->cost().gapBytes(), Numbers.MinEndBytes,
                 FarCache.abilities().HintStepBytes);
  const uint64_t Tail =
      alignDown(Size - std::min(Size, Length), FarCache.pageSize());
  const std::array<ByteRange, 2> Ends = {ByteRange{0, Length},
                                         ByteRange{Tail, Size - Tail}};
  Figures.Decisions.note(Decision::BothEnds);
  (void)FarCache.hint(File, Ends);
}

unsigned Fetcher::requestsFor(uint64_t Bytes, bool IsInLarge) const {
  return static_cast<unsigned>(
      divideCeil(Bytes, IsInLarge ? FetchCost::LargeRequestBytes
                                  : FarCache.abilities().HintStepBytes));
}

bool Fetcher::prefersFewRequests(const InputEntry &Entry) const {
  return Entry.Device->isFar() && Entry.mayBeCold() && !Window.isShort() &&
         Window.limit() >= Numbers.MinRoomToCombine;
}

void Fetcher::settlePlan(InputEntry &Entry) {
  if (Entry.Plan.empty() || !prefersFewRequests(Entry))
    return;
  const RequestCost Cost = Entry.Device->cost();
  const size_t Before = Entry.Plan.size();
  Entry.Plan = inFewerRanges(std::move(Entry.Plan), Cost.gapBytes());
  if (Entry.Plan.size() < Before)
    Figures.Decisions.note(Decision::RangesCombined);
  uint64_t Planned = 0, Requests = 0;
  for (const PlannedRange &P : Entry.Plan) {
    Planned += P.Range.Length;
    Requests += requestsFor(P.Range.Length, isLarge(Entry, P));
  }
  this->Cost.notePlan(Entry.Identity.Size, Planned, Requests);
}

bool Fetcher::isWholeCheaper(const InputEntry &Entry, unsigned Looks) const {
  return prefersFewRequests(Entry) &&
         Cost.isWholeCheaper(Entry.Identity.Size, Entry.Device->cost(), Looks);
}

/// Fetches one step, as one of those that its device takes at once. Absent when
/// all is cancelled.
std::optional<os::HintResult>
Fetcher::fetchStep(InputEntry &Entry, const os::OpenFile &File, ByteRange Step,
                   LinkStage Stage, bool IsLarge) {
  DeviceModel &Device = *Entry.Device;
  os::HintResult Result;
  uint64_t Missing = Step.Length;
  if (Device.isFar()) {
    // What was asked for with something else needs no request.
    if (std::optional<os::Residency> Found = Cache.residency(File, Step))
      Missing = std::min(Missing, (Found->TotalPages - Found->ResidentPages) *
                                      Cache.pageSize());
    if (Missing == 0) {
      Figures.Decisions.note(Decision::AlreadyFetched);
      Result.Outcome = os::HintOutcome::Accepted;
      Result.AcceptedBytes = Step.Length;
      return Result;
    }
  }
  const bool IsUrgent = Stage == LinkStage::Parse && Entry.IsAsked.load();
  if (!Device.enter((uint64_t(Stage) << 32) | Entry.Number, IsUrgent, IsLarge))
    return std::nullopt;
  const bool IsFirst = !Entry.IsRead.exchange(true);
  // How much of a partly cached input has come is not known: only its first
  // request says something of the store.
  const bool HasBytes = !Entry.Before || Entry.isCold();
  std::optional<Request> Timed;
  if (IsFirst || HasBytes)
    Timed.emplace(Entry, IsFirst);
  Cost.begin(os::now());
  const bool HasCome = IsLarge && fetchLarge(Entry, File, Step, Result);
  Figures.Decisions.note(HasCome   ? Decision::LargePages
                         : IsLarge ? Decision::LargePagesFailed
                                   : Decision::Stepwise);
  if (!HasCome)
    Result = fetchSmall(Entry, File, Step,
                        Result.Outcome == os::HintOutcome::Accepted);
  Missing = HasBytes ? std::min(Missing, Result.AcceptedBytes) : 0;
  std::optional<DeviceModel::Answer> Answer;
  if (Timed)
    Answer = Timed->answer(Missing, requestsFor(Missing, HasCome), Numbers);
  Cost.end(Result.AcceptedBytes, os::now());
  Device.leave(IsLarge);
  if (Timed)
    note(Entry, Answer);
  return Result;
}

bool Fetcher::fetch(InputEntry &Entry, size_t Index, LinkStage Stage,
                    const os::OpenFile &File) {
  const PlannedRange &Planned = Entry.Plan[Index];
  TraceSpan Span("fetch", Entry.Path);
  llvm::scope_exit Finish([&] {
    if (Span.event().Bytes == 0)
      Span.forget();
  });
  Span.event().Offset = Planned.Range.Offset;
  Span.event().Why = partName(Planned.Why);
  Span.event().Stage = linkStageName(Stage);
  bool GoOn = true;
  for (uint64_t Done = 0; GoOn && Done < Planned.Range.Length;) {
    if (!waitForRoom(Stage))
      return false;
    const bool IsInLarge = isLarge(Entry, Planned);
    ByteRange Step{Planned.Range.Offset + Done,
                   std::min(IsInLarge || Probe.prefersWholeFiles()
                                ? os::PageCache::LargeStepBytes
                                : Numbers.StepBytes,
                            Planned.Range.Length - Done)};
    Window.add(Stage, Step.Length);
    if (Stage == LinkStage::Parse) {
      Entry.BytesAhead.fetch_add(Step.Length);
      // The linker may have asked between the two lines above.
      if (Entry.IsAsked.load())
        giveBack(Entry);
    }
    Figures.Hints.note(TraceClock::now());
    const std::optional<os::HintResult> Answer =
        fetchStep(Entry, File, Step, Stage, IsInLarge);
    if (!Answer)
      return false;
    const os::HintResult &Result = *Answer;
    Probe.note(Result.AcceptedBytes);
    Figures.addHint(Result.AcceptedBytes, Result.Calls);
    if (!isReadAgain(Stage))
      Entry.Fetched[Index] += Result.AcceptedBytes;
    Done += Step.Length;
    Span.event().Bytes += Result.AcceptedBytes;
    sample();
    if (Result.Outcome != os::HintOutcome::Accepted) {
      Figures.Problems.add("cannot fetch", Entry.Path,
                           Result.Outcome == os::HintOutcome::Unsupported
                               ? "not supported by this system"
                               : Result.Error.message());
      GoOn = false;
    }
  }
  Figures.Hints.note(TraceClock::now());
  return GoOn;
}

} // namespace headstart
