//===- Threads.cpp - A thread's waits (macOS) -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"

namespace headstart::os {

// macOS does not report it: getrusage(2) has no RUSAGE_THREAD, and
// thread_info's flavours have times but no count of switches
// (<mach/thread_info.h>).
std::optional<uint64_t> countWaits() { return std::nullopt; }
std::optional<std::chrono::nanoseconds> processorWait() { return std::nullopt; }

std::optional<DiskUse> diskUse(DiskUser) { return std::nullopt; }

} // namespace headstart::os
