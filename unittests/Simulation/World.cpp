//===- World.cpp - A link of real size on a machine ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Plan/FilePlanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace headstart;
using namespace headstart::simulation;
using llvm::StringRef;

static constexpr uint64_t KiB = 1024, MiB = 1024 * KiB;
static constexpr double Millisecond = 1e6;

const char *simulation::nameOf(StoreKind Kind) {
  static constexpr std::array<const char *, NumStoreKinds> Names = {
      "local, fast", "local, slow", "counts requests", "remote"};
  return Names.at(static_cast<size_t>(Kind));
}

const char *simulation::nameOf(ResidencyKind Kind) {
  static constexpr std::array<const char *, 5> Names = {
      "cold", "half-warm by file", "half-warm by runs", "half-warm by page",
      "warm"};
  return Names.at(static_cast<size_t>(Kind));
}

static void drawStore(World &New, SeededRandom &Random) {
  Device &Store = New.Store;
  const uint64_t Drawn = Random.below(100);
  New.Kind = Drawn < 35   ? StoreKind::LocalFast
             : Drawn < 60 ? StoreKind::LocalSlow
             : Drawn < 75 ? StoreKind::CountsRequests
                          : StoreKind::Remote;
  struct Range {
    double LeastLatency, MostLatency; ///< milliseconds
    double LeastRate, MostRate;       ///< MB/s
    uint64_t LeastChannels, MostChannels;
  };
  static constexpr std::array<Range, NumStoreKinds> Ranges = {{
      {0.02, 0.3, 500, 8000, 8, 256},
      {0.1, 10, 30, 500, 1, 32},
      {0.1, 2, 50, 1000, 4, 64},
      {0.5, 50, 30, 1000, 4, 256},
  }};
  const Range &R = Ranges.at(static_cast<size_t>(New.Kind));
  Store.Latency = nanoseconds(Random.logBetween(R.LeastLatency, R.MostLatency) *
                              Millisecond);
  Store.NanosecondsPerByte = 1e3 / Random.logBetween(R.LeastRate, R.MostRate);
  Store.Channels =
      static_cast<unsigned>(Random.logBetween(R.LeastChannels, R.MostChannels));
  if (New.Kind == StoreKind::CountsRequests) {
    const Nanoseconds Price =
        nanoseconds(1e9 / Random.logBetween(200.0, 20000.0));
    // The price applies to the store itself, or to a limit on it.
    (Random.onceIn(2) ? Store.PerRequest : Store.LimitPerRequest) = Price;
    Store.LimitBurst = 30 * nanoseconds(Millisecond);
  }
  if (New.Kind == StoreKind::Remote && Random.onceIn(2))
    Store.NameLatency = Store.Latency;
  Store.RequestBytes = (64 * KiB) << Random.below(5);
  if (Random.onceIn(2))
    Store.Jitter = Random.logBetween(0.05, 2.0);
  Store.Readahead = Random.onceIn(3) ? 8 * MiB : 128 * KiB;
  const uint64_t Large = Random.below(8);
  Store.Large = Large < 5   ? LargePages::Work
                : Large < 7 ? LargePages::Unsupported
                            : LargePages::Ignored;
  Store.TakesHints = true;
  Store.ReportsCached = true;
}

static void drawMachine(World &New, SeededRandom &Random) {
  static constexpr std::array<unsigned, 12> Cores = {1, 2, 2,  2,  4,  4,
                                                     8, 8, 16, 16, 32, 6};
  New.Cores = Cores.at(Random.below(Cores.size()));
  if (Random.onceIn(3))
    New.Memory = Random.logBetween(0.5, 2.0);
  if (Random.onceIn(4)) {
    New.DelayIn = Random.logBetween(uint64_t(20), 1000);
    New.MaxDelay = nanoseconds(Random.logBetween(0.1, 20.0) * Millisecond);
  }
  const uint64_t Drawn = Random.below(20);
  New.Residency = Drawn < 12   ? ResidencyKind::Cold
                  : Drawn < 14 ? ResidencyKind::ByFile
                  : Drawn < 16 ? ResidencyKind::ByRuns
                  : Drawn < 18 ? ResidencyKind::ByPage
                               : ResidencyKind::Warm;
  New.CachedShare = static_cast<double>(Random.between(5, 95)) / 100;
  New.ReportsResidency = !Random.onceIn(8);
}

