//===- Threads.cpp - Threads that may fail to start -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"
#include <algorithm>

namespace headstart::os {

std::optional<uint64_t> countWaits() { return std::nullopt; }
std::optional<std::chrono::nanoseconds> processorWait() { return std::nullopt; }

std::optional<DiskUse> diskUse(DiskUser) { return std::nullopt; }

std::optional<std::chrono::nanoseconds> processorTime() { return std::nullopt; }

unsigned usableProcessors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

std::error_code Threads::start(std::function<void()> Work) {
  return startAsIs(std::move(Work));
}

void runWithoutSignals(const std::function<void()> &Work) { Work(); }

} // namespace headstart::os
