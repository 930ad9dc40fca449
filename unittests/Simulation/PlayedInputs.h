//===- PlayedInputs.h - What a played link reads ----------------*- C++ -*-===//
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

#ifndef HEADSTART_UNITTESTS_SIMULATION_PLAYEDINPUTS_H
#define HEADSTART_UNITTESTS_SIMULATION_PLAYEDINPUTS_H

#include "PlayedSystem.h"
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/LinkCommand.h"
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace headstart::played {

struct PlayedInput {
  std::string Path;
  /// In the order of the file, with much room between any two.
  std::vector<std::pair<ByteRange, LinkStage>> Parts;
  std::vector<ByteRange> Headers; ///< with much room around them
  bool IsOnDemand = false;
  /// Whether the linker reads all of it, whatever the others are.
  bool IsReadWhole = true;
  /// Whether the linker's asking for it says which input it is.
  bool CanBeUrgent = true;
  mutable bool IsAsked = false;

  /// For which stage the bytes at \p Offset are fetched.
  LinkStage stageOf(uint64_t Offset, const PlanOptions &Options) const;
  uint64_t Bytes = 0;
};

struct PlayedLink {
  LinkCommand Command;
  /// In the order in which the linker reads them.
  std::deque<PlayedInput> Inputs;
  uint64_t Bytes = 0;

  void draw(World &W);
  /// The input whose file \p Of is; null when that was replaced.
  const PlayedInput *find(World &W, const File &Of) const;

private:
  void drawCOFF(World &W);
  void drawELF(World &W);
  PlayedInput &add(World &W, const std::string &Path, uint64_t Size,
                   std::map<uint64_t, std::string> Contents);
};

} // namespace headstart::played

#endif // HEADSTART_UNITTESTS_SIMULATION_PLAYEDINPUTS_H
