//===- Parse.h - A matched command line of ld.lld ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the ELF flavour: its parsers and resolvers, and their helpers.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_ELF_PARSE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_ELF_PARSE_H

#include "../Private.h"
#include "Options.h"
#include "llvm/ADT/StringRef.h"

namespace headstart::elf {

/// The option of \p A as it was written, even if it is an alias.
inline llvm::StringRef spellingOf(const llvm::opt::Arg &A) {
  return A.getAlias() ? A.getAlias()->getSpelling() : A.getSpelling();
}

/// The directory that -L or SEARCH_DIR names: `=` stands for \p SysRoot.
std::string directoryOf(llvm::StringRef Name, llvm::StringRef SysRoot);

const LinkerModel &model();
LinkCommand parse(llvm::ArrayRef<CommandLineArg> Args,
                  const CommandLineContext &Context);
ResolvedInput resolve(const NamedInput &Input, const InputResolver &Resolver);

/// Parses the command line of ld.lld for MinGW: translates \p Args into
/// arguments of lld-link, as lld does, and parses these.
LinkCommand parseMinGWCommandLine(llvm::ArrayRef<CommandLineArg> Args,
                                  const CommandLineContext &Context);

} // namespace headstart::elf

#endif // HEADSTART_LIB_INPUTS_ELF_PARSE_H
