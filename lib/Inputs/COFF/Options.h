//===- Options.h - The option table of lld-link -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What lld-link takes each argument of a command line for.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_COFF_OPTIONS_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_COFF_OPTIONS_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/OptTable.h"
#include <optional>
#include <vector>

namespace headstart::coff {

// NOLINTBEGIN(readability-identifier-naming): LLVM's scheme for option ids.
enum OptionID : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "headstart/Inputs/COFFOptions.inc"
#undef OPTION
};
// NOLINTEND(readability-identifier-naming)

class OptionTable : public GenericOptionTable {
public:
  OptionTable();
};

/// The table, made on first use. Any thread.
const OptionTable &optionTable();

/// What lld-link takes one argument for. The strings point into the argument.
struct MatchedArg {
  unsigned ID = OPT_INVALID; ///< OPT_INPUT and OPT_UNKNOWN included
  llvm::StringRef Spelling;  ///< the argument without the option's value
  llvm::StringRef Value;     ///< the argument itself for an input
};

/// Matches \p Arg as OptTable::ParseArgs would, with a hash look-up in place
/// of its scan: an absolute path begins with an option's prefix, and the scan
/// compares it with every option behind its place in the table.
MatchedArg matchArg(llvm::StringRef Arg);

/// \p Match as one of Headstart's own options; nothing for any other argument.
std::optional<PrefetchOption> prefetchOption(const MatchedArg &Match,
                                             llvm::StringRef Arg);

/// Whether a first argument \p Arg turns lld-link into lib.exe (lld 22
/// COFF/Driver.cpp: only there, and before any expansion).
bool isLibMode(llvm::StringRef Arg);

/// takePrefetchOptions for lld-link.
std::vector<PrefetchOption>
takePrefetchOptions(llvm::SmallVectorImpl<const char *> &Args);

} // namespace headstart::coff

#endif // HEADSTART_LIB_INPUTS_COFF_OPTIONS_H
