//===- SeamELF.cpp - How far lld's ELF driver has come --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld's ELF driver has no timers that could be listened to; two of its
/// functions begin a stage each. Linked into ld.lld alone, since only there are
/// they defined (cmake/HeadstartSeam.cmake).
///
//===----------------------------------------------------------------------===//

#include "Seam.h"

namespace lld::elf {
struct Ctx; // NOLINT: lld's name
} // namespace lld::elf

// All symbols are resolved; sections are cut into pieces, and then relocations
// are looked at.
#define SPLIT_SECTIONS(Endianness, Is64)                                       \
  "_ZN3lld3elf13splitSectionsIN4llvm6object7ELFTypeILNS2_"                     \
  "10endiannessE" #Endianness "ELb" #Is64 "EEEEEvRNS0_3CtxE"

#define LISTEN(Name, Endianness, Is64)                                         \
  void real##Name(lld::elf::Ctx &Context) __asm__(                             \
      "__real_" SPLIT_SECTIONS(Endianness, Is64));                             \
  void wrap##Name(lld::elf::Ctx &Context) __asm__(                             \
      "__wrap_" SPLIT_SECTIONS(Endianness, Is64));                             \
  void wrap##Name(lld::elf::Ctx &Context) {                                    \
    headstart::stageReached(headstart::LinkStage::Contents);                   \
    real##Name(Context);                                                       \
  }

// LLVM's endianness: 0 is big, 1 is little.
LISTEN(Split32BE, 0, 0)
LISTEN(Split64BE, 0, 1)
LISTEN(Split32LE, 1, 0)
LISTEN(Split64LE, 1, 1)
