//===- StopSignals.cpp - Being asked to stop ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/StopSignals.h"

#include <atomic>
#include <csignal>

namespace headstart::os {

namespace {

constexpr std::array<int, 2> Signals = {SIGINT, SIGTERM};

// A handler can reach nothing else.
std::atomic<int> Received = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void noteSignal(int Signal) {
  Received.store(Signal, std::memory_order_relaxed);
  for (const int S : Signals)
    std::signal(S, SIG_DFL); // NOLINT(cert-err33-c): nothing to be done
}

} // namespace

StopSignals::StopSignals() {
  Received.store(0);
  for (size_t I = 0; I != Signals.size(); ++I) {
    Before[I] = std::signal(Signals[I], noteSignal);
    // A shell without job control starts what runs in the background so.
    if (Before[I] == SIG_IGN)
      std::signal(Signals[I], SIG_IGN);
  }
}

StopSignals::~StopSignals() {
  // When one has come in, another one still ends the program.
  for (size_t I = 0; I != Signals.size() && received() == 0; ++I)
    if (Before[I] != SIG_ERR)
      std::signal(Signals[I], Before[I]);
}

int StopSignals::received() { return Received.load(std::memory_order_relaxed); }

} // namespace headstart::os
