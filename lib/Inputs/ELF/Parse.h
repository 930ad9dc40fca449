//===- Parse.h - A matched command line of ld.lld ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the sources of the ELF flavour share while they read a command line.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_ELF_PARSE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_ELF_PARSE_H

#include "Options.h"
#include "llvm/ADT/StringRef.h"

namespace headstart::elf {

/// The option of \p A as it was written, also where it is an alias.
inline llvm::StringRef spellingOf(const llvm::opt::Arg &A) {
  return A.getAlias() ? A.getAlias()->getSpelling() : A.getSpelling();
}

/// Who wrote \p Arg; \p Else where it is a plain argument.
inline llvm::StringRef writerOf(const CommandLineArg &Arg,
                                llvm::StringRef Else) {
  return Arg.ResponseFile.empty() ? Else : llvm::StringRef(Arg.ResponseFile);
}

/// Appends what the link writes, the image first.
void addOutputs(const llvm::opt::InputArgList &Args,
                const CommandLineContext &Context, LinkCommand &Command);

const LinkerModel &model();
LinkCommand parse(llvm::ArrayRef<CommandLineArg> Args,
                  const CommandLineContext &Context);
ResolvedInput resolve(const NamedInput &Input, const InputResolver &Resolver);
ResolvedInput resolveMinGWLibrary(const NamedInput &Input,
                                  const InputResolver &Resolver);

/// parse for the personality of MinGW: the arguments of lld-link
/// that lld makes of \p Args, parsed.
LinkCommand parseMinGWCommandLine(llvm::ArrayRef<CommandLineArg> Args,
                                  const CommandLineContext &Context);

} // namespace headstart::elf

#endif // HEADSTART_LIB_INPUTS_ELF_PARSE_H
