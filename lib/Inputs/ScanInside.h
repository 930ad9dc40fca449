//===- ScanInside.h - The readers of each flavour ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: what InputScanner asks of each flavour.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_SCANINSIDE_H
#define HEADSTART_LIB_INPUTS_SCANINSIDE_H

#include "headstart/Inputs/InputScanner.h"

namespace headstart {

struct ScanRequest {
  const InputResolver &Resolver; ///< and with it the command
  const NamedInput &Named;       ///< as it was named
  llvm::StringRef Path;          ///< as it was found
  FileLook &Look;                ///< into the file, which is not empty
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

#endif // HEADSTART_LIB_INPUTS_SCANINSIDE_H
