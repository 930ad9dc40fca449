//===- Threads.cpp - How often a thread has waited (Linux) ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"
#include <sys/resource.h>

namespace headstart::os {

std::optional<uint64_t> countWaits() {
  rusage Usage;
  if (::getrusage(RUSAGE_THREAD, &Usage) != 0)
    return std::nullopt;
  return static_cast<uint64_t>(Usage.ru_nvcsw);
}

std::optional<DiskUse> diskUse(DiskUser User) {
  rusage Usage;
  int Who = User == DiskUser::Thread    ? RUSAGE_THREAD
            : User == DiskUser::Process ? RUSAGE_SELF
                                        : RUSAGE_CHILDREN;
  if (::getrusage(Who, &Usage) != 0)
    return std::nullopt;
  // Linux counts sectors of 512 bytes, whatever the file system's blocks.
  return DiskUse{static_cast<uint64_t>(Usage.ru_inblock) * 512,
                 static_cast<uint64_t>(Usage.ru_majflt)};
}

} // namespace headstart::os
