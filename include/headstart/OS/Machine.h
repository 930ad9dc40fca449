//===- Machine.h - What this machine is -------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The machine in the words in which people compare figures. The standard
/// library only, no LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_MACHINE_H
#define HEADSTART_OS_MACHINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart::os {

/// What the system does not tell is empty or absent.
struct Machine {
  std::string System;    ///< "Linux 6.18.44"
  std::string Processor; ///< "AMD EPYC"
  unsigned Cores = 0;    ///< that this process may use
  /// How many processors' time the control groups of this process allow it,
  /// v1 or v2, the least of them: 1.5. Absent where there is no quota.
  std::optional<double> ProcessorQuota;
  uint64_t MemoryBytes = 0;
  /// File systems of the kernel that are not mounted, though this system has
  /// them: "/proc", "/sys". Memory, limits and disks are unknown without them.
  std::vector<std::string> Unmounted;
};

/// Reads it now. Blocks for pseudo-files. \p Root as in SystemMemory.
Machine readMachine(const std::string &Root = "/");

/// Where a file system has its files.
enum class StorageKind : uint8_t {
  Unknown,
  Disk,      ///< of this machine
  Memory,    ///< nowhere else: they are gone when it is
  Network,   ///< on another machine
  UserSpace, ///< wherever the program that serves them has them (FUSE)
};

/// The disk that a file lies on.
struct Disk {
  std::string Name;       ///< "nvme0n1", the whole disk of a partition
  std::string Number;     ///< "259:0", its device number; empty without a disk
  std::string FileSystem; ///< "ext4"
  StorageKind Kind = StorageKind::Unknown;
  /// The most that the system reads ahead of a file there.
  std::optional<uint64_t> ReadaheadBytes;
  /// Where root can change that; empty where it cannot be.
  std::string ReadaheadFile;
};

/// The disk of \p Path. What lies in memory or on another machine has neither
/// name nor number. Blocks for the file system.
Disk readDisk(const std::string &Path, const std::string &Root = "/");

} // namespace headstart::os

#endif // HEADSTART_OS_MACHINE_H
