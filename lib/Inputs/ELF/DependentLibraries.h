//===- DependentLibraries.h - The .deplibs of an ELF object -----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An ELF object may name libraries that it wants, one string each, in a
/// section that LLVM alone knows.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_ELF_DEPENDENTLIBRARIES_H // NOLINT
#define HEADSTART_LIB_INPUTS_ELF_DEPENDENTLIBRARIES_H

#include "headstart/OS/MappedFile.h"
#include <string>
#include <vector>

namespace headstart::elf {

/// What \p File, an ELF object of any word size and byte order, names in
/// SHT_LLVM_DEPENDENT_LIBRARIES, in its order. Reads its section headers, which
/// lld reads as well. An object that is not sane names nothing. Blocks for the
/// disk.
std::vector<std::string> readDependentLibraries(const os::OpenFile &File);

} // namespace headstart::elf

#endif // HEADSTART_LIB_INPUTS_ELF_DEPENDENTLIBRARIES_H
