//===- Fetcher.cpp - Fetches ranges of files ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fetcher.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

Fetcher::Fetcher(const EngineOptions &Options, const os::PageCache &Cache,
                 EngineFigures &Figures)
    : Options(Options), Numbers(Options.Numbers), Cache(Cache),
      LargeCache(Cache.inLargeRequests()), Figures(Figures),
      TheGate(
          Options.BudgetBytes,
          Options.ReadMemory ? Options.ReadMemory
                             : [] { return os::SystemMemory::read(); },
          Numbers, Figures.Decisions),
      Position(TheGate, Cache, Numbers, Figures.Decisions),
      Choice(Numbers,
             Options.Processors != 0 ? Options.Processors
                                     : os::usableProcessors(),
             LinkerModel::of(Options.Plan.Kind).InspectionRequests) {
  TheGate.setFollower([this] { return Position.follow(); });
}

void Fetcher::sample() const {
  if (TraceLog *Trace = Options.Trace.get()) {
    Trace->sample("fetched", [&] { return Figures.Hinted.load(); });
    Trace->sample("fetched ahead", [&] { return window().ahead(); });
    Trace->sample("budget", [&] { return window().limit(); });
  }
}

void Fetcher::noteRequested(InputEntry &Entry) {
  Entry.IsRequested.store(true);
  TheGate.release(Entry.BytesAhead.exchange(0));
}

/// Whether to fetch \p Planned of \p Entry in large pages, which includes the
/// other bytes in them. (The kernel reads nothing around a cached page.) If
/// memory becomes short, these keep bytes from being cached that are needed.
/// The system must show whether they have arrived.
bool Fetcher::isLarge(const InputEntry &Entry,
                      const PlannedRange &Planned) const {
  if (!Cache.capabilities().PopulateRead || window().mayBeShort() ||
      !Entry.Contents || !Entry.Contents->isMapped() || !Entry.mayBeCold() ||
      !(Entry.Before || Entry.SeemsCached) ||
      !Entry.Store->mayBeLarge(divideCeil(
          Planned.uncut(), Choice.requestBytes(Entry.Store->prices()))))
    return false;
  const ByteRange Range = Planned.Range;
  constexpr uint64_t Page = os::PageCache::LargeStepBytes;
  const ByteRange Pages =
      ByteRange{alignDown(Range.Offset, Page),
                alignTo(Range.end(), Page) - alignDown(Range.Offset, Page)}
          .clippedTo(Entry.Identity.Size);
  return Choice.isLargeCheaper(Range, Pages, Entry.Store->prices());
}

/// Fetches one step in large pages; returns false if it must be fetched
/// otherwise. Linux before 5.18 and some file systems accept that advice
/// without effect, and a cached page may have kept the kernel from reading. If
/// the system does not report residency, a sample shows that.
bool Fetcher::fetchLarge(const InputEntry &Entry, const os::OpenFile &File,
                         ByteRange Step, os::HintResult &Result) {
  Result = Cache.fetchInLargePages(File, Step);
  bool HasArrived = false;
  if (Result.Outcome == os::HintOutcome::Accepted) {
    std::optional<os::Residency> Found;
    if (Entry.Before)
      Found = Cache.residency(File, Step);
    HasArrived = Found ? Found->complete()
                       : Cache.seemsCached(File, {&Step, 1}).value_or(false);
  }
  return HasArrived;
}

/// Returns the mapping of \p Entry, empty if a copy is held; null if none is
/// held, or if \p File is another file that has replaced it.
static const os::MappedFile *mappingOf(const InputEntry &Entry,
                                       const os::OpenFile &File) {
  return Entry.Contents && File.identity() == Entry.Identity
             ? &Entry.Contents->Mapping
             : nullptr;
}

/// Fetches one step. After FUSE has skipped a large request, it skips smaller
/// ones of the same open file as well, because it takes them for readahead.
os::HintResult Fetcher::fetchSmall(const InputEntry &Entry,
                                   const os::OpenFile &File, ByteRange Step,
                                   bool WasSkipped) const {
  const os::MappedFile *const Mapping = mappingOf(Entry, File);
  os::OpenFile Again;
  if (WasSkipped && !os::OpenFile::open(Entry.Path, Again) &&
      Again.identity() == File.identity())
    return cacheFor(Entry).fetch(Again, Step, Mapping);
  return cacheFor(Entry).fetch(File, Step, Mapping);
}

