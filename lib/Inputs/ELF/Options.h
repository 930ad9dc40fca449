//===- Options.h - The option table of ld.lld -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: which words of a command line of ld.lld are options.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_ELF_OPTIONS_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_ELF_OPTIONS_H

#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace headstart::elf {

/// headstart::takePrefetchOptions for ld.lld.
std::vector<PrefetchOption>
takePrefetchOptions(llvm::SmallVectorImpl<const char *> &Args);

} // namespace headstart::elf

#endif // HEADSTART_LIB_INPUTS_ELF_OPTIONS_H
