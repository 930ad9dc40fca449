//===- Capabilities.h - Which calls of the system work ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reports to people which of Headstart's system calls work here. The engine
/// queries the classes that make the calls instead.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_CAPABILITIES_H
#define HEADSTART_OS_CAPABILITIES_H

#include <cstdint>
#include <string>
#include <vector>

namespace headstart::os {

/// The purposes of system calls.
enum class CapabilityKind : uint8_t {
  Hint,       ///< requesting a range of a file without waiting
  LargePages, ///< fetching in pages as large as the file system supports
  Cachestat,  ///< querying the residency of a file, without a mapping
  Mincore,    ///< querying the residency of a mapping
  Evict,      ///< evicting a file from the page cache
  Cold,       ///< advising which pages can be reclaimed first
  Scan,       ///< querying what this process has touched, by ranges
  Pagemap,    ///< querying what this process has touched, page by page
  Waits,      ///< counting how often a thread has waited for the disk
  Threads,    ///< starting a thread
};

struct Capability {
  CapabilityKind Kind;
  bool Works = false;
  /// "posix_fadvise(POSIX_FADV_WILLNEED)"; empty if this platform has no such
  /// call, or does not name it.
  std::string Call;
  /// The first system that has it: "Linux 6.5"; empty: every one, or none.
  std::string Since;
  /// The file system of `Machine::Unmounted` that it needs, "/proc", or empty.
  std::string Needs;
};

/// Tries each of them, on the program's own file and memory. Changes only which
/// pages of that file are cached. Blocks for a moment.
std::vector<Capability> probeCapabilities();

} // namespace headstart::os

#endif // HEADSTART_OS_CAPABILITIES_H
