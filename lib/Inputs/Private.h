//===- Private.h - Shared by the flavours -----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Inputs: the stat of an input, and the request with which a
/// flavour scans an input for its dependencies.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_PRIVATE_H
#define HEADSTART_LIB_INPUTS_PRIVATE_H

#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace headstart {

/// Stats \p Path. On an error the file counts as missing. Blocks on the store.
ResolvedInput statInput(llvm::StringRef Path);

/// The response file or variable that holds \p Arg; \p Else if it is a plain
/// argument.
inline llvm::StringRef originOf(const CommandLineArg &Arg,
                                llvm::StringRef Else) {
  if (!Arg.ResponseFile.empty())
    return Arg.ResponseFile;
  return Arg.Variable.empty() ? Else : llvm::StringRef(Arg.Variable);
}

struct ScanRequest {
  const InputResolver &Resolver; ///< has the command too
  const NamedInput &Named;       ///< the input as it was named
  llvm::StringRef Path;          ///< the path at which it was found
  FileInspector &Inspector;      ///< has the file open, which is not empty
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
