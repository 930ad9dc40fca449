//===- PlannerFuzzer.cpp - Any bytes as a file to be planned --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FilePlanner reads what the file refers to: the section and symbol tables of
// an object, the indexes and members of an archive.
//
//===----------------------------------------------------------------------===//

#include "MemoryFile.h"
#include "headstart/Plan/FilePlanner.h"
#include <cstdint>
#include <cstdlib>

using namespace headstart;

static constexpr fuzz::CostLimits Limits = {
    .Read = {24, 4096},
    .Allocated = {64, 64 << 10},
    .Steps = {16, 16000},
};

static PlanOptions optionsOf(Flavour Kind) {
  PlanOptions Options;
  Options.Kind = Kind;
  Options.WholeFileBytes = 0;
  Options.Arch = "x86_64";
  Options.ReadsCodeView = true;
  Options.ReadsDWARF = true;
  return Options;
}

static void plan(const PlanOptions &Options, const os::OpenFile &File,
                 bool Whole) {
  FilePlanner Planner(Options);
  FileInspector Inspector(File);
  SymbolBuffers Buffers;
  NamedInput Named;
  Named.Whole = Whole;
  for (const PlannedRange &R : Planner.plan(Inspector, Named, 1, Buffers))
    if (R.Range.Length > File.size() ||
        R.Range.Offset > File.size() - R.Range.Length ||
        (Options.Kind == Flavour::ELF && R.Member != 0 &&
         Planner.isLinked(R.Member) && Whole))
      abort();
  if (Planner.plansTogether())
    Planner.enterSymbols(Inspector, Named, Buffers);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const PlanOptions COFF = optionsOf(Flavour::COFF);
  static const PlanOptions ELF = optionsOf(Flavour::ELF);
  static const PlanOptions MachO = optionsOf(Flavour::MachO);
  fuzz::Files[0] = {reinterpret_cast<const char *>(Data), Size};
  fuzz::Cost Cost(Size, Limits);
  os::OpenFile File;
  if (os::OpenFile::open("/fuzz/0", File))
    abort();
  plan(COFF, File, /*Whole=*/false);
  plan(ELF, File, /*Whole=*/false);
  plan(MachO, File, /*Whole=*/true);
  return 0;
}
