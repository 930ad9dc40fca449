//===- ThinArchive.h - The members of a thin archive ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_MACHO_THINARCHIVE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_MACHO_THINARCHIVE_H

#include "MachOFile.h"

namespace headstart::macho {

/// The paths of the members of the thin archive \p Archive, found at \p Path,
/// in order and as the linker opens them: relative ones from the archive's
/// folder. Ends where the archive is not sane. Blocks for the disk.
std::vector<std::string> readThinArchive(const Slice &Archive,
                                         llvm::StringRef Path);

} // namespace headstart::macho

#endif // HEADSTART_LIB_INPUTS_MACHO_THINARCHIVE_H
