//===- Threads.cpp - Threads that may fail to start (Windows) -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Threads.h"

#include "Support.h"

#include <algorithm>
#include <array>
#include <bit>

namespace headstart::os {

std::optional<std::chrono::nanoseconds> processorTime() {
  FILETIME Ignored;
  FILETIME Kernel;
  FILETIME User;
  if (::GetThreadTimes(::GetCurrentThread(), &Ignored, &Ignored, &Kernel,
                       &User) == 0)
    return std::nullopt;
  const auto Ticks = [](FILETIME Time) { // of 100 ns
    return (int64_t(Time.dwHighDateTime) << 32) + Time.dwLowDateTime;
  };
  return std::chrono::nanoseconds((Ticks(Kernel) + Ticks(User)) * 100);
}

unsigned usableProcessors() {
  std::array<USHORT, 64> Groups;
  auto Count = static_cast<USHORT>(Groups.size());
  unsigned Processors = 0;
  if (::GetProcessGroupAffinity(::GetCurrentProcess(), &Count, Groups.data()) !=
          0 &&
      Count > 1) {
    // Windows 11 spreads a process over all groups, so it has no single mask.
    for (USHORT I = 0; I != Count; ++I)
      Processors += ::GetActiveProcessorCount(Groups.at(I));
  } else {
    DWORD_PTR Ours = 0;
    DWORD_PTR Systems = 0;
    if (::GetProcessAffinityMask(::GetCurrentProcess(), &Ours, &Systems) != 0)
      Processors =
          static_cast<unsigned>(std::popcount(static_cast<uintptr_t>(Ours)));
  }
  if (Processors == 0)
    Processors = std::thread::hardware_concurrency();
  return std::max(1U, Processors);
}

void enterBackground() {
  const HANDLE Thread = ::GetCurrentThread();
  (void)::SetThreadPriority(Thread, THREAD_MODE_BACKGROUND_BEGIN);
  // Windows reuses pages first that a thread in the background has read, but
  // the link will need them.
  MEMORY_PRIORITY_INFORMATION Memory = {MEMORY_PRIORITY_NORMAL};
  (void)::SetThreadInformation(Thread, ThreadMemoryPriority, &Memory,
                               sizeof(Memory));
}

std::error_code Threads::start(std::function<void()> Work) {
  return startAsIs(std::move(Work));
}

void runWithoutSignals(const std::function<void()> &Work) { Work(); }

} // namespace headstart::os
