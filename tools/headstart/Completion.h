//===- Completion.h - Shell completion --------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `headstart --autocomplete ARGS...` prints what can complete the last
/// argument. The scripts in completions/ run it, as clang's script runs clang.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_COMPLETION_H
#define HEADSTART_TOOLS_HEADSTART_COMPLETION_H

#include "Command.h"
#include "headstart/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/OptTable.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace headstart {

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

/// Writes the completions of the last of \p Argv, which may be empty. The first
/// of \p Argv is the program: a drop-in linker, or, by any other name,
/// headstart with \p Table and \p Subcommands. Each line is one of these, with
/// tabs between its fields:
///
///     word WORD [HELP]   this argument
///     open WORD [HELP]   this beginning of an argument that goes on
///     files BEGINNING    a path, appended to this beginning of the argument
///     programs BEGINNING a program to run, appended to this beginning
///     command N          what can complete the command line that begins with
///                        argument N, where the program is argument 0
void printCompletions(llvm::raw_ostream &OS, llvm::ArrayRef<const char *> Argv,
                      const GenericOptionTable &Table,
                      llvm::ArrayRef<Subcommand> Subcommands);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_COMPLETION_H
