//===- SimulatedLink.cpp - The linker of a simulated link -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedLink.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/Support/raw_ostream.h"

using namespace headstart;
using namespace headstart::simulation;

/// Another program changes an input while the link runs, often the one that the
/// linker requests next.
void SimulatedLink::change(SimulatedInput &Next) {
  if (!HasChanges || !Random.onceIn(8))
    return;
  SimulatedInput &Input =
      Random.onceIn(2) ? Next : Link.Inputs[Random.below(Link.Inputs.size())];
  if (Random.onceIn(2)) {
    ParseAhead -= std::exchange(fileOf(Input).Ahead, 0);
    OS.replace(Input.Path);
  } else {
    OS.rewrite(fileOf(Input));
  }
  OS.tell("change", Input.Path);
}

void SimulatedLink::read(const SimulatedInput &Input, LinkStage Now) {
  if (IsIdle)
    return;
  for (const auto &[Range, When] : Input.Parts)
    if (When == Now)
      OS.load(fileOf(Input), Range);
}

/// The linker requests \p Input, and opens it itself if the engine does not
/// hand it over.
void SimulatedLink::askFor(SimulatedInput &Input) {
  OS.tell("ask", Input.Path);
  const Nanoseconds Begin = OS.now();
  File &Of = fileOf(Input);
  Wanted = mustBegin(Input) ? &Of : nullptr;
  BegunSince.clear();
  Input.IsRequested = true;
  ParseAhead -= std::exchange(Of.Ahead, 0);
  std::unique_ptr<llvm::MemoryBuffer> Buffer = Engine->take(
      Input.Path, {/*RequiresNullTerminator=*/false, false, std::nullopt});
  if (OS.now() - Begin > 2 * Second + longestAnswer())
    OS.fail("the linker waited too long for " + Input.Path);
  if (!Buffer)
    return;
  judgeBuffer(Input, *Buffer);
  Buffers.push_back(std::move(Buffer));
}

/// Each of the linker's threads runs this in the first stage.
void SimulatedLink::parseInputs() {
  while (NextInput != Order.size() && !OS.isFailed() && !HasLeft) {
    SimulatedInput &Input = *Order[NextInput++];
    HasRequestedAll &= Input.CanBeUrgent;
    if (Input.IsOnDemand && !Random.onceIn(3))
      continue;
    if (SkippedIn != UINT64_MAX && Random.onceIn(SkippedIn)) {
      HasRequestedAll = false; // the linker does not need it after all
      continue;
    }
    change(Input);
    if (MemoryChanges && Random.onceIn(16))
      changeMemory();
    askFor(Input);
    read(Input, LinkStage::Parse);
    if (Random.onceIn(4))
      OS.sleep(static_cast<Nanoseconds>(Random.below(5'000'000)));
    if (Leaves && Random.onceIn(64))
      HasLeft = true;
  }
}

void SimulatedLink::parse() {
  for (unsigned I = 1; I != LinkerThreads; ++I) {
    ++Parsing;
    OS.start(
        [this] {
          parseInputs();
          --Parsing;
        },
        /*IsEngine=*/false);
  }
  parseInputs();
  while (Parsing != 0)
    OS.sleep(1'000'000);
}

void SimulatedLink::advanceTo(LinkStage Now) {
  OS.tell("stage", Link.Command.model().stageName(Now));
  Engine->reached(Now);
  Stage = Now;
  ParseAhead = 0;
  for (const SimulatedInput &Input : Link.Inputs)
    fileOf(Input).Ahead = 0;
  for (size_t S = 0; S <= static_cast<size_t>(Now); ++S)
    StageAhead.at(S) = 0;
}

/// The linker does other work for so long that the engine must have fetched all
/// of the first stage.
void SimulatedLink::restAfterParse() {
  if (!HasRequestedAll || !IsIdle)
    return;
  if (MemoryChanges)
    OS.AvailableBytes = UINT64_MAX;
  OS.sleep(1000 * Second);
  judgeWhole(LinkStage::Parse);
  judgeElsewhere();
}

/// Records the decisions that the engine has taken so far.
void SimulatedLink::takeDecisions() {
  LinkStats Stats;
  Engine->addTo(Stats, os::now());
  Taken = Stats.Decisions;
  judgeLatency(Stats);
}

