//===- TreeFetcher.cpp - Fetch whole files, as many as come ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files go through one bounded queue, in the order in which they were added;
// each thread takes one and fetches it to its end. It claims budget for all
// missing bytes of a file first, because half a file is of little use; a
// smaller file that comes later may still fit. A file with several names is
// fetched under the first of them that comes: a thread that comes while the
// fetch is in progress would not find it cached.
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/TreeFetcher.h"
#include "headstart/LLVM.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

/// 100 bytes each: more files than most trees have, and 25 MB.
static constexpr size_t MaxWaiting = size_t(1) << 18;

/// 32 MB. In a tree with more files, other names of the rest may count again.
static constexpr size_t MaxKnown = size_t(1) << 20;

TreeFetcher::TreeFetcher(const TreeFetchOptions &Options, ProblemSink OnProblem)
    : Options(Options), OnProblem(std::move(OnProblem)) {
  this->Options.StepBytes =
      std::max<uint64_t>(Options.StepBytes, Cache.pageSize());
  Figures.BudgetBytes = Options.BudgetBytes;
}

TreeFetcher::~TreeFetcher() {
  cancel();
  Threads.join();
}

void TreeFetcher::start() {
  for (unsigned I = 0; I != std::max(1U, Options.Jobs); ++I)
    if (Threads.start([this] { work(); }))
      break; // the threads that were started do the work
  std::lock_guard Lock(Mutex);
  HasThreads = Threads.size() != 0;
  Changed.notify_all();
}

void TreeFetcher::add(std::vector<FileToFetch> New) {
  std::unique_lock Lock(Mutex);
  Figures.Files += New.size();
  for (const FileToFetch &File : New)
    Figures.Bytes += File.Size;
  // Without threads, there is nothing that makes room.
  Changed.wait(Lock, [&] {
    return Cancelled || !HasThreads || Waiting.size() < MaxWaiting;
  });
  if (Cancelled)
    return;
  std::move(New.begin(), New.end(), std::back_inserter(Waiting));
  Changed.notify_all();
}

void TreeFetcher::finish() {
  std::lock_guard Lock(Mutex);
  IsFinished = true;
  Changed.notify_all();
}

void TreeFetcher::cancel() {
  std::lock_guard Lock(Mutex);
  Cancelled = true;
  Waiting.clear();
  Changed.notify_all();
}

void TreeFetcher::join() {
  Threads.join();
  if (!HasThreads)
    work();
}

std::optional<FileToFetch> TreeFetcher::take() {
  std::unique_lock Lock(Mutex);
  Changed.wait(Lock,
               [&] { return Cancelled || IsFinished || !Waiting.empty(); });
  if (Cancelled || Waiting.empty())
    return std::nullopt;
  FileToFetch Next = std::move(Waiting.front());
  Waiting.pop_front();
  if (Waiting.size() + 1 == MaxWaiting)
    Changed.notify_all();
  return Next;
}

void TreeFetcher::work() {
  while (std::optional<FileToFetch> Next = take())
    if (!os::hasMemoryFor([&] { fetch(*Next); }))
      (void)os::hasMemoryFor([&] {
        failed(*Next, std::make_error_code(std::errc::not_enough_memory));
      });
}

void TreeFetcher::count(function_ref<void(TreeFetchFigures &)> Change) {
  std::lock_guard Lock(Mutex);
  Change(Figures);
}

void TreeFetcher::failed(const FileToFetch &Wanted, std::error_code Error) {
  count([](TreeFetchFigures &F) { ++F.FailedFiles; });
  if (OnProblem)
    OnProblem(Wanted.Path, Error);
}

bool TreeFetcher::claim(uint64_t Missing) {
  std::lock_guard Lock(Mutex);
  if (Missing > Options.BudgetBytes - std::min(Options.BudgetBytes, Claimed))
    return false;
  Claimed += Missing;
  return true;
}

bool TreeFetcher::isKnown(const os::FileIdentity &Identity) {
  if (Identity.Inode == 0)
    return false; // the file system does not report it
  const std::pair Key(Identity.Device, Identity.Inode);
  std::lock_guard Lock(Mutex);
  if (Known.size() >= MaxKnown)
    return Known.contains(Key);
  return !Known.insert(Key).second;
}

