//===- Threads.cpp - A thread's waits (Linux) -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"
#include "../Posix/Support.h"
#include "PseudoFile.h"
#include "headstart/OS/MappedFile.h"
#include <sys/resource.h>

namespace headstart::os {

std::optional<uint64_t> countWaits() {
  rusage Usage;
  if (::getrusage(RUSAGE_THREAD, &Usage) != 0)
    return std::nullopt;
  return static_cast<uint64_t>(Usage.ru_nvcsw);
}

// schedstat has the time on a processor, the time waiting for one, and the
// number of time slices (Documentation/scheduler/sched-stats.rst).
std::optional<std::chrono::nanoseconds> processorWait() {
  // Opening it takes ten times as long as reading it.
  thread_local OpenFile Own;
  if (!Own.isOpen() && OpenFile::open("/proc/thread-self/schedstat", Own))
    return std::nullopt;
  char Text[64];
  std::error_code Error;
  std::string_view Rest(Text, Own.readAt(0, Text, Error));
  (void)detail::takeField(Rest, ' ');
  const std::optional<uint64_t> Waited =
      detail::parseNumber(detail::takeField(Rest, ' '));
  if (!Waited)
    return std::nullopt;
  return std::chrono::nanoseconds(*Waited);
}

std::optional<DiskUse> diskUse(DiskUser User) {
  rusage Usage;
  if (::getrusage(User == DiskUser::Thread ? RUSAGE_THREAD : RUSAGE_SELF,
                  &Usage) != 0)
    return std::nullopt;
  return detail::diskUseIn(Usage);
}

} // namespace headstart::os
