//===- SystemMemory.h - How much memory may be used -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How much memory this process may fill: the machine's and its cgroup's. One
/// source per platform in `lib/OS/<Platform>/SystemMemory.cpp`; the standard
/// library only, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_SYSTEMMEMORY_H
#define HEADSTART_OS_SYSTEMMEMORY_H

#include <cstdint>
#include <optional>
#include <string>

namespace headstart::os {

/// A reading of the machine's memory; all in bytes. What the system does not
/// tell is 0 (TotalBytes, AvailableBytes) or absent.
struct SystemMemory {
  uint64_t TotalBytes = 0;
  /// What can be had without swapping: free memory and what the page cache can
  /// give back (`MemAvailable`).
  uint64_t AvailableBytes = 0;
  /// The tightest limit of this process's memory cgroup and its ancestors,
  /// v1 or v2 (there also `memory.high`); absent where there is none. On
  /// Windows that of the job object, which counts committed memory.
  std::optional<uint64_t> CgroupLimitBytes;
  /// What they can still take before reclaim must find something, the least of
  /// them: limit less what is charged, inactive file pages counted as free.
  std::optional<uint64_t> CgroupAvailableBytes;

  /// In how much of the last ten seconds a task had to wait for memory, in
  /// percent (Linux's pressure stall information, `some avg10`): of the cgroup
  /// where that is told (v2), else of the machine. On Windows 100 while the
  /// system's LowMemoryResourceNotification is set, else 0.
  /// macOS: 0, 50 or 100 for a pressure level of normal, warning or critical.
  std::optional<double> PressurePercent;

  /// The smaller of what the machine and the cgroup have available.
  uint64_t available() const {
    if (CgroupAvailableBytes && *CgroupAvailableBytes < AvailableBytes)
      return *CgroupAvailableBytes;
    return AvailableBytes;
  }

  /// Reads it now. \p Root stands for `/` (a test passes a directory with a
  /// made-up `proc` and `sys`; on Windows nothing is read from any other root).
  /// Blocks for a few small pseudo-files; never
  /// fails: an unreadable or malformed file leaves its figure out. Any thread.
  static SystemMemory read(const std::string &Root = "/");
};

/// Names the memory that this process draws on, for programs that share it: the
/// machine, on Linux and macOS since its start, and of its control groups the
/// one with the tightest limit, where that is less than the machine has. Equal
/// names take memory from each other; another machine, and another group with a
/// limit, have other names. Windows names no job: there the limit stands for
/// it. One line of UTF-8; empty where the system does not tell. Blocks for a
/// few small pseudo-files; any thread. \p Root as above.
std::string memoryName(const std::string &Root = "/");

/// The most memory that this process has had at once, what it has mapped of
/// files included; nothing where the system does not tell.
std::optional<uint64_t> peakMemory();

/// The most memory mappings that one process may have (`vm.max_map_count`), or
/// a careful guess where the system does not tell.
uint64_t maxMappings(const std::string &Root = "/");

/// The most file descriptors that this process may open (soft RLIMIT_NOFILE; on
/// Windows what is known of the most handles).
uint64_t maxOpenFiles();

/// How many more descriptors this process may open now, at least: those that it
/// has inherited count. No more than some hundreds are looked for. Costs one
/// system call.
uint64_t freeDescriptors();

/// A limit of this process that leaves threads of ours no room beside the
/// program's own, in words for people ("ulimit -v"); empty where there is none:
/// address space, data, stacks of less than 1 MiB, fewer than 34 free
/// descriptors.
std::string blockingLimit();

} // namespace headstart::os

#endif // HEADSTART_OS_SYSTEMMEMORY_H
