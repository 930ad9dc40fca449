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

namespace {

/// Completes the options of one subcommand, or of headstart without one.
class OptionCompleter {
public:
  OptionCompleter(raw_ostream &OS, const GenericOptionTable &Table,
                  Visibility Shown)
      : OS(OS), Table(Table), Shown(Shown) {}

  /// Prints the options, and the values of options, that complete the last of
  /// \p Argv. Returns whether nothing else can complete it.
  bool complete(ArrayRef<const char *> Argv) const;

  /// Returns the index of the first argument that is neither an option nor an
  /// option's value. The last argument counts in any case.
  size_t firstOperand(ArrayRef<const char *> Argv) const;

private:
  void printNames(StringRef Typed) const;
  void printValues(const Option &O, StringRef Beginning, StringRef Typed) const;

  raw_ostream &OS;
  const GenericOptionTable &Table;
  Visibility Shown;
};

} // namespace

static void print(raw_ostream &OS, StringRef What, const Twine &Text,
                  StringRef Help = "") {
  OS << What << '\t' << Text;
  if (!Help.empty())
    OS << '\t' << Help;
  OS << '\n';
}

/// Returns \p Argv with a value for an option at its end.
static InputArgList withValue(ArrayRef<const char *> Argv) {
  SmallVector<const char *, 32> All(Argv);
  All.push_back("value");
  return {All.begin(), All.end()};
}

/// Of `--name value` and `--name=value`, prints only the second, which shows
/// that the option takes a value.
void OptionCompleter::printNames(StringRef Typed) const {
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    const Option O = Table.getOption(ID);
    const StringRef Name = O.getPrefixedName();
    // If only the value is missing, the name is complete.
    const bool IsOpen = O.getKind() == Option::JoinedClass;
    if (!O.hasVisibilityFlag(Shown) || !Name.starts_with(Typed) ||
        O.getKind() == Option::SeparateClass || (IsOpen && Name == Typed))
      continue;
    const char *Help = Table.getOptionHelpText(ID, Shown);
    print(OS, IsOpen ? "open" : "word", Name, Help ? Help : "");
  }
}

/// \p Typed follows \p Beginning in the same argument.
void OptionCompleter::printValues(const Option &O, StringRef Beginning,
                                  StringRef Typed) const {
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
      print(OS, "word", Beginning + Listed + Value);
  if (Kind.ends_with("<FILE>") ||
      is_contained({"<MANIFEST>", "<REPORT>", "<PROGRAM>"}, Kind))
    print(OS, "files", Beginning);
  if (is_contained({"<PROGRAM>", "<COMMAND>"}, Kind))
    print(OS, "programs", Beginning);
}

bool OptionCompleter::complete(ArrayRef<const char *> Argv) const {
  const InputArgList Args = withValue(Argv);
  const StringRef Typed = Argv.back();
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
    printValues(O, "", Typed);
    return true;
  }
  if (Typed.empty())
    return false;
  printNames(Typed);
  if (O.getKind() == Option::JoinedClass) {
    const StringRef Value = Last->getValue();
    printValues(O, Typed.drop_back(Value.size()), Value);
  }
  return Typed.starts_with("-");
}

size_t OptionCompleter::firstOperand(ArrayRef<const char *> Argv) const {
  const InputArgList Args = withValue(Argv);
  unsigned Index = 0;
  while (Index + 1 < Argv.size()) {
    const unsigned Begin = Index;
    if (StringRef(Argv[Begin]) == "--")
      return Begin + 1;
    const std::unique_ptr<Arg> A = Table.ParseOneArg(Args, Index, Shown);
    if (!A || A->getOption().getKind() == Option::InputClass)
      return Begin;
  }
  return Argv.size() - 1;
}

static void completeSubcommand(raw_ostream &OS, const Subcommand &S,
                               ArrayRef<const char *> Argv,
                               const GenericOptionTable &Table) {
  const OptionCompleter Options(OS, Table, Visibility(S.Takes));
  constexpr size_t Before = 2; // headstart and the subcommand
  const size_t Operand = Options.firstOperand(Argv);
  const bool IsAfterDashes =
      llvm::any_of(Argv.drop_back(), [](StringRef W) { return W == "--"; });
  const bool CanBeOption =
      !IsAfterDashes && (!S.TakesCommand || Operand + 1 == Argv.size());
  if (CanBeOption && Options.complete(Argv))
    return;
  if (S.TakesCommand) {
    print(OS, "command", Twine(Before + Operand));
    return;
  }
  const StringRef First = S.Operands ? S.Operands : "";
  const bool IsFirst = Operand + 1 == Argv.size();
  if (!S.Operands || (!First.empty() && !IsFirst))
    print(OS, "files", "");
  else if (!First.empty())
    for (StringRef Name : llvm::split(First, ','))
      if (Name.starts_with(Argv.back()))
        print(OS, "word", Name);
}

void printCompletions(raw_ostream &OS, ArrayRef<const char *> Argv,
                      const GenericOptionTable &Table,
                      ArrayRef<Subcommand> Subcommands) {
  if (Argv.size() < 2)
    return;
  const StringRef First = Argv[1];
  const bool IsHelp = is_contained({"help", "--help", "-h"}, First);
  if (Argv.size() == 2 || (IsHelp && Argv.size() == 3)) {
    if (Argv.size() == 2 && First.starts_with("-"))
      OptionCompleter(OS, Table, Visibility(DefaultVis))
          .complete(Argv.drop_front());
    for (const Subcommand &S : Subcommands)
      if (S.Name.starts_with(Argv.back()))
        print(OS, "word", S.Name, S.Summary);
    if (Argv.size() == 2 && StringRef("help").starts_with(First))
      print(OS, "word", "help", "Print the help of a subcommand");
    return;
  }
  for (const Subcommand &S : Subcommands)
    if (First == S.Name)
      return completeSubcommand(OS, S, Argv.drop_front(2), Table);
}

} // namespace headstart
