//===- Drawing.cpp - Draws a link from a seed -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedLink.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace headstart;
using namespace headstart::simulation;

static constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;
static constexpr Nanoseconds Microsecond = 1000, Millisecond = 1'000'000;

/// Most links are small, but some are as large as real ones, to reach the
/// mechanisms that begin at 256 inputs with their real limits.
static uint64_t drawSize(SeededRandom &Random) {
  const uint64_t Drawn = Random.below(1000);
  if (Drawn < 900)
    return Random.between(1, 12);
  if (Drawn < 990)
    return Random.logBetween(uint64_t(13), 300);
  if (Drawn < 999)
    return Random.logBetween(uint64_t(300), 3000);
  return Random.logBetween(uint64_t(3000), 20000);
}

/// Uses separate random numbers: a seed means the same link with any page size.
static void drawPageSize(uint64_t Seed) {
  constexpr std::array<uint64_t, 4> Sizes = {4 * KiB, 4 * KiB, 16 * KiB,
                                             64 * KiB};
  PageBytes = Sizes.at(SeededRandom(~Seed).below(Sizes.size()));
}

SimulatedLink::SimulatedLink(uint64_t Seed) : OS(Seed) {
  drawPageSize(Seed);
  drawDevices();
  const uint64_t Count = drawSize(Random);
  Link.draw(OS, Count);
  if (Random.onceIn(8))
    OS.FreeDescriptors = Random.between(34, 60);
  else if (Count > 50)
    OS.FreeDescriptors = 1024 + 8 * Count;
  drawCached();
  drawUnknown();
  drawFaults();
  drawOptions();
  drawTuning();
  drawMemory();
  if (Random.onceIn(4))
    drawProfile();
  drawLinker();
  watch();
}

Device SimulatedLink::drawDevice() {
  Device New;
  New.NanosecondsPerByte = Random.onceIn(2) ? 0.5 : 10;
  New.Channels = static_cast<unsigned>(Random.between(1, 16));
  switch (Random.below(4)) {
  case 0: // a disk
    New.Latency = Random.between(1, 20) * 10 * Microsecond;
    break;
  case 1: // a disk that is slow, or counts requests
    New.Latency = Random.between(1, 20) * Millisecond;
    if (Random.onceIn(2))
      New.PerRequest = New.Latency / 4;
    break;
  case 2: // a file system on the network
    New.Latency = New.NameLatency = Random.between(1, 20) * Millisecond;
    New.Channels = static_cast<unsigned>(Random.between(8, 64));
    break;
  default: // a fast disk
    New.Latency = Random.between(10, 100) * Microsecond;
    New.NanosecondsPerByte = 0.3;
    New.Channels = 32;
  }
  constexpr std::array<Nanoseconds, 5> Ticks = {
      1, 4 * Millisecond, 10 * Millisecond, Second, 2 * Second};
  New.FileTick = Ticks.at(Random.below(Ticks.size()));
  New.Large = static_cast<LargePages>(Random.below(3));
  New.TakesHints = Random.onceIn(2);
  New.ReportsCached = !Random.onceIn(4);
  return New;
}

