//===- EngineFigures.cpp - What is said of a link afterwards --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "headstart/OS/PageTables.h"
#include <algorithm>
#include <array>
#include <chrono>

using namespace llvm;

namespace headstart {

const char *linkStageName(LinkStage Stage) {
  static constexpr std::array<const char *, NumLinkStages> Names = {
      "parse",         "contents", "types", "debug symbols",
      "contributions", "names",    "commit"};
  return Names.at(static_cast<size_t>(Stage));
}

/// Whether what stands on the command line names an input, and not another
/// input.
static bool isNamedOutside(InputReason Reason) {
  switch (Reason) {
  case InputReason::LinkerScript:
  case InputReason::ArchiveMember:
  case InputReason::DefaultInside:
  case InputReason::TypeServer:
  case InputReason::LinkerOption:
  case InputReason::ReExport:
  case InputReason::Dependent:
  case InputReason::Recorded:
    return false;
  default:
    return true;
  }
}

/// Of a small file that the command line names there is nothing to remember: it
/// is read whole, in its turn.
static bool isWorthRecord(const InputEntry &Entry) {
  return Entry.Given.load() &&
         (Entry.Contents->isMapped() || !isNamedOutside(Entry.Named.Reason));
}

PrefetchEngine::ProfileUse PrefetchEngine::Impl::profileUse() {
  PrefetchEngine::ProfileUse Use;
  Table.forEachReady([&](const InputEntry &Entry) {
    if (!isWorthRecord(Entry))
      return;
    if (recordOf(Entry.Path, Entry.Identity))
      ++Use.Matched;
    else
      ++Use.Changed;
  });
  return Use;
}

std::optional<std::vector<RecordedFile>> PrefetchEngine::Impl::touched() {
  os::PageTables Tables;
  std::vector<RecordedFile> Result;
  bool Told = true;
  Table.forEachReady([&](const InputEntry &Entry) {
    if (!isWorthRecord(Entry) || !Told)
      return;
    RecordedFile File{Entry.Path, Entry.Identity, {}};
    if (!Entry.Contents->isMapped()) {
      File.Touched = {{0, Entry.Identity.Size}};
    } else if (std::optional<std::vector<ByteRange>> Present =
                   Tables.present(Entry.Contents->Mapping.bytes())) {
      File.Touched = std::move(*Present);
    } else {
      Told = false;
    }
    Result.push_back(std::move(File));
  });
  if (!Told)
    return std::nullopt;
  return Result;
}

uint64_t PrefetchEngine::Impl::copiedBytes() {
  uint64_t Bytes = 0;
  Table.forEachReady([&](const InputEntry &Entry) {
    if (Entry.Given.load() && !isWorthRecord(Entry))
      Bytes += Entry.Identity.Size;
  });
  return Bytes;
}

uint64_t PrefetchEngine::Impl::wastedBytes(ArrayRef<RecordedFile> Touched) {
  StringMap<const RecordedFile *> ByPath;
  for (const RecordedFile &File : Touched)
    ByPath.try_emplace(File.Path, &File);
  uint64_t Wasted = 0;
  Table.forEachReady([&](const InputEntry &Entry) {
    // A copy that nobody has asked for was read in vain.
    if (Entry.Contents && !Entry.Contents->isMapped() && !Entry.Given.load() &&
        Entry.Before && !Entry.Before->complete())
      Wasted += Entry.Identity.Size;
    std::vector<ByteRange> Fetched;
    Fetched.reserve(Entry.Fetched.size());
    for (size_t I = 0; I != Entry.Fetched.size(); ++I)
      Fetched.push_back({Entry.Plan[I].Range.Offset, Entry.Fetched[I]});
    auto It = ByPath.find(Entry.Path);
    Wasted += bytesOutside(Fetched, It == ByPath.end()
                                        ? ArrayRef<ByteRange>()
                                        : ArrayRef(It->second->Touched));
  });
  return Wasted;
}

void PrefetchEngine::Impl::addTo(LinkStats &Stats,
                                 TraceClock::time_point Origin) const {
  Stats.Inputs += Table.size();
  Stats.InputsBytes += InputsBytes.load();
  Stats.ResidentBytesBefore += ResidentBytes.load();
  Stats.UnknownBytesBefore += UnknownBytes.load();
  Stats.HintedBytes += HintedBytes.load();
  Stats.HintCalls += HintCalls.load();
  Stats.HandedOver += HandedOver.load();
  Stats.BudgetBytes = Options.BudgetBytes;
  Stats.Jobs = Started.load();
  auto Milliseconds = [&](TraceClock::time_point T) {
    return std::chrono::duration<double, std::milli>(T - Origin).count();
  };
  if (!Hints.empty()) {
    Stats.FirstHintMs = Milliseconds(Hints.first());
    Stats.LastHintMs = Milliseconds(Hints.last());
  }
  Stats.Unfinished = Unfinished.load();
  Stats.ShortOfMemory = Window.isShort();
  if (Options.HandOver)
    Stats.WaitedMs = std::chrono::duration<double, std::milli>(
                         TraceClock::duration(Waited.load()))
                         .count();
  if (OutOfMemory.load())
    Stats.Problems.push_back({"no memory left for the prefetcher", 1});
  for (CountedProblem &P : Problems.list())
    Stats.Problems.push_back(std::move(P));
}

std::optional<os::DiskUse> PrefetchEngine::Impl::diskUse() const {
  if (!TellsDiskUse.load())
    return std::nullopt;
  return os::DiskUse{ReadBytes.load(), Stops.load()};
}

std::optional<os::DiskUse> PrefetchEngine::diskUse() const {
  return State->diskUse();
}

PrefetchEngine::ProfileUse PrefetchEngine::profileUse() const {
  return State->profileUse();
}

std::optional<std::vector<RecordedFile>> PrefetchEngine::touched() const {
  return State->touched();
}

uint64_t PrefetchEngine::copiedBytes() const { return State->copiedBytes(); }

uint64_t PrefetchEngine::wastedBytes(ArrayRef<RecordedFile> Touched) const {
  return State->wastedBytes(Touched);
}

void PrefetchEngine::addTo(LinkStats &Stats,
                           TraceClock::time_point Origin) const {
  State->addTo(Stats, Origin);
}

} // namespace headstart
