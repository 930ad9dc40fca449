//===- LinkerName.h - Which program this is, by its name --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What kind of program a command line starts, as far as its arguments tell: a
/// linker, or a compiler driver that will start one. Reads no file.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKERNAME_H
#define HEADSTART_LINK_LINKERNAME_H

#include "headstart/Inputs/CommandLine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Compiler drivers, by the way in which they are asked what they would run.
enum class DriverKind : uint8_t {
  Clang,   ///< clang, clang++, flang: `-###`
  ClangCL, ///< clang-cl: `-###`, and the linker's arguments are link.exe's
  GCC,     ///< gcc, g++, cc, c++ and other languages': `-###`
  Rustc,   ///< tells its link only by linking
};

/// A program whose command line Headstart can read.
struct KnownProgram {
  Flavour Linker = Flavour::ELF;    ///< where Driver is absent
  std::optional<DriverKind> Driver; ///< present: not a linker itself
  /// How many arguments come before the linker's own: the program, `headstart`
  /// before it, and `-flavor` with its value.
  size_t LeadingArgs = 1;
  /// What the program adds of itself before the arguments of its command line:
  /// the machine that a MinGW ld is built for.
  std::vector<std::string> ImpliedArgs;
};

/// What the program of \p Args is: by its name (with a version behind it, a
/// target before it, `.exe`), by `-flavor` for lld, by the first argument of
/// `headstart`. `link` is link.exe's name
/// and coreutils': there the other arguments decide. Nothing when unknown.
std::optional<KnownProgram> recognizeProgram(llvm::ArrayRef<std::string> Args);

} // namespace headstart

#endif // HEADSTART_LINK_LINKERNAME_H
