//===- SystemMemory.cpp - How much memory may be used ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/SystemMemory.h"

#include "Cgroup.h"
#include "PseudoFile.h"

#include <limits>
#include <sys/resource.h>

using namespace headstart::os;
using namespace headstart::os::detail;

SystemMemory SystemMemory::read(const std::string &Root) {
  SystemMemory Memory;
  const std::string Prefix = prefixOf(Root);
  if (const auto Info = readPseudoFile(Prefix + "/proc/meminfo")) {
    Memory.TotalBytes = findNumber(*Info, "MemTotal").value_or(0);
    Memory.AvailableBytes = findNumber(*Info, "MemAvailable").value_or(0);
  }
  const CgroupMemory Cgroup = readCgroupMemory(Prefix);
  Memory.CgroupLimitBytes = Cgroup.LimitBytes;
  Memory.CgroupAvailableBytes = Cgroup.AvailableBytes;
  Memory.PressurePercent = Cgroup.PressurePercent;
  if (!Memory.PressurePercent)
    Memory.PressurePercent = readPressure(Prefix + "/proc/pressure/memory");
  return Memory;
}

std::optional<uint64_t> headstart::os::peakMemory() {
  struct rusage Usage;
  if (::getrusage(RUSAGE_SELF, &Usage) != 0)
    return std::nullopt;
  return static_cast<uint64_t>(Usage.ru_maxrss) * 1024;
}

uint64_t headstart::os::maxMappings(const std::string &Root) {
  constexpr uint64_t KernelDefault = 65530;
  const auto Text =
      readPseudoFile(prefixOf(Root) + "/proc/sys/vm/max_map_count");
  if (!Text)
    return KernelDefault;
  return parseNumber(*Text).value_or(KernelDefault);
}

uint64_t headstart::os::maxOpenFiles() {
  struct rlimit Limit;
  if (::getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return 1024; // the kernel's default soft limit
  if (Limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<uint64_t>::max();
  return Limit.rlim_cur;
}
