//===- LinkerCommandLine.h - The linker behind the -- -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that the subcommands with a linker's command line share.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_LINKERCOMMANDLINE_H
#define HEADSTART_TOOLS_HEADSTART_LINKERCOMMANDLINE_H

#include "Command.h"
#include "headstart/Inputs/InputList.h"
#include "headstart/Link/ForeignCommand.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// Checks that the arguments contain a linker, and that --flavour, which sets
/// \p Forced, is known. If not, prints an error and returns its status.
Exit checkLinkerCommandLine(const CommandArguments &Arguments,
                            llvm::StringRef Subcommand,
                            std::optional<Flavour> &Forced);

/// Reads the linker's command line into \p Result; queries compiler drivers for
/// the commands that they would run. If there is no command line, or it cannot
/// be read, prints an error and leaves \p Result empty.
Exit readLinkerCommandLine(const CommandArguments &Arguments,
                           llvm::StringRef Subcommand,
                           std::optional<ForeignCommand> &Result);

/// Prints to standard error which of the \p Inputs of \p Command cannot be
/// opened, and why. Returns Failed if the command line or a linker script names
/// one of them, or if the compiler driver reported an error.
Exit reportMissing(const CommandArguments &Arguments,
                   const ForeignCommand &Command,
                   llvm::ArrayRef<ListedInput> Inputs);

struct PlannedFile {
  std::string Path;
  std::vector<PlannedRange> Ranges;
};

/// Plans every input of \p Command that exists, as the engine would without a
/// profile and with an empty cache. Stores all inputs in \p Inputs. Blocks for
/// the disk.
std::vector<PlannedFile> planInputs(const LinkCommand &Command,
                                    std::vector<ListedInput> &Inputs);

/// Writes the attribute "inputs" of an open object.
void writeInputs(llvm::ArrayRef<ListedInput> Inputs, llvm::json::OStream &J);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_LINKERCOMMANDLINE_H