void SimulatedLink::drawDevices() {
  OS.Devices.push_back(drawDevice());
  while (OS.Devices.size() < MaxDevices && Random.onceIn(3))
    OS.Devices.push_back(drawDevice());
  if (Random.onceIn(8)) {
    OS.WaitsForProcessor = Random.between(1, 20);
    OS.MaxProcessorWait = static_cast<Nanoseconds>(
        Random.logBetween(uint64_t(100'000), 20 * Millisecond));
  }
  OS.QueryTime = Random.onceIn(4) ? 5 * Microsecond : 0;
  OS.ReportsWaits = !Random.onceIn(4) && !IsSanitized;
  if (OS.Devices.size() == 1 || !Random.onceIn(8))
    return;
  HasHang = true;
  OS.Devices.back().HangsAt =
      OS.now() +
      (Random.onceIn(2) ? 0 : static_cast<Nanoseconds>(Random.below(Second)));
}

void SimulatedLink::drawFaults() {
  HasFaults = Random.onceIn(3);
  HasChanges = Random.onceIn(HasFaults ? 2 : 8);
  if (!HasFaults)
    return;
  Faults &Wrong = OS.Wrong;
  for (uint64_t *Fault : {&Wrong.Open, &Wrong.Read, &Wrong.Map, &Wrong.Fetch,
                          &Wrong.Thread, &Wrong.Memory, &Wrong.Stall})
    if (Random.onceIn(4))
      *Fault = Random.onceIn(4) ? 3 : Random.between(20, 2000);
}

/// Caches runs of files: after a long run of cached objects, the engine decides
/// differently.
void SimulatedLink::drawCachedRuns() {
  const uint64_t Longest = Random.logBetween(uint64_t(1), 3000);
  bool IsCached = Random.onceIn(2);
  uint64_t Left = Random.below(Longest + 1);
  for (const SimulatedInput &Input : Link.Inputs) {
    if (IsCached)
      OS.cache(fileOf(Input), {0, Input.Bytes});
    if (Left-- != 0)
      continue;
    IsCached = !IsCached;
    Left = Random.below(Longest + 1);
  }
}

/// Caches every page of \p Of except \p Missing of them.
static void cacheAlmost(SimulatedOS &OS, File &Of, uint64_t Missing) {
  Missing = std::min(Missing, Of.Cached.size()) * PageBytes;
  const uint64_t At =
      OS.Random.below(Of.Cached.size()) * PageBytes / Missing * Missing;
  OS.cache(Of, {0, At});
  OS.cache(Of,
           ByteRange{At + Missing, UINT64_MAX / 2}.clippedTo(Of.Identity.Size));
}

void SimulatedLink::drawCached() {
  enum { None, All, ByFile, Runs, Pages, Objects, Others, Almost, Mixed };
  const uint64_t How = Random.onceIn(3) ? uint64_t(None) : Random.below(9);
  if (How == Runs)
    drawCachedRuns();
  for (const SimulatedInput &Input : Link.Inputs) {
    File &Of = fileOf(Input);
    const ByteRange Whole{0, Input.Bytes};
    const bool IsMixed = How == Mixed && !Random.onceIn(3);
    if (How == All || (How == ByFile && Random.onceIn(2)) ||
        (How == Objects && Input.isObject()) ||
        (How == Others && !Input.isObject()) || (IsMixed && Random.onceIn(4)))
      OS.cache(Of, Whole);
    else if (How == Pages || (IsMixed && Random.onceIn(2)))
      for (size_t Word = 0; Word != Of.Cached.words(); ++Word)
        OS.cacheWord(Of, Word, Random.next() | Random.next());
    else if (How == Almost || IsMixed)
      cacheAlmost(OS, Of, Random.between(1, 4));
  }
  // A profile's plan of archives matters if objects are cached.
  for (const SimulatedInput &Input : Link.Inputs) {
    File &Of = fileOf(Input);
    Of.WasCached = Of.Cached.all();
    Of.WasCold = Of.Cached.count() == 0;
  }
}

/// Lets some files belong to other users.
void SimulatedLink::drawUnknown() {
  if (!Random.onceIn(4))
    return;
  const uint64_t In = Random.onceIn(2) ? 1 : Random.between(2, 8);
  for (const SimulatedInput &Input : Link.Inputs)
    fileOf(Input).ReportsResidency = !Random.onceIn(In);
}

void SimulatedLink::drawOptions() {
  Options.Jobs = static_cast<unsigned>(Random.between(1, 8));
  if (!Random.onceIn(4))
    Options.HighLatencyJobs =
        static_cast<unsigned>(Random.logBetween(uint64_t(2), 64));
  Options.HandOver = !Random.onceIn(8);
  Options.MeasuresProcessor = Random.onceIn(4) && !IsSanitized;
  Options.Plan.Kind = Link.Command.Kind;
  Options.Processors =
      static_cast<unsigned>(Random.logBetween(uint64_t(1), 64));
  if (Random.onceIn(3))
    Options.BudgetBytes = Random.between(1, 8) * MiB;
  if (Random.onceIn(8))
    Options.MaxMappings = Random.between(1, 4);
}

/// Half of the links use the numbers that users get. In the others, a mechanism
/// that begins at 256 inputs begins at five.
void SimulatedLink::drawTuning() {
  if (Random.onceIn(2))
    return;
  Tuning &T = Options.Numbers;
  auto Draw = [&](auto &Number, auto Least, auto Most) {
    using Value = std::remove_reference_t<decltype(Number)>;
    if (!Random.onceIn(2))
      Number = static_cast<Value>(Random.logBetween(
          static_cast<double>(Least), static_cast<double>(Most) * 1.0001));
  };
  auto DrawTime = [&](auto &Number, double Least, double Most) {
    using Value = std::remove_reference_t<decltype(Number)>;
    if (!Random.onceIn(2))
      Number = std::chrono::duration_cast<Value>(
          Tuning::Seconds(Random.logBetween(Least, Most)));
  };
  Draw(T.OpenSeconds, 1e-6, 1e-2);
  Draw(T.FileSeconds, 1e-6, 1e-2);
  Draw(T.RequestSeconds, 1e-7, 1e-3);
  Draw(T.RangeSecondsPerByte, 1e-12, 1e-7);
  Draw(T.LargeSecondsPerByte, 1e-12, 1e-7);
  Draw(T.SymbolsSecondsPerByte, 1e-12, 1e-7);
  Draw(T.QuerySeconds, 1e-8, 1e-3);
  Draw(T.StatSeconds, 1e-8, 1e-4);
  Draw(T.EntrySeconds, 1e-9, 1e-5);
  DrawTime(T.GuessedRequest, 1e-7, 1e-2);
  DrawTime(T.GuessedByte, 1e-11, 1e-7);
  Draw(T.GuessedRequests, 1, 1000);
  Draw(T.GuessedBytes, 4 * KiB, 64 * MiB);
  Draw(T.WindowRequests, 1, 64);
  DrawTime(T.WindowTime, 1e-6, 0.1);
  Draw(T.Forgetting, 0.5, 0.99);
  Draw(T.RatioWeight, 0.1, 100);
  DrawTime(T.SlowAnswer, 1e-5, 5e-3);
  Draw(T.FirstWindow, 1, 16);
  Draw(T.MaxWindow, 16, 64);
  Draw(T.FailedLargeWindow, 1, 16);
  Draw(T.LaterSecondsPerByte, 1e-11, 1e-7);
  Draw(T.GuessedFirstShare, 0.01, 0.9);
  Draw(T.GuessedLaterShare, 0.01, 0.9);
  Draw(T.GuessedRanges, 1, 8);
  Draw(T.GuessedFiles, 1, 64);
  Draw(T.GuessedSize, 4 * KiB, 64 * MiB);
  Draw(T.GuessedInspectSecondsPerByte, 1e-12, 1e-7);
  Draw(T.MinStreak, 1, 64);
  Draw(T.MaxStride, 1, 64);
  Draw(T.TouchedShare, 0.5, 4);
  Draw(T.MemberBytes, 64, 16 * MiB);
  Draw(T.MemberInspections, 0.5, 4);
  Draw(T.LazyShare, 0.01, 1);
  // Else hardly any link leaves inputs and reads symbols.
  if (T.MinStreak <= 2) {
    T.OpenSeconds = 1e-2;
    T.LazyShare = 1e3;
  }
  Draw(T.GuessedQueries, 1, 1000);
  Draw(T.MaxDependencyScans, 1, 32);
  Draw(T.ListingTrips, 1, 8);
  Draw(T.MaxEntriesPerInput, 1, 64);
  Draw(T.RefreshAhead, 2, 256);
  Draw(T.RefreshStep, 1, 16);
  Draw(T.ForgottenShare, 0.001, 1);
  DrawTime(T.FreshFor, 1e-3, 1);
  Draw(T.MinRoomToCombine, 4 * KiB, 64 * MiB);
  Draw(T.StepBytes, 64 * KiB, 2 * MiB);
  T.StepBytes -= T.StepBytes % PageBytes;
  Draw(T.TaskBytes, 4 * KiB, 8 * MiB);
  Draw(T.MemoryNeed, 1, 8);
  Draw(T.MemoryNeedOfELF, 1, 8);
  Draw(T.WindowShare, 1, 16);
  Draw(T.MeasureBytes, 64 * KiB, 32 * MiB);
  DrawTime(T.MeasureAfter, 1e-3, 0.2);
  Draw(T.HighPressurePercent, 1, 100);
  DrawTime(T.StallTime, 0.02, 1);
  DrawTime(T.OpenTimeout, 0.02, 1);
}

void SimulatedLink::drawMemory() {
  if (Random.onceIn(4)) {
    OS.CacheBytes =
        std::max(Link.Bytes * Random.between(1, 4), uint64_t(4) * MiB);
    OS.AvailableBytes = OS.CacheBytes;
  } else if (Random.onceIn(4)) {
    MemoryChanges = true;
    changeMemory();
  }
  if (Random.onceIn(8))
    Options.ExpectedBytes = Link.Bytes * Random.between(1, 8) / 2;
  if (Random.onceIn(2))
    Options.ReadMemory = [] { return os::SystemMemory::read(); };
}

/// Changes the amount of available memory.
void SimulatedLink::changeMemory() {
  switch (Random.below(4)) {
  case 0:
    OS.AvailableBytes = UINT64_MAX;
    break;
  case 1:
    // A group at its limit has almost no memory.
    OS.AvailableBytes = Random.below(Random.onceIn(2) ? 4 : MiB);
    break;
  default:
    OS.AvailableBytes = Link.Bytes * Random.between(1, 16) / 4 + 1;
  }
  OS.PressurePercent = static_cast<double>(Random.below(101));
}

/// Returns the ranges of \p Input that the last link touched, or also its plan.
static RecordedFile recordOf(SeededRandom &Random, const SimulatedInput &Input,
                             const os::FileIdentity &Identity) {
  RecordedFile Record;
  Record.Path = Input.Path;
  Record.Version = Identity.version();
  std::vector<std::pair<ByteRange, LinkStage>> Touched;
  for (const auto &Part : Input.Parts)
    if (!Random.onceIn(3))
      Touched.push_back(Part);
  llvm::sort(Touched, [](const auto &A, const auto &B) {
    return A.first.Offset < B.first.Offset;
  });
  for (const auto &[Range, When] : Touched)
    Record.Touched.push_back(Range);
  if (!Input.IsLarge || Random.onceIn(2))
    return Record;
  llvm::sort(Touched, [](const auto &A, const auto &B) {
    return std::pair(A.second, A.first.Offset) <
           std::pair(B.second, B.first.Offset);
  });
  for (const auto &[Range, When] : Touched) {
    const uint64_t Begin = Range.Offset / PageBytes * PageBytes;
    // Small members of an archive share pages. Each page is planned once.
    if (llvm::none_of(Record.Plan, [&](const PlannedRange &Known) {
          return Known.Range.Offset < Range.end() && Begin < Known.Range.end();
        }))
      Record.Plan.push_back({{Begin, Range.end() - Begin},
                             static_cast<LinkStage>(When),
                             PartKind::Whole});
  }
  return Record;
}

/// Draws the profile of an earlier link. Some of its files have changed since,
/// some no longer exist, and some are recorded with another file's contents.
void SimulatedLink::drawProfile() {
  auto Profile = std::make_shared<LinkProfile>();
  const uint64_t MissingIn = Random.onceIn(4) ? 2 : Random.between(4, 100);
  for (const SimulatedInput &Input : Link.Inputs) {
    if (Random.onceIn(MissingIn))
      continue;
    const SimulatedInput &From =
        Random.onceIn(32) ? Link.Inputs[Random.below(Link.Inputs.size())]
                          : Input;
    RecordedFile Record = recordOf(Random, From, fileOf(From).Identity);
    Record.Path = Input.Path;
    if (Random.onceIn(8))
      ++Record.Version.ModifiedNs;
    if (Random.onceIn(32))
      Record.Path += ".gone";
    Profile->Files.push_back(std::move(Record));
  }
  Options.IsProfileElsewhere = Random.onceIn(4);
  Options.Profile = std::move(Profile);
}

void SimulatedLink::drawLinker() {
  IsIdle = Random.onceIn(4);
  Leaves = Random.onceIn(8);
  if (Random.onceIn(4))
    LinkerThreads = static_cast<unsigned>(Random.between(2, 4));
  if (Random.onceIn(4))
    SkippedIn = Random.onceIn(2) ? 2 : UINT64_MAX;
  // The judges for these faults need a linker that rests after its requests.
  if ((HasHang || MemoryChanges) && Random.onceIn(2)) {
    IsIdle = true;
    SkippedIn = UINT64_MAX;
    // If there are several threads, some may fill the memory with later stages.
    if (MemoryChanges) {
      Options.Jobs = 1;
      Options.HighLatencyJobs = 0;
    }
  }
  for (SimulatedInput &Input : Link.Inputs)
    Order.push_back(&Input);
  if (Random.onceIn(8))
    for (size_t I = Order.size(); I > 1; --I)
      std::swap(Order[I - 1], Order[Random.below(I)]);
}
