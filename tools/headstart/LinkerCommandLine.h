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
#include "headstart/Inputs/InputScanner.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace headstart {

/// Reads the command line behind `--` into \p Result. Where there is none, or
/// of an unknown linker, says so and leaves \p Result empty.
Exit readLinkerCommandLine(const CommandArguments &Arguments,
                           llvm::StringRef Subcommand,
                           std::optional<LinkCommand> &Result);

/// Writes the attribute "inputs" of an open object.
void writeInputs(llvm::ArrayRef<ListedInput> Inputs, llvm::json::OStream &J);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_LINKERCOMMANDLINE_H
