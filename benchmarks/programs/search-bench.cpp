//===- search-bench.cpp - Find -l names in -L directories -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How long it takes to find libraries in directories, in one thread: by asking
/// for each path in turn, as ld.lld 22 does (ELF/DriverUtils.cpp: in each
/// directory lib<name>.so, then lib<name>.a); in the same way, but asking for
/// the status, which a prefetcher needs; and by the InputResolver.
///
///     search-bench [--rounds=N] [--each] -L<directory>... -l<name>...
///
/// With --each every library has a resolver of its own, as in a link that names
/// one. Prints the medians in microseconds, what the resolver did, and whether
/// both found the same; exits with 1 if they did not.
///
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/SnapshotCache.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <functional>

using namespace llvm;
using namespace headstart;

using Paths = std::vector<std::string>;

using ExistsFunction = bool (*)(const Twine &Path);

static bool hasStatus(const Twine &Path) {
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status);
}

static std::string probe(const LinkCommand &Command, StringRef Name,
                         ExistsFunction Exists) {
  for (StringRef Directory : Command.SearchPaths)
    for (StringRef Extension : {".so", ".a"}) {
      SmallString<128> Path;
      sys::path::append(Path, Directory, "lib" + Name + Extension);
      if (Exists(Path))
        return std::string(Path);
    }
  return ("-l" + Name).str();
}

static Paths probeAll(const LinkCommand &Command, ExistsFunction Exists) {
  Paths Found;
  for (const NamedInput &Input : Command.Inputs)
    Found.push_back(probe(Command, Input.Name, Exists));
  return Found;
}

static Paths resolveAll(const LinkCommand &Command, SnapshotFigures &Figures) {
  InputResolver Resolver(Command);
  Paths Found;
  for (const NamedInput &Input : Command.Inputs)
    Found.push_back(Resolver.resolve(Input).Path);
  Figures = Resolver.searchFigures();
  return Found;
}

/// Every library in a link of its own.
static Paths resolveEach(ArrayRef<LinkCommand> Single) {
  Paths Found;
  SnapshotFigures Ignored;
  for (const LinkCommand &One : Single)
    Found.push_back(resolveAll(One, Ignored).front());
  return Found;
}

static double measured(const std::function<Paths()> &Search, Paths &Found) {
  auto Begin = std::chrono::steady_clock::now();
  Found = Search();
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
  bool Each = false;
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
    } else if (Arg == "--each") {
      Each = true;
    } else if (!Arg.consume_front("--rounds=") ||
               Arg.getAsInteger(10, Rounds) || Rounds == 0) {
      errs() << "search-bench: error: bad argument '" << Arg << "'\n";
      return 2;
    }
  }
  std::vector<LinkCommand> Single;
  for (const NamedInput &Input : Command.Inputs) {
    LinkCommand &One = Single.emplace_back();
    One.Kind = Command.Kind;
    One.SearchPaths = Command.SearchPaths;
    One.Inputs = {Input};
  }

  SnapshotFigures Figures;
  const std::function<Paths()> Searches[] = {
      [&] { return probeAll(Command, sys::fs::exists); },
      [&] { return probeAll(Command, hasStatus); },
      [&] {
        return Each ? resolveEach(Single) : resolveAll(Command, Figures);
      }};
  std::vector<double> Times[3];
  Paths Results[3];
  bool Agree = true;
  for (unsigned Round = 0; Round != Rounds; ++Round) {
    // Each goes first in a third of the rounds.
    for (unsigned Turn = 0; Turn != 3; ++Turn) {
      unsigned I = (Round + Turn) % 3;
      Times[I].push_back(measured(Searches[I], Results[I]));
    }
    Agree &= Results[0] == Results[1] && Results[0] == Results[2];
  }
  double Stock = median(Times[0]);
  double Statuses = median(Times[1]);
  double Ours = median(Times[2]);
  size_t Found = count_if(
      Results[0], [](StringRef Path) { return !Path.starts_with("-l"); });
  outs() << format("%zu folders, %zu libraries, %zu found, %u rounds\n",
                   Command.SearchPaths.size(), Command.Inputs.size(), Found,
                   Rounds)
         << format("probing      %10.1f us\n", Stock)
         << format("with status  %10.1f us, %.3f\n", Statuses, Statuses / Stock)
         << format("resolver     %10.1f us, %.3f\n", Ours, Ours / Stock);
  if (!Each)
    outs() << format(
        "             %llu probes in vain, %llu saved, %llu folders "
        "read, %llu times not\n",
        static_cast<unsigned long long>(Figures.Misses),
        static_cast<unsigned long long>(Figures.Answers),
        static_cast<unsigned long long>(Figures.Listings),
        static_cast<unsigned long long>(Figures.Refusals));
  outs() << (Agree ? "same results\n" : "DIFFERENT RESULTS\n");
  return Agree ? 0 : 1;
}
