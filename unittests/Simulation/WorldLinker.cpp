//===- WorldLinker.cpp - The linker of a world ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "headstart/OS/PageCache.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace headstart;
using namespace headstart::simulation;

/// The amount that the linker reads before it computes with it.
static constexpr uint64_t ChunkBytes = 64 << 10;

/// Compiles on one processor, and meanwhile fetches what the link will read.
void WorldRun::compile() {
  // As in BuildCommand.cpp, which checks four times a second whether the link
  // has begun.
  constexpr unsigned Jobs = 4, BudgetShare = 4;
  constexpr Nanoseconds Interval = Second / 4;
  Build = std::make_unique<BuildFetcher>(OS.AvailableBytes / BudgetShare, Jobs,
                                         OS.AvailableBytes, Numbers);
  std::vector<FileRanges> Files;
  uint64_t Need = 0; // of the page cache; the linker has its own memory
  for (const WorldInput &Input : Inputs) {
    const os::FileIdentity &Identity = Input.Of->Identity;
    FileRanges &New = Files.emplace_back();
    New.Path = Input.Path;
    New.Planned = Identity.version();
    // The profile of the last link.
    New.Ranges = {{0, std::min(Identity.Size, PageBytes)}};
    for (const NeededPart &Part : Input.Needed)
      New.Ranges.push_back(Part.Range);
    if (Identity.Size < MinMappedInput)
      New.Ranges = {{0, Identity.Size}};
    New.Ranges = unite(std::move(New.Ranges));
    Need += bytesOf(New.Ranges);
  }
  const size_t Link = Build->addLink("/out");
  Build->add(Link, std::move(Files), Need);
  Build->finish();
  Build->start();
  OS.charge(double(Of.Compile));
  OS.start(
      [this, Link] {
        OS.sleep(Interval);
        if (Build)
          Build->linkHasBegun(Link);
      },
      /*IsEngine=*/false);
}

void WorldRun::startEngine() {
  EngineOptions Options;
  Options.HighLatencyJobs = 64;
  Options.Processors = OS.Processors;
  Options.BudgetBytes = OS.AvailableBytes / 2;
  Options.Plan = Plan;
  Options.Numbers = Numbers;
  Engine = std::make_unique<PrefetchEngine>(Options);
  Engine->start(Command);
}

void WorldRun::computeSerially(double Cost) {
  OS.charge(Cost);
  Computed += nanoseconds(Cost);
}

/// Requests \p Input. The linker opens it itself if it is not handed over.
void WorldRun::open(WorldInput &Input) {
  File &From = *Input.Of;
  computeSerially(Costs.OpenInput + Costs.Member * Input.Members);
  if (Engine) {
    OS.charge(OS.Costs.HandOver);
    Input.Buffer = Engine->take(Input.Path, {false, false, std::nullopt});
  }
  if (!Input.Buffer) {
    OS.requestFile("open", Input.Path, /*Opens=*/true);
    const bool IsSmall = From.Identity.Size < MinMappedInput;
    OS.charge(OS.Costs.Open + OS.Costs.Close +
              (IsSmall ? OS.Costs.Read : OS.Costs.Map));
    if (IsSmall) {
      OS.charge((OS.Costs.CopyByte + OS.Costs.PageByte) *
                double(From.Identity.Size));
      OS.load(From, {0, From.Identity.Size});
    }
  }
  // The linker determines the file's type.
  if (From.Identity.Size >= MinMappedInput)
    OS.touch(From, {0, PageBytes});
}

/// Reads the parts of \p Input that \p Stage needs, and computes with them.
void WorldRun::read(WorldInput &Input, const StageCosts &Stage,
                    double ByteCost) {
  File &From = *Input.Of;
  const bool IsMapped = From.Identity.Size >= MinMappedInput;
  for (const NeededPart &Part : Input.Needed) {
    if (!isRead(Part, Stage))
      continue;
    for (uint64_t Done = 0; Done < Part.Range.Length; Done += ChunkBytes) {
      const ByteRange Chunk{Part.Range.Offset + Done,
                            std::min(ChunkBytes, Part.Range.Length - Done)};
      if (IsMapped)
        OS.touch(From, Chunk);
      OS.charge(ByteCost * double(Chunk.Length));
    }
    if (!OS.running() || OS.running()->Number == 0)
      Computed += nanoseconds(ByteCost * double(Part.Range.Length));
  }
}

