//===- Options.cpp - The option table of ld64.lld -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/Option.h"
#include <algorithm>

using namespace llvm;
using namespace llvm::opt;

namespace headstart::macho {

#define HEADSTART_OPTIONS "headstart/Inputs/MachOOptions.inc"
#include "headstart/Inputs/OptionTable.inc"

const GenericOptionTable &optionTable() {
  static const OptionTable Table;
  return Table;
}

InputArgList parseArguments(ArrayRef<const char *> CommandArgs) {
  unsigned MissingIndex = 0;
  unsigned MissingCount = 0;
  return optionTable().ParseArgs(CommandArgs, MissingIndex, MissingCount);
}

/// More threads are an error in --prefetch-jobs. lld accepts any number of
/// workers, in any base, so --read-workers must not become an error.
static constexpr unsigned MaxWorkers = 256;

std::vector<PlacedOption> findPrefetchOptions(const InputArgList &Args) {
  unsigned Workers = 0;
  const Arg *LastWorkers = Args.getLastArg(OPT_read_workers_eq);
  bool MapsWorkers =
      LastWorkers && to_integer(LastWorkers->getValue(), Workers, 0);
  std::vector<PlacedOption> Found;
  for (const Arg *A : Args) {
    bool IsWorkers = A->getOption().matches(OPT_read_workers_eq);
    if (IsWorkers ? !MapsWorkers : !A->getOption().matches(OPT_grp_headstart))
      continue;
    Found.push_back({A->getIndex(), makePrefetchOption(*A)});
    if (IsWorkers) {
      Found.back().Option.Name = "prefetch-jobs";
      Found.back().Option.Value = std::to_string(std::min(Workers, MaxWorkers));
    }
  }
  return Found;
}

std::vector<PlacedOption>
Model::findPrefetchOptions(ArrayRef<const char *> Args) const {
  std::vector<PlacedOption> Found =
      macho::findPrefetchOptions(parseArguments(Args));
  // A response file may hold another --read-workers, and lld checks only the
  // last one. These options therefore stay until all arguments are expanded.
  if (any_of(Args,
             [](const char *Arg) { return Arg[0] == '@' && Arg[1] != '\0'; }))
    llvm::erase_if(Found, [](const PlacedOption &Placed) {
      return StringRef(Placed.Option.Spelling).starts_with("--read-");
    });
  return Found;
}

} // namespace headstart::macho
