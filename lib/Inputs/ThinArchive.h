//===- ThinArchive.h - The members of a thin archive ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A thin archive holds headers alone; its members are files of their own.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_THINARCHIVE_H
#define HEADSTART_LIB_INPUTS_THINARCHIVE_H

#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace headstart {

/// The paths of the members of the thin archive \p File, found at \p Path, in
/// their order, spelled as LLVM spells them. Ends at the first header that is
/// not sane; a file of any other kind has none. Blocks for the disk.
std::vector<std::string> readThinArchive(const os::OpenFile &File,
                                         llvm::StringRef Path);

} // namespace headstart

#endif // HEADSTART_LIB_INPUTS_THINARCHIVE_H
