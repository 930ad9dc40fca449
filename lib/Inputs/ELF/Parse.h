//===- Parse.h - The command line of ld.lld ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: the options of ld.lld as the linker of ELF and as that
/// of MinGW, the matching of arguments against them, and what the sources of
/// the ELF flavour share.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_ELF_PARSE_H
#define HEADSTART_LIB_INPUTS_ELF_PARSE_H

#include "../Private.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include <vector>

namespace headstart::elf {

enum OptionID : unsigned {
  OPT_INVALID = 0, // NOLINT: LLVM's name
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "headstart/Inputs/ELFOptions.inc"
#undef OPTION
};

/// The table of ld.lld for ELF, with Headstart's own options; the first call
/// creates it. Any thread.
const GenericOptionTable &optionTable();

namespace mingw {
enum OptionID : unsigned {
  OPT_INVALID = 0, // NOLINT: LLVM's name
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "headstart/Inputs/MinGWOptions.inc"
#undef OPTION
};

/// The table of ld.lld for MinGW. Any thread.
const GenericOptionTable &optionTable();
} // namespace mingw

/// A command line matched against one of the tables, without Headstart's own
/// options. Refers to the arguments passed to its constructor.
class MatchedLine {
public:
  /// Matches \p CommandArgs against the table of MinGW or that of ELF, as
  /// \p MinGW says; see isMinGW.
  MatchedLine(llvm::ArrayRef<CommandLineArg> CommandArgs, bool MinGW);
  MatchedLine(const MatchedLine &) = delete;
  MatchedLine &operator=(const MatchedLine &) = delete;

  const llvm::opt::InputArgList &args() const { return Args; }
  /// The argument that holds \p A, or only its name if the value is the next
  /// argument.
  const CommandLineArg &argOf(const llvm::opt::Arg &A) const {
    return CommandArgs[Indices[A.getIndex()]];
  }
  std::vector<PrefetchOption> takeOwnOptions() { return std::move(Own); }

private:
  llvm::ArrayRef<CommandLineArg> CommandArgs;
  std::vector<PrefetchOption> Own;
  std::vector<std::string> Joined; ///< `--plugin-opt x` as one argument
  std::vector<size_t> Indices;     ///< of the arguments of Args in CommandArgs
  llvm::opt::InputArgList Args;
};

/// Whether \p CommandArgs turn ld.lld into the linker of MinGW.
bool isMinGW(llvm::ArrayRef<CommandLineArg> CommandArgs);

/// See LinkerModel.
std::vector<PlacedOption>
findPrefetchOptions(llvm::ArrayRef<const char *> Args);

/// The directory that -L or SEARCH_DIR names: `=` stands for \p SysRoot.
std::string directoryOf(llvm::StringRef Name, llvm::StringRef SysRoot);

/// ld.lld. `-m i386pep` and the like turn it into MinGW's linker; the result of
/// `parse` is then a COFF command.
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
  bool isBackward(LinkStage Stage) const override;

private:
  std::vector<PlacedOption>
  findPrefetchOptions(llvm::ArrayRef<const char *> Args) const override {
    return elf::findPrefetchOptions(Args);
  }
};

/// Parses the command line of ld.lld for MinGW: translates \p Args into
/// arguments of lld-link, as lld does, and parses these.
LinkCommand parseMinGWCommandLine(llvm::ArrayRef<CommandLineArg> Args,
                                  const CommandLineContext &Context);

} // namespace headstart::elf

#endif // HEADSTART_LIB_INPUTS_ELF_PARSE_H