void WorldRun::readSerially(const StageCosts &Stage) {
  for (WorldInput &Input : Inputs)
    read(Input, Stage, Stage.SerialByte);
}

/// Each of the linker's threads runs this in a parallel stage.
void WorldRun::readShared(const StageCosts &Stage) {
  const bool IsBackward =
      LinkerModel::of(Of.Inputs->Kind).isBackward(Stage.When);
  while (NextInput < Inputs.size()) {
    const size_t Next = NextInput++;
    read(Inputs[IsBackward ? Inputs.size() - 1 - Next : Next], Stage,
         Stage.ParallelByte);
  }
}

void WorldRun::readInParallel(const StageCosts &Stage) {
  NextInput = 0;
  Running = 0;
  for (unsigned I = 1; I < std::min<size_t>(Of.Cores, Inputs.size()); ++I) {
    ++Running;
    OS.start(
        [this, &Stage] {
          readShared(Stage);
          std::lock_guard Lock(Mutex);
          if (--Running == 0)
            IsDone.notifyAll();
        },
        /*IsEngine=*/false);
  }
  readShared(Stage);
  std::unique_lock Lock(Mutex);
  while (Running != 0)
    IsDone.wait(Lock);
}

template <class Function>
void WorldRun::inStage(LinkStage Stage, Function Work) {
  const Device &Store = OS.Devices.front();
  StageFigures &Figures = Result.Stages.emplace_back();
  Figures.Name = LinkerModel::of(Of.Inputs->Kind).stageName(Stage);
  const Nanoseconds Begin = OS.now(), ComputedBefore = Computed;
  const uint64_t Requests = Store.Requests, Bytes = Store.Bytes,
                 Waits = OS.running()->Waits;
  Work();
  Figures.Time = OS.now() - Begin;
  Figures.Computed = Computed - ComputedBefore;
  Figures.Requests = Store.Requests - Requests;
  Figures.Bytes = Store.Bytes - Bytes;
  Figures.Waits = OS.running()->Waits - Waits;
}

void WorldRun::readStage(const StageCosts &Stage) {
  if (Stage.SerialByte != 0)
    readSerially(Stage);
  if (Stage.ParallelByte != 0)
    readInParallel(Stage);
}

void WorldRun::link(bool IsOurs) {
  const Nanoseconds Begin = OS.now();
  computeSerially(IsOurs ? Costs.OwnStart : Costs.Start);
  if (IsOurs)
    startEngine();
  inStage(LinkStage::Parse, [&] {
    const StageCosts &Parse = Costs.Stages.front();
    for (WorldInput &Input : Inputs) {
      open(Input);
      if (!Costs.OpensAllFirst)
        read(Input, Parse, Parse.SerialByte);
    }
    if (Costs.OpensAllFirst)
      readSerially(Parse);
  });
  for (const StageCosts &Stage : Costs.Stages.drop_front()) {
    if (Engine)
      Engine->reached(Stage.When);
    inStage(Stage.When, [&] { readStage(Stage); });
  }
  // lld exits without waiting for the engine's threads.
  Result.Seconds = double(OS.now() - Begin) / 1e9;
  Result.Requests = OS.Devices.front().Requests;
  Result.Bytes = OS.Devices.front().Bytes;
  if (Engine) {
    LinkStats Stats;
    Engine->addTo(Stats, os::now());
    Result.Decisions = Stats.Decisions;
    Result.Stores = Stats.Stores;
  }
  for (WorldInput &Input : Inputs)
    Input.Buffer = nullptr;
  Engine = nullptr;
  Build = nullptr;
}

WorldFigures WorldRun::run(bool IsOurs, bool IsBuilt) {
  OS.start(
      [&] {
        if (IsBuilt)
          compile();
        link(IsOurs);
      },
      /*IsEngine=*/false);
  Result.Failure = OS.run(UINT64_MAX);
  return std::move(Result);
}
