//===- Options.h - The option table of lld-link -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options of lld-link, and the matching of arguments against them.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_COFF_OPTIONS_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_COFF_OPTIONS_H

#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/ArrayRef.h"
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

/// The table, which the first call creates. Any thread.
const GenericOptionTable &optionTable();

/// A matched argument of lld-link. The strings point into the argument.
struct MatchedArg {
  unsigned ID = OPT_INVALID; ///< may be OPT_INPUT or OPT_UNKNOWN
  llvm::StringRef Spelling;  ///< the argument without the option's value
  llvm::StringRef Value;     ///< of an input, the argument itself
};

/// Matches \p Arg as OptTable::ParseArgs would, but with a hash lookup. Since
/// an absolute path begins with an option's prefix, OptTable compares it with
/// every option that follows the path's position in the table.
MatchedArg matchArg(llvm::StringRef Arg);

/// \p Match as one of Headstart's own options; nullopt for any other argument.
std::optional<PrefetchOption> prefetchOption(const MatchedArg &Match,
                                             llvm::StringRef Arg);

/// Whether the first argument \p Arg turns lld-link into lib.exe. lld 22
/// (COFF/Driver.cpp) tests only the first one, before any expansion.
bool isLibMode(llvm::StringRef Arg);

/// See LinkerModel.
std::vector<PlacedOption>
findPrefetchOptions(llvm::ArrayRef<const char *> Args);

} // namespace headstart::coff

#endif // HEADSTART_LIB_INPUTS_COFF_OPTIONS_H
