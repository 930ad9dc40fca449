//===- SystemMemory.h - The available memory --------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How much memory this process may fill, according to the machine and to its
/// cgroup.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_SYSTEMMEMORY_H
#define HEADSTART_OS_SYSTEMMEMORY_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace headstart::os {

/// The machine's memory at one moment, in bytes. Figures that the system does
/// not report are 0 (TotalBytes, AvailableBytes) or absent.
struct SystemMemory {
  uint64_t TotalBytes = 0;
  /// The memory that is available without swapping: free memory, and what the
  /// page cache can release (`MemAvailable`).
  uint64_t AvailableBytes = 0;
  /// The tightest limit of this process's memory cgroup and its ancestors, v1
  /// or v2 (which also has `memory.high`); absent without a limit. On Windows,
  /// the limit of the job object, which counts committed memory.
  std::optional<uint64_t> CgroupLimitBytes;
  /// The memory that is available in these cgroups, the least of them: the
  /// limit minus what is charged, without file pages.
  std::optional<uint64_t> CgroupAvailableBytes;

  /// The time in which some task waited for memory, since the system or the
  /// cgroup exists (Linux's pressure stall information, `some total`): of the
  /// cgroup if that is reported (v2), else of the machine.
  std::optional<std::chrono::microseconds> Stalled;
  /// On Linux, the share of that in the last ten seconds, in percent
  /// (`some avg10`). On Windows 100 while the system's
  /// LowMemoryResourceNotification is set, else 0. On macOS 0, 50 or 100 for a
  /// pressure level of normal, warning or critical.
  std::optional<double> PressurePercent;

  /// The smaller of what the machine and the cgroup have available.
  uint64_t available() const {
    if (CgroupAvailableBytes && *CgroupAvailableBytes < AvailableBytes)
      return *CgroupAvailableBytes;
    return AvailableBytes;
  }

  /// Reads the current figures. \p Root stands for `/` (a test passes a
  /// directory with a made-up `proc` and `sys`; Windows and macOS ignore it).
  /// Blocks for a few small pseudo-files. Never fails: an unreadable or
  /// malformed file only leaves out its figure. Thread-safe.
  static SystemMemory read(const std::string &Root = "/");
};

/// Returns a name of the memory that this process uses, for programs that share
/// it: of the machine (on Linux and macOS, since its start), and of the control
/// group with the tightest limit, if that is less than the machine has.
/// Processes with equal names take memory from each other; another machine, or
/// another group with a limit, has another name. Windows does not name a job,
/// so its limit stands for it. One line of UTF-8; empty if the system does not
/// report it. Blocks for a few pseudo-files. Thread-safe. \p Root as above.
std::string memoryName(const std::string &Root = "/");

/// Returns the most memory that this process has used at once, including mapped
/// files, or nothing if the system does not report it.
std::optional<uint64_t> peakMemory();

/// Returns the same of the process with the number \p Process or, if that is
/// more, of one that it has started and that still runs. Blocks for two small
/// pseudo-files per process. Only Linux reports it.
std::optional<uint64_t> peakMemoryOf(uint64_t Process);

/// Returns the most mappings that one process may have (`vm.max_map_count`), or
/// a careful guess if the system does not report it.
uint64_t maxMappings(const std::string &Root = "/");

/// Returns the most file descriptors that this process may open (soft
/// RLIMIT_NOFILE; on Windows the known maximum of handles).
uint64_t maxOpenFiles();

/// Returns how many more descriptors this process may open now, at least:
/// inherited ones count as open. Stops after it has found 512. Costs a few
/// system calls.
uint64_t freeDescriptors();

/// Enlarges this process's table of descriptors, so that it does not grow while
/// threads open files. Call it before the first thread starts: from then on,
/// each time the table grows (at 64, 128, 256 and 512 descriptors), Linux lets
/// every open wait for a grace period of RCU, 4 to 10 ms (fs/file.c,
/// expand_fdtable). Costs a few system calls; without effect if one fails.
void reserveDescriptors();

/// Returns a limit of this process that leaves no room for Headstart's threads
/// alongside the program's own, as a message ("ulimit -v"), or "": a limit on
/// address space or data, stacks of less than 1 MiB, or fewer than 34 free
/// descriptors.
std::string blockingLimit();

} // namespace headstart::os

#endif // HEADSTART_OS_SYSTEMMEMORY_H
