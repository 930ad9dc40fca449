//===- Bitcode.h - Bitcode files --------------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads what the symbol table of a bitcode file says to the linker.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_BITCODE_H
#define HEADSTART_FORMATS_BITCODE_H

#include "headstart/Formats/ByteSource.h"
#include "llvm/TargetParser/Triple.h"
#include <string>

namespace headstart {

/// The directives of a COFF link in the bitcode file \p Bitcode. Empty where it
/// has none, or no symbol table of LLVM's version, which lld would make anew
/// for most of a link's time. Reads the whole file. May block.
std::string readBitcodeDirectives(ByteSource &Bitcode);

/// The processor that the bitcode file \p Bitcode is for. Reads the whole file.
/// May block.
llvm::Triple::ArchType readBitcodeArch(ByteSource &Bitcode);

} // namespace headstart

#endif // HEADSTART_FORMATS_BITCODE_H