namespace {
/// One request to a store, timed from construction to `answer`.
class Request {
public:
  /// \p IsMissing: some of the requested bytes are known to be missing.
  explicit Request(InputEntry &Entry, bool IsMissing = false)
      : WaitsBefore(os::countWaits()),
        MayBeCold(IsMissing || Entry.mayBeCold()),
        // The linker may read it if it has the buffer, or gets none.
        IsAlone(!Entry.IsRead.exchange(true) && !Entry.IsHandedOver.load() &&
                (!Entry.IsRequested.load() || Entry.Contents)) {}

  /// Returns the store's answer; nullopt if the thread did not wait, because
  /// the page cache then answered. If the system does not count waits, the
  /// requests of inputs that were not cached count.
  std::optional<StoreQueue::Answer> answer(uint64_t Bytes, unsigned Parts,
                                           const Tuning &Numbers) const {
    if (WaitsBefore ? os::countWaits() == WaitsBefore : !MayBeCold)
      return std::nullopt;
    return StoreQueue::Answer{Bytes, Parts, Timer.elapsed(Numbers), IsAlone};
  }

private:
  const std::optional<uint64_t> WaitsBefore;
  const bool MayBeCold;
  const bool IsAlone; ///< no other request can have fetched a part of the bytes
  const StoreTimer Timer;
};
} // namespace

void Fetcher::leave(InputEntry &Entry, uint64_t Bytes,
                    const std::optional<StoreQueue::Answer> &Answer) {
  Figures.Decisions.note(!Answer ? Decision::AnsweredFromCache
                         : Answer->Time.Unscheduled.count() != 0
                             ? Decision::AnswerUnscheduled
                             : Decision::AnswerCounted);
  Entry.Store->leave(Bytes, Answer);
}

class Fetcher::InspectionGate final : public ReadGate {
public:
  InspectionGate(Fetcher &TheFetcher, InputEntry &Entry)
      : TheFetcher(TheFetcher), Entry(Entry),
        Waits(Entry.Store && !Entry.isCached()) {}

  void hint(const os::OpenFile &File, ArrayRef<ByteRange> Ranges) override {
    if (Waits)
      (void)TheFetcher.cacheFor(Entry).hint(File, Ranges,
                                            mappingOf(Entry, File));
  }

  bool begin() override {
    if (!Waits)
      return !TheFetcher.TheGate.isCancelled();
    if (!Entry.Store->enter(
            {.Place = Entry.Place, .IsUrgent = Entry.IsRequested.load()}))
      return false;
    Timed.emplace(Entry);
    return true;
  }

  void end(uint64_t Read) override {
    TheFetcher.Figures.noteProgress();
    if (Waits)
      TheFetcher.leave(Entry, /*Bytes=*/0,
                       Timed->answer(Read, 1, TheFetcher.Numbers));
  }

private:
  Fetcher &TheFetcher;
  InputEntry &Entry;
  const bool Waits; ///< else no read makes a request
  std::optional<Request> Timed;
};

std::unique_ptr<ReadGate> Fetcher::inspectionGate(InputEntry &Entry) {
  return std::make_unique<InspectionGate>(*this, Entry);
}

std::vector<PlannedRange>
Fetcher::takeRanges(InputEntry &Entry, LinkStage Stage,
                    function_ref<bool(uint32_t)> IsWanted) {
  const LinkerModel &Model = LinkerModel::of(Options.Plan.Kind);
  const bool IsShort = window().isShort();
  // A range that is fetched early with another one takes room until its stage.
  const bool Combines = Entry.mayBeCold() && !IsShort &&
                        window().limit() >= Numbers.MinRoomToCombine;
  std::vector<PlannedRange> Ranges;
  std::lock_guard Lock(Mutex);
  for (size_t I = 0; I != Entry.Plan.size(); ++I) {
    const PlannedRange &R = Entry.Plan[I];
    // Unless memory is short, bytes that were read before are still cached.
    const bool IsReadAgain = IsShort && Stage >= window().stage() &&
                             Model.stagesOf(R.Stage, R.Why) & bitOf(Stage);
    if (R.Stage < Stage ? IsReadAgain
                        : !Entry.Taken[I] && (Combines || R.Stage == Stage))
      Ranges.push_back(R);
  }
  if (Combines) {
    const size_t Before = Ranges.size();
    Ranges = coalesceRanges(std::move(Ranges),
                            Choice.gapBytes(Entry.Store->prices()));
    if (Ranges.size() != Before)
      Figures.Decisions.note(Decision::RangesCombined);
  }
  llvm::erase_if(Ranges, [&](const PlannedRange &R) {
    return R.Stage > Stage || !IsWanted(R.Member);
  });
  // Those of later stages are now fetched early.
  for (size_t I = 0; Combines && I != Entry.Plan.size(); ++I) {
    const ByteRange &Each = Entry.Plan[I].Range;
    const auto It = llvm::partition_point(Ranges, [&](const PlannedRange &R) {
      return R.Range.end() < Each.end();
    });
    if (It != Ranges.end() && It->Range.Offset <= Each.Offset)
      Entry.Taken.set(I);
  }
  return Ranges;
}

