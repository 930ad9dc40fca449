//===- SystemMemory.cpp - The available memory (Windows) ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/SystemMemory.h"

#include "StartProgram.h"
#include "Support.h"
#include "WorkingSet.h"

#include <array>

using namespace headstart::os;
using namespace headstart::os::detail;

std::optional<bool> headstart::os::detail::memoryIsLow() {
  // The handle of this system event is never closed.
  static const HANDLE Event =
      ::CreateMemoryResourceNotification(LowMemoryResourceNotification);
  BOOL IsLow = 0;
  if (Event == nullptr || ::QueryMemoryResourceNotification(Event, &IsLow) == 0)
    return std::nullopt;
  return IsLow != 0;
}

/// Applies a limit of \p Limit bytes, \p Used of them in use, to \p Memory.
static void addLimit(uint64_t Limit, uint64_t Used, SystemMemory &Memory) {
  const uint64_t Left = Limit > Used ? Limit - Used : 0;
  Memory.CgroupLimitBytes =
      std::min(Limit, Memory.CgroupLimitBytes.value_or(Limit));
  Memory.CgroupAvailableBytes =
      std::min(Left, Memory.CgroupAvailableBytes.value_or(Left));
}

/// Reads the limits of this process's job, the innermost if jobs are nested.
/// They count committed memory, which a cached file is not, so treating them
/// like a cgroup's limits is cautious.
static void readJob(SystemMemory &Memory) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION Limits = {};
  if (::QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation,
                                  &Limits, sizeof(Limits), nullptr) == 0)
    return;
  const DWORD Flags = Limits.BasicLimitInformation.LimitFlags;
  const PROCESS_MEMORY_COUNTERS_EX Counters =
      memoryOf(::GetCurrentProcess()).value_or(PROCESS_MEMORY_COUNTERS_EX{});
  if ((Flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0)
    addLimit(Limits.ProcessMemoryLimit, Counters.PrivateUsage, Memory);
  if ((Flags & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0) {
    // The job's current memory; this process's if that is unknown or larger.
    JOBOBJECT_LIMIT_VIOLATION_INFORMATION Now = {};
    const bool IsKnown =
        ::QueryInformationJobObject(nullptr, JobObjectLimitViolationInformation,
                                    &Now, sizeof(Now), nullptr) != 0;
    addLimit(
        Limits.JobMemoryLimit,
        std::max<uint64_t>(IsKnown ? Now.JobMemory : 0, Counters.PrivateUsage),
        Memory);
  }
}

SystemMemory SystemMemory::read(const std::string &) {
  SystemMemory Memory;
  MEMORYSTATUSEX Status = {};
  Status.dwLength = sizeof(Status);
  if (::GlobalMemoryStatusEx(&Status) != 0) {
    Memory.TotalBytes = Status.ullTotalPhys;
    // Includes the standby list (the page cache), which can be reclaimed.
    Memory.AvailableBytes = std::min(Status.ullAvailPhys, Status.ullTotalPhys);
  }
  readJob(Memory);
  if (const std::optional<bool> IsLow = memoryIsLow())
    Memory.PressurePercent = *IsLow ? 100 : 0;
  return Memory;
}

std::string headstart::os::memoryName(const std::string &) {
  std::array<wchar_t, MAX_COMPUTERNAME_LENGTH + 1> Name = {};
  auto Size = static_cast<DWORD>(Name.size());
  if (::GetComputerNameW(Name.data(), &Size) == 0)
    return {};
  SystemMemory Job;
  readJob(Job);
  return toUtf8(Name.data()) +
         (Job.CgroupLimitBytes ? " " + std::to_string(*Job.CgroupLimitBytes)
                               : "");
}

uint64_t headstart::os::maxMappings(const std::string &) {
  // Only the address space limits them: views begin at multiples of 64 KiB.
  SYSTEM_INFO Info;
  ::GetSystemInfo(&Info);
  const auto Addresses =
      reinterpret_cast<uintptr_t>(Info.lpMaximumApplicationAddress) -
      reinterpret_cast<uintptr_t>(Info.lpMinimumApplicationAddress);
  return std::max<uint64_t>(Addresses / Info.dwAllocationGranularity, 1);
}

// The most handles that a process can have (M. Russinovich, "Pushing the Limits
// of Windows: Handles": 16,711,680 of 2^24).
uint64_t headstart::os::maxOpenFiles() { return 16'711'680; }

uint64_t headstart::os::freeDescriptors() { return maxOpenFiles(); }

// Windows enlarges its table of handles while threads use it.
void headstart::os::reserveDescriptors() {}

std::string headstart::os::blockingLimit() { return ""; }
