//===- SimulatedInputs.h - What a simulated link reads ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Objects, archives and scripts with real headers and nothing in them, drawn
/// for one link, and what a linker reads of them at each stage.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_SIMULATEDINPUTS_H
#define HEADSTART_UNITTESTS_SIMULATION_SIMULATEDINPUTS_H

#include "SimulatedOS.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/LinkCommand.h"
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace headstart::simulation {

/// Between any two parts of a large input: far more than the planner closes.
inline uint64_t partGap() { return 16 * PageBytes; }

struct SimulatedInput {
  std::string Path;
  /// In the order of the file, with partGap() between any two if it is large.
  std::vector<std::pair<ByteRange, LinkStage>> Parts;
  std::vector<ByteRange> Headers; ///< with partGap() around them
  uint64_t Bytes = 0;
  bool IsLarge = false; ///< there is much room between its parts
  bool IsArchive = false;
  bool IsDependency = false; ///< named by an object
  bool IsOnDemand = false;   ///< the linker may not ask for it
  /// Whether the linker reads all of it, whatever the others are.
  bool IsReadWhole = true;
  /// Whether the linker's asking for it says which input it is.
  bool CanBeUrgent = true;
  bool IsRequested = false;

  bool isObject() const { return Path.ends_with('o') || Path.ends_with("obj"); }
  /// For which stage the bytes at \p Offset are planned by the layout.
  LinkStage stageOf(uint64_t Offset, const PlanOptions &Options) const;
  /// Whether \p Range has more than gaps that the planner closes.
  bool hasGapIn(ByteRange Range) const;
};

struct LinkInputs {
  LinkCommand Command;
  /// In the order in which the linker reads them.
  std::deque<SimulatedInput> Inputs;
  uint64_t Bytes = 0;

  /// \p MaxSection: no section has more bytes. \p SmallIn: one of so many
  /// objects is small.
  void draw(SimulatedOS &OS, uint64_t Count);

private:
  void drawCOFF(SimulatedOS &OS, uint64_t Count);
  void drawELF(SimulatedOS &OS, uint64_t Count);
  void drawScript(SimulatedOS &OS, uint64_t Number);
  FileBytes drawArchive(SimulatedOS &OS, SimulatedInput &Input, uint64_t &Size);
  void drawLibrary(SimulatedOS &OS, uint64_t Number);
  std::string directory(SimulatedOS &OS) const;
  bool isSmall(SimulatedOS &OS) const;
  uint64_t sectionBytes(SimulatedOS &OS, bool IsSmall) const;
  SimulatedInput &add(SimulatedOS &OS, SimulatedInput Input, uint64_t Size,
                      FileBytes Contents, uint64_t VersionAt = 0);

  uint64_t MaxSection = 0, SmallShare = 0, OtherDirectories = 0;
  uint64_t LazyIn = 8; ///< one of so many objects is lazy
};

inline NamedInput namedInput(std::string Name) {
  NamedInput Input;
  Input.Name = std::move(Name);
  return Input;
}

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_SIMULATEDINPUTS_H
