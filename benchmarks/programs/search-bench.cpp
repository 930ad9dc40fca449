//===- search-bench.cpp - Find -l names in -L directories -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures a search for libraries in directories, in one thread: with a query
/// of each path in turn, as ld.lld 22 does (ELF/DriverUtils.cpp: in each
/// directory lib<name>.so, then lib<name>.a), and by the InputResolver.
///
///     search-bench [--rounds=N] -L<directory>... -l<name>...
///
/// Prints the medians in microseconds, and whether both found the same; exits
/// with 1 if they did not.
///
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputResolver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;
using namespace headstart;

using Paths = std::vector<std::string>;

static std::string probe(const LinkCommand &Command, StringRef Name) {
  for (StringRef Directory : Command.SearchPaths)
    for (StringRef Extension : {".so", ".a"}) {
      SmallString<128> Path;
      sys::path::append(Path, Directory, "lib" + Name + Extension);
      if (sys::fs::exists(Path))
        return std::string(Path);
    }
  return ("-l" + Name).str();
}

static Paths probeAll(const LinkCommand &Command) {
  Paths Found;
  for (const NamedInput &Input : Command.Inputs)
    Found.push_back(probe(Command, Input.Name));
  return Found;
}

static Paths resolveAll(const LinkCommand &Command) {
  InputResolver Resolver(Command);
  Paths Found;
  for (const NamedInput &Input : Command.Inputs)
    Found.push_back(Resolver.resolve(Input).Path);
  return Found;
}

static double measured(Paths (*Search)(const LinkCommand &),
                       const LinkCommand &Command, Paths &Found) {
  auto Begin = std::chrono::steady_clock::now();
  Found = Search(Command);
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - Begin)
      .count();
}

static double median(std::vector<double> Values) {
  llvm::sort(Values);
  return Values[Values.size() / 2];
}

int main(int Count, char **Argv) {
  unsigned Rounds = 11;
  LinkCommand Command;
  Command.Kind = Flavour::ELF;
  for (StringRef Arg : ArrayRef(Argv, Count).drop_front()) {
    if (Arg.consume_front("-L")) {
      Command.SearchPaths.push_back(Arg.str());
    } else if (Arg.consume_front("-l")) {
      NamedInput &Input = Command.Inputs.emplace_back();
      Input.Name = Arg.str();
      Input.Reason = InputReason::Library;
      Input.Search = SearchRule::Library;
    } else if (!Arg.consume_front("--rounds=") ||
               Arg.getAsInteger(10, Rounds) || Rounds == 0) {
      errs() << "search-bench: error: bad argument '" << Arg << "'\n";
      return 2;
    }
  }
  std::vector<double> Times[2];
  Paths Results[2];
  bool Agree = true;
  for (unsigned Round = 0; Round != Rounds; ++Round) {
    // Each goes first in half of the rounds.
    for (unsigned Turn = 0; Turn != 2; ++Turn) {
      unsigned I = (Round + Turn) % 2;
      Times[I].push_back(
          measured(I ? resolveAll : probeAll, Command, Results[I]));
    }
    Agree &= Results[0] == Results[1];
  }
  double Stock = median(Times[0]);
  double Ours = median(Times[1]);
  size_t Found = count_if(
      Results[0], [](StringRef Path) { return !Path.starts_with("-l"); });
  outs() << format("%zu folders, %zu libraries, %zu found, %u rounds\n",
                   Command.SearchPaths.size(), Command.Inputs.size(), Found,
                   Rounds)
         << format("probing      %10.1f us\n", Stock)
         << format("resolver     %10.1f us, %.3f\n", Ours, Ours / Stock);
  outs() << (Agree ? "same results\n" : "DIFFERENT RESULTS\n");
  return Agree ? 0 : 1;
}
