//===- Completion.cpp - Shell completion ----------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OptTable::findByPrefix skips options without a help text, which are all of
// lld's in our tables, and offers each with every number of dashes. This file
// therefore searches the names; OptTable parses options and lists their values.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/Link/ForeignCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/Option.h"
#include <string>
#include <vector>

using namespace llvm;
using namespace llvm::opt;

namespace headstart {

namespace {

/// Completes the options of one program.
class OptionCompleter {
public:
  OptionCompleter(raw_ostream &OS, const GenericOptionTable &Table,
                  Visibility Shown = Visibility(), bool IgnoresCase = false)
      : OS(OS), Table(Table), Shown(Shown), IgnoresCase(IgnoresCase) {}

  /// Prints the options, and the values of options, that complete the last of
  /// \p Argv. Returns whether nothing else can complete it.
  bool complete(ArrayRef<const char *> Argv, bool OwnOnly = false) const;

  /// Returns the index of the first argument that is neither an option nor an
  /// option's value. The last argument counts in any case.
  size_t firstOperand(ArrayRef<const char *> Argv) const;

private:
  bool printNames(StringRef Typed, bool OwnOnly) const;
  bool printName(const Option &O, StringRef Typed) const;
  void printValues(const Option &O, StringRef Beginning, StringRef Typed) const;

  raw_ostream &OS;
  const GenericOptionTable &Table;
  Visibility Shown;
  bool IgnoresCase;
};

} // namespace

static void print(raw_ostream &OS, StringRef What, const Twine &Text,
                  StringRef Help = "") {
  OS << What << '\t' << Text;
  if (!Help.empty())
    OS << '\t' << Help;
  OS << '\n';
}

/// Returns \p Argv with values for an option at its end: as many as any option
/// takes (-rename_section of ld64.lld).
static InputArgList withValues(ArrayRef<const char *> Argv) {
  SmallVector<const char *, 32> All(Argv);
  All.append(4, "value");
  return {All.begin(), All.end()};
}

static bool isOwn(const Option &O) {
  const Option Group = O.getGroup();
  return Group.isValid() && Group.getName() == "headstart";
}

bool OptionCompleter::printName(const Option &O, StringRef Typed) const {
  SmallVector<StringRef, 4> Prefixes;
  Table.appendOptionPrefixes(O.getID(), Prefixes);
  for (StringRef Prefix : Prefixes) {
    const std::string Name = (Prefix + O.getName()).str();
    const StringRef Rest = StringRef(Name).substr(Typed.size());
    // If only the value is missing, the name is complete.
    const bool IsOpen = O.getKind() == Option::JoinedClass;
    if ((IsOpen && Rest.empty()) ||
        !(IgnoresCase ? StringRef(Name).starts_with_insensitive(Typed)
                      : StringRef(Name).starts_with(Typed)))
      continue;
    const char *Help = Table.getOptionHelpText(O.getID(), Shown);
    // The typed letters keep their case, or the shell would skip the name.
    print(OS, IsOpen ? "open" : "word", Typed + Rest, Help ? Help : "");
    return true;
  }
  return false;
}

/// Returns whether any name matches. If an option is both `--name value` and
/// `--name=value`, prints only the second, which shows that it takes a value.
bool OptionCompleter::printNames(StringRef Typed, bool OwnOnly) const {
  StringSet<> WithSign;
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID)
    if (const Option O = Table.getOption(ID); O.getName().ends_with("="))
      WithSign.insert(O.getName().drop_back());
  bool Any = false;
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    const Option O = Table.getOption(ID);
    if (is_contained(
            {Option::GroupClass, Option::InputClass, Option::UnknownClass},
            O.getKind()) ||
        O.hasFlag(HelpHidden) || !O.hasVisibilityFlag(Shown) ||
        (OwnOnly && !isOwn(O)) ||
        (O.getKind() == Option::SeparateClass &&
         WithSign.contains(O.getName())))
      continue;
    Any |= printName(O, Typed);
  }
  return Any;
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
      print(OS, Value.ends_with("=") ? "open" : "word",
            Beginning + Listed + Value);
  // Our tables do not say which of lld's options take a file.
  if (Kind.ends_with("<FILE>") ||
      is_contained({"<MANIFEST>", "<REPORT>", "<PROGRAM>"}, Kind) ||
      (Kind.empty() && Values.empty()))
    print(OS, "files", Beginning);
  if (is_contained({"<PROGRAM>", "<COMMAND>"}, Kind))
    print(OS, "programs", Beginning);
}

bool OptionCompleter::complete(ArrayRef<const char *> Argv,
                               bool OwnOnly) const {
  const InputArgList Args = withValues(Argv);
  const StringRef Typed = Argv.back();
  std::unique_ptr<Arg> Last;
  unsigned Begin = 0;
  unsigned Index = 0;
  while (Index < Argv.size()) {
    Begin = Index;
    Last = Table.ParseOneArg(Args, Index, Shown);
    if (!Last) // an option takes more values than withValues adds
      return false;
  }
  const Option &O = Last->getOption();
  const bool IsOption =
      O.getKind() != Option::InputClass && O.getKind() != Option::UnknownClass;
  if (Begin + 1 < Argv.size()) {
    if (OwnOnly && !isOwn(O))
      return false;
    printValues(O, "", Typed);
    return true;
  }
  if (Typed.empty())
    return false;
  const bool AnyNames = printNames(Typed, OwnOnly);
  // The value may be in the same argument: `-ofile`, but not `-out` if an
  // option begins with that.
  const StringRef Name = Last->getSpelling();
  const bool HasValue =
      IsOption && Index == Begin + 1 && Last->getNumValues() == 1 &&
      (!AnyNames || Name.ends_with("=") || Name.ends_with(":")) &&
      (!OwnOnly || isOwn(O));
  if (HasValue) {
    const StringRef Value = Last->getValue();
    printValues(O, Typed.drop_back(Value.size()), Value);
  }
  // For lld-link, a path can begin like an option.
  return HasValue || Typed.starts_with("-");
}

size_t OptionCompleter::firstOperand(ArrayRef<const char *> Argv) const {
  const InputArgList Args = withValues(Argv);
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

static void completeLinker(raw_ostream &OS, ArrayRef<const char *> Argv,
                           ArrayRef<std::string> All,
                           const KnownProgram &Linker) {
  const LinkerModel &Model = LinkerModel::of(Linker.Linker);
  const bool IgnoresCase = Linker.Linker == Flavour::COFF;
  const GenericOptionTable &Table = Model.optionTable(All);
  const GenericOptionTable &Default = Model.optionTable({});
  Argv = Argv.drop_front(std::min(Linker.LeadingArgs, Argv.size() - 1));
  bool IsDone =
      OptionCompleter(OS, Table, Visibility(), IgnoresCase).complete(Argv);
  if (&Table != &Default)
    IsDone |= OptionCompleter(OS, Default).complete(Argv, /*OwnOnly=*/true);
  if (!IsDone)
    print(OS, "files", "");
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
  const std::vector<std::string> All(Argv.begin(), Argv.end());
  const std::optional<KnownProgram> Linker = recognizeProgram(All);
  if (Linker && !Linker->Driver)
    return completeLinker(OS, Argv, All, *Linker);
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
