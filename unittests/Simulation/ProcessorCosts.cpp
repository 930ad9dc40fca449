//===- ProcessorCosts.cpp - What work costs of processors ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessorCosts.h"

namespace headstart::simulation {

ProcessorCosts ProcessorCosts::measured() {
  ProcessorCosts Costs;
  Costs.Stat = 1200;
  Costs.Open = 2500;
  Costs.Close = 800;
  Costs.Map = 2500;
  Costs.Residency = 1000;
  Costs.Hint = 1500;
  Costs.Read = 1000;
  Costs.CopyByte = 0.08;
  Costs.Wait = 3000;
  Costs.PageByte = 0.25;
  Costs.LargeByte = 0.05;
  Costs.Fault = 1500;
  Costs.InspectByte = 0.8;
  Costs.HandOver = 2000;
  return Costs;
}

static constexpr unsigned bit(FetchPhase Phase) {
  return 1U << static_cast<unsigned>(Phase);
}
static constexpr unsigned Parse = bit(FetchPhase::Parse),
                          Contents = bit(FetchPhase::Contents),
                          Types = bit(FetchPhase::Types),
                          DebugSymbols = bit(FetchPhase::DebugSymbols),
                          Copied = bit(FetchPhase::Copied);

// lld-link /time, 450 objects, 769 MB: the PDB takes two thirds.
static constexpr StageCosts COFFStages[] = {
    {LinkStage::Parse, Parse, false, 1.25, 0},
    {LinkStage::Contents, Contents, false, 0, 5},
    {LinkStage::Types, Types, false, 1.4, 3.1},
    {LinkStage::DebugSymbols, DebugSymbols, false, 1.3, 0},
    {LinkStage::Contributions, Contents, false, 1.5, 0},
    {LinkStage::Names, Parse, true, 0.4, 0},
    {LinkStage::Commit, DebugSymbols, false, 3, 0},
};

// ld.lld --time-trace, 1,348 objects, 143 MB.
static constexpr StageCosts ELFStages[] = {
    {LinkStage::Parse, Parse, false, 0.6, 0},
    {LinkStage::Contents, Contents, false, 0.35, 1.3},
    {LinkStage::Contributions, Contents | Copied, false, 0.15, 2},
};

// ld64.lld --time-trace, 40 objects, 62 MB: signing and the symbol table take
// as long as the contents.
static constexpr StageCosts MachOStages[] = {
    {LinkStage::Parse, Parse, false, 2, 0},
    {LinkStage::Contents, Contents, false, 3, 0},
    {LinkStage::Contributions, Contents, false, 2, 10.8},
};

const LinkerCosts &LinkerCosts::of(Flavour Kind) {
  static const LinkerCosts COFF{20e6, 8e6, 12e3, 2e3, false, COFFStages};
  static const LinkerCosts ELF{20e6, 8e6, 3e3, 1e3, true, ELFStages};
  static const LinkerCosts MachO{20e6, 8e6, 12e3, 2e3, false, MachOStages};
  switch (Kind) {
  case Flavour::COFF:
    return COFF;
  case Flavour::ELF:
    return ELF;
  case Flavour::MachO:
    return MachO;
  }
  return ELF;
}

} // namespace headstart::simulation
