//===- ForeignCommand.h - Other linkers' inputs -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the command line of any linker, or of a compiler driver, for the
/// inputs of the link. Runs processes to query drivers.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_FOREIGNCOMMAND_H
#define HEADSTART_LINK_FOREIGNCOMMAND_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/Link/LinkerProbe.h"
#include "llvm/ADT/ArrayRef.h"
#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The meaning of a command line, or the reason why it is unknown.
struct ForeignCommand {
  /// The link. Absent with a Problem, if the command only compiles, and if the
  /// query was cancelled.
  std::optional<LinkCommand> Command;
  std::string Problem;
  bool WasCancelled = false;
  /// Whether the Problem is an unknown program, for which a flavour would help.
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

/// Reads \p Args, whose first element is the program. \p Forced overrides the
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
std::optional<LinkCommand> guessLink(llvm::ArrayRef<std::string> Args,
                                     std::optional<Flavour> Forced);

} // namespace headstart

#endif // HEADSTART_LINK_FOREIGNCOMMAND_H
