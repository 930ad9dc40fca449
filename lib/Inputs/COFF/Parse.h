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
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include <vector>

namespace headstart::coff {

enum OptionID : unsigned {
  OPT_INVALID = 0, // NOLINT: LLVM's name
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "headstart/Inputs/COFFOptions.inc"
#undef OPTION
};

/// The table, which the first call creates. Any thread.
const GenericOptionTable &optionTable();

/// Matches \p Args (without the program's name) with llvm::opt, as lld does.
/// The strings of the result point into \p Args.
llvm::opt::InputArgList parseArguments(llvm::ArrayRef<const char *> Args);

/// Whether the first argument \p Arg turns lld-link into lib.exe. lld 22
/// (COFF/Driver.cpp) tests only the first one, before any expansion.
bool isLibMode(llvm::StringRef Arg);

/// Returns Headstart's own options among \p Args, in order.
std::vector<PlacedOption>
findPrefetchOptions(const llvm::opt::InputArgList &Args);

/// lld-link.
class Model final : public LinkerModel {
public:
  Model();
  Expansion expansionOf(llvm::ArrayRef<std::string> Args) const override;
  LinkCommand parse(llvm::ArrayRef<CommandLineArg> CommandArgs,
                    const CommandLineContext &Context) const override;
  ResolvedInput resolve(const NamedInput &Input,
                        const InputResolver &Resolver) const override;
  std::vector<FoundInput> scan(const ScanRequest &Request) const override;
  std::optional<LinkStage> stageOf(PartKind K,
                                   const ReadKinds &O) const override;
  StageSet stagesOf(LinkStage First, PartKind K) const override;
  bool isBackward(LinkStage Stage) const override;

private:
  std::vector<PlacedOption>
  findPrefetchOptions(llvm::ArrayRef<const char *> Args) const override;
};

/// Whether /nodefaultlib or /disallowlib prevents the linker from opening the
/// default library \p Name. Searches for files only if the name is similar to
/// an excluded one.
bool isExcluded(llvm::StringRef Name, const InputResolver &Resolver);

/// Appends the search paths in lld's order. \p Command must have its inputs:
/// without /machine:, they select the directories of a toolchain.
void addSearchPaths(const llvm::opt::InputArgList &Args,
                    const CommandLineContext &Context, LinkCommand &Command);

} // namespace headstart::coff

#endif // HEADSTART_LIB_INPUTS_COFF_PARSE_H
