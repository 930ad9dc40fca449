//===- Worlds.cpp - Predicted times of links, one for each seed ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// worlds [SEEDS] [--first SEED] [--jobs N] [--quick]: each seed is a link of
/// recorded inputs in its own world (World.h). Its time is predicted with the
/// engine (ours), without it (stock), and as a bound that no link can beat. The
/// program prints the distributions of ours / bound and ours / stock. In some
/// worlds a build precedes the link: ours after a build / ours.
///
///   --seed S         prints the times and the stages of one world
///   --trace          also prints each event of the engine
///   --rig NAME       a rig of docs/Benchmarks.md: local, 400MBps, 2000ops, or
///                    a latency such as 5ms; with --layout, --inputs, --cores,
///                    --scale, --memory, --warm
///   --set NAME=VALUE sets a number of Tuning; durations are in seconds
///   --layout NAME    only this recorded link
///   --json FILE      writes all worlds
///   --check FILE     fails if the figures are worse than the file's
///   --write FILE     writes that file
///   --worst N        prints the N worst worlds (default: 10)
///
//===----------------------------------------------------------------------===//

#include "WorldReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace headstart;
using namespace headstart::simulation;
using llvm::StringRef;

namespace {
constexpr uint64_t MaxProcesses = 64;

struct Request {
  uint64_t Seeds = 500, First = 1, Processes = 1, Worst = 10;
  bool IsQuick = false, IsOne = false, Traces = false, IsWarm = false;
  uint64_t Count = 0, Cores = 2; ///< of a rig
  double Scale = 1, Memory = 0;
  std::string Rig, LayoutName, JSON, Check, Write;
  Tuning Numbers;
  std::vector<Layout> Layouts;