World World::draw(uint64_t Seed, llvm::ArrayRef<Layout> Layouts,
                  uint64_t MaxInputs, uint64_t MaxBytes) {
  // Consecutive seeds must draw unrelated numbers.
  SeededRandom Random(SeededRandom(Seed).next());
  World New;
  New.Seed = Seed;
  drawStore(New, Random);
  drawMachine(New, Random);
  New.Inputs = &Layouts[Random.below(Layouts.size())];
  New.Scale = Random.logBetween(0.5, 2.0);
  New.Count = Random.below(5) == 0 ? Random.logBetween(uint64_t(1), 100'000)
                                   : Random.logBetween(uint64_t(50), 5000);
  const double Mean = New.Inputs->meanBytes() * New.Scale;
  New.Count = std::clamp<uint64_t>(
      std::min(New.Count, static_cast<uint64_t>(double(MaxBytes) / Mean)), 1,
      MaxInputs);
  // Every machine has enough memory for a small link.
  constexpr double LeastShort = 200e6;
  if (double(New.Count) * Mean < LeastShort)
    New.Memory = 0;
  if (Random.onceIn(4))
    New.Compile = nanoseconds(Random.logBetween(0.1, 30.0) * double(Second));
  return New;
}

bool World::setRig(StringRef Name) {
  // A virtual disk of 2 GB/s; the limits are those of a control group.
  Kind = StoreKind::LocalFast;
  Store.Latency = 40'000;
  Store.NanosecondsPerByte = 0.5;
  Store.Channels = 64;
  Store.RequestBytes = 512 * KiB;
  Store.Large = LargePages::Work;
  Store.TakesHints = Store.ReportsCached = true;
  if (Name == "local")
    return true;
  if (Name == "400MBps") {
    Kind = StoreKind::LocalSlow;
    Store.LimitPerByte = 1e3 / 400;
    Store.LimitBurst = 30 * nanoseconds(Millisecond);
    return true;
  }
  if (Name == "2000ops") {
    Kind = StoreKind::CountsRequests;
    Store.LimitPerRequest = 500'000;
    Store.LimitBurst = 30 * nanoseconds(Millisecond);
    Store.RequestBytes = MiB;
    return true;
  }
  // FUSE handles at most 12 requests at once, of at most 256 KiB each.
  Kind = StoreKind::Remote;
  Store.NanosecondsPerByte = 1e3 / 200;
  Store.Channels = 12;
  Store.RequestBytes = 256 * KiB;
  double Milliseconds = 0;
  if (!Name.consume_back("ms") || !llvm::to_float(Name, Milliseconds))
    return false;
  Store.Latency = nanoseconds(Milliseconds * Millisecond);
  return true;
}

std::string World::describe() const {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  Out << llvm::formatv(
      "{0} x{1} (sizes x{2:F2}), {3}: {4:F2} ms, {5:F0} MB/s, K {6}",
      Inputs->Name, Count, Scale, nameOf(Kind),
      double(Store.Latency) / Millisecond, 1e3 / Store.NanosecondsPerByte,
      Store.Channels);
  if (const Nanoseconds Price =
          std::max(Store.PerRequest, Store.LimitPerRequest))
    Out << llvm::formatv(", {0:F0} ops/s{1}", 1e9 / double(Price),
                         Store.PerRequest == 0 ? " (a limit)" : "");
  if (Store.NameLatency != 0)
    Out << ", names too";
  Out << ", requests " << Store.RequestBytes / KiB << "K, readahead "
      << Store.Readahead / KiB << "K";
  if (Store.Large != LargePages::Work)
    Out << ", no large pages";
  if (Store.Jitter != 0)
    Out << llvm::formatv(", jitter {0:F2}", Store.Jitter);
  Out << "; " << nameOf(Residency);
  if (Residency != ResidencyKind::Cold && Residency != ResidencyKind::Warm)
    Out << llvm::formatv(" {0:F2}", CachedShare);
  if (!ReportsResidency)
    Out << " (unknown)";
  if (Memory != 0)
    Out << llvm::formatv(", memory {0:F2} of the need", Memory);
  Out << ", cores " << Cores;
  if (DelayIn != 0)
    Out << llvm::formatv(", delays 1/{0} up to {1:F1} ms", DelayIn,
                         double(MaxDelay) / Millisecond);
  if (Compile != 0)
    Out << llvm::formatv(", after {0:F1} s of a build",
                         double(Compile) / double(Second));
  return Text;
}

double Bound::seconds() const {
  return std::max({Processor, Bytes, Requests, Chain});
}

WorldRun::WorldRun(const World &Of, const Tuning &Numbers)
    : Of(Of), Numbers(Numbers), OS(Of.Seed),
      Costs(LinkerCosts::of(Of.Inputs->Kind)) {
  OS.IsTimed = true;
  OS.Costs = ProcessorCosts::measured();
  OS.Processors = Of.Cores;
  OS.Devices.push_back(Of.Store);
  OS.WaitsForProcessor = Of.DelayIn;
  OS.MaxProcessorWait = Of.MaxDelay;
  OS.FreeDescriptors = 1000;
  Command.Kind = Of.Inputs->Kind;
  Command.ReadsCodeView = Command.ReadsDWARF = true;
  Plan = planOptionsOf(Command);
  for (unsigned K = 0; K != NumPartKinds; ++K)
    if (auto Phase = Command.model().stageOf(static_cast<PartKind>(K), Plan))
      PhaseOf.at(K) = 1U << static_cast<unsigned>(*Phase);
  writeInputs();
  limitMemory();
  cacheInputs();
}

void WorldRun::add(WrittenInput Input) {
  WorldInput &New = Inputs.emplace_back();
  const char *Ending = Input.Members != 0              ? ".a"
                       : Command.Kind == Flavour::COFF ? ".obj"
                                                       : ".o";
  New.Path = "/in0/d" + llvm::utostr(Inputs.size() / 50) + "/" +
             llvm::utostr(Inputs.size()) + Ending;
  New.Members = Input.Members;
  New.Of = &OS.write(New.Path, Input.Bytes, std::move(Input.Contents), 0);
  New.Of->ReportsResidency = Of.ReportsResidency;
  InputBytes += Input.Bytes;
  for (const NeededPart &Part : Input.Needed) {
    if (PhaseOf.at(static_cast<size_t>(Part.Kind)) == 0)
      continue;
    New.Needed.push_back(Part);
    NeededBytes += Part.Range.Length;
  }
  NamedInput Named;
  Named.Name = New.Path;
  Command.Inputs.push_back(std::move(Named));
}

void WorldRun::writeInputs() {
  SeededRandom Random(Of.Seed);
  const std::vector<RecordedInput> &Recorded = Of.Inputs->Inputs;
  std::vector<const RecordedInput *> Drawn;
  uint64_t NumLinked = 0;
  for (uint64_t I = 0; I != Of.Count; ++I) {
    Drawn.push_back(&Recorded[Random.below(Recorded.size())]);
    NumLinked += Drawn.back()->linkedMembers();
  }
  InputWriter Writer(Command.Kind);
  Inputs.reserve(Of.Count + 1);
  add(Writer.first(NumLinked));
  for (const RecordedInput *From : Drawn)
    add(Writer.write(*From, Of.Scale * Random.logBetween(0.9, 1.1)));
}

void WorldRun::limitMemory() {
  constexpr uint64_t Least = 8 * MiB;
  if (Of.Memory == 0) {
    OS.AvailableBytes = 4 * InputBytes + (uint64_t(4) << 30);
    return;
  }
  OS.CacheBytes =
      std::max(Least, static_cast<uint64_t>(Of.Memory * double(NeededBytes)));
  OS.AvailableBytes = OS.CacheBytes;
}

void WorldRun::cacheInputs() {
  SeededRandom Random(Of.Seed + 1);
  const auto Share = static_cast<uint64_t>(Of.CachedShare * 100);
  bool IsCached = Random.onceIn(2);
  uint64_t Left = 0;
  for (WorldInput &Input : Inputs) {
    File &To = *Input.Of;
    const ByteRange Whole{0, To.Identity.Size};
    if (Of.Residency == ResidencyKind::ByRuns && Left-- == 0) {
      IsCached = Random.below(100) < Share;
      Left = Random.logBetween(uint64_t(1), 1000);
    }
    if (Of.Residency == ResidencyKind::Warm ||
        (Of.Residency == ResidencyKind::ByRuns && IsCached) ||
        (Of.Residency == ResidencyKind::ByFile && Random.below(100) < Share))
      OS.cache(To, Whole);
    else if (Of.Residency == ResidencyKind::ByPage)
      // Runs of 64 KiB, as page faults leave them.
      for (uint64_t At = 0; At < Whole.Length; At += 64 * KiB)
        if (Random.below(100) < Share)
          OS.cache(To, ByteRange{At, 64 * KiB}.clippedTo(Whole.Length));
  }
  OS.evictOldest();
}

bool WorldRun::isRead(const NeededPart &Part, const StageCosts &Stage) const {
  return (PhaseOf.at(static_cast<size_t>(Part.Kind)) & Stage.Phases) != 0 &&
         (!Stage.OnlySymbols || Part.Kind == PartKind::Symbols);
}

/// Adds to \p New, by stage, the bytes of \p Input that must be read: the pages
/// that are not cached, in the first stage that reads them. Adds to \p All all
/// bytes that each stage reads.
void WorldRun::addNeeded(const WorldInput &Input, std::vector<double> &New,
                         std::vector<double> &All) const {
  const File &From = *Input.Of;
  // The first stage copies a small file.
  if (From.Identity.Size < MinMappedInput) {
    const ByteRange Whole{0, From.Identity.Size};
    New.front() +=
        double((From.Cached.size() - From.Cached.count(Whole)) * PageBytes);
    All.front() += double(From.Identity.Size);
    return;
  }
  uint64_t Last = UINT64_MAX;
  for (const NeededPart &Part : Input.Needed) {
    if (Part.Range.empty())
      continue;
    bool IsFirst = true;
    for (size_t S = 0; S != Costs.Stages.size(); ++S) {
      if (!isRead(Part, Costs.Stages[S]))
        continue;
      All[S] += double(Part.Range.Length);
      if (!std::exchange(IsFirst, false))
        continue;
      // A page that two parts share counts once.
      ByteRange Pages = Part.Range;
      if (Pages.Offset / PageBytes == Last) {
        const uint64_t Begin = (Last + 1) * PageBytes;
        Pages = {Begin, Pages.end() > Begin ? Pages.end() - Begin : 0};
      }
      Last = (Part.Range.end() - 1) / PageBytes;
      if (!Pages.empty())
        New[S] += double((PageSet::pagesOf(Pages) - From.Cached.count(Pages)) *
                         PageBytes);
    }
  }
}

/// Contains no cost that a prefetcher can save, and none of a prefetcher.
Bound WorldRun::bound() const {
  Bound Result;
  double Serial = std::min(Costs.Start, Costs.OwnStart);
  double Parallel = 0, Requests = 0;
  const auto RequestBytes = double(Of.Store.RequestBytes);
  std::vector<double> New(Costs.Stages.size()), All(Costs.Stages.size());
  for (const WorldInput &Input : Inputs) {
    Serial += Costs.OpenInput + Costs.Member * Input.Members;
    for (const NeededPart &Part : Input.Needed)
      for (const StageCosts &Stage : Costs.Stages)
        if (isRead(Part, Stage)) {
          Serial += double(Part.Range.Length) * Stage.SerialByte;
          Parallel += double(Part.Range.Length) * Stage.ParallelByte;
        }
    const double Before = llvm::sum_of(New, 0.0);
    addNeeded(Input, New, All);
    if (const double Missing = llvm::sum_of(New, 0.0) - Before; Missing > 0)
      Requests += std::max(1.0, Missing / RequestBytes);
  }
  // When a stage begins, at most CacheBytes of the bytes that it reads are
  // cached.
  double Brought = 0;
  for (size_t S = 0; S != New.size(); ++S)
    Brought += std::max(New[S], OS.CacheBytes == UINT64_MAX
                                    ? 0
                                    : All[S] - double(OS.CacheBytes));
  Result.NeededBytes = static_cast<uint64_t>(Brought);
  Requests = std::max(Requests, Brought / RequestBytes);
  const double Cores = Of.Cores;
  const ProcessorCosts Prices = ProcessorCosts::measured();
  Result.Processor =
      std::max(Serial + Parallel / Cores,
               (Serial + Parallel + Brought * Prices.LargeByte) / Cores) /
      1e9;
  const Device &Store = Of.Store;
  const auto Burst = double(Store.LimitBurst);
  Result.Bytes = std::max(Brought * Store.NanosecondsPerByte,
                          Brought * Store.LimitPerByte - Burst) /
                 1e9;
  const double Price = std::max(double(Store.PerRequest),
                                double(Store.Latency) / Store.Channels);
  Result.Requests = std::max(Requests * Price,
                             Requests * double(Store.LimitPerRequest) - Burst) /
                    1e9;
  Result.Chain =
      double(Of.Store.NameLatency + (Brought != 0 ? Of.Store.Latency : 0)) /
      1e9;
  return Result;
}
