//===- Limits.cpp - Limits of this process --------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/SystemMemory.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace headstart;

uint64_t os::freeDescriptors() {
  constexpr uint64_t Enough = 512;
  std::array<pollfd, 1024> Numbers;
  const uint64_t Limit = std::min<uint64_t>(maxOpenFiles(), INT_MAX);
  uint64_t Free = 0;
  for (uint64_t From = 0; From != Limit && Free < Enough;) {
    const uint64_t Count = std::min<uint64_t>(Limit - From, Numbers.size());
    for (uint64_t I = 0; I != Count; ++I)
      Numbers[I] = {static_cast<int>(From + I), POLLIN, 0};
    // The call reports which numbers are not open (macOS checks only those with
    // a requested event). No signal interrupts it, since it does not wait.
    if (::poll(Numbers.data(), static_cast<nfds_t>(Count), 0) < 0)
      break;
    Free += static_cast<uint64_t>(std::count_if(
        Numbers.begin(), Numbers.begin() + static_cast<ptrdiff_t>(Count),
        [](const pollfd &One) { return (One.revents & POLLNVAL) != 0; }));
    From += Count;
  }
  return Free;
}

void os::reserveDescriptors() {
  // The engine keeps about 500 open at most, half of what freeDescriptors
  // finds. This table has 8 KiB.
  constexpr uint64_t Wanted = 1024;
  const int Any = ::open("/", O_RDONLY | O_CLOEXEC);
  if (Any < 0)
    return;
  const int Last =
      ::fcntl(Any, F_DUPFD_CLOEXEC,
              static_cast<int>(std::min(maxOpenFiles(), Wanted)) - 1);
  if (Last >= 0)
    ::close(Last);
  ::close(Any);
}

std::string os::blockingLimit() {
  constexpr rlim_t MinStackBytes = 1024UL * 1024;
  constexpr uint64_t MinDescriptors = 34;
  const auto Limit = [](auto Which) {
    rlimit Found;
    return ::getrlimit(Which, &Found) == 0 ? Found.rlim_cur : RLIM_INFINITY;
  };
  if (Limit(RLIMIT_AS) != RLIM_INFINITY)
    return "the address space is limited (ulimit -v)";
  if (Limit(RLIMIT_DATA) != RLIM_INFINITY)
    return "memory is limited (ulimit -d)";
  if (Limit(RLIMIT_STACK) < MinStackBytes)
    return "stacks are limited (ulimit -s)";
  if (freeDescriptors() < MinDescriptors)
    return "too few file descriptors are free (ulimit -n)";
  return "";
}
