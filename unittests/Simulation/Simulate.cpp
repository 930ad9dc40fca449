//===- Simulate.cpp - Simulated links, one for each seed ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// simulate [SEEDS] [--first SEED] [--jobs N] [--all]: each seed is a whole
/// link, whose inputs, linker, devices, memory and faults are drawn from it.
/// These rules must hold in every link:
///
///  - it ends, and no step of the linker takes much longer than the device;
///  - the bytes fetched ahead of the linker stay within the budget;
///  - a handed-over buffer has the bytes that are at its path at that moment;
///  - no step of a file is fetched twice for one stage; steps are whole pages;
///  - an input that the linker requests is begun before others;
///  - no thread makes a system call that may take long while it holds a mutex;
///  - no small request waits for its device while there is room;
///  - no thread reads an input while another thread plans it;
///  - a device that does not answer delays only the inputs on it;
///  - without faults, each input is opened, a cold one once, its headers are
///    read once, and all that the linker will read is fetched.
///
/// All seeds together must take each decision of the engine.
///
/// The program reports the first seed that fails, with the reason. The seed
/// fails again alone, and then prints each event. With --all, the program
/// reports every seed that fails. It simulates seeds in N processes, so that it
/// can report a crash with its seed.
///
//===----------------------------------------------------------------------===//

#include "SimulatedLink.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace headstart;
using namespace headstart::simulation;
using llvm::StringRef;

namespace {
constexpr unsigned MaxProcesses = 64;

/// With fewer seeds, a decision may be missed by chance.
constexpr uint64_t SeedsForCoverage = 20000;

struct Request {
  uint64_t Seeds = SeedsForCoverage, First = 1, Processes = 1;
  bool Continues = false; ///< after a seed that fails
};

/// The progress of one process. The other processes and their parent read it.
struct Progress {
  std::atomic<uint64_t> Seed{0}; ///< the current seed
  std::atomic<bool> HasFailed{false};
  char Reason[256] = {};
  std::array<std::atomic<uint64_t>, NumDecisions> Times{}, Seeds{};
};

struct Shared {
  /// No process continues with seeds after the first that failed.
  std::atomic<uint64_t> FirstFailed{UINT64_MAX};
  std::array<Progress, MaxProcesses> All;
};
} // namespace

static bool parse(int Count, char **Args, Request &Options) {
  for (int I = 1; I != Count; ++I) {
    StringRef Arg = Args[I];
    uint64_t *Value = &Options.Seeds;
    if (Arg == "--all") {
      Options.Continues = true;
      continue;
    }
    if (Arg == "--first" || Arg == "--jobs") {
      Value = Arg == "--first" ? &Options.First : &Options.Processes;
      if (++I == Count)
        return false;
      Arg = Args[I];
    }
    if (Arg.getAsInteger(10, *Value))
      return false;
  }
  Options.Processes = std::clamp<uint64_t>(Options.Processes, 1, MaxProcesses);
  return true;
}

/// The seed of \p Mine has failed. Returns whether its process continues.
static bool noteFailure(const Request &Options, Shared &All, Progress &Mine,
                        StringRef Reason) {
  const uint64_t Seed = Mine.Seed.load();
  if (Options.Continues) {
    llvm::errs() << ("seed " + llvm::Twine(Seed) + ": " + Reason + "\n").str();
    Mine.HasFailed.store(true);
    return true;
  }
  std::strncpy(Mine.Reason, Reason.str().c_str(), sizeof(Mine.Reason) - 1);
  Mine.HasFailed.store(true);
  uint64_t Known = All.FirstFailed.load();
  while (Seed < Known && !All.FirstFailed.compare_exchange_weak(Known, Seed))
    ;
  return false;
}

/// Simulates the seeds of \p Mine: from \p Begin on, one in every
/// \p Options.Processes.
static void simulateSeeds(const Request &Options, uint64_t Begin, Shared &All,
                          Progress &Mine) {
  const uint64_t End = Options.First + Options.Seeds;
  for (uint64_t Seed = Begin; Seed < std::min(End, All.FirstFailed.load());
       Seed += Options.Processes) {
    Mine.Seed.store(Seed);
    // On the heap, and leaked on failure, because its threads still run.
    auto *One = new SimulatedLink(Seed);
    if (Options.Seeds == 1)
      One->tell();
    std::string Failure = One->run();
    for (size_t I = 0; I != NumDecisions; ++I) {
      Mine.Times.at(I).fetch_add(One->decisions().at(I));
      Mine.Seeds.at(I).fetch_add(One->decisions().at(I) != 0);
    }
    if (Failure.empty())
      delete One;
    else if (!noteFailure(Options, All, Mine, Failure))
      return;
  }
}

