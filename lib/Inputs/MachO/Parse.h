//===- Parse.h - A matched command line of ld64.lld -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the sources of the Mach-O flavour share while they read a command line.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_MACHO_PARSE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_MACHO_PARSE_H

#include "Options.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace headstart::macho {

const LinkerModel &model();
LinkCommand parse(llvm::ArrayRef<CommandLineArg> Args,
                  const CommandLineContext &Context);
/// Of what is not at its name.
ResolvedInput resolve(const NamedInput &Input, const InputResolver &Resolver);

/// Fills in the roots, and the search paths of libraries and frameworks in
/// lld's order. Looks which of the directories are there, as lld does. Blocks
/// for the disk.
void addSearchPaths(const llvm::opt::InputArgList &Args, LinkCommand &Command);

/// Calls \p Each for the names in the -filelist \p Path, in order, until it
/// returns false. Only a regular file is read, and little of it at a time.
/// Blocks for the disk.
void readFileList(const std::string &Path,
                  llvm::function_ref<bool(llvm::StringRef)> Each);

} // namespace headstart::macho

#endif // HEADSTART_LIB_INPUTS_MACHO_PARSE_H
