//===- Options.cpp - The option tables of ld.lld --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Response files can decide whether ld.lld links for ELF or for MinGW, but they
// are not read yet when Headstart's own options are removed. The removal takes
// an option's number of arguments from the ELF table or, if that does not know
// the option, from MinGW's. An option of one table is an error to the other.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Option.h"
#include <algorithm>
#include <functional>

using namespace llvm;
using namespace llvm::opt;

namespace headstart::elf {

#define HEADSTART_OPTIONS "headstart/Inputs/ELFOptions.inc"
#include "headstart/Inputs/OptionTable.inc"

const GenericOptionTable &optionTable() {
  static const OptionTable Table;
  return Table;
}

namespace mingw {
#define HEADSTART_OPTIONS "headstart/Inputs/MinGWOptions.inc"
#include "headstart/Inputs/OptionTable.inc"

const GenericOptionTable &optionTable() {
  static const OptionTable Table;
  return Table;
}
} // namespace mingw

/// lld joins `--plugin-opt x` into one argument before it matches options
/// (lld 22 ELF/DriverUtils.cpp, concatLTOPluginOptions).
static bool isPluginOption(StringRef Given) {
  return Given == "-plugin-opt" || Given == "--plugin-opt";
}

std::vector<PlacedOption>
findPrefetchOptions(ArrayRef<const char *> CommandArgs) {
  std::vector<PlacedOption> Found;
  const InputArgList Args(CommandArgs.begin(), CommandArgs.end());
  for (unsigned Index = 0; Index < CommandArgs.size();) {
    const unsigned Begin = Index;
    StringRef Given = CommandArgs[Index];
    if (!Given.starts_with("-")) {
      ++Index;
    } else if (isPluginOption(Given)) {
      Index += 2;
    } else {
      std::unique_ptr<Arg> A = optionTable().ParseOneArg(Args, Index);
      if (A && A->getOption().getKind() == Option::UnknownClass) {
        Index = Begin;
        A = mingw::optionTable().ParseOneArg(Args, Index);
      } else if (A && A->getOption().matches(OPT_grp_headstart)) {
        Found.push_back({Begin, makePrefetchOption(*A)});
      }
    }
  }
  return Found;
}

MatchedLine::MatchedLine(ArrayRef<CommandLineArg> CommandArgs, bool MinGW)
    : CommandArgs(CommandArgs) {
  std::vector<const char *> All = textsOf(CommandArgs);
  for (PlacedOption &Placed : findPrefetchOptions(All)) {
    Own.push_back(std::move(Placed.Option));
    All[Placed.Index] = nullptr;
  }

  std::vector<const char *> Left;
  Left.reserve(All.size());
  Joined.reserve(All.size()); // Left points to these strings
  for (auto It = All.begin(); It != All.end(); ++It) {
    const char *Given = *It;
    if (!Given)
      continue;
    Indices.push_back(It - All.begin());
    const auto Next = std::find_if(It + 1, All.end(), std::identity());
    if (!MinGW && isPluginOption(Given) && Next != All.end()) {
      Joined.push_back((StringRef(Given) + "=" + *Next).str());
      It = Next;
      Given = Joined.back().c_str();
    }
    Left.push_back(Given);
  }
  unsigned MissingIndex;
  unsigned MissingCount;
  Args = (MinGW ? mingw::optionTable() : optionTable())
             .ParseArgs(Left, MissingIndex, MissingCount);
}

// As in lld 22 Common/DriverDispatcher.cpp, the argument after the first -m
// counts, and an -m of the command line itself has precedence over those in
// response files. The dispatcher ignores a joined value.
bool isMinGW(ArrayRef<CommandLineArg> CommandArgs) {
  for (bool InResponseFiles : {false, true}) {
    bool IsAfterM = false;
    for (const CommandLineArg &Given : CommandArgs) {
      if (!InResponseFiles && !Given.ResponseFile.empty())
        continue;
      if (IsAfterM)
        return is_contained({"i386pe", "i386pep", "thumb2pe", "arm64pe",
                             "arm64ecpe", "arm64xpe", "mipspe"},
                            Given.Text);
      IsAfterM = Given.Text == "-m";
    }
  }
  return false;
}

} // namespace headstart::elf
