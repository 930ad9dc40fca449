//===- Abilities.cpp - What the calls are called (Windows) ----------------===//
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
      {AbilityKind::Hint, "PrefetchVirtualMemory", "Windows 8"},
      {AbilityKind::Mincore, "QueryWorkingSetEx", "Windows 10"},
      {AbilityKind::Evict, "ReOpenFile(FILE_FLAG_NO_BUFFERING)", ""},
      {AbilityKind::Cold, "VirtualUnlock", ""},
      {AbilityKind::Pagemap, "QueryWorkingSetEx", ""},
      {AbilityKind::Threads, "CreateThread", ""},
  };
  for (const CallName &Name : Names)
    if (Name.Kind == Kind)
      return Name;
  return {Kind, "", ""};
}
