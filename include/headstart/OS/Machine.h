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

namespace headstart::os {

/// What the system does not tell is empty or absent.
struct Machine {
  std::string System;    ///< "Linux 6.18.44"
  std::string Processor; ///< "AMD EPYC"
  unsigned Cores = 0;    ///< that this process may use
  uint64_t MemoryBytes = 0;
};

/// Reads it now. Blocks for pseudo-files. \p Root as in SystemMemory.
Machine readMachine(const std::string &Root = "/");

/// The disk that a file lies on.
struct Disk {
  std::string Name;       ///< "nvme0n1", the whole disk of a partition
  std::string Number;     ///< "259:0", its device number; empty without a disk
  std::string FileSystem; ///< "ext4"
  std::optional<uint64_t> ReadaheadBytes;
};

/// The disk of \p Path. What lies in memory or on another machine has a file
/// system only.
Disk readDisk(const std::string &Path, const std::string &Root = "/");

} // namespace headstart::os

#endif // HEADSTART_OS_MACHINE_H
