//===- SimulatedLink.h - One link, drawn from a seed ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A whole link: inputs, devices, memory, faults, options of the engine, and a
/// linker, all drawn from one seed; and the judges that check it. Drawing.cpp
/// draws, SimulatedLink.cpp is the linker, and Judges.cpp checks.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_SIMULATEDLINK_H
#define HEADSTART_UNITTESTS_SIMULATION_SIMULATEDLINK_H

#include "SimulatedInputs.h"
#include "SimulatedOS.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/Decisions.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headstart::simulation {

using Decisions = std::array<uint64_t, NumDecisions>;

class SimulatedLink {
public:
  explicit SimulatedLink(uint64_t Seed);
  /// Runs the link. Returns the failure, or an empty string.
  std::string run();
  /// Prints the drawn values, and from now on each event, on standard error.
  void tell();
  /// Returns how often the engine took each decision.
  const Decisions &decisions() const { return Taken; }

private:
  // Drawing.cpp
  void drawDevices();
  Device drawDevice();
  void drawFaults();
  void drawCached();
  void drawCachedRuns();
  void drawUnknown();
  void drawOptions();
  void drawTuning();
  void drawMemory();
  void drawProfile();
  void drawLinker();

  // SimulatedLink.cpp: the linker
  void linker();
  void parse();
  void parseInputs();
  void askFor(SimulatedInput &Input);
  void read(const SimulatedInput &Input, LinkStage Now);
  void change(SimulatedInput &Next);
  void changeMemory();
  void advanceTo(LinkStage Now);
  void waitForEngine();
  void restAfterParse();
  void takeDecisions();

  // Judges.cpp
  void watch();
  void onFetch(File &Of, ByteRange Range);
  /// Whether requests to the device of \p Of may be that expensive.
  bool mayCombine(const File &Of) { return OS.deviceOf(Of).Latency > 5'000; }
  void onBegin(File &Of);
  void onQuiet();
  void judgeBudget(File &Of, ByteRange Range);
  void judgeStoreQueue();
  void judgeBuffer(const SimulatedInput &Input,
                   const llvm::MemoryBuffer &Buffer);
  void judgeReads();
  void judgeWhole(LinkStage Until);
  void judgeOpened();
  void judgeElsewhere();
  void judgeLatency(const LinkStats &Stats);
  void judgeRemote();
  Nanoseconds longestAnswer() const;
  bool mayBeShort() const;
  bool mustBegin(const SimulatedInput &Input);
  bool mayBeLeft(const SimulatedInput &Input) const;
  bool isFast(const File &Of) const;
  bool isLocal(const File &Of) const;
  bool isFaultless() const { return !HasFaults && !HasChanges && !HasHang; }
  uint64_t maxStep() const;
  File &fileOf(const SimulatedInput &Input) const {
    return *OS.find(Input.Path);
  }

  SimulatedOS OS;
  SeededRandom &Random = OS.Random;
  LinkInputs Link;
  EngineOptions Options;
  std::unique_ptr<PrefetchEngine> Engine;
  Decisions Taken{};

  // The drawn values:
  bool HasFaults = false, HasChanges = false, HasHang = false;
  bool IsIdle = false; ///< the linker requests its inputs, but reads nothing
  bool MemoryChanges = false;
  bool Leaves = false; ///< the linker exits early with an error
  unsigned LinkerThreads = 1;
  uint64_t SkippedIn = 16; ///< the linker does not need one of so many inputs
  std::vector<SimulatedInput *> Order; ///< in which the linker requests them

  // The linker's position:
  size_t NextInput = 0;
  unsigned Parsing = 0; ///< the number of threads
  bool HasLeft = false, HasCancelled = false;
  bool HasRequestedAll = true; ///< all named inputs; it requests no more
  LinkStage Stage = LinkStage::Parse;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Buffers;

  // The judges' observations:
  uint64_t ParseAhead = 0;
  std::array<uint64_t, NumLinkStages> StageAhead{};
  File *Wanted = nullptr; ///< requested, and not yet begun
  /// How many other files each thread has begun since the request. The first
  /// one may have been the thread's work before the request. A thread that
  /// begins a second one took it while Wanted was next. Another thread must
  /// therefore have begun Wanted, so not all threads can begin a second one.
  std::map<Fiber *, unsigned> BegunSince;
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_SIMULATEDLINK_H
