//===- SeamMachO.cpp - The stages of ld64.lld -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld's Mach-O driver has no timers that could report its stages.
///
//===----------------------------------------------------------------------===//

#include "Seam.h"
#include "SeamNames.h"

// The inputs are read. The driver now lays out the output, with pointers of 64
// or of 32 bits.
#define LISTEN(Name)                                                           \
  HEADSTART_LLD_FUNCTION(void, Name, ());                                      \
  void HEADSTART_WRAP(Name)() {                                                \
    headstart::stageReached(headstart::LinkStage::Contents);                   \
    HEADSTART_REAL(Name)();                                                    \
  }

LISTEN(writeResult64)
LISTEN(writeResult32)
