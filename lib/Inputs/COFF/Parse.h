//===- Parse.h - A matched command line of lld-link -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the COFF flavour: its parser, and helpers of its sources.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_INPUTS_COFF_PARSE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_INPUTS_COFF_PARSE_H

#include "../Private.h"
#include "Options.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/iterator_range.h"

namespace headstart::coff {

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

/// Appends the outputs of the link. \p MakesPDB: whether /debug requests a PDB.
void addOutputs(const OptionArgs &Options, const CommandLineContext &Context,
                bool MakesPDB, LinkCommand &Command);

} // namespace headstart::coff

#endif // HEADSTART_LIB_INPUTS_COFF_PARSE_H
