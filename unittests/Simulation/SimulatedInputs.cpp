//===- SimulatedInputs.cpp - The simulated inputs -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedInputs.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace headstart::simulation {

LinkStage SimulatedInput::stageOf(uint64_t Offset,
                                  const PlanOptions &Options) const {
  if (Bytes <= Options.WholeFileBytes || !IsLarge)
    return LinkStage::Parse;
  LinkStage Found = LinkStage::Parse;
  for (const auto &[Range, When] : Parts)
    if (Range.Offset / PageBytes <= Offset / PageBytes)
      Found = When;
  return Found;
}

bool SimulatedInput::hasGapIn(ByteRange Range) const {
  uint64_t Covered = 0;
  for (const auto &[Part, When] : Parts) {
    const uint64_t Begin =
        std::max(Part.Offset / PageBytes * PageBytes, Range.Offset);
    const uint64_t End = std::min(Part.end() + PageBytes, Range.end());
    Covered += End > Begin ? End - Begin : 0;
  }
  return Range.Length > Covered + partGap() / 4;
}

/// Most inputs are in one directory of the first device.
std::string LinkInputs::directory(SimulatedOS &OS) const {
  if (OtherDirectories == 0 || !OS.Random.onceIn(OtherDirectories))
    return "/in0/";
  return formatv("/in{0}/", OS.Random.below(OS.Devices.size())).str();
}

bool LinkInputs::isSmall(SimulatedOS &OS) const {
  return OS.Random.below(64) < SmallShare;
}

uint64_t LinkInputs::sectionBytes(SimulatedOS &OS, bool IsSmall) const {
  return OS.Random.between(1, IsSmall ? 1000 : MaxSection);
}

SimulatedInput &LinkInputs::add(SimulatedOS &OS, SimulatedInput Input,
                                uint64_t Size, FileBytes Contents,
                                uint64_t VersionAt) {
  llvm::sort(Contents, less_first());
  File &New = OS.write(Input.Path, Size, std::move(Contents),
                       OS.deviceOfPath(Input.Path));
  New.VersionAt = VersionAt;
  Bytes += Size;
  Input.Bytes = Size;
  Inputs.push_back(std::move(Input));
  New.Input = &Inputs.back();
  return Inputs.back();
}

/// Large links have many small inputs, which keeps a run short.
void LinkInputs::draw(SimulatedOS &OS, uint64_t Count) {
  SeededRandom &Random = OS.Random;
  constexpr uint64_t LargestLink = uint64_t(4) << 30;
  MaxSection =
      Random.onceIn(2) ? 3 << 20 : Random.logBetween(uint64_t(4096), 3 << 20);
  MaxSection = std::min(MaxSection, LargestLink / Count);
  SmallShare = Random.onceIn(2) ? 20 : Random.below(65);
  if (Count > 300)
    SmallShare = std::max<uint64_t>(SmallShare, 56);
  if (OS.Devices.size() > 1)
    OtherDirectories = Random.between(1, 8);
  LazyIn = Random.onceIn(4) ? 2 : 8;
  if (Random.onceIn(2))
    drawCOFF(OS, Count);
  else
    drawELF(OS, Count);
}

} // namespace headstart::simulation
