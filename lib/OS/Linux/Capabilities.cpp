//===- Capabilities.cpp - Names of system calls (Linux) -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Capabilities.h"

using namespace headstart::os;

detail::CallName detail::nameOf(CapabilityKind Kind) {
  static constexpr CallName Names[] = {
      {CapabilityKind::Hint, "posix_fadvise(POSIX_FADV_WILLNEED)", ""},
      {CapabilityKind::LargePages, "madvise(MADV_POPULATE_READ)", "Linux 5.14"},
      {CapabilityKind::Cachestat, "cachestat", "Linux 6.5"},
      {CapabilityKind::Mincore, "mincore", ""},
      {CapabilityKind::Evict, "posix_fadvise(POSIX_FADV_DONTNEED)", ""},
      {CapabilityKind::Cold, "madvise(MADV_PAGEOUT)", "Linux 5.4"},
      {CapabilityKind::Scan, "ioctl(PAGEMAP_SCAN)", "Linux 6.7", "/proc"},
      {CapabilityKind::Pagemap, "/proc/self/pagemap", "", "/proc"},
      {CapabilityKind::Waits, "getrusage(RUSAGE_THREAD)", ""},
      {CapabilityKind::Threads, "pthread_create", ""},
  };
  for (const CallName &Name : Names)
    if (Name.Kind == Kind)
      return Name;
  return {Kind, "", ""};
}
