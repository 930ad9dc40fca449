//===- print-options.cpp - The options of an lld --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls one of lld's drivers with --help, and prints its whole option table
/// instead: for each option and prefix, a line of prefix, name, kind and number
/// of values, separated by tabs. utils/check-llvm.py compiles it with the
/// headers and archives of any LLVM, and binds `OptTable::printHelp` to it by
/// the linker's --wrap, since no installed header has the tables.
///
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <utility>

using namespace llvm;
using namespace llvm::opt;

LLD_HAS_DRIVER(coff)
LLD_HAS_DRIVER(elf)
LLD_HAS_DRIVER(mingw)
LLD_HAS_DRIVER(macho)

/// The kinds of options; the others are a group, an input and an unknown
/// option.
static constexpr std::pair<Option::OptionClass, StringLiteral> Kinds[] = {
    {Option::FlagClass, "FLAG"},
    {Option::JoinedClass, "JOINED"},
    {Option::SeparateClass, "SEPARATE"},
    {Option::JoinedOrSeparateClass, "JOINED_OR_SEPARATE"},
    {Option::JoinedAndSeparateClass, "JOINED_AND_SEPARATE"},
    {Option::MultiArgClass, "MULTIARG"},
    {Option::CommaJoinedClass, "COMMAJOINED"},
    {Option::RemainingArgsClass, "REMAINING_ARGS"},
    {Option::RemainingArgsJoinedClass, "REMAINING_ARGS_JOINED"},
    {Option::ValuesClass, "VALUES"},
};

/// Makes an option's `Info` accessible.
struct Inside : Option {
  explicit Inside(const Option &O) : Option(O) {}
  using Option::Info;
};

/// LLVM 19 has no appendOptionPrefixes.
template <class Table>
static void addPrefixes(const Table &Options, const Option &O,
                        SmallVectorImpl<StringRef> &Prefixes) {
  if constexpr (requires { Options.appendOptionPrefixes(O.getID(), Prefixes); })
    Options.appendOptionPrefixes(O.getID(), Prefixes);
  else
    [&](auto *Info) {
      Prefixes.append(Info->Prefixes.begin(), Info->Prefixes.end());
    }(Inside(O).Info);
}

/// Replaces printHelp. Its other parameters differ between versions, and are
/// not used.
extern "C" void printOptions(const OptTable *Options) __asm__(PRINT_HELP);

extern "C" void printOptions(const OptTable *Options) {
  for (unsigned ID = 1; ID <= Options->getNumOptions(); ++ID) {
    const Option O = Options->getOption(ID);
    SmallVector<StringRef, 4> Prefixes;
    addPrefixes(*Options, O, Prefixes);
    for (const auto &[Class, Kind] : Kinds)
      if (O.getKind() == Class)
        for (StringRef Prefix : Prefixes)
          outs() << Prefix << "\t" << O.getName() << "\t" << Kind << "\t"
                 << O.getNumArgs() << "\n";
  }
  outs().flush();
  std::_Exit(0);
}

int main(int Count, char **Words) {
  const StringRef Driver = Count == 2 ? Words[1] : "";
  if (Driver == "COFF")
    lld::coff::link({"lld-link", "/help"}, outs(), errs(), false, false);
  if (Driver == "ELF")
    lld::elf::link({"ld.lld", "--help"}, outs(), errs(), false, false);
  if (Driver == "MinGW")
    lld::mingw::link({"ld.lld", "-m", "i386pep", "--help"}, outs(), errs(),
                     false, false);
  if (Driver == "MachO")
    lld::macho::link({"ld64.lld", "--help"}, outs(), errs(), false, false);
  errs() << "printHelp was not called\n";
  return 1;
}
