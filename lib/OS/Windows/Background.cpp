//===- Background.cpp - Work that makes way for others (Windows) ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Background.h"
#include "Support.h"

namespace headstart::os {

void enterBackground() {
  const HANDLE Thread = ::GetCurrentThread();
  (void)::SetThreadPriority(Thread, THREAD_MODE_BACKGROUND_BEGIN);
  // Windows reuses pages first that a thread in the background has read, but
  // the link will need them.
  MEMORY_PRIORITY_INFORMATION Memory = {MEMORY_PRIORITY_NORMAL};
  (void)::SetThreadInformation(Thread, ThreadMemoryPriority, &Memory,
                               sizeof(Memory));
}

} // namespace headstart::os
