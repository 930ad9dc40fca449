//===- StopSignals.cpp - Being asked to stop ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/StopSignals.h"
#include "headstart/OS/ChildProcess.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace headstart::os {

namespace {

#ifdef SIGHUP
constexpr std::array<int, 5> Signals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT,
                                        SIGPIPE};
#else
constexpr std::array<int, 2> Signals = {SIGINT, SIGTERM};
#endif
/// The signals after these are recorded only with NextSignal::Waits.
constexpr size_t AlwaysNoted = 3;

// A signal handler has no parameter for its data, so the data is global.
std::atomic<int> Received = 0;
std::array<std::atomic<bool>, Signals.size()> IsOurs; ///< not ignored
std::atomic<bool> NextWaits = false;
static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

extern "C" void noteSignal(int Signal) {
  Received.store(Signal, std::memory_order_relaxed);
  for (size_t I = 0; I != Signals.size(); ++I)
    if (IsOurs[I].load(std::memory_order_relaxed))
      // NOLINTNEXTLINE(cert-err33-c): a handler cannot report the error
      std::signal(Signals[I], NextWaits.load(std::memory_order_relaxed)
                                  ? SIG_IGN
                                  : SIG_DFL);
}

} // namespace

StopSignals::StopSignals(NextSignal Next) {
  Received.store(0);
  NextWaits.store(Next == NextSignal::Waits);
  for (std::atomic<bool> &Ours : IsOurs)
    Ours.store(false);
  Before.fill(SIG_ERR);
  for (size_t I = 0; I != Signals.size(); ++I) {
    if (I >= AlwaysNoted && Next == NextSignal::Ends)
      break;
    Before[I] = std::signal(Signals[I], SIG_IGN);
    // A shell without job control ignores them in background programs.
    if (Before[I] == SIG_IGN)
      continue;
    IsOurs[I].store(true);
    std::signal(Signals[I], noteSignal);
  }
}

StopSignals::~StopSignals() {
  // After a signal was received, another one ends the program.
  for (size_t I = 0; I != Signals.size(); ++I)
    if (received() == 0 && Before[I] != SIG_ERR)
      std::signal(Signals[I], Before[I]);
    else if (IsOurs[I].load())
      std::signal(Signals[I], SIG_DFL);
}

void endByClosedPipe() {
#ifdef SIGPIPE
  // The SIGPIPE of a write goes only to the thread that wrote.
  std::raise(SIGPIPE); // NOLINT(cert-err33-c): it is ignored, or blocked
#endif
}

int StopSignals::runInShell(const std::string &Command) {
  // NOLINTNEXTLINE(bugprone-command-processor,cert-env33-c): a user's command
  const int Status = std::system(Command.c_str());
#ifdef WIFSIGNALED
  if (Status == -1)
    return Status;
  // A program that catches the signal reports it in its exit status.
  const int Signal = WIFSIGNALED(Status)
                         ? WTERMSIG(Status)
                         : WEXITSTATUS(Status) - ProgramEnd::SignalBase;
  if (Signal == SIGINT || Signal == SIGQUIT)
    std::raise(Signal); // NOLINT(cert-err33-c): it may be ignored
#endif
  return Status;
}

int StopSignals::received() { return Received.load(std::memory_order_relaxed); }

} // namespace headstart::os
