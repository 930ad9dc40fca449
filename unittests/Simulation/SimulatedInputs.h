//===- SimulatedInputs.h - The simulated inputs -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Objects, archives and scripts with real headers and empty contents, drawn
/// for one link, and the parts of them that a linker reads at each stage.
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

/// The gap between two parts of a large input. The planner closes only far
/// smaller gaps.
inline uint64_t partGap() { return 16 * PageBytes; }

struct SimulatedInput {
  std::string Path;
  /// In file order, with partGap() between any two if the input is large.
  std::vector<std::pair<ByteRange, LinkStage>> Parts;
  std::vector<ByteRange> Headers; ///< with partGap() around them
  uint64_t Bytes = 0;
  bool IsLarge = false; ///< its parts have large gaps between them
  bool IsArchive = false;
  bool IsDependency = false; ///< named by an object
  bool IsOnDemand = false;   ///< the linker may not request it
  /// Whether the linker always reads all of it.
  bool IsReadWhole = true;
  /// Whether a request by the linker identifies this input.
  bool CanBeUrgent = true;
  bool IsRequested = false;

  bool isObject() const { return Path.ends_with('o') || Path.ends_with("obj"); }
  /// Returns the stage for which the layout plans the bytes at \p Offset.
  LinkStage stageOf(uint64_t Offset, const PlanOptions &Options) const;
  /// Whether \p Range has a gap that the planner does not close.
  bool hasGapIn(ByteRange Range) const;
};

struct LinkInputs {
  LinkCommand Command;
  /// In the order in which the linker reads them.
  std::deque<SimulatedInput> Inputs;
  uint64_t Bytes = 0;

  /// Draws \p Count inputs.
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
  uint64_t LazyIn = 8; ///< one in so many objects is lazy
};

inline NamedInput namedInput(std::string Name) {
  NamedInput Input;
  Input.Name = std::move(Name);
  return Input;
}

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_SIMULATEDINPUTS_H