std::vector<ByteRange> Fetcher::fetchedOf(const InputEntry &Entry) const {
  std::lock_guard Lock(Mutex);
  return unite(Entry.Fetched);
}

void Fetcher::choose(InputEntry &Entry, bool IsInspected) const {
  FileFacts Facts;
  Facts.Size = Entry.Identity.Size;
  Facts.Missing = Entry.Before       ? Entry.Before->missingBytes(Facts.Size)
                  : Entry.isCached() ? 0
                                     : Facts.Size;
  Facts.IsInspected = IsInspected;
  Facts.IsArchive = !isObjectByName(Entry.Named);
  Facts.MayBeLarge = isLarge(Entry, {{0, Facts.Size}});
  if (const std::vector<PlannedRange> *Recorded = Entry.recordedPlan()) {
    Facts.Recorded = *Recorded;
  } else if (Entry.Record) {
    Entry.Touched =
        restrictPlan({}, Entry.Record->Touched, Facts.Size, Options.Plan);
    Facts.Recorded = Entry.Touched;
    Facts.HasStages = false;
  }
  Entry.Method = Choice.choose(Facts, Entry.Store->prices());
  // The bytes that the linker does not need would evict others. ELF objects are
  // left to the linker if memory turns out to be short.
  const bool MayBeLeft =
      LinkerModel::of(Options.Plan.Kind).PlansTogether && !Facts.IsArchive;
  if (Entry.Method == FetchMethod::Whole &&
      (window().isShort() || (MayBeLeft && window().mayBeShort())))
    Entry.Method = Entry.Record ? FetchMethod::Recorded : FetchMethod::Inspect;
}

/// Returns the bytes of \p Step that are missing; nullopt: not queried, or the
/// system does not know. It is not always worthwhile to query whether another
/// request has fetched bytes of an input that was cold.
std::optional<uint64_t> Fetcher::missingOf(const InputEntry &Entry,
                                           const os::OpenFile &File,
                                           ByteRange Step) {
  if (!Entry.Before ||
      (Entry.isCold() &&
       !Choice.isWorthQuery(Step.Length, Entry.Store->prices())))
    return std::nullopt;
  const std::optional<os::Residency> Found = Cache.residency(File, Step);
  if (!Found)
    return std::nullopt;
  const uint64_t Missing = Found->missingBytes(Step.Length);
  if (Entry.isCold())
    Choice.noteQuery(Missing == 0);
  return Missing;
}

/// Whether the page tables show when the linker touches \p Planned, which is
/// fetched for \p Stage, and following it pays. In the first stage, the
/// linker's requests show more.
bool Fetcher::isFollowed(const InputEntry &Entry, LinkStage Stage,
                         const PlannedRange &Planned) const {
  return Stage != LinkStage::Parse && window().isShort() &&
         Position.isReported() && Entry.Contents &&
         Entry.Contents->isMapped() &&
         Policy::isWorthFollowing(Planned.uncut(), Entry.Store->latency(),
                                  Entry.Store->prices());
}

/// Waits until a step of \p Bytes may begin for \p Stage. Returns false if all
/// is cancelled.
bool Fetcher::enter(InputEntry &Entry, uint64_t Bytes, LinkStage Stage,
                    bool IsFollowed, bool IsLarge) {
  TraceSpan Wait;
  const bool IsFirstStage = Stage == LinkStage::Parse;
  if (!Entry.Store->enter(
          {LinkerModel::of(Options.Plan.Kind)
               .orderIn(Stage, Entry.Place, Options.Plan, Entry.IsBitcode),
           Stage, Bytes, IsFirstStage && Entry.IsRequested.load(), IsFollowed,
           IsLarge},
          [&] { Wait.begin("wait for memory"); }))
    return false;
  if (!IsFirstStage)
    return true;
  Entry.BytesAhead += Bytes;
  // The linker may have requested it in between.
  if (Entry.IsRequested.load())
    noteRequested(Entry);
  return true;
}

