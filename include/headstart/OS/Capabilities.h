//===- Capabilities.h - Which calls of the system work ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which of the calls that Headstart makes work on this system, for people. The
/// engine does not ask here: it asks the classes that make them. The calls'
/// names are in `lib/OS/<Platform>/Abilities.cpp`; the standard library only.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_CAPABILITIES_H
#define HEADSTART_OS_CAPABILITIES_H

#include <cstdint>
#include <string>
#include <vector>

namespace headstart::os {

/// What calls of the system are made for.
enum class CapabilityKind : uint8_t {
  Hint,       ///< asking for a range of a file without waiting
  LargePages, ///< fetching in pages as large as the file system has
  Cachestat,  ///< what is in memory of a file, without mapping it
  Mincore,    ///< the same of a mapping
  Evict,      ///< dropping a file from the page cache
  Cold,       ///< saying which pages can go first
  Scan,       ///< what this process has touched, by ranges
  Pagemap,    ///< the same, page by page
  Waits,      ///< how often a thread has waited for the disk
  Threads,    ///< starting one
};

struct Capability {
  CapabilityKind Kind;
  bool Works = false;
  /// "posix_fadvise(POSIX_FADV_WILLNEED)"; empty where this platform has no
  /// such call, or does not say which.
  std::string Call;
  /// The first system that has it: "Linux 6.5"; empty: every one, or none.
  std::string Since;
  /// The file system of `Machine::Unmounted` that it needs: "/proc"; or empty.
  std::string Needs;
};

/// Tries each of them, on the program's own file and memory. Changes nothing
/// but what is in memory of that file. Blocks for a moment.
std::vector<Capability> probeCapabilities();

namespace detail {
/// What the call for \p Kind is called here, and since when it is there.
struct CallName {
  CapabilityKind Kind;
  const char *Call;
  const char *Since;
  const char *Needs = "";
};
CallName nameOf(CapabilityKind Kind);
} // namespace detail

} // namespace headstart::os

#endif // HEADSTART_OS_CAPABILITIES_H
