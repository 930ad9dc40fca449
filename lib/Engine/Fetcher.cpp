//===- Fetcher.cpp - How bytes come ---------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fetcher.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// Between two looks at the cancel flag; also the most that one wait for the
/// disk is worth. Half a megabyte is 5 ms on a disk of 100 MB/s.
static constexpr uint64_t StepBytes = 512 * 1024;

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
    : Cache(Cache), Figures(Figures), Trace(Options.Trace),
      Window(
          Options.BudgetBytes, Options.ReadMemory ? Options.ReadMemory : [] {
            return os::SystemMemory::read();
          }) {}

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

/// Whether \p Planned is all of a file that is mapped. (Where a page is there,
/// nothing around it is read.)
static bool isWholeFile(const InputEntry &Entry, const PlannedRange &Planned) {
  return Entry.Contents && Entry.Contents->isMapped() && Entry.Before &&
         Entry.Before->ResidentPages == 0 &&
         Planned.Range == ByteRange{0, Entry.Identity.Size};
}

/// Fetches one step, in large pages if it may. A Linux before 5.18 takes that
/// advice and does not do it, which the first step shows.
os::HintResult Fetcher::fetchStep(const InputEntry &Entry,
                                  const os::OpenFile &File, ByteRange Step,
                                  bool IsLarge) {
  if (IsLarge) {
    os::HintResult Result = Entry.Contents->fetchInLargePages(Step, Cache);
    if (Result.Outcome == os::HintOutcome::Accepted &&
        !IsLargeProved.load(std::memory_order_relaxed)) {
      std::optional<os::Residency> Found = Cache.residency(File, Step);
      HasLargePages.store(Found && Found->complete());
      IsLargeProved.store(true);
    }
    if (Result.Outcome == os::HintOutcome::Unsupported)
      HasLargePages.store(false);
    if (HasLargePages.load())
      return Result;
  }
  return Cache.fetch(File, Step);
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
    const bool IsLarge = isWholeFile(Entry, Planned) && HasLargePages.load();
    ByteRange Step{Planned.Range.Offset + Done,
                   std::min(IsLarge || Probe.prefersWholeFiles()
                                ? os::PageCache::LargeStepBytes
                                : StepBytes,
                            Planned.Range.Length - Done)};
    Window.add(Stage, Step.Length);
    if (Stage == LinkStage::Parse) {
      Entry.BytesAhead.fetch_add(Step.Length);
      // The linker may have asked between the two lines above.
      if (Entry.IsAsked.load())
        giveBack(Entry);
    }
    Figures.Hints.note(TraceClock::now());
    Cost.begin(os::now());
    os::HintResult Result = fetchStep(Entry, File, Step, IsLarge);
    Cost.end(Result.AcceptedBytes, os::now());
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