os::HintResult Fetcher::fetchStep(InputEntry &Entry, const os::OpenFile &File,
                                  ByteRange Step, bool IsLarge) {
  os::HintResult Result;
  const std::optional<uint64_t> Known = missingOf(Entry, File, Step);
  if (Known == 0U) {
    Figures.Decisions.note(Decision::AlreadyFetched);
    Entry.Store->leave(Step.Length, std::nullopt);
    Result.Outcome = os::HintOutcome::Accepted;
    Result.AcceptedBytes = Step.Length;
    return Result;
  }
  const Request Timed(Entry, /*IsMissing=*/Known.has_value());
  const std::optional<unsigned> Number =
      IsLarge ? Entry.Store->beginLarge() : std::nullopt;
  const bool HasArrived = Number && fetchLarge(Entry, File, Step, Result);
  if (Number)
    Entry.Store->noteLarge(*Number, HasArrived);
  Figures.Decisions.note(HasArrived ? Decision::LargePages
                         : Number   ? Decision::LargePagesFailed
                                    : Decision::Stepwise);
  if (!HasArrived)
    Result = fetchSmall(Entry, File, Step,
                        Result.Outcome == os::HintOutcome::Accepted);
  const uint64_t Missing =
      std::min(Known.value_or(Step.Length), Result.AcceptedBytes);
  const auto Requests = static_cast<unsigned>(divideCeil(
      Missing, HasArrived ? Numbers.LargeRequestBytes
                          : Choice.requestBytes(Entry.Store->prices())));
  std::optional<StoreQueue::Answer> Answer =
      Timed.answer(Missing, Requests, Numbers);
  if (Answer && Known.value_or(Step.Length) < Step.Length)
    // Between cached pages, there may have been more requests than these.
    Answer->ShowsLatency = false;
  else if (!Known && Entry.Before && !Entry.isCold())
    Answer.reset();
  leave(Entry, Step.Length, Answer);
  return Result;
}

bool Fetcher::fetch(InputEntry &Entry, const PlannedRange &Planned,
                    LinkStage Stage, const os::OpenFile &File) {
  TraceSpan Span("fetch", Entry.Path);
  Span.event().Offset = Planned.Range.Offset;
  Span.event().Why = partName(Planned.Why);
  Span.event().Stage = LinkerModel::of(Options.Plan.Kind).stageName(Stage);
  bool Continues = !Entry.HasFailed.load();
  for (uint64_t Done = 0; Continues && Done < Planned.Range.Length;) {
    const bool IsInLarge = isLarge(Entry, Planned);
    constexpr uint64_t Large = os::PageCache::LargeStepBytes;
    const uint64_t At = Planned.Range.Offset + Done;
    // Two steps in one block would read its bytes once, and count them twice.
    ByteRange Step{At,
                   std::min(IsInLarge ? Large - At % Large : Numbers.StepBytes,
                            Planned.Range.Length - Done)};
    const bool IsFollowed = isFollowed(Entry, Stage, Planned);
    Continues = enter(Entry, Step.Length, Stage, IsFollowed, IsInLarge);
    if (!Continues)
      break;
    Figures.noteHintAt(TraceClock::now());
    const os::HintResult Result = fetchStep(Entry, File, Step, IsInLarge);
    if (IsFollowed)
      // A file that the linker opened itself shows nothing.
      Position.add(
          Entry.Contents, Step, Stage,
          (Planned.Stage == Stage || isReadAgain(Stage)) &&
              (Entry.IsHandedOver.load() || !Entry.IsRequested.load()));
    Figures.noteHintAt(TraceClock::now());
    Figures.addFetched(Result.AcceptedBytes, Result.Calls);
    if (Planned.Stage == Stage) {
      std::lock_guard Lock(Mutex);
      Entry.Fetched.push_back({Step.Offset, Result.AcceptedBytes});
    }
    Done += Step.Length;
    Span.event().Bytes += Result.AcceptedBytes;
    sample();
    if (Result.Outcome != os::HintOutcome::Accepted) {
      if (!Entry.HasFailed.exchange(true))
        Figures.addProblem("cannot fetch", Entry.Path,
                           Result.Outcome == os::HintOutcome::Unsupported
                               ? "not supported by this system"
                               : Result.Error.message());
      Continues = false;
    }
  }
  if (Span.event().Bytes == 0)
    Span.forget();
  return Continues;
}

} // namespace headstart
