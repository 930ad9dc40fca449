//===- Bitcode.h - Bitcode files --------------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the parts, the directives and the target of a bitcode file.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_BITCODE_H
#define HEADSTART_FORMATS_BITCODE_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/TargetParser/Triple.h"
#include <string>
#include <vector>

namespace headstart {

/// Returns the parts of the bitcode file \p Bitcode, which are in order and
/// cover it; none if it is broken. Reads what precedes the module's metadata or
/// functions; if that is more than 2 MiB, the metadata is not a part of its
/// own. May block.
std::vector<LayoutPart> readBitcodeParts(ByteSource &Bitcode);

/// Returns the COFF linker directives in the bitcode file \p Bitcode, whose
/// parts are \p Parts. Empty if it has none, or no symbol table of LLVM's
/// version, which lld would build anew, for most of a link's time. Reads the
/// symbols. May block.
std::string readBitcodeDirectives(ByteSource &Bitcode,
                                  llvm::ArrayRef<LayoutPart> Parts);

/// Returns the architecture of the bitcode file \p Bitcode. Reads the whole
/// file. May block.
llvm::Triple::ArchType readBitcodeArch(ByteSource &Bitcode);

} // namespace headstart

#endif // HEADSTART_FORMATS_BITCODE_H