/// A link that waits for the engine, as `headstart warm` does.
void SimulatedLink::waitForEngine() {
  HasCancelled = Random.onceIn(2);
  if (HasCancelled)
    Engine->cancel();
  // Otherwise the engine may wait for memory forever.
  if (MemoryChanges)
    OS.AvailableBytes = UINT64_MAX;
  advanceTo(LinkStage::Commit);
  for (SimulatedInput &Input : Link.Inputs)
    if (!Input.IsOnDemand)
      askFor(Input);
  Engine->join();
  takeDecisions();
  if (isFaultless())
    judgeReads();
  if (!HasCancelled) {
    judgeWhole(LinkStage::Commit);
    judgeOpened();
  }
}

void SimulatedLink::linker() {
  Engine = std::make_unique<PrefetchEngine>(Options);
  Engine->start(Link.Command);
  parse();
  if (!HasLeft)
    restAfterParse();
  for (LinkStage Next :
       {LinkStage::Contents, LinkStage::Types, LinkStage::DebugSymbols,
        LinkStage::Contributions, LinkStage::Names, LinkStage::Commit}) {
    if (HasLeft || OS.isFailed() || (Leaves && Random.onceIn(4)))
      break;
    if (MemoryChanges && Random.onceIn(2))
      changeMemory();
    advanceTo(Next);
    if (Link.Command.model().isBackward(Next))
      for (const SimulatedInput &Input : llvm::reverse(Link.Inputs))
        read(Input, Next);
    else
      for (const SimulatedInput &Input : Link.Inputs)
        read(Input, Next);
  }
  if (Random.onceIn(2) && OS.Wrong.Stall == 0 && !HasHang)
    waitForEngine();
  takeDecisions();
  judgeRemote();
  for (size_t I = 0; OS.Verbose && I != NumDecisions; ++I)
    if (Taken.at(I) != 0)
      llvm::errs() << DecisionKeys.at(I) << ": " << Taken.at(I) << "\n";
  const Nanoseconds Middle = OS.now();
  Engine = nullptr;
  if (OS.now() - Middle > Second + Second / 10)
    OS.fail("the end of the engine took too long");
}

void SimulatedLink::tell() {
  OS.Verbose = true;
  llvm::errs() << "jobs " << Options.Jobs << "/" << Options.HighLatencyJobs
               << ", budget " << Options.BudgetBytes << ", cache "
               << OS.CacheBytes << ", available " << OS.AvailableBytes
               << ", pages of " << PageBytes << ", inputs " << Link.Bytes
               << (Options.Profile ? ", a profile" : "")
               << (HasFaults ? ", faults" : "")
               << (HasChanges ? ", changes" : "") << (HasHang ? ", a hang" : "")
               << (MemoryChanges ? ", memory changes" : "")
               << (IsIdle ? ", idle" : "") << ", linker threads "
               << LinkerThreads << "\n";
  for (const Device &Each : OS.Devices)
    llvm::errs() << "device: latency " << Each.Latency << " ns, "
                 << Each.NanosecondsPerByte << " ns a byte, " << Each.Channels
                 << " channels, names " << Each.NameLatency << " ns\n";
  for (const SimulatedInput &Input : Link.Inputs) {
    const File &Of = fileOf(Input);
    llvm::errs() << Input.Path << " " << Input.Bytes << ", "
                 << Of.Cached.count() << " of " << Of.Cached.size()
                 << " pages cached"
                 << (Of.ReportsResidency ? ":" : " (unknown):");
    for (const auto &[Range, When] : Input.Parts)
      llvm::errs() << " " << Link.Command.model().stageName(When) << " "
                   << Range.Offset << "+" << Range.Length;
    llvm::errs() << "\n";
  }
}

std::string SimulatedLink::run() {
  // While the linker rests, threads that wait for memory measure it repeatedly.
  const uint64_t MaxSteps = 50'000'000 + 5'000 * Link.Inputs.size();
  OS.start([this] { linker(); }, /*IsEngine=*/false);
  std::string Failure = OS.run(MaxSteps);
  if (!Failure.empty())
    return Failure;
  Buffers.clear();
  return OS.NumOpen != 0 ? "a descriptor was left open" : "";
}