  World draw(uint64_t Seed) const {
    constexpr uint64_t GB = 1'000'000'000;
    return IsQuick ? World::draw(Seed, Layouts, 2000, GB)
                   : World::draw(Seed, Layouts, 100'000, 6 * GB);
  }
};

/// Read and written by all processes.
struct Shared {
  std::atomic<uint64_t> Next{0};
  std::array<std::atomic<uint64_t>, MaxProcesses> Current{};
  WorldResult Results[1];
};
} // namespace

static bool parseValue(StringRef Option, StringRef Value, Request &Options) {
  auto Number = [&](auto &Into) { return !Value.getAsInteger(10, Into); };
  auto Text = [&](std::string &Into) {
    Into = Value.str();
    return true;
  };
  if (Option == "--first")
    return Number(Options.First);
  if (Option == "--jobs")
    return Number(Options.Processes);
  if (Option == "--worst")
    return Number(Options.Worst);
  if (Option == "--inputs")
    return Number(Options.Count);
  if (Option == "--cores")
    return Number(Options.Cores);
  if (Option == "--scale")
    return llvm::to_float(Value, Options.Scale);
  if (Option == "--memory")
    return llvm::to_float(Value, Options.Memory);
  if (Option == "--seed") {
    Options.IsOne = true;
    return Number(Options.First);
  }
  if (Option == "--set") {
    auto [Name, To] = Value.split('=');
    return setTuning(Options.Numbers, Name, To);
  }
  if (Option == "--rig")
    return Text(Options.Rig);
  if (Option == "--layout")
    return Text(Options.LayoutName);
  if (Option == "--json")
    return Text(Options.JSON);
  if (Option == "--check")
    return Text(Options.Check);
  return Option == "--write" && Text(Options.Write);
}

static bool parse(int Count, char **Args, Request &Options) {
  for (int I = 1; I != Count; ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--quick")
      Options.IsQuick = true;
    else if (Arg == "--trace")
      Options.Traces = true;
    else if (Arg == "--warm")
      Options.IsWarm = true;
    else if (!Arg.getAsInteger(10, Options.Seeds))
      continue;
    else {
      if (++I == Count)
        return false;
      if (!parseValue(Arg, Args[I], Options))
        return false;
    }
  }
  Options.Processes = std::clamp<uint64_t>(Options.Processes, 1, MaxProcesses);
  return Options.Seeds != 0;
}

static bool readLayouts(Request &Options) {
  for (const char *Name :
       {"coff-debug", "elf-archives", "elf-objects", "macho-dwarf"}) {
    if (!Options.LayoutName.empty() && Options.LayoutName != Name)
      continue;
    std::string Error;
    std::optional<Layout> Found =
        Layout::read(std::string(HEADSTART_LAYOUTS "/") + Name + ".txt", Error);
    if (!Found) {
      llvm::errs() << "worlds: " << Error << "\n";
      return false;
    }
    Options.Layouts.push_back(std::move(*Found));
  }
  if (Options.Layouts.empty())
    llvm::errs() << "worlds: there is no layout " << Options.LayoutName << "\n";
  return !Options.Layouts.empty();
}

/// Runs links in the worlds that no other process has begun.
static void work(const Request &Options, Shared &All,
                 std::atomic<uint64_t> &Current) {
  for (uint64_t I = All.Next.fetch_add(1); I < Options.Seeds;
       I = All.Next.fetch_add(1)) {
    Current.store(I);
    All.Results[I] = linkIn(Options.draw(Options.First + I), Options.Numbers);
  }
}

static void noteCrash(const Request &Options, Shared &All, uint64_t Index,
                      int Signal) {
  WorldResult &Mine = All.Results[Index];
  Mine.Seed = Options.First + Index;
  std::strncpy(Mine.Failure, strsignal(Signal), sizeof(Mine.Failure) - 1);
}

static void workInProcesses(const Request &Options, Shared &All) {
  std::array<pid_t, MaxProcesses> Children{};
  auto Start = [&](uint64_t I) {
    Children.at(I) = ::fork();
    if (Children.at(I) == 0) {
      work(Options, All, All.Current.at(I));
      std::_Exit(0);
    }
  };
  for (uint64_t I = 0; I != Options.Processes; ++I)
    Start(I);
  for (uint64_t I = 0; I != Options.Processes; ++I)
    for (int Status = 0; Children.at(I) > 0 &&
                         ::waitpid(Children.at(I), &Status, 0) > 0 &&
                         WIFSIGNALED(Status);) {
      noteCrash(Options, All, All.Current.at(I).load(), WTERMSIG(Status));
      Start(I);
    }
}

static bool printFailures(llvm::ArrayRef<WorldResult> All) {
  bool HasFailed = false;
  for (const WorldResult &Each : All) {
    if (Each.IsDone && Each.Failure[0] == '\0')
      continue;
    HasFailed = true;
    llvm::errs() << "seed " << Each.Seed << ": "
                 << (Each.Failure[0] != '\0' ? Each.Failure : "not simulated")
                 << "\n";
  }
  return HasFailed;
}

/// A figure that must not grow.
struct Share {
  StringRef Name;
  double Value;
};

/// The 99th percentiles. The lower quartile shows what a build's fetches save,
/// the median what is saved if lld's driver reads inputs many times from a
/// store of high latency.
static std::array<Share, 5> sharesOf(llvm::ArrayRef<WorldResult> All) {
  std::vector<double> Regret, ToStock, ShortELF, Built;
  for (const WorldResult &Each : All) {
    Regret.push_back(Each.regret());
    ToStock.push_back(Each.toStock());
    if (Each.IsShort && Each.Kind == Flavour::ELF &&
        Each.Store == StoreKind::Remote)
      ShortELF.push_back(Each.toStock());
    if (Each.Built != 0)
      Built.push_back(Each.builtToOurs());
  }
  return {{{"ours/bound", percentile(Regret, 99)},
           {"ours/stock", percentile(ToStock, 99)},
           {"ours/stock, short ELF, remote, mean",
            std::accumulate(ShortELF.begin(), ShortELF.end(), 0.0) /
                std::max<double>(double(ShortELF.size()), 1)},
           {"built/ours", percentile(Built, 99)},
           {"built/ours, quartile", percentile(Built, 25)}}};
}

/// Whether the figures are no worse than those in the file.
static bool check(const std::string &Path, llvm::ArrayRef<WorldResult> All) {
  constexpr double Rounding = 1.005;
  // Sanitized fibers share the thread_local variables, and decide differently.
  if (IsSanitized)
    return true;
  auto Text = llvm::MemoryBuffer::getFile(Path);
  if (!Text) {
    llvm::errs() << "worlds: " << Path << ": " << Text.getError().message()
                 << "\n";
    return false;
  }
  llvm::SmallVector<StringRef, 8> Lines;
  (*Text)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  bool IsFine = true;
  for (const Share &Found : sharesOf(All)) {
    double Limit = 0;
    for (StringRef Line : Lines)
      if (auto [Name, Value] = Line.rsplit(' '); Name == Found.Name)
        (void)llvm::to_float(Value, Limit);
    if (Found.Value <= Limit * Rounding)
      continue;
    llvm::errs() << Found.Name
                 << llvm::format(": %.3f, was %.3f\n", Found.Value, Limit);
    IsFine = false;
  }
  return IsFine;
}

static void writeFigures(const std::string &Path,
                         llvm::ArrayRef<WorldResult> All) {
  std::error_code Error;
  llvm::raw_fd_ostream Out(Path, Error);
  Out << "# Figures of worlds 500 --quick (Worlds.cpp); "
         "the test `worlds` fails if they grow.\n";
  for (const Share &Each : sharesOf(All))
    Out << Each.Name << llvm::format(" %.3f\n", Each.Value);
}

static int replay(const Request &Options) {
  World One = Options.draw(Options.First);
  if (!Options.Rig.empty()) {
    One = World();
    One.Inputs = &Options.Layouts.front();
    One.Count = Options.Count == 0 ? One.Inputs->Inputs.size() : Options.Count;
    One.Cores = static_cast<unsigned>(Options.Cores);
    One.Scale = Options.Scale;
    One.Memory = Options.Memory;
    if (Options.IsWarm)
      One.Residency = ResidencyKind::Warm;
    if (!One.setRig(Options.Rig)) {
      llvm::errs() << "worlds: there is no rig " << Options.Rig << "\n";
      return 2;
    }
  }
  printWorld(One, Options.Numbers, Options.Traces, llvm::outs());
  return 0;
}

static int report(const Request &Options, llvm::ArrayRef<WorldResult> All) {
  if (printFailures(All))
    return 1;
  auto Draw = [&](uint64_t Seed) { return Options.draw(Seed); };
  printDistributions(All, llvm::outs());
  printWorst(All, Options.Worst, Draw, llvm::outs());
  if (!Options.JSON.empty()) {
    std::error_code Error;
    llvm::raw_fd_ostream Out(Options.JSON, Error);
    writeJSON(All, Draw, Out);
  }
  if (!Options.Write.empty())
    writeFigures(Options.Write, All);
  return Options.Check.empty() || check(Options.Check, All) ? 0 : 1;
}

int main(int Count, char **Args) {
  Request Options;
  if (!parse(Count, Args, Options)) {
    llvm::errs() << "usage: worlds [SEEDS] [--first SEED] [--jobs N] [--quick] "
                    "[--seed S] [--rig NAME] [--set NAME=VALUE] ...\n"
                    "The top of Worlds.cpp lists all options.\n";
    return 2;
  }
  if (!readLayouts(Options))
    return 2;
  if (Options.IsOne || !Options.Rig.empty())
    return replay(Options);
  const size_t Bytes = sizeof(Shared) + Options.Seeds * sizeof(WorldResult);
  void *Memory = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Memory == MAP_FAILED) {
    llvm::errs() << "worlds: no memory\n";
    return 2;
  }
  Shared &All = *new (Memory) Shared;
  workInProcesses(Options, All);
  return report(Options, {All.Results, Options.Seeds});
}
