//===- Machine.h - Hardware and system --------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Describes the machine in the terms in which people compare measurements.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_MACHINE_H
#define HEADSTART_OS_MACHINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart::os {

/// The machine. Fields that the system does not report are empty or absent.
struct Machine {
  std::string System;    ///< "Linux 6.18.44"
  std::string Processor; ///< "AMD EPYC"
  /// The smallest quota on processors among this process's control groups, v1
  /// or v2: 1.5. Absent without a quota.
  std::optional<double> ProcessorQuota;
  /// The kernel's file systems that this system has, but not mounted: "/proc",
  /// "/sys". Without them, memory, limits and disks are unknown.
  std::vector<std::string> Unmounted;
};

/// Reads the machine. Blocks for pseudo-files. \p Root as in SystemMemory.
Machine readMachine(const std::string &Root = "/");

/// The place where a file system stores its files.
enum class StorageKind : uint8_t {
  Unknown,
  Disk,      ///< on this machine
  Memory,    ///< nowhere else: they are lost when it is
  Network,   ///< on another machine
  UserSpace, ///< wherever the program that serves them stores them (FUSE)
};

/// The disk that stores a file.
struct Disk {
  std::string Name;       ///< "nvme0n1", a partition's whole disk; may be empty
  std::string FileSystem; ///< "ext4"
  StorageKind Kind = StorageKind::Unknown;
  /// The most that the system reads ahead in a file on this disk.
  std::optional<uint64_t> ReadaheadBytes;
  /// The file in which root can change that; empty if root cannot change it.
  std::string ReadaheadFile;
};

/// Returns the disk of \p Path. If the file is in memory or on another machine,
/// the disk has no name. Blocks for the file system.
Disk readDisk(const std::string &Path, const std::string &Root = "/");

} // namespace headstart::os

#endif // HEADSTART_OS_MACHINE_H
