//===- DirectoryTraits.cpp - Guarantees of a file system ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryTraits.h"
#include <chrono>

namespace headstart::os {

DirectoryTraits traitsOf(const DirectoryHandle & /*Directory*/) { return {}; }

bool reportsEveryChange(const OpenFile &) { return false; }

int64_t fileClockNs() {
  // The file system's own clock may tick less often than this one.
  constexpr std::chrono::milliseconds Tick(100);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             (std::chrono::system_clock::now() - Tick).time_since_epoch())
      .count();
}

} // namespace headstart::os
