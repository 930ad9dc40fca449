//===- InsideObjects.h - Readers of COFF inputs -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the flavour: the parts of objects, bitcode and archives in which
/// other inputs are named. None of them trusts the file: what is not sane names
/// nothing.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_COFF_INSIDEOBJECTS_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_COFF_INSIDEOBJECTS_H

#include "FilePart.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace headstart::coff {

/// What an object says to the linker.
struct ObjectNames {
  std::string Directives; ///< the contents of .drectve
  std::string TypeServer; ///< as LF_TYPESERVER2 has it; empty if there is none
};

/// Reads the section table of \p Object, plain or /bigobj, and of the sections
/// only what is asked for.
ObjectNames readObject(const FilePart &Object, bool WantsDirectives,
                       bool WantsTypeServer);

/// The linker directives in the symbol table of \p Bitcode, which its compiler
/// wrote for linkers. Nothing without that table.
std::string readBitcodeDirectives(const FilePart &Bitcode);

/// Calls \p Visit with each member of the archive \p Archive that is not one of
/// its tables, in order; until it returns false.
void visitMembers(const FilePart &Archive,
                  llvm::function_ref<bool(const FilePart &)> Visit);

} // namespace headstart::coff

#endif // HEADSTART_LIB_INPUTS_COFF_INSIDEOBJECTS_H
