//===- OldGlibc.cpp - Functions that glibc 2.31 does not have -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM, libstdc++ and Headstart are compiled with the headers of a newer
/// glibc. The packages' program is linked with glibc 2.31
/// (HEADSTART_GLIBC_SYSROOT), and with this file, which defines the newer
/// functions that it calls.
///
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <malloc.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

/// glibc 2.32: libstdc++ counts references without atomic instructions if it is
/// set.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
char __libc_single_threaded = 0;

/// glibc 2.36.
uint32_t arc4random() {
  uint32_t Result = 0;
  ssize_t Read = 0;
  do
    Read = getrandom(&Result, sizeof(Result), 0);
  while (Read < 0 && errno == EINTR);
  if (Read == sizeof(Result))
    return Result;
  // A sandbox may forbid the call.
  const int File = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (File < 0 || read(File, &Result, sizeof(Result)) != sizeof(Result))
    std::abort();
  close(File);
  return Result;
}

/// glibc 2.34. Linux has the call since 5.9.
int close_range(unsigned First, unsigned Last, int Flags) noexcept {
  return static_cast<int>(syscall(SYS_close_range, First, Last, Flags));
}

/// glibc 2.33. LLVM reads uordblks for its reports (-time-passes,
/// --time-trace).
struct mallinfo2 mallinfo2() noexcept {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo2 Result{};
  Result.uordblks = static_cast<unsigned>(mallinfo().uordblks);
  return Result;
#pragma GCC diagnostic pop
}

} // extern "C"
