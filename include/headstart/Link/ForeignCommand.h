//===- ForeignCommand.h - What another linker's command will read --*- C++
//-*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From the command line of any linker, or of a compiler driver, to the inputs
/// of the link. Runs processes to ask drivers.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_FOREIGNCOMMAND_H
#define HEADSTART_LINK_FOREIGNCOMMAND_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/Link/LinkerName.h"
#include "llvm/ADT/ArrayRef.h"
#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// What a command line means, or why that is unknown.
struct ForeignCommand {
  /// The link. Absent with a Problem, and where the command compiles only.
  std::optional<LinkCommand> Command;
  std::string Problem;
  /// It is unknown because it was cancelled.
  bool WasCancelled = false;
  /// The problem is that the program is none that is known; a flavour would
  /// help.
  bool IsUnknown = false;
  /// Response files that could not be expanded.
  std::vector<std::string> Notes;
  /// Errors, warnings and notes of the compiler driver that was asked, line by
  /// line, except the one that the Problem repeats.
  std::vector<std::string> DriverDiagnostics;
  bool HasError = false; ///< whether the driver told of an error

  // With a Command:
  std::vector<CommandLineArg> Args; ///< the linker's own, expanded
  Flavour Style = Flavour::ELF;     ///< whose options they are
  std::optional<DriverKind> Driver; ///< that was asked for them first
  bool AlsoCompiles = false;        ///< the driver would run more than the link
};

/// Reads \p Args, the program first. \p Forced overrules what the program's
/// name tells. A compiler driver is run with `-###` to hear what it would run;
/// that takes a few seconds at most, and ends when \p Cancelled (may be null)
/// becomes true. Never reads a response file that is not a regular file, nor
/// lets a driver read it. Blocks. Any thread.
ForeignCommand readForeignCommand(std::vector<std::string> Args,
                                  std::optional<Flavour> Forced,
                                  const std::atomic<bool> *Cancelled);

/// What is known of the link of \p Args without a driver's help: a compiler
/// driver's own arguments count as a linker's, so the libraries that it adds
/// are missing. Nothing if the program is unknown or does not link. \p Forced
/// and response files as above. Runs no process. Blocks. Any thread.
std::optional<LinkCommand> guessLink(llvm::ArrayRef<std::string> Args,
                                     std::optional<Flavour> Forced);

} // namespace headstart

#endif // HEADSTART_LINK_FOREIGNCOMMAND_H
