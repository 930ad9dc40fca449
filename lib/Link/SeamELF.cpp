//===- SeamELF.cpp - The stages of ld.lld ---------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld's ELF driver has no timers that could report its stages. Two functions
/// begin a stage each: splitSections here, and the one for outputs in Seam.cpp.
///
//===----------------------------------------------------------------------===//

#include "Seam.h"
#include "SeamNames.h"
#include "headstart/LLVM.h"

namespace lld::elf {
struct Ctx; // NOLINT: lld's name
} // namespace lld::elf

// All symbols are resolved. The driver now splits sections into pieces, and
// then scans relocations. Each variant of ELF has its own function.
#define LISTEN(Name)                                                           \
  HEADSTART_LLD_FUNCTION(void, Name, (HEADSTART_ELF_PARAMETER));               \
  void HEADSTART_WRAP(Name)(HEADSTART_ELF_PARAMETER) {                         \
    headstart::stageReached(headstart::LinkStage::Contents);                   \
    HEADSTART_REAL(Name)(HEADSTART_ELF_ARGUMENT);                              \
  }

LISTEN(splitSections32BE)
LISTEN(splitSections64BE)
LISTEN(splitSections32LE)
LISTEN(splitSections64LE)
