//===- ThreadShortage.cpp - The program's threads come first --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM creates its threads when it first needs them, which is after ours, and
/// ends the program if it cannot (std::thread throws, and LLVM's archives are
/// built without exceptions). If threads are limited (`ulimit -u`, a control
/// group's pids.max), ours must not take the places of LLVM's.
///
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"

#include <cerrno>
#include <pthread.h>
#include <time.h>

// The linker binds both names (--wrap=pthread_create).
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
int __real_pthread_create(pthread_t *Thread, const pthread_attr_t *Attributes,
                          void *(*Run)(void *), void *Argument);
int __wrap_pthread_create(pthread_t *Thread, const pthread_attr_t *Attributes,
                          void *(*Run)(void *), void *Argument);
}

int __wrap_pthread_create(pthread_t *Thread, const pthread_attr_t *Attributes,
                          void *(*Run)(void *), void *Argument) {
  int Error = __real_pthread_create(Thread, Attributes, Run, Argument);
  if (Error != EAGAIN || headstart::os::detail::isStartingOwn() ||
      !headstart::os::detail::endOwnThreads())
    return Error;
  // A joined thread counts against the limit for some moments more.
  constexpr timespec Millisecond = {0, 1'000'000};
  for (unsigned Try = 0; Error == EAGAIN && Try != 200; ++Try) {
    ::nanosleep(&Millisecond, nullptr);
    Error = __real_pthread_create(Thread, Attributes, Run, Argument);
  }
  return Error;
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
