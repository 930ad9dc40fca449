//===- ForeignCommand.h - Other linkers' inputs -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Determines what kind of program a command line starts: a linker, or a
/// compiler driver that will start one. Reads the command line for the inputs
/// of the link. Runs programs to learn which linker they are, and queries
/// drivers. Nothing is linked.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_FOREIGNCOMMAND_H
#define HEADSTART_LINK_FOREIGNCOMMAND_H

#include "headstart/Inputs/CommandLine.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
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

/// Whether \p Arg is the first argument of the command that clang-cl runs for
/// `-fuse-ld=headstart`: `headstart -out:FILE ...` or `headstart @FILE`. No
/// subcommand begins like that.
bool isFromClangCL(llvm::StringRef Arg);

/// Returns the path of \p Program, which is searched for in PATH, with links
/// resolved; "" if there is none. Blocks.
std::string realProgramPath(llvm::StringRef Program);

struct LinkerVersion {
  std::string Line; ///< the first line; empty if there is none
  bool IsHeadstart = false;
};

/// What \p Program prints for --version. Blocks for at most 5 seconds.
LinkerVersion versionOf(const std::string &Program);

/// The linker that the compiler driver at the front of \p Args would run, as a
/// path if it can be found; empty if the driver reports none. \p GCCName is the
/// name that GCC's own helper, collect2, would search for. The driver does not
/// read the inputs. Blocks like two calls of `versionOf`.
std::string linkerOf(std::vector<std::string> Args,
                     const std::string &GCCName = "ld");

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

/// The meaning of a command line, or the reason why it is unknown.
struct ForeignCommand {
  /// The link. Absent with a Problem, if the command only compiles, and if the
  /// query was cancelled.
  std::optional<LinkCommand> Command;
  std::string Problem;
  bool WasCancelled = false;
  /// Whether the Problem is a program whose command line is not known.
  bool IsUnknown = false;
  /// Response files that could not be expanded.
  std::vector<std::string> Notes;
  /// Errors, warnings and notes of the queried compiler drivers, line by line,
  /// except the one that the Problem repeats.
  std::vector<std::string> DriverDiagnostics;
  bool HasError = false; ///< whether the driver reported an error

  // With a Command:
  std::vector<CommandLineArg> Args; ///< the linker's own, expanded
  Flavour Style = Flavour::ELF;     ///< the flavour of these arguments
  std::optional<DriverKind> Driver; ///< the first driver that was queried
  bool AlsoCompiles = false;        ///< the driver would run more than the link
};

/// Returns the message for a command of \p Program that only compiles.
std::string linksNothing(llvm::StringRef Program);

/// Reads \p Args, which begins with the program. \p Forced overrides the
/// flavour that the program's name implies. Runs a compiler driver with `-###`
/// to learn its commands; this takes a few seconds at most, and ends when
/// \p Cancelled (may be null) becomes true. Never reads a response file that is
/// not a regular file, nor lets a driver read it. Blocks. Any thread.
ForeignCommand readForeignCommand(std::vector<std::string> Args,
                                  std::optional<Flavour> Forced,
                                  const std::atomic<bool> *Cancelled);

/// Guesses the link of \p Args without a driver's help: a compiler driver's own
/// arguments count as a linker's, so the libraries that it adds are missing.
/// Returns nothing if the program is unknown or does not link. Treats \p Forced
/// and response files as above. Runs no process. Blocks. Any thread.
std::optional<LinkCommand> guessLink(std::vector<std::string> Args,
                                     std::optional<Flavour> Forced);

} // namespace headstart

#endif // HEADSTART_LINK_FOREIGNCOMMAND_H
