//===- headstart.cpp - Prefetching for any linker, file and tree ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::opt;
using namespace headstart;

namespace {

enum OptionId {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class HeadstartOptTable : public GenericOptTable {
public:
  HeadstartOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, InfoTable) {}
};

struct Subcommand {
  const char *Name;
  const char *Usage;
  const char *Summary;
  Exit (*Run)(const CommandArguments &);
};

constexpr Subcommand Subcommands[] = {
    {"inputs", "headstart inputs [--json] [--flavour=KIND] -- LINKER ARGS...",
     "List the files that a link will read, in order, and why each is there",
     runInputs},
    {"plan", "headstart plan [--json] [--flavour=KIND] -- LINKER ARGS...",
     "List the byte ranges that would be fetched, in their order (phase, "
     "offset, length)",
     runPlan},
    {"profile", "headstart profile [--json] show FILE... | list | prune",
     "Show what a recorded link touched; list or prune the user's profiles",
     runProfile},
    {"residency", "headstart residency [--json] PATH...",
     "Print how much of each file is in memory (folders: all files in them)",
     runResidency},
    {"evict", "headstart evict PATH...",
     "Put files out of memory (folders: all files in them)", runEvict},
};

void printUsage(raw_ostream &OS) {
  OS << "usage: headstart SUBCOMMAND [options] ...\n\n"
        "Headstart makes a cold link cost almost what a warm link costs.\n\n"
        "Subcommands:\n";
  for (const Subcommand &S : Subcommands)
    OS << "  " << S.Usage << "\n      " << S.Summary << "\n";
  OS << "\nEach has --help. Exit status: 0 done, 1 failed, 2 wrong usage.\n";
}

Exit runSubcommand(const Subcommand &S, ArrayRef<const char *> Args) {
  CommandArguments Arguments;
  const auto *Separator =
      llvm::find_if(Args, [](const char *A) { return StringRef(A) == "--"; });
  if (Separator != Args.end()) {
    Arguments.HasLinker = true;
    Arguments.Linker.assign(Separator + 1, Args.end());
  }
  HeadstartOptTable Table;
  unsigned MissingIndex = 0;
  unsigned MissingCount = 0;
  InputArgList Parsed = Table.ParseArgs(ArrayRef(Args.begin(), Separator),
                                        MissingIndex, MissingCount);
  if (Parsed.hasArg(OPT_help)) {
    Table.printHelp(outs(), S.Usage, S.Summary);
    return Exit::Done;
  }
  if (const Arg *Unknown = Parsed.getLastArg(OPT_UNKNOWN))
    return fail("unknown option '" + Unknown->getAsString(Parsed) +
                    "'; see headstart " + S.Name + " --help",
                Exit::WrongUsage);
  Arguments.JSON = Parsed.hasArg(OPT_json);
  Arguments.Flavour = Parsed.getLastArgValue(OPT_flavour_EQ).str();
  Arguments.Operands = Parsed.getAllArgValues(OPT_INPUT);
  return S.Run(Arguments);
}

} // namespace

Exit headstart::fail(const std::string &Message, Exit Status) {
  errs() << "headstart: error: " << Message << "\n";
  return Status;
}

int main(int argc, char **argv) {
  InitLLVM X(argc, argv);
  ArrayRef<const char *> Args(argv, static_cast<size_t>(argc));
  auto Run = [&] {
    if (Args.size() < 2) {
      printUsage(errs());
      return Exit::WrongUsage;
    }
    StringRef Name = Args[1];
    if (Name == "--help" || Name == "-h" || Name == "help") {
      printUsage(outs());
      return Exit::Done;
    }
    if (Name == "--version") {
      outs() << "headstart " HEADSTART_VERSION " (LLVM " LLVM_VERSION_STRING
                ")\n";
      return Exit::Done;
    }
    for (const Subcommand &S : Subcommands)
      if (Name == S.Name)
        return runSubcommand(S, Args.drop_front(2));
    return fail("unknown subcommand '" + Name.str() + "'; see headstart --help",
                Exit::WrongUsage);
  };
  return static_cast<int>(Run());
}