std::optional<uint64_t> TreeFetcher::missingIn(const os::OpenFile &File,
                                               ByteRange Range) const {
  std::optional<os::Residency> Now = Cache.residency(File, Range);
  if (!Now)
    return std::nullopt;
  return Now->missingBytes(Range.Length);
}

void TreeFetcher::fetch(const FileToFetch &Wanted) {
  os::OpenFile File;
  const std::error_code Error = os::OpenFile::open(Wanted.Path, File);
  const bool IsSpecial = Error == std::errc::is_a_directory ||
                         Error == std::errc::operation_not_supported;
  uint64_t Counted = 0;
  if (!Error)
    Counted = fetchSteps(Wanted, File);
  else if (!IsSpecial && !os::isMissing(Error))
    failed(Wanted, Error);
  count([&](TreeFetchFigures &F) {
    F.SkippedFiles += IsSpecial;
    F.ChangedFiles += os::isMissing(Error);
    if (!Cancelled)
      F.DoneBytes += Wanted.Size - Counted;
  });
}

uint64_t TreeFetcher::fetchSteps(const FileToFetch &Wanted,
                                 const os::OpenFile &File) {
  const uint64_t Size = File.size();
  const uint64_t Known = std::min(Size, Wanted.Size);
  if (isKnown(File.identity())) {
    count([&](TreeFetchFigures &F) {
      ++F.SameFiles;
      F.DoneBytes += Known;
    });
    return Known;
  }
  const std::optional<uint64_t> Reported = missingIn(File, {0, Size});
  const uint64_t Missing = Reported.value_or(Size);
  const bool Fetches = Missing != 0 && claim(Missing);
  count([&](TreeFetchFigures &F) {
    if (!Reported && Size != 0) {
      ++F.UnknownFiles;
      F.UnknownBytes += Size;
    }
    if (Fetches)
      return;
    F.ResidentBytes += Size - Missing;
    ++(Missing == 0 ? F.ResidentFiles : F.LeftOutFiles);
    F.LeftOutBytes += Missing;
    F.DoneBytes += Known;
  });
  if (!Fetches)
    return Known;
  uint64_t Counted = 0, Fetched = 0;
  auto CountFetched = [&](TreeFetchFigures &F, uint64_t Bytes) {
    if (Fetched == 0 && Bytes != 0)
      ++F.FetchedFiles;
    Fetched += Bytes;
    F.FetchedBytes += Bytes;
  };
  // It fetches more than it claimed if pages were evicted in the meantime.
  scope_exit GiveBack([&] {
    count([&](TreeFetchFigures &) { Claimed += Fetched - Missing; });
  });
  ByteRange Next = ByteRange{0, Options.StepBytes}.clippedTo(Size);
  uint64_t NextMissing = Next.Length == Size
                             ? Missing
                             : missingIn(File, Next).value_or(Next.Length);
  while (!Next.empty() && !Cancelled) {
    const ByteRange Step = Next;
    const uint64_t StepMissing = NextMissing;
    // The store is busy with the next step while the thread waits for this one.
    // Queried before the hint, because bytes in flight count as cached.
    Next = ByteRange{Step.end(), Options.StepBytes}.clippedTo(Size);
    NextMissing =
        Next.empty() ? 0 : missingIn(File, Next).value_or(Next.Length);
    if (StepMissing != 0) {
      if (NextMissing != 0)
        (void)Cache.hint(File, {&Next, 1});
      const os::HintResult Done = Cache.fetch(File, Step);
      if (Done.Outcome != os::HintOutcome::Accepted) {
        os::OpenFile Again;
        const bool HasChanged =
            os::OpenFile::open(Wanted.Path, Again) || Again.size() < Size;
        if (!HasChanged)
          failed(Wanted, Done.Error ? Done.Error
                                    : std::make_error_code(
                                          std::errc::function_not_supported));
        count([&](TreeFetchFigures &F) {
          F.ChangedFiles += HasChanged;
          CountFetched(F, std::min(StepMissing, Done.AcceptedBytes));
        });
        break;
      }
    }
    count([&](TreeFetchFigures &F) {
      CountFetched(F, StepMissing);
      F.ResidentBytes += Step.Length - StepMissing;
      const uint64_t New = std::min(Step.Length, Wanted.Size - Counted);
      Counted += New;
      F.DoneBytes += New;
    });
  }
  return Counted;
}

TreeFetchFigures TreeFetcher::figures() const {
  std::lock_guard Lock(Mutex);
  return Figures;
}

} // namespace headstart
