//===- Completion.h - What shells offer ------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `headstart --autocomplete WORDS...`: what can stand where the cursor is. The
/// scripts in completions/ ask, as clang's script does of clang.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_COMPLETION_H
#define HEADSTART_TOOLS_HEADSTART_COMPLETION_H

#include "headstart/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/OptTable.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace headstart {

/// A subcommand, as completion sees it.
struct CompletedSubcommand {
  llvm::StringRef Name;
  llvm::StringRef Summary;
  llvm::opt::Visibility Takes; ///< which options
  bool TakesCommand = false;   ///< operands: a command line
  /// Else, with commas: what the first operand can be; null: paths.
  const char *Operands = nullptr;
};

/// Writes what can be the last of \p Argv, the beginning of which is typed; it
/// may be empty. The first is a program: one of the drop-in linkers, or, by any
/// other name, headstart with \p Table and \p Subcommands. A line each, fields
/// apart by tabs:
///
///     word WORD [HELP]   this word
///     open WORD [HELP]   the same, and what comes next is part of it
///     files BEGINNING    a file, behind what the word begins with
///     programs BEGINNING a program to run, the same
///     command N          what can come at the end of the command line that
///                        begins with the word N, where the program is word 0
void printCompletions(llvm::raw_ostream &OS, llvm::ArrayRef<const char *> Argv,
                      const GenericOptionTable &Table,
                      llvm::ArrayRef<CompletedSubcommand> Subcommands);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_COMPLETION_H
