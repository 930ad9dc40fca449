//===- SeamStages.cpp - The stages of ld.lld and ld64.lld -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld's ELF and Mach-O drivers have no timers that could report their stages.
/// These functions begin one; FileOutputBuffer::create in Seam.cpp begins
/// another.
///
//===----------------------------------------------------------------------===//

#include "Seam.h"
#include "SeamNames.h"
#include "headstart/LLVM.h"

namespace lld::elf {
struct Ctx; // NOLINT: lld's name
} // namespace lld::elf

#define LISTEN(Name, Parameter, Argument)                                      \
  HEADSTART_LLD_FUNCTION(void, Name, (Parameter));                             \
  void HEADSTART_WRAP(Name)(Parameter) {                                       \
    headstart::stageReached(headstart::LinkStage::Contents);                   \
    HEADSTART_REAL(Name)(Argument);                                            \
  }

// ELF: all symbols are resolved. The driver now splits sections into pieces,
// and then scans relocations. Each variant of ELF has its own function.
LISTEN(splitSections32BE, HEADSTART_ELF_PARAMETER, HEADSTART_ELF_ARGUMENT)
LISTEN(splitSections64BE, HEADSTART_ELF_PARAMETER, HEADSTART_ELF_ARGUMENT)
LISTEN(splitSections32LE, HEADSTART_ELF_PARAMETER, HEADSTART_ELF_ARGUMENT)
LISTEN(splitSections64LE, HEADSTART_ELF_PARAMETER, HEADSTART_ELF_ARGUMENT)

// Mach-O: the inputs are read. The driver now folds identical sections, if at
// all, and then lays out the output, with pointers of 64 or of 32 bits.
LISTEN(foldIdenticalSections, bool OnlyStrings, OnlyStrings)
LISTEN(writeResult64, , )
LISTEN(writeResult32, , )
