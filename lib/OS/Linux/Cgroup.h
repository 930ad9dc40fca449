//===- Cgroup.h - The memory limits of our control group --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_LINUX_CGROUP_H
#define HEADSTART_LIB_OS_LINUX_CGROUP_H

#include "PseudoFile.h"
#include <cstdint>
#include <optional>
#include <string>

namespace headstart::os::detail {

struct CgroupMemory {
  std::optional<uint64_t> LimitBytes; ///< the lowest of all levels
  std::string LimitDirectory;         ///< the outermost group with that limit
  std::optional<uint64_t> AvailableBytes; ///< the lowest of all limited levels
  Pressure Waits;                         ///< of our own group (v2)
};

/// Reads this process's memory control groups, v1 and v2, and all of their
/// visible ancestors. \p Root stands for `/` and does not end in `/`.
CgroupMemory readCgroupMemory(const std::string &Root);

/// Returns the lowest quota of this process's control groups and their visible
/// ancestors, in processors; nothing if there is none. \p Root is as above.
std::optional<double> readProcessorQuota(const std::string &Root);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_CGROUP_H
