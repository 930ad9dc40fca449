//===- Capabilities.cpp - Names of system calls (Windows) -----------------===//
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
      {CapabilityKind::Hint, "PrefetchVirtualMemory", "Windows 8"},
      {CapabilityKind::Mincore, "QueryWorkingSetEx", "Windows 10"},
      {CapabilityKind::Evict, "ReOpenFile(FILE_FLAG_NO_BUFFERING)", ""},
      {CapabilityKind::Cold, "VirtualUnlock", ""},
      {CapabilityKind::Pagemap, "QueryWorkingSetEx", ""},
      {CapabilityKind::Threads, "CreateThread", ""},
  };
  for (const CallName &Name : Names)
    if (Name.Kind == Kind)
      return Name;
  return {Kind, "", ""};
}
