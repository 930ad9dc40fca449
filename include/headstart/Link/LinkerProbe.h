//===- LinkerProbe.h - Which program is a linker? ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Determines from its arguments what kind of program a command line starts: a
/// linker, or a compiler driver that will start one. Runs programs to learn
/// which linker they are, or which linker a driver would run, and parses a
/// driver's answer to `-###`: the commands that it would run. Nothing is
/// linked.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKERPROBE_H
#define HEADSTART_LINK_LINKERPROBE_H

#include "headstart/Inputs/CommandLine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
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
/// the other arguments decide. Returns nothing for an unknown program. Reads no
/// file.
std::optional<KnownProgram> recognizeProgram(llvm::ArrayRef<std::string> Args);

struct LinkerVersion {
  std::string Line; ///< the first line; empty if there is none
  bool IsHeadstart = false;
};

/// What \p Program prints for --version. Blocks for at most 5 seconds.
LinkerVersion versionOf(const std::string &Program);

/// The linker that the compiler driver \p Driver would run if \p Option
/// ("-fuse-ld=lld", or "") were added, as a path if it can be found; empty if
/// the driver would run none, or reports none. \p Input is a file that it takes
/// for an object and does not read. Blocks like two calls of `versionOf`.
std::string linkerOf(const std::string &Driver, const std::string &Option,
                     const std::string &Input);

/// The linker that the compiler driver at the front of \p Link would run for
/// that link, as above. For GCC, the one that -fuse-ld=lld (`ld.lld`) selects.
std::string linkerOf(const std::vector<std::string> &Link);

/// Returns the arguments of the commands in \p Answer. A command is a line that
/// begins with a space; the other lines that drivers print are skipped. Spaces
/// separate arguments. In a quoted argument, a backslash makes the next
/// character literal (clang quotes all arguments, gcc those that need it). An
/// argument may contain line breaks.
std::vector<std::vector<std::string>> commandsIn(llvm::StringRef Answer);

/// The command that links: the last one whose program is a linker, or a driver
/// that will start a linker (clang leaves the link to gcc for some targets).
std::optional<std::vector<std::string>>
linkStepOf(std::vector<std::vector<std::string>> Commands);

/// Whether \p Args (with the driver's name) request no link: `-c`, `-S`, `-E`
/// and the like, or a query of the driver. This saves Headstart a query of the
/// driver for each file that is compiled.
bool onlyCompiles(DriverKind Driver, llvm::ArrayRef<std::string> Args);

} // namespace headstart

#endif // HEADSTART_LINK_LINKERPROBE_H
