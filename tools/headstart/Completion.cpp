//===- Completion.cpp - Shell completion ----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OptTable::findByPrefix offers each option with every number of dashes. This
// file therefore searches the names; OptTable parses options and lists their
// values.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/Option.h"
#include <string>
#include <vector>

using namespace llvm;
using namespace llvm::opt;

namespace headstart {

static void print(StringRef What, const Twine &Text, StringRef Help = "") {
  raw_ostream &OS = outs();
  OS << What << '\t' << Text;
  if (!Help.empty())
    OS << '\t' << Help;
  OS << '\n';
}

/// Prints the names of options. Of `--name value` and `--name=value`, prints
/// only the second, which shows that the option takes a value.
static void printNames(const GenericOptionTable &Table, Visibility Shown,
                       StringRef Typed) {
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    const Option O = Table.getOption(ID);
    const StringRef Name = O.getPrefixedName();
    // If only the value is missing, the name is complete.
    const bool IsOpen = O.getKind() == Option::JoinedClass;
    if (!O.hasVisibilityFlag(Shown) || !Name.starts_with(Typed) ||
        O.getKind() == Option::SeparateClass || (IsOpen && Name == Typed))
      continue;
    const char *Help = Table.getOptionHelpText(ID, Shown);
    print(IsOpen ? "open" : "word", Name, Help ? Help : "");
  }
}

/// Prints the values of \p O. \p Typed follows \p Beginning in the same
/// argument.
static void printValues(const GenericOptionTable &Table, const Option &O,
                        StringRef Beginning, StringRef Typed) {
  const Option Real = O.getUnaliasedOption();
  const char *MetaVar = Table.getOptionMetaVar(Real.getID());
  const StringRef Kind = MetaVar ? MetaVar : "";
  // A list continues after its last comma.
  StringRef Listed;
  if (Kind.contains(",..."))
    Listed = Typed.take_front(Typed.rfind(',') + 1);
  const std::vector<std::string> Values =
      Table.suggestValueCompletions(Real.getPrefixedName(), "");
  for (StringRef Value : Values)
    if (Value.starts_with(Typed.drop_front(Listed.size())))
      print("word", Beginning + Listed + Value);
  if (Kind.ends_with("<FILE>") ||
      is_contained({"<MANIFEST>", "<REPORT>", "<PROGRAM>"}, Kind))
    print("files", Beginning);
  if (is_contained({"<PROGRAM>", "<COMMAND>"}, Kind))
    print("programs", Beginning);
}

/// Prints the options, and the values of options, that complete the last of
/// \p Argv. Returns whether nothing else can complete it.
static bool completeOption(const GenericOptionTable &Table, Visibility Shown,
                           ArrayRef<const char *> Argv) {
  const StringRef Typed = Argv.back();
  SmallVector<const char *, 32> WithValue(Argv); // for an option at the end
  WithValue.push_back("value");
  const InputArgList Args(WithValue.begin(), WithValue.end());
  std::unique_ptr<Arg> Last;
  unsigned Begin = 0;
  unsigned Index = 0;
  while (Index < Argv.size()) {
    Begin = Index;
    Last = Table.ParseOneArg(Args, Index, Shown);
    if (!Last)
      return false;
  }
  const Option &O = Last->getOption();
  if (Begin + 1 < Argv.size()) {
    printValues(Table, O, "", Typed);
    return true;
  }
  if (Typed.empty())
    return false;
  printNames(Table, Shown, Typed);
  if (O.getKind() == Option::JoinedClass) {
    const StringRef Value = Last->getValue();
    printValues(Table, O, Typed.drop_back(Value.size()), Value);
  }
  return Typed.starts_with("-");
}

static void completeSubcommand(const Subcommand &S, ArrayRef<const char *> Argv,
                               const GenericOptionTable &Table) {
  constexpr size_t Before = 2; // headstart and the subcommand
  // The last argument counts as an operand in any case.
  size_t Operand = endOfOptions(S, Table, Argv.drop_back());
  Operand += Operand + 1 < Argv.size() && StringRef(Argv[Operand]) == "--";
  const bool IsAfterDashes =
      llvm::any_of(Argv.drop_back(), [](StringRef W) { return W == "--"; });
  const bool CanBeOption =
      !IsAfterDashes && (!S.TakesCommand || Operand + 1 == Argv.size());
  if (CanBeOption && completeOption(Table, Visibility(S.Takes), Argv))
    return;
  if (S.TakesCommand) {
    print("command", Twine(Before + Operand));
    return;
  }
  const StringRef First = S.Operands ? S.Operands : "";
  const bool IsFirst = Operand + 1 == Argv.size();
  if (!S.Operands || (!First.empty() && !IsFirst))
    print("files", "");
  else if (!First.empty())
    for (StringRef Name : llvm::split(First, ','))
      if (Name.starts_with(Argv.back()))
        print("word", Name);
}

void printCompletions(ArrayRef<const char *> Argv,
                      const GenericOptionTable &Table,
                      ArrayRef<Subcommand> Subcommands) {
  if (Argv.size() < 2)
    return;
  const StringRef First = Argv[1];
  const bool IsHelp = is_contained({"help", "--help", "-h"}, First);
  if (Argv.size() == 2 || (IsHelp && Argv.size() == 3)) {
    if (Argv.size() == 2 && First.starts_with("-"))
      (void)completeOption(Table, Visibility(DefaultVis), Argv.drop_front());
    for (const Subcommand &S : Subcommands)
      if (S.Name.starts_with(Argv.back()))
        print("word", S.Name, S.Summary);
    if (Argv.size() == 2 && StringRef("help").starts_with(First))
      print("word", "help", "Print the help of a subcommand");
    return;
  }
  for (const Subcommand &S : Subcommands)
    if (First == S.Name)
      return completeSubcommand(S, Argv.drop_front(2), Table);
}

} // namespace headstart
