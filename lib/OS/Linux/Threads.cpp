//===- Threads.cpp - Waits of threads, background work (Linux)
//--------------===//
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
#include <sstream>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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

void enterBackground() {
  // Nice 10 means a tenth of a compiler's weight. With less, links on busy
  // processors would begin before anything is fetched.
  constexpr int Nice = 10;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), Nice);
  // From linux/ioprio.h, which older systems lack.
  constexpr int WhoProcess = 1;
  constexpr int IdleClass = 3;
  constexpr int ClassShift = 13;
  (void)::syscall(SYS_ioprio_set, WhoProcess, 0, IdleClass << ClassShift);
}

/// The time that all reads have taken, on disks and again on their partitions;
/// see Linux's Documentation/admin-guide/iostats.rst.
static std::optional<std::chrono::microseconds>
timeOfReads(const std::string &Prefix) {
  const auto Text = detail::readPseudoFile(Prefix + "/proc/diskstats");
  if (!Text)
    return std::nullopt;
  std::chrono::milliseconds Sum(0);
  // major, minor, name, reads, merged reads, sectors, milliseconds
  constexpr unsigned Before = 6;
  for (std::string_view Rest = *Text; !Rest.empty();) {
    std::istringstream Line(std::string(detail::takeField(Rest, '\n')));
    std::string Skipped;
    for (unsigned I = 0; I != Before; ++I)
      Line >> Skipped;
    uint64_t Time = 0;
    if (Line >> Time)
      Sum += std::chrono::milliseconds(Time);
  }
  return Sum;
}

std::optional<std::chrono::microseconds> diskStall(const std::string &Root) {
  const std::string Prefix = detail::prefixOf(Root);
  for (const char *Path : {"/proc/pressure/io", "/sys/fs/cgroup/io.pressure"})
    if (const auto Stalled = detail::readPressure(Prefix + Path).Stalled)
      return Stalled;
  return timeOfReads(Prefix);
}

} // namespace headstart::os
