//===- SystemMemory.cpp - The available memory ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/SystemMemory.h"

#include "Cgroup.h"
#include "PseudoFile.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>

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
  const Pressure Waits = Cgroup.Waits.Stalled
                             ? Cgroup.Waits
                             : readPressure(Prefix + "/proc/pressure/memory");
  Memory.PressurePercent = Waits.Percent;
  Memory.Stalled = Waits.Stalled;
  return Memory;
}

/// Returns the id of the machine's boot, or its host name if /proc has no id.
static std::string machineName(const std::string &Prefix) {
  if (const auto Boot =
          readPseudoFile(Prefix + "/proc/sys/kernel/random/boot_id"))
    return Boot->substr(0, Boot->find('\n'));
  utsname Names = {};
  return ::uname(&Names) == 0 ? static_cast<const char *>(Names.nodename) : "";
}

std::string headstart::os::memoryName(const std::string &Root) {
  const std::string Prefix = prefixOf(Root);
  std::string Name = machineName(Prefix);
  const CgroupMemory Cgroup = readCgroupMemory(Prefix);
  const auto Info = readPseudoFile(Prefix + "/proc/meminfo");
  const uint64_t Total =
      Info ? findNumber(*Info, "MemTotal").value_or(0) : uint64_t(0);
  // lxcfs may show a container its group's limit as the machine's memory.
  if (!Cgroup.LimitBytes || (Total != 0 && *Cgroup.LimitBytes > Total))
    return Name;
  // Each container may see its own group as "/". All processes that see a group
  // find the same number of its directory, which no other group has.
  struct stat Group = {};
  if (::stat(Cgroup.LimitDirectory.c_str(), &Group) == 0)
    return Name + " " + std::to_string(Group.st_dev) + ":" +
           std::to_string(Group.st_ino);
  return Name + " " + Cgroup.LimitDirectory;
}

static std::optional<uint64_t> peakIn(const std::string &Directory) {
  // ru_maxrss begins with the peak of the program that started the process.
  const auto Status = readPseudoFile(Directory + "/status");
  return Status ? findNumber(*Status, "VmHWM") : std::nullopt;
}

std::optional<uint64_t> headstart::os::peakMemory() {
  return peakIn("/proc/self");
}

std::optional<uint64_t> headstart::os::peakMemoryOf(uint64_t Process) {
  std::optional<uint64_t> Most;
  for (const uint64_t One : withDescendants(Process))
    Most = std::max(Most, peakIn(directoryOf(One))); // nullopt is the least
  return Most;
}

uint64_t headstart::os::maxMappings(const std::string &Root) {
  constexpr uint64_t KernelDefault = 65530;
  return readNumber(prefixOf(Root) + "/proc/sys/vm/max_map_count")
      .value_or(KernelDefault);
}

uint64_t headstart::os::maxOpenFiles() {
  struct rlimit Limit;
  if (::getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return 1024;         // the kernel's default soft limit
  return Limit.rlim_cur; // RLIM_INFINITY is the largest number
}
