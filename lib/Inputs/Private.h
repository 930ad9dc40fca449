//===- Private.h - What the flavours share ----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Inputs: a look at a path, and how a flavour is asked what an
/// input names.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_PRIVATE_H
#define HEADSTART_LIB_INPUTS_PRIVATE_H

#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace headstart {

/// What lies at \p Path. What cannot be seen is missing. Blocks for the disk.
ResolvedInput statInput(llvm::StringRef Path);

struct ScanRequest {
  const InputResolver &Resolver; ///< and with it the command
  const NamedInput &Named;       ///< as it was named
  llvm::StringRef Path;          ///< as it was found
  FileInspector &Inspector;      ///< into the file, which is not empty
};

namespace coff {
std::vector<FoundInput> scan(const ScanRequest &Request);
} // namespace coff
namespace elf {
std::vector<FoundInput> scan(const ScanRequest &Request);
} // namespace elf
namespace macho {
std::vector<FoundInput> scan(const ScanRequest &Request);
} // namespace macho

} // namespace headstart

#endif // HEADSTART_LIB_INPUTS_PRIVATE_H
