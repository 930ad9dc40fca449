//===- Abilities.cpp - What the calls are called (Linux) ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Abilities.h"

using namespace headstart::os;

detail::CallName detail::nameOf(AbilityKind Kind) {
  static constexpr CallName Names[] = {
      {AbilityKind::Hint, "posix_fadvise(POSIX_FADV_WILLNEED)", ""},
      {AbilityKind::LargePages, "madvise(MADV_POPULATE_READ)", "Linux 5.14"},
      {AbilityKind::Cachestat, "cachestat", "Linux 6.5"},
      {AbilityKind::Mincore, "mincore", ""},
      {AbilityKind::Evict, "posix_fadvise(POSIX_FADV_DONTNEED)", ""},
      {AbilityKind::Cold, "madvise(MADV_PAGEOUT)", "Linux 5.4"},
      {AbilityKind::Scan, "ioctl(PAGEMAP_SCAN)", "Linux 6.7", "/proc"},
      {AbilityKind::Pagemap, "/proc/self/pagemap", "", "/proc"},
      {AbilityKind::Waits, "getrusage(RUSAGE_THREAD)", ""},
      {AbilityKind::Threads, "pthread_create", ""},
  };
  for (const CallName &Name : Names)
    if (Name.Kind == Kind)
      return Name;
  return {Kind, "", ""};
}
