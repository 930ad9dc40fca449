//===- Parse.h - The command line of lld-link -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: the options of lld-link, the matching of arguments
/// against them, and what the sources of the COFF flavour share.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_COFF_PARSE_H
#define HEADSTART_LIB_INPUTS_COFF_PARSE_H

#include "../Private.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/iterator_range.h"
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

/// An option and the argument that holds it.
struct OptionArg : MatchedArg {
  const CommandLineArg *Arg = nullptr;
};

/// The options of a command line in order, without the inputs.
class OptionArgs {
public:
  std::vector<OptionArg> All;

  /// The last option of \p IDs, as in lld's getLastArg; null if there is none.
  template <typename... T> const OptionArg *last(T... IDs) const {
    for (const OptionArg &O : llvm::reverse(All))
      if (((O.ID == IDs) || ...))
        return &O;
    return nullptr;
  }
  template <typename... T> bool has(T... IDs) const {
    return last(IDs...) != nullptr;
  }
  /// All options of the kind \p ID, in order.
  auto filtered(OptionID ID) const {
    return llvm::make_filter_range(
        All, [ID](const OptionArg &O) { return O.ID == ID; });
  }
};

const LinkerModel &model();
std::vector<FoundInput> scan(const ScanRequest &Request);
LinkCommand parse(llvm::ArrayRef<CommandLineArg> Args,
                  const CommandLineContext &Context);

/// Whether /nodefaultlib or /disallowlib prevents the linker from opening the
/// default library \p Name. Searches for files only if the name is similar to
/// an excluded one.
bool isExcluded(llvm::StringRef Name, const InputResolver &Resolver);

/// Appends the search paths in lld's order. \p Command must have its inputs:
/// without /machine:, they select the directories of a toolchain.
void addSearchPaths(const OptionArgs &Options,
                    const CommandLineContext &Context, LinkCommand &Command);

} // namespace headstart::coff

#endif // HEADSTART_LIB_INPUTS_COFF_PARSE_H