/// Starts a process for the seeds of \p Mine from \p Begin on.
static pid_t startProcess(const Request &Options, uint64_t Begin, Shared &All,
                          Progress &Mine) {
  Mine.Seed.store(Begin);
  const pid_t Child = ::fork();
  if (Child == 0) {
    simulateSeeds(Options, Begin, All, Mine);
    std::_Exit(0);
  }
  if (Child < 0)
    (void)noteFailure(Options, All, Mine, "its process could not be started");
  return Child;
}

/// Runs \p Options in separate processes, and waits for them.
static void simulateInProcesses(const Request &Options, Shared &All) {
  std::array<pid_t, MaxProcesses> Children{};
  for (uint64_t I = 0; I != Options.Processes; ++I)
    Children.at(I) =
        startProcess(Options, Options.First + I, All, All.All.at(I));
  for (uint64_t I = 0; I != Options.Processes; ++I) {
    Progress &Mine = All.All.at(I);
    for (int Status = 0; Children.at(I) > 0 &&
                         ::waitpid(Children.at(I), &Status, 0) > 0 &&
                         WIFSIGNALED(Status);) {
      std::string Reason = "it crashed: ";
      if (!noteFailure(Options, All, Mine,
                       Reason + strsignal(WTERMSIG(Status))))
        break;
      const uint64_t Next = Mine.Seed.load() + Options.Processes;
      Children.at(I) = startProcess(Options, Next, All, Mine);
    }
  }
}

/// Prints how often each decision was taken. Returns false if one never was.
static bool printDecisions(const Request &Options, const Shared &All) {
  bool IsComplete = true;
  llvm::outs() << "decision                        times   % of seeds\n";
  for (size_t I = 0; I != NumDecisions; ++I) {
    uint64_t Times = 0, Seeds = 0;
    for (const Progress &Each : All.All) {
      Times += Each.Times.at(I).load();
      Seeds += Each.Seeds.at(I).load();
    }
    llvm::outs() << llvm::format("%-24s %12llu   %10.4f\n", DecisionKeys.at(I),
                                 static_cast<unsigned long long>(Times),
                                 100.0 * static_cast<double>(Seeds) /
                                     static_cast<double>(Options.Seeds));
    IsComplete &= Times != 0;
  }
  return IsComplete;
}

int main(int Count, char **Args) {
  Request Options;
  if (!parse(Count, Args, Options)) {
    llvm::errs()
        << "usage: simulate [SEEDS] [--first SEED] [--jobs N] [--all]\n";
    return 2;
  }
  void *Memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Memory == MAP_FAILED) {
    llvm::errs() << "simulate: no memory\n";
    return 2;
  }
  Shared &All = *new (Memory) Shared;
  if (Options.Seeds == 1) // in this process, for debuggers
    simulateSeeds(Options, Options.First, All, All.All.front());
  else
    simulateInProcesses(Options, All);
  for (const Progress &Each : All.All)
    if (!Options.Continues && Each.HasFailed.load() &&
        Each.Seed.load() == All.FirstFailed.load()) {
      llvm::errs() << "seed " << Each.Seed.load() << ": " << Each.Reason
                   << "\nagain: simulate 1 --first " << Each.Seed.load()
                   << "\n";
      std::_Exit(1);
    }
  llvm::outs() << Options.Seeds << " links were simulated, from seed "
               << Options.First << " on\n";
  const bool HasFailed = llvm::any_of(
      All.All, [](const Progress &Each) { return Each.HasFailed.load(); });
  if (Options.Seeds < SeedsForCoverage)
    return HasFailed;
  const bool IsComplete = printDecisions(Options, All);
  if (!IsComplete)
    llvm::errs() << "a decision was never taken\n";
  return HasFailed || !IsComplete;
}
