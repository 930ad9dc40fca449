//===- SeamMachO.cpp - How far lld's Mach-O driver has come ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld's Mach-O driver has no timers that could be listened to. Linked into
/// ld64.lld alone, since only there are these functions defined
/// (cmake/HeadstartSeam.cmake).
///
//===----------------------------------------------------------------------===//

#include "Seam.h"

// The inputs are read; what follows lays the output out.
#define WRITE_RESULT_64 "_ZN3lld5macho11writeResultINS0_4LP64EEEvv"
#define WRITE_RESULT_32 "_ZN3lld5macho11writeResultINS0_5ILP32EEEvv"

#define LISTEN(Name, Symbol)                                                   \
  void real##Name() __asm__("__real_" Symbol);                                 \
  void wrap##Name() __asm__("__wrap_" Symbol);                                 \
  void wrap##Name() {                                                          \
    headstart::stageReached(headstart::LinkStage::Contents);                   \
    real##Name();                                                              \
  }

LISTEN(Write64, WRITE_RESULT_64)
LISTEN(Write32, WRITE_RESULT_32)
