//===- LinkerCommandLine.h - The linker behind the -- -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What subcommands that are given a linker's command line have in common.
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

/// Whether there is a linker behind `--`, and nothing unexpected before it.
/// Says so where it is not as it should be. \p Forced is what --flavour says.
Exit checkLinkerCommandLine(const CommandArguments &Arguments,
                            llvm::StringRef Subcommand,
                            std::optional<Flavour> &Forced);

/// Reads the command line behind `--` into \p Result; asks compiler drivers
/// what they would run. Where there is none, or of an unknown linker, says so
/// and leaves \p Result empty.
Exit readLinkerCommandLine(const CommandArguments &Arguments,
                           llvm::StringRef Subcommand,
                           std::optional<ForeignCommand> &Result);

/// Says on standard error which of the \p Inputs of \p Command cannot be
/// opened, and why. Failed when one of them was named on the command line, or
/// the compiler driver told of an error.
Exit reportMissing(const CommandArguments &Arguments,
                   const ForeignCommand &Command,
                   llvm::ArrayRef<ListedInput> Inputs);

struct PlannedFile {
  std::string Path;
  std::vector<PlannedRange> Ranges;
};

/// Plans every input of \p Command that is there, as the engine would without a
/// profile and with nothing in memory. Adds them all to \p Inputs. Blocks for
/// the disk.
std::vector<PlannedFile> planInputs(const LinkCommand &Command,
                                    std::vector<ListedInput> &Inputs);

/// Writes the attribute "inputs" of an open object.
void writeInputs(llvm::ArrayRef<ListedInput> Inputs, llvm::json::OStream &J);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_LINKERCOMMANDLINE_H
