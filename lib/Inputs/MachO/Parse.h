//===- Parse.h - A matched command line of ld64.lld -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the Mach-O flavour: its parser and resolver, and their helpers.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_MACHO_PARSE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_MACHO_PARSE_H

#include "../Private.h"
#include "Options.h"
#include "headstart/Inputs/LinkCommand.h"

namespace headstart::macho {

const LinkerModel &model();
LinkCommand parse(llvm::ArrayRef<CommandLineArg> Args,
                  const CommandLineContext &Context);
/// Resolves an input whose search rule is not Verbatim.
ResolvedInput resolve(const NamedInput &Input, const InputResolver &Resolver);

/// Sets the roots, and the search paths of libraries and frameworks in lld's
/// order. Stats the directories, as lld does, and blocks on the store.
void addSearchPaths(const llvm::opt::InputArgList &Args, LinkCommand &Command);

} // namespace headstart::macho

#endif // HEADSTART_LIB_INPUTS_MACHO_PARSE_H
