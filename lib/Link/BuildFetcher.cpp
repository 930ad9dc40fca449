//===- BuildFetcher.cpp - Fetch what links will read ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/BuildFetcher.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

FetchPace::Time FetchPace::reserve(Time Now, uint64_t Bytes) {
  if (Now >= Until)
    PacedBytes = 0;
  if (isProbing())
    return Now;
  PacedBytes -= std::min(PacedBytes, Bytes);
  // No thread was free when the step could have begun: all were busy or paused.
  const bool IsLate = Next < Now;
  constexpr uint64_t LargestPage = UINT64_C(64) << 10;
  Step = llvm::alignDown(IsLate ? 2 * Step : Step - (Step / 8), LargestPage);
  Step = std::clamp(Step, Numbers.MinBuildStep, Numbers.MaxBuildStep);
  const Time Begin = std::max(Next, Now);
  Next = Begin + std::chrono::duration_cast<Time::duration>(
                     ByteTime * static_cast<double>(Bytes));
  return Begin;
}

void FetchPace::begin(Time Now) {
  if (InFlight++ == 0)
    Since = Now;
}

void FetchPace::end(Time Now, uint64_t Bytes) {
  const Seconds Part = Now - Since;
  Since = Now;
  --InFlight;
  if (!isProbing())
    return;
  constexpr Seconds TooLong(1); // the disk slept, or this process was stopped
  if (Part <= TooLong) {
    Busy += Part;
    ProbedBytes += Bytes;
    if (Busy < Numbers.ProbeTime || ProbedBytes == 0)
      return;
    ByteTime = Busy / (Numbers.BuildShare * static_cast<double>(ProbedBytes));
    PacedBytes = Numbers.PacedProbes * ProbedBytes;
    Next = Now;
    // Twice the expected time, in case the disk was faster than it usually is.
    Until = Now + std::chrono::duration_cast<Time::duration>(
                      2 * ByteTime * static_cast<double>(PacedBytes));
  }
  Busy = Seconds(0);
  ProbedBytes = 0;
}

BuildFetcher::~BuildFetcher() {
  cancel();
  Threads.join();
}

size_t BuildFetcher::addLink(std::string Output) {
  std::lock_guard Lock(Mutex);
  Links.emplace_back().Output = std::move(Output);
  return Links.size() - 1;
}

void BuildFetcher::add(size_t Link, std::vector<FileRanges> Files,
                       uint64_t NeedBytes) {
  std::lock_guard Lock(Mutex);
  BuildLinkFigures &Of = Links[Link];
  Of.IsPlanned = true;
  Of.IsTooLarge = NeedBytes > AvailableBytes;
  if (Of.IsTooLarge)
    Files.clear();
  for (FileRanges &File : Files) {
    // An earlier link may read the same library.
    std::vector<ByteRange> &Earlier = Planned[File.Path];
    File.Ranges = without(File.Ranges, Earlier);
    if (File.Ranges.empty())
      continue;
    llvm::append_range(Earlier, File.Ranges);
    Earlier = unite(std::move(Earlier));
    ++Of.Files;
    Of.Bytes += bytesOf(File.Ranges);
    Waiting.push_back({Link, Added++, std::move(File)});
  }
  Changed.notifyAll();
}

void BuildFetcher::linkHasBegun(size_t Link) {
  std::lock_guard Lock(Mutex);
  Links[Link].HasBegun = true;
}

void BuildFetcher::finish() {
  std::lock_guard Lock(Mutex);
  IsFinished = true;
  Changed.notifyAll();
}

void BuildFetcher::start() {
  for (unsigned I = 0; I != Jobs; ++I)
    if (Threads.start([this] { work(); }))
      break; // continue with the threads that have started
}

void BuildFetcher::cancel() {
  std::lock_guard Lock(Mutex);
  IsCancelled = true;
  Changed.notifyAll();
}

bool BuildFetcher::waitFor(std::chrono::milliseconds MaxWait) {
  const auto Until = os::now() + MaxWait;
  std::unique_lock Lock(Mutex);
  while (!isFinished() && Changed.waitUntil(Lock, Until)) {
  }
  return isFinished();
}

void BuildFetcher::pause() {
  const auto Until = os::now() + std::chrono::milliseconds(100);
  std::unique_lock Lock(Mutex);
  IsPaused = true;
  while (Active != 0 && !IsCancelled && Changed.waitUntil(Lock, Until)) {
  }
}

void BuildFetcher::resume() {
  std::lock_guard Lock(Mutex);
  IsPaused = false;
  Changed.notifyAll();
}

bool BuildFetcher::enter(std::optional<size_t> Link) {
  std::unique_lock Lock(Mutex);
  return !(Link && Links[*Link].HasBegun) && enter(Lock);
}

bool BuildFetcher::enter(std::unique_lock<std::mutex> &Lock) {
  while (IsPaused && !IsCancelled)
    Changed.wait(Lock);
  if (!IsCancelled)
    ++Active;
  return !IsCancelled;
}

/// Enters when the next step, of \p Bytes, may begin. Returns false if \p Link
/// has begun, or this is cancelled.
bool BuildFetcher::enterStep(size_t Link, uint64_t Bytes) {
  std::unique_lock Lock(Mutex);
  const auto Begin = Pace.reserve(os::now(), Bytes);
  while (!IsCancelled && os::now() < Begin)
    (void)Changed.waitUntil(Lock, Begin);
  if (Links[Link].HasBegun || !enter(Lock))
    return false;
  Pace.begin(os::now());
  return true;
}

