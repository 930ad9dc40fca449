//===- Options.h - Options of headstart -------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The subcommands, and the options in Options.td, by which a subcommand
/// queries its arguments.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_OPTIONS_H
#define HEADSTART_TOOLS_HEADSTART_OPTIONS_H

#include "Command.h"
#include "headstart/LLVM.h"
#include "headstart/Link/PrefetchSettings.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
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

/// Stores the value of the option \p Id, a number from \p Least to \p Most, in
/// \p Number, if there is one. The error names the option, value and range.
llvm::Error readNumber(const CommandArguments &Arguments, unsigned Id,
                       unsigned Least, unsigned Most, unsigned &Number);
/// Stores the value of --memory in \p Result, if there is one.
llvm::Error readMemoryLimit(const CommandArguments &Arguments,
                            std::optional<MemoryLimit> &Result);

struct Subcommand {
  llvm::StringLiteral Name;
  const char *Usage;
  const char *Summary;
  Exit (*Run)(const CommandArguments &);
  unsigned Takes;            ///< the options that it takes: a Visibility
  bool TakesCommand = false; ///< whether its operands are a command line
  /// Otherwise: the possible first operands, with commas; null: paths.
  const char *Operands = nullptr;
};

/// Returns the index in \p Args, the arguments of \p S, that ends the options:
/// of `--`, or of the first argument that is neither an option nor the value of
/// one.
unsigned endOfOptions(const Subcommand &S, const GenericOptionTable &Table,
                      llvm::ArrayRef<const char *> Args);

/// `headstart --autocomplete ARGS...` prints what can complete the last
/// argument. The scripts in completions/ run it, as clang's script runs clang.
///
/// Prints the completions of the last of \p Argv, which may be empty. The first
/// of \p Argv is the program. Each line is one of these, with
/// tabs between its fields:
///
///     word WORD [HELP]   this argument
///     open WORD [HELP]   this beginning of an argument that goes on
///     files BEGINNING    a path, appended to this beginning of the argument
///     programs BEGINNING a program to run, appended to this beginning
///     command N          what can complete the command line that begins with
///                        argument N, where the program is argument 0
void printCompletions(llvm::ArrayRef<const char *> Argv,
                      const GenericOptionTable &Table,
                      llvm::ArrayRef<Subcommand> Subcommands);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_OPTIONS_H
