//===- Stages.h - What the linker reads at which stage ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the engine: which ranges of a plan the linker reads at a stage.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_ENGINE_STAGES_H
#define HEADSTART_LIB_ENGINE_STAGES_H

#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Plan/FetchPlan.h"

namespace headstart {

/// What the linker reads a second time; while memory lasts it is still there.
inline bool isReadAgain(LinkStage Stage) {
  return Stage > LinkStage::DebugSymbols;
}

/// Whether the linker reads \p Range at \p Stage.
inline bool isReadIn(const PlannedRange &Range, LinkStage Stage) {
  switch (Stage) {
  case LinkStage::Contributions:
    return Range.Phase == FetchPhase::Contents;
  case LinkStage::Names:
    return Range.Phase == FetchPhase::Parse && Range.Why == PartKind::Symbols;
  case LinkStage::Commit:
    return Range.Phase == FetchPhase::DebugSymbols;
  default:
    return static_cast<unsigned>(Range.Phase) == static_cast<unsigned>(Stage);
  }
}

/// Whether a linker that came from \p Before to \p Now has read \p Range, and
/// will not, or not soon, again. It comes back to headers and symbols at every
/// stage, and to debug symbols when it writes the PDB.
inline bool isFinishedBetween(const PlannedRange &Range, LinkStage Before,
                              LinkStage Now) {
  auto Passed = [&](LinkStage S) { return Before <= S && S < Now; };
  return (Range.Phase == FetchPhase::Contents && Passed(LinkStage::Contents)) ||
         (Range.Phase == FetchPhase::Types && Passed(LinkStage::Types));
}

} // namespace headstart

#endif // HEADSTART_LIB_ENGINE_STAGES_H
