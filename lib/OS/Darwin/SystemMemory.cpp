//===- SystemMemory.cpp - The available memory (macOS) --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/SystemMemory.h"

#include "../Posix/Support.h"

#include <algorithm>
#include <array>
#include <limits.h>
#include <mach/mach.h>
#include <sys/resource.h>
#include <sys/sysctl.h>

using namespace headstart::os;
using namespace headstart::os::detail;

template <typename T> static std::optional<T> control(const char *Name) {
  T Value = 0;
  size_t Size = sizeof(Value);
  if (::sysctlbyname(Name, &Value, &Size, nullptr, 0) != 0 ||
      Size != sizeof(Value))
    return std::nullopt;
  return Value;
}

/// Returns the free pages (which include speculative ones, that readahead
/// loaded and no process has used), the purgeable ones, and inactive pages of
/// files, which can be reclaimed without swap.
///
/// Inactive pages may be anonymous, too. The pages that are inactive and of
/// files (`external`) are at most the smaller of both counts.
static uint64_t availablePages(const vm_statistics64_data_t &Figures) {
  return uint64_t(Figures.free_count) + Figures.purgeable_count +
         std::min(Figures.inactive_count, Figures.external_page_count);
}

SystemMemory SystemMemory::read(const std::string &) {
  SystemMemory Memory;
  Memory.TotalBytes = control<uint64_t>("hw.memsize").value_or(0);

  // mach_host_self() returns a right each time, which must be released.
  const mach_port_t Host = ::mach_host_self();
  vm_statistics64_data_t Figures = {};
  mach_msg_type_number_t Count = HOST_VM_INFO64_COUNT;
  if (::host_statistics64(Host, HOST_VM_INFO64,
                          reinterpret_cast<host_info64_t>(&Figures),
                          &Count) == KERN_SUCCESS)
    Memory.AvailableBytes =
        std::min(Memory.TotalBytes,
                 availablePages(Figures) * uint64_t(vm_kernel_page_size));
  ::mach_port_deallocate(mach_task_self(), Host);

  // DISPATCH_MEMORYPRESSURE_NORMAL, _WARN and _CRITICAL.
  constexpr int Warning = 2;
  constexpr int Critical = 4;
  constexpr double Some = 50;
  constexpr double All = 100;
  if (const auto Level = control<int>("kern.memorystatus_vm_pressure_level"))
    Memory.PressurePercent = *Level >= Critical  ? All
                             : *Level >= Warning ? Some
                                                 : 0;
  return Memory;
}

std::string headstart::os::memoryName(const std::string &) {
  // A UUID, or the name of the host if the system has no UUID.
  std::array<char, 256> Name = {};
  for (const char *Key : {"kern.bootsessionuuid", "kern.hostname"}) {
    size_t Size = Name.size() - 1;
    if (::sysctlbyname(Key, Name.data(), &Size, nullptr, 0) == 0)
      return Name.data();
  }
  return {};
}

uint64_t headstart::os::maxMappings(const std::string &) {
  return 65530; // no limit is known: Linux's default, the lowest one
}

uint64_t headstart::os::maxOpenFiles() {
  rlimit Limit;
  if (::getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return OPEN_MAX;
  // The limit for every process applies, too, if it is lower.
  const uint64_t Max = static_cast<uint64_t>(
      std::max(control<int>("kern.maxfilesperproc").value_or(OPEN_MAX), 1));
  return std::min<uint64_t>(Limit.rlim_cur, Max);
}
