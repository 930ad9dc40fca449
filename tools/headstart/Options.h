//===- Options.h - Options of headstart -------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options in Options.td, by which a subcommand queries its arguments.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_OPTIONS_H
#define HEADSTART_TOOLS_HEADSTART_OPTIONS_H

#include "Command.h"
#include "headstart/Link/PrefetchSettings.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace headstart {

enum OptionId : unsigned {
  OPT_INVALID = 0, // NOLINT: LLVM's name
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

/// Parses the value of --memory; nothing without the option.
llvm::Expected<std::optional<MemoryLimit>>
memoryLimit(const CommandArguments &Arguments);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_OPTIONS_H
