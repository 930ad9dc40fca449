//===- ResourceUse.h - A process's resource usage ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_LINUX_RESOURCEUSE_H
#define HEADSTART_LIB_OS_LINUX_RESOURCEUSE_H

#include "headstart/OS/Threads.h"

#include <cstdint>
#include <sys/resource.h>

namespace headstart::os::detail {

/// Returns the use of the disks that \p Usage reports.
inline DiskUse diskUseIn(const rusage &Usage) {
  constexpr uint64_t Block = 512; // bytes, on every disk
  return {Block * static_cast<uint64_t>(Usage.ru_inblock),
          static_cast<uint64_t>(Usage.ru_majflt)};
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_RESOURCEUSE_H
