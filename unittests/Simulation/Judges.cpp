//===- Judges.cpp - Invariants of every link ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedLink.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <numeric>

using namespace headstart;
using namespace headstart::simulation;
using llvm::Twine;

void SimulatedLink::watch() {
  OS.OnFetch = [this](File &Of, ByteRange Range) { onFetch(Of, Range); };
  OS.OnSmallRequest = [this] { judgeStoreQueue(); };
  OS.OnBegin = [this](File &Of) { onBegin(Of); };
  if (llvm::any_of(OS.Devices,
                   [](const Device &Each) { return Each.Latency > 500'000; }) &&
      OS.WaitsForProcessor == 0)
    OS.OnQuiet = [this] { onQuiet(); };
}

uint64_t SimulatedLink::maxStep() const {
  return std::max(Options.Numbers.StepBytes, os::PageCache::LargeStepBytes);
}

/// Whether requests to the device of \p Of are so fast that no price makes the
/// engine request bytes that it might not need.
bool SimulatedLink::isFast(const File &Of) const {
  constexpr Nanoseconds Fast = 100'000;
  const Device &On = OS.Devices[Of.DeviceNumber];
  return On.NameLatency == 0 && On.PerRequest == 0 && On.Latency < Fast;
}

/// Whether isFast(Of) holds, and threads can measure it.
bool SimulatedLink::isLocal(const File &Of) const {
  return isFast(Of) && OS.WaitsForProcessor == 0;
}

/// Returns the longest time of a step if all possible requests are under way.
Nanoseconds SimulatedLink::longestAnswer() const {
  Nanoseconds Longest = 0;
  for (const Device &Each : OS.Devices)
    Longest = std::max(Longest, 100 * Each.Latency + 1000 * Each.PerRequest +
                                    static_cast<Nanoseconds>(
                                        64.0 * static_cast<double>(maxStep()) *
                                        Each.NanosecondsPerByte));
  return Longest + 100 * OS.MaxProcessorWait;
}

/// Whether the engine may leave \p Input to the linker, unopened, after some
/// cached objects.
bool SimulatedLink::mayBeLeft(const SimulatedInput &Input) const {
  return Input.isObject() && OS.CachedFound >= Options.Numbers.MinStreak;
}

/// Whether the engine may run short of memory in this link.
bool SimulatedLink::mayBeShort() const {
  return OS.CacheBytes != UINT64_MAX || MemoryChanges ||
         Options.ExpectedBytes != 0;
}

/// Whether a thread of the engine must read \p Input next if the linker
/// requests it now. No thread reads a small input that the linker has copied
/// itself, a cached input, one left to the linker, or one that the last link
/// did not touch.
bool SimulatedLink::mustBegin(const SimulatedInput &Input) {
  const File &Of = fileOf(Input);
  return LinkerThreads == 1 && Input.CanBeUrgent && !Of.IsBegun &&
         Input.Bytes >= minMappedBytes(PageBytes) && Of.WasCold &&
         !mayBeLeft(Input) && !Options.Profile &&
         (Link.Command.Kind != Flavour::ELF || !mayBeShort());
}

void SimulatedLink::onBegin(File &Of) {
  if (&Of == Wanted) {
    Wanted = nullptr;
    return;
  }
  if (!Wanted || !isFaultless() || ++BegunSince[OS.running()] != 2)
    return;
  const auto Others = static_cast<size_t>(llvm::count_if(
      BegunSince, [](const auto &Each) { return Each.second >= 2; }));
  if (Others >= std::max<size_t>(Options.Jobs, OS.startedByEngine()))
    OS.fail("an input that the linker asked for came after others");
}

void SimulatedLink::onFetch(File &Of, ByteRange Range) {
  // A detached thread may end its step after the engine is destroyed.
  if (!OS.isEngine() || !Engine)
    return;
  const bool IsShort = Engine->wasShortOfMemory();
  // A combined range contains pages that were fetched before.
  const unsigned Times =
      ++Of.FetchedAt[{Range.Offset, mayCombine(Of) ? Range.Length : 0}];
  // The linker reads COFF headers in this many stages.
  constexpr unsigned MaxStages = 4;
  if (Times > (IsShort ? MaxStages : 1U) && !HasFaults)
    OS.fail("a step was fetched twice for one stage");
  if (Range.Offset % PageBytes != 0 ||
      (Range.end() % PageBytes != 0 && Range.end() != Of.Identity.Size))
    OS.fail("a part of a page was fetched");
  judgeBudget(Of, Range);
}

/// Checks that the bytes fetched ahead of the linker stay within the budget.
void SimulatedLink::judgeBudget(File &Of, ByteRange Range) {
  const SimulatedInput *Input = Of.Input;
  // The file was replaced, or was planned without its headers.
  if (!Input || OS.Wrong.Read != 0)
    return;
  Of.ArrivesWhole |=
      Input->IsArchive || Input->hasGapIn(Range) || mayCombine(Of);
  const LinkStage When = Of.ArrivesWhole
                             ? LinkStage::Parse
                             : Input->stageOf(Range.Offset, Options.Plan);
  if (When == LinkStage::Parse && !Input->IsRequested &&
      Stage == LinkStage::Parse) {
    Of.Ahead += Range.Length;
    ParseAhead += Range.Length;
  } else if (When > Stage) {
    StageAhead.at(static_cast<size_t>(When)) += Range.Length;
  }
  const uint64_t Ahead =
      std::accumulate(StageAhead.begin(), StageAhead.end(), ParseAhead);
  const uint64_t Threads =
      std::max<uint64_t>(Options.Jobs, OS.startedByEngine());
  if (!Engine->wasShortOfMemory() && Ahead > Options.BudgetBytes &&
      Ahead - Options.BudgetBytes > Threads * maxStep())
    OS.fail(("more is ahead than the budget allows: " + Twine(Ahead)).str());
}

/// No thread can run: notes how few requests each device has while threads wait
/// for their turn at a store. Does nothing while a thread waits for memory.
void SimulatedLink::onQuiet() {
  if (!Engine || Engine->waitingForMemory() != 0)
    return;
  OS.forEachWaiting([&](Fiber &Each) {
    if (!Each.WaitsForStore)
      return;
    for (size_t I = 0; I != OS.Devices.size(); ++I)
      Each.FewestRequests.at(I) =
          std::min(Each.FewestRequests.at(I), OS.Devices[I].EngineRequests);
  });
}

/// Checks that the calling thread, which makes a small request, has not waited
/// while its device had room for one.
void SimulatedLink::judgeStoreQueue() {
  Fiber &Mine = *OS.running();
  if (!std::exchange(Mine.WaitsForStore, false) || !isFaultless() ||
      HasCancelled || !Engine)
    return;
  // It may have waited for another device, and then made no request there.
  const unsigned Fewest = *std::max_element(
      Mine.FewestRequests.begin(),
      Mine.FewestRequests.begin() + static_cast<ptrdiff_t>(OS.Devices.size()));
  // If large pages have not arrived, steps in large pages wait until few others
  // are in flight, and keep their place in the queue.
  const double Least =
      OS.MissesLargePages ? 1 : Options.Numbers.FirstWindow - 1;
  if (static_cast<double>(Fewest) + 1 <= Least)
    OS.fail("a small request waited while its device had only " +
            llvm::utostr(Fewest));
}

/// Checks that a handed-over buffer holds the file that is at its path now.
void SimulatedLink::judgeBuffer(const SimulatedInput &Input,
                                const llvm::MemoryBuffer &Buffer) {
  const File &Of = fileOf(Input);
  if (!Options.HandOver)
    OS.fail("something was handed over");
  if (Buffer.getBufferIdentifier() != Input.Path ||
      Buffer.getBufferSize() != Of.Identity.Size)
    OS.fail("another file was handed over");
  if (Buffer.getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap) {
    uint64_t Offset = 1;
    std::shared_ptr<File> Mapped = OS.mappedAt(Buffer.getBufferStart(), Offset);
    if (Offset != 0 || Mapped.get() != &Of)
      OS.fail("a file that has been replaced was handed over");
    if (Of.Identity.Size < PageBytes)
      OS.fail("a file of less than a page was mapped");
  } else if (Of.VersionAt != 0 && Buffer.getBuffer()[Of.VersionAt] !=
                                      static_cast<char>(Of.Version)) {
    OS.fail("an old copy of " + Input.Path + " was handed over");
  }
}

/// Checks that each input is opened once, and that its headers are not read
/// needlessly.
void SimulatedLink::judgeReads() {
  // If memory is short, the linker's second pass needs the headers again.
  if (OS.FreeDescriptors < std::max<size_t>(400, 4 * Link.Inputs.size()) ||
      Engine->wasShortOfMemory())
    return;
  // If threads seem to hang, the others continue, and files are closed.
  if (Taken.at(static_cast<size_t>(Decision::Stalled)) != 0)
    return;
  const bool HadLarge =
      Taken.at(static_cast<size_t>(Decision::LargePagesFailed)) != 0;
  for (const SimulatedInput &Input : Link.Inputs) {
    const File &Of = fileOf(Input);
    // The symbols of a file that was cached or left may be read later.
    if (!Of.WasCold || mayBeLeft(Input) || !isLocal(Of))
      continue;
    // If large pages are unavailable, the file is opened once more.
    if (Of.Opens > 1 && !HadLarge)
      OS.fail(Input.Path + " was opened " + llvm::utostr(Of.Opens) + " times");
    if (Options.Profile)
      continue; // likewise: all files that it references may be cached
    // An archive that is fetched whole is inspected only for its symbols.
    if (Input.IsArchive &&
        Taken.at(static_cast<size_t>(Decision::WholeCheaper)) != 0)
      continue;
    // Those of an ELF object are not kept until it is planned, nor after that,
    // if its symbols are needed.
    uint64_t Times = 1;
    if (Link.Command.Kind == Flavour::ELF && !Input.IsArchive)
      Times = Taken.at(static_cast<size_t>(Decision::SymbolsPass)) != 0 ? 3 : 2;
    for (ByteRange Header : Input.Headers) {
      uint64_t Bytes = 0;
      for (ByteRange Read : Of.Inspected) {
        uint64_t Begin = std::max(Read.Offset, Header.Offset);
        uint64_t End = std::min(Read.end(), Header.end());
        Bytes += End > Begin ? End - Begin : 0;
      }
      if (Bytes > Times * Header.Length)
        OS.fail(Input.Path + ": the headers at " + llvm::utostr(Header.Offset) +
                " were read again");
    }
  }
}

/// Checks that all the linker reads of an input up to \p Until was fetched.
void SimulatedLink::judgeWhole(LinkStage Until) {
  // The engine leaves an ELF link to the linker once memory was short.
  const bool WasShort = OS.CacheBytes != UINT64_MAX ||
                        (mayBeShort() && Link.Command.Kind == Flavour::ELF);
  // A single thread reaches the second stage after it completes the first. Of
  // several threads, some may already fill the budget with the second stage.
  const bool IsHeld = Until == LinkStage::Parse && OS.startedByEngine() > 2 &&
                      (Options.BudgetBytes != UINT64_MAX || mayBeShort());
  if (!IsIdle || !isFaultless() || Options.Profile || WasShort || IsHeld)
    return;
  for (const SimulatedInput &Input : Link.Inputs) {
    const File &Of = fileOf(Input);
    // For another user's file, some pages stand for all.
    const bool IsGuessed = !Of.ReportsResidency && !Of.WasCold;
    if (Input.IsOnDemand || !Of.IsBegun || IsGuessed || mayBeLeft(Input))
      continue;
    for (const auto &[Range, When] : Input.Parts)
      if (Of.Cached.count(Range) != PageSet::pagesOf(Range) &&
          (When == LinkStage::Parse || (Input.IsReadWhole && When <= Until)))
        OS.fail(Input.Path + ": what is at " + llvm::utostr(Range.Offset) +
                " was not fetched");
  }
}

/// Checks that every input was opened, also one that only a script or an
/// archive names. The engine does not scan all objects for their references.
void SimulatedLink::judgeOpened() {
  if (!isFaultless() || OS.FreeDescriptors < 400)
    return;
  for (const SimulatedInput &Input : Link.Inputs)
    if (fileOf(Input).Opens == 0 && !mayBeLeft(Input) && !Input.IsDependency)
      OS.fail(Input.Path + " was never opened");
}

/// Checks that a device that does not answer delays only the inputs on it.
void SimulatedLink::judgeElsewhere() {
  // Each input on it may block a thread.
  const auto Hang = llvm::count_if(Link.Inputs, [&](const auto &Input) {
    return OS.deviceOf(fileOf(Input)).HangsAt != Never;
  });
  if (!HasHang || HasFaults || HasChanges || Options.Profile || mayBeShort() ||
      Options.BudgetBytes != UINT64_MAX ||
      Options.HighLatencyJobs <= Options.Jobs + Hang ||
      OS.FreeDescriptors < 400)
    return;
  for (const SimulatedInput &Input : Link.Inputs) {
    const File &Of = fileOf(Input);
    if (OS.deviceOf(Of).HangsAt != Never || mayBeLeft(Input) ||
        !Input.CanBeUrgent || (!Of.ReportsResidency && !Of.WasCold))
      continue;
    for (const auto &[Range, When] : Input.Parts)
      if ((When == LinkStage::Parse ||
           (Input.IsReadWhole && When <= LinkStage::DebugSymbols)) &&
          Of.Cached.count(Range) != PageSet::pagesOf(Range))
        OS.fail(Input.Path + " waits for another device: what is at " +
                llvm::utostr(Range.Offset) + " was not fetched");
  }
}

/// Checks that no part of a wait was taken for the latency of a store.
void SimulatedLink::judgeLatency(const LinkStats &Stats) {
  if (HasFaults)
    return;
  const auto Least =
      llvm::min_element(OS.Devices, [](const Device &A, const Device &B) {
        return A.Latency < B.Latency;
      });
  // The engine subtracts what it believes to be the transfer or a wait for a
  // processor: at most half of the time each.
  const double LeastMs = static_cast<double>(Least->Latency) / 1e6 / 4;
  for (const StoreFigures &Store : Stats.Stores)
    if (Store.LatencyMs != 0 && Store.LatencyMs < LeastMs)
      OS.fail("a latency is " + std::to_string(Store.LatencyMs) + " ms");
}

/// Checks that the latency of a device is measured correctly, even if
/// processors are busy or the system does not report the residency of files.
void SimulatedLink::judgeRemote() {
  if (HasFaults || HasHang || OS.FreeDescriptors < 400 ||
      Options.HighLatencyJobs <= Options.Jobs + 1)
    return;
  const bool HasMore = OS.startedByEngine() > Options.Jobs + 1;
  // Above this latency, doubling the number of threads is worthwhile.
  const double Limit = (2 * Options.Jobs / Options.Numbers.BusyThreads - 1) *
                       Options.Numbers.FileSeconds * 1e9;
  const bool MayBeBusy = OS.WaitsForProcessor != 0;
  const bool IsFast = llvm::all_of(OS.Devices, [&](const Device &Each) {
    return static_cast<double>(Each.Latency) < Limit / 8 &&
           static_cast<double>(maxStep()) * Each.NanosecondsPerByte < Limit &&
           Each.PerRequest == 0 && Each.Channels >= 8 &&
           Each.NameLatency == 0 &&
           static_cast<double>(Each.LongestQueue) < Limit;
  });
  if (HasMore && IsFast && (OS.ReportsWaits || !MayBeBusy))
    OS.fail("a local disk was taken for a remote one");
  // If threads wait for processors, few requests reveal the device's latency.
  if (HasMore || !IsIdle || mayBeShort() || MayBeBusy)
    return;
  // A request for an input that the linker may be reading itself shows none.
  if (Taken.at(static_cast<size_t>(Decision::HeldNothing)) >
      Taken.at(static_cast<size_t>(Decision::HandedOver)))
    return;
  constexpr unsigned Enough = 40;
  std::array<unsigned, MaxDevices> Begun{};
  for (const SimulatedInput &Input : Link.Inputs) {
    const File &Of = fileOf(Input);
    const Device &On = OS.deviceOf(Of);
    if (Of.IsBegun && Of.WasCold && Input.IsLarge &&
        (Of.ReportsResidency || OS.ReportsWaits) &&
        static_cast<double>(On.NameLatency) > 4 * Limit &&
        ++Begun.at(Of.DeviceNumber) == Enough)
      OS.fail("a remote device was taken for a local one");
  }
}
