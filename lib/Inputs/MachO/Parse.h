//===- Parse.h - The command line of ld64.lld -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: the options of ld64.lld, the matching of arguments
/// against them, and what the sources of the Mach-O flavour share.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_MACHO_PARSE_H
#define HEADSTART_LIB_INPUTS_MACHO_PARSE_H

#include "../Private.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include <vector>

namespace headstart::macho {

enum OptionID : unsigned {
  OPT_INVALID = 0, // NOLINT: LLVM's name
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "headstart/Inputs/MachOOptions.inc"
#undef OPTION
};

/// The table, which the first call creates. Any thread.
const GenericOptionTable &optionTable();

/// Matches \p Args (without the program's name) with llvm::opt, as lld does. An
/// option whose values are missing ends the list. The strings of the result
/// point into \p Args.
llvm::opt::InputArgList parseArguments(llvm::ArrayRef<const char *> Args);

/// Returns Headstart's own options among \p Args, in order. --read-workers, an
/// option of stock lld, counts as --prefetch-jobs if its last occurrence, the
/// one that lld uses, has a value that lld accepts. Otherwise it is left to
/// lld, which reports the value.
std::vector<PlacedOption>
findPrefetchOptions(const llvm::opt::InputArgList &Args);

/// ld64.lld.
class Model final : public LinkerModel {
public:
  Model();
  LinkCommand parse(llvm::ArrayRef<CommandLineArg> CommandArgs,
                    const CommandLineContext &Context) const override;
  ResolvedInput resolve(const NamedInput &Input,
                        const InputResolver &Resolver) const override;
  std::vector<FoundInput> scan(const ScanRequest &Request) const override;
  std::optional<LinkStage> stageOf(PartKind K,
                                   const ReadKinds &O) const override;

private:
  std::vector<PlacedOption>
  findPrefetchOptions(llvm::ArrayRef<const char *> Args) const override;
};

} // namespace headstart::macho

#endif // HEADSTART_LIB_INPUTS_MACHO_PARSE_H
