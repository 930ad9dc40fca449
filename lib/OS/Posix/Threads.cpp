//===- Threads.cpp - Threads that may fail to start (POSIX) ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"
#include <algorithm>
#include <csignal>
#include <pthread.h>

namespace headstart::os {

std::optional<std::chrono::nanoseconds> processorTime() {
  timespec Time;
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time) != 0)
    return std::nullopt;
  return std::chrono::seconds(Time.tv_sec) +
         std::chrono::nanoseconds(Time.tv_nsec);
}

// glibc queries sched_getaffinity(2); libc++ the number of online processors,
// which on macOS is hw.logicalcpu.
unsigned usableProcessors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

std::error_code Threads::start(std::function<void()> Work) {
  // A thread inherits its creator's mask. With everything blocked, the linker's
  // handlers keep running on the linker's threads.
  sigset_t All;
  sigset_t Before;
  sigfillset(&All);
  // If blocked, a fault of the thread would end the process without a message.
  for (const int Fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    sigdelset(&All, Fault);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  const std::error_code Error = startAsIs(std::move(Work));
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Error;
}

void runWithoutSignals(const std::function<void()> &Work) {
  Threads Thread;
  if (Thread.start(Work))
    Work();
}

} // namespace headstart::os