/// Ends a step that has fetched \p Bytes, and returns the size of the next.
uint64_t BuildFetcher::leaveStep(size_t Link, uint64_t Bytes) {
  std::lock_guard Lock(Mutex);
  if (--Active == 0)
    Changed.notifyAll();
  Links[Link].FetchedBytes += Bytes;
  Pace.end(os::now(), Bytes);
  return Pace.stepBytes();
}

void BuildFetcher::leave() {
  std::lock_guard Lock(Mutex);
  if (--Active == 0)
    Changed.notifyAll();
}

std::vector<BuildLinkFigures> BuildFetcher::figures() const {
  std::lock_guard Lock(Mutex);
  return {Links.begin(), Links.end()};
}

uint64_t BuildFetcher::stepBytes() const {
  std::lock_guard Lock(Mutex);
  return Pace.stepBytes();
}

std::optional<BuildFetcher::Item> BuildFetcher::take() {
  std::unique_lock Lock(Mutex);
  while (Waiting.empty() && !IsFinished && !IsCancelled)
    Changed.wait(Lock);
  if (IsCancelled || Waiting.empty())
    return std::nullopt;
  Item Next = std::move(Waiting.front());
  Waiting.pop_front();
  return Next;
}

void BuildFetcher::work() {
  os::enterBackground();
  while (std::optional<Item> Next = take()) {
    fetch(*Next);
    std::lock_guard Lock(Mutex);
    ++Links[Next->Link].FilesDone;
    ++Done;
    Changed.notifyAll();
  }
}

/// Returns the ranges of \p Wanted that are not cached, with one query if the
/// whole file is cached. If the system does not report residency, returns all
/// ranges, or none if a sample of \p File is cached.
std::vector<ByteRange> BuildFetcher::missingIn(const os::OpenFile &File,
                                               const FileRanges &Wanted) const {
  std::optional<os::Residency> All = Cache.residency(File, {0, File.size()});
  if (All ? All->complete()
          : Cache.seemsCached(File, Wanted.Ranges).value_or(false))
    return {};
  std::vector<ByteRange> Missing;
  for (const ByteRange &Range : Wanted.Ranges) {
    const ByteRange Inside = Range.clippedTo(File.size());
    std::optional<os::Residency> Now;
    if (All && All->ResidentPages != 0)
      Now = Cache.residency(File, Inside);
    if (!Inside.empty() && !(Now && Now->complete()))
      Missing.push_back(Inside);
  }
  return Missing;
}

/// Takes \p Missing bytes of the budget, after all earlier files have taken
/// theirs; absent: the file is gone or has changed. Returns whether to fetch.
bool BuildFetcher::claim(const Item &Next, std::optional<uint64_t> Missing) {
  std::unique_lock Lock(Mutex);
  while (Turn != Next.Turn && !IsCancelled)
    Changed.wait(Lock);
  ++Turn;
  Changed.notifyAll();
  BuildLinkFigures &Of = Links[Next.Link];
  if (IsCancelled || Of.HasBegun)
    return false;
  if (!Missing) {
    ++Of.ChangedFiles;
    return false;
  }
  const uint64_t Wanted = bytesOf(Next.File.Ranges);
  Of.ResidentBytes += Wanted - std::min(Wanted, *Missing);
  const bool Fits = *Missing <= BudgetBytes - Claimed;
  (Fits ? Claimed : Of.LeftOutBytes) += *Missing;
  return Fits;
}

void BuildFetcher::fetch(const Item &Next) {
  os::OpenFile File;
  std::vector<ByteRange> Missing;
  const FileRanges &Wanted = Next.File;
  bool IsSame = false;
  if (enter(Next.Link)) {
    IsSame =
        !os::OpenFile::open(Wanted.Path, File) && Wanted.areOf(File.identity());
    if (IsSame)
      Missing = missingIn(File, Wanted);
    leave();
  }
  if (claim(Next, IsSame ? std::optional(bytesOf(Missing)) : std::nullopt))
    fetchSteps(Next, File, Missing);
}

void BuildFetcher::fetchSteps(const Item &Next, const os::OpenFile &File,
                              ArrayRef<ByteRange> Missing) {
  // Long ranges are split into several steps; short ones share a step.
  std::vector<ByteRange> Step;
  uint64_t InStep = 0, StepBytes = stepBytes();
  const auto FetchStep = [&] {
    if (Step.empty() || !enterStep(Next.Link, InStep))
      return false;
    (void)Cache.hint(File, Step);
    uint64_t Fetched = 0;
    for (const ByteRange &Range : Step)
      Fetched += Cache.fetch(File, Range).AcceptedBytes;
    StepBytes = leaveStep(Next.Link, Fetched);
    Step.clear();
    InStep = 0;
    return true;
  };
  for (ByteRange Left : Missing)
    while (!Left.empty()) {
      const ByteRange Piece = Left.clippedTo(Left.Offset + StepBytes - InStep);
      Step.push_back(Piece);
      InStep += Piece.Length;
      Left = {Piece.end(), Left.Length - Piece.Length};
      if (InStep == StepBytes && !FetchStep())
        return; // the link has begun, or this was cancelled
    }
  (void)FetchStep();
}

} // namespace headstart
