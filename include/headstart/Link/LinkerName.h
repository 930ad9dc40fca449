//===- LinkerName.h - Which program this is, by its name --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Determines from its arguments what kind of program a command line starts: a
/// linker, or a compiler driver that will start one. Reads no file.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKERNAME_H
#define HEADSTART_LINK_LINKERNAME_H

#include "headstart/Inputs/CommandLine.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Compiler drivers, by the method to query which commands they would run.
enum class DriverKind : uint8_t {
  Clang,   ///< clang, clang++, flang: `-###`
  ClangCL, ///< clang-cl: `-###`, and the linker's arguments are link.exe's
  GCC,     ///< gcc, g++, cc, c++ and those of other languages: `-###`
  Rustc,   ///< reports its link only when it links
};

/// A program whose command line Headstart can read.
struct KnownProgram {
  Flavour Linker = Flavour::ELF;    ///< if Driver is absent
  std::optional<DriverKind> Driver; ///< present: the program is not a linker
  /// The number of arguments before the linker's own: the program, `headstart`
  /// before it, and `-flavor` with its value.
  size_t LeadingArgs = 1;
  /// The arguments that the program itself adds before those of its command
  /// line: the machine for which a MinGW ld is built.
  std::vector<std::string> ImpliedArgs;
};

/// Recognizes the program of \p Args by its name (also with a version after it,
/// a target before it, or `.exe`), by `-flavor` for lld, or by the first
/// argument of `headstart`. `link` may be link.exe or coreutils' program, so
/// the other arguments decide. Returns nothing for an unknown program.
std::optional<KnownProgram> recognizeProgram(llvm::ArrayRef<std::string> Args);

} // namespace headstart

#endif // HEADSTART_LINK_LINKERNAME_H
