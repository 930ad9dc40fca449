//===- World.h - A link of real size on a machine --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A world is a link of recorded inputs, a store, memory and processors, all
/// drawn from a seed or given by name. WorldRun links in a world with the
/// engine (ours) or without (stock), and bound() returns a time that no link
/// can beat. In some worlds a build compiles first, and `headstart build`
/// fetches meanwhile (built).
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_WORLD_H
#define HEADSTART_UNITTESTS_SIMULATION_WORLD_H

#include "Layouts.h"
#include "SimulatedOS.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Link/BuildFetcher.h"
#include "headstart/OS/Threads.h"
#include "headstart/Report/Decisions.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace headstart::simulation {

/// lld maps files of 16 KiB and more, and copies others.
inline constexpr uint64_t MinMappedInput = UINT64_C(4) * 4096;

enum class StoreKind : uint8_t { LocalFast, LocalSlow, CountsRequests, Remote };
inline constexpr unsigned NumStoreKinds = 4;
const char *nameOf(StoreKind Kind);

/// The pages that are cached when the link begins.
enum class ResidencyKind : uint8_t { Cold, ByFile, ByRuns, ByPage, Warm };
const char *nameOf(ResidencyKind Kind);

/// Everything that a seed decides.
struct World {
  uint64_t Seed = 1;
  const Layout *Inputs = nullptr;
  uint64_t Count = 1; ///< the number of inputs
  double Scale = 1;   ///< the factor for their sizes
  StoreKind Kind = StoreKind::LocalFast;
  Device Store;
  ResidencyKind Residency = ResidencyKind::Cold;
  double CachedShare = 0; ///< of files or pages, if some are cached
  bool ReportsResidency = true;
  double Memory = 0; ///< the page cache, as a share of the need; 0: plentiful
  unsigned Cores = 2;
  uint64_t DelayIn = 0; ///< one in so many system calls of the engine waits
  Nanoseconds MaxDelay = 0;
  Nanoseconds Compile = 0; ///< the build's step before the link; 0: no build

  /// The link has at most \p MaxInputs inputs and about \p MaxBytes bytes.
  static World draw(uint64_t Seed, llvm::ArrayRef<Layout> Layouts,
                    uint64_t MaxInputs, uint64_t MaxBytes);
  /// Sets one of the rigs of docs/Benchmarks.md; false: no such rig exists.
  bool setRig(llvm::StringRef Name);
  bool isShort() const { return Memory != 0; }
  /// Returns a description in one line.
  std::string describe() const;
};

struct WorldInput {
  std::string Path;
  File *Of = nullptr;
  std::vector<NeededPart> Needed;
  unsigned Members = 0;
  std::unique_ptr<llvm::MemoryBuffer> Buffer; ///< as handed over
};

/// The figures of one stage.
struct StageFigures {
  const char *Name = "";
  Nanoseconds Time = 0, Computed = 0; ///< the latter by the main thread
  uint64_t Requests = 0, Bytes = 0;   ///< to the store, by all threads
  uint64_t Waits = 0;                 ///< the main thread's waits, of any kind
};

struct WorldFigures {
  double Seconds = 0;
  uint64_t Requests = 0, Bytes = 0;
  std::vector<StageFigures> Stages;
  std::array<uint64_t, NumDecisions> Decisions{}; ///< the engine's
  std::vector<StoreFigures> Stores; ///< from the engine's point of view
  std::string Failure;
};

/// The least time that a link can take, in seconds.
struct Bound {
  double Processor = 0;     ///< of the linker, on its critical path
  double Bytes = 0;         ///< the transfer of what is needed and not cached
  double Requests = 0;      ///< the fewest requests that read them
  double Chain = 0;         ///< requests that depend on one another
  uint64_t NeededBytes = 0; ///< bytes that must be read

  double seconds() const;
};

class WorldRun {
public:
  WorldRun(const World &Of, const Tuning &Numbers);
  /// Links once. If \p IsBuilt, the build before it fetches for the link.
  WorldFigures run(bool IsOurs, bool IsBuilt = false);
  Bound bound() const;
  uint64_t inputBytes() const { return InputBytes; }
  uint64_t neededBytes() const { return NeededBytes; }
  void traceEvents() { OS.Verbose = true; }

private:
  void writeInputs();
  void add(WrittenInput Input);
  void cacheInputs();
  void limitMemory();
  /// Whether stage \p Stage reads \p Part.
  bool isRead(const NeededPart &Part, const StageCosts &Stage) const;
  void addNeeded(const WorldInput &Input, std::vector<double> &New,
                 std::vector<double> &All) const;

  // WorldLinker.cpp
  void link(bool IsOurs);
  void compile();
  void startEngine();
  void open(WorldInput &Input);
  void readStage(const StageCosts &Stage);
  void readSerially(const StageCosts &Stage);
  void readInParallel(const StageCosts &Stage);
  void readShared(const StageCosts &Stage);
  void read(WorldInput &Input, const StageCosts &Stage, double ByteCost);
  void computeSerially(double Cost);
  template <class Function> void inStage(LinkStage Stage, Function Work);

  const World &Of;
  const Tuning &Numbers;
  SimulatedOS OS;
  LinkCommand Command;
  PlanOptions Plan;
  std::array<unsigned, NumPartKinds> PhaseOf{}; ///< a bit; 0: never read
  std::vector<WorldInput> Inputs;
  uint64_t InputBytes = 0, NeededBytes = 0;
  const LinkerCosts &Costs;
  std::unique_ptr<PrefetchEngine> Engine;
  std::unique_ptr<BuildFetcher> Build;
  WorldFigures Result;
  Nanoseconds Computed = 0; ///< the main thread's processor time
  // The state that the linker's threads share in a parallel stage:
  std::mutex Mutex;
  os::Condition IsDone;
  size_t NextInput = 0;
  unsigned Running = 0;
};

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_WORLD_H
