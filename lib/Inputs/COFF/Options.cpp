//===- Options.cpp - The option table of lld-link -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/Option.h"

using namespace llvm;
using namespace llvm::opt;

namespace headstart::coff {

#define HEADSTART_OPTIONS "headstart/Inputs/COFFOptions.inc"
#include "headstart/Inputs/OptionTable.inc"

const GenericOptionTable &optionTable() {
  static const OptionTable Table(/*IgnoreCase=*/true);
  return Table;
}

/// Whether \p Text is a path that matches no option. An option's name contains
/// no '/', and one with a value ends in its only ':' or '='.
static bool isAbsolutePath(StringRef Text) {
  if (!Text.consume_front("/"))
    return false;
  size_t End = Text.find_first_of(":=/");
  return End != StringRef::npos && Text[End] == '/';
}

InputArgList parseArguments(ArrayRef<const char *> CommandArgs) {
  const GenericOptionTable &Table = optionTable();
  InputArgList Args(CommandArgs.begin(), CommandArgs.end());
  for (unsigned Index = 0; Index < CommandArgs.size();) {
    StringRef Text = CommandArgs[Index];
    if (Text.empty()) {
      ++Index; // as in OptTable::ParseArgs
    } else if (isAbsolutePath(Text)) {
      // An absolute path begins with the prefix of options, so OptTable would
      // compare it with every option that follows its position in the table.
      Args.append(std::make_unique<Arg>(Table.getOption(OPT_INPUT), Text, Index,
                                        Text.data())
                      .release());
      ++Index;
    } else {
      Args.append(Table.ParseOneArg(Args, Index).release());
    }
  }
  return Args;
}

bool isLibMode(StringRef Arg) {
  return Arg.equals_insensitive("/lib") || Arg.equals_insensitive("-lib");
}

std::vector<PlacedOption> findPrefetchOptions(const InputArgList &Args) {
  std::vector<PlacedOption> Found;
  for (const Arg *A : Args.filtered(OPT_grp_headstart))
    Found.push_back({A->getIndex(), makePrefetchOption(*A)});
  return Found;
}

std::vector<PlacedOption>
Model::findPrefetchOptions(ArrayRef<const char *> Args) const {
  // The arguments after `/lib` belong to lib.exe, so they stay as they are.
  if (!Args.empty() && isLibMode(Args.front()))
    return {};
  return coff::findPrefetchOptions(parseArguments(Args));
}

} // namespace headstart::coff
