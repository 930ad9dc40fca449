//===- Support.h - Differences of systems -----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_POSIX_SUPPORT_H
#define HEADSTART_LIB_OS_POSIX_SUPPORT_H

#if defined(__APPLE__)
#include "../Darwin/Support.h"
#else
#include "../Linux/Support.h"
#endif

#include "headstart/OS/MappedFile.h"

#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>
#include <time.h>
#include <unistd.h>

namespace headstart::os::detail {

inline std::error_code lastError() { return {errno, std::system_category()}; }

/// Returns the result of \p Call, which is called again if a signal interrupts
/// it.
template <class Function> auto retry(const Function &Call) {
  for (;;)
    if (const auto Result = Call(); Result >= 0 || errno != EINTR)
      return Result;
}

inline int descriptor(intptr_t Handle) { return static_cast<int>(Handle); }
/// \p Open is an OpenFile or a DirectoryHandle.
inline int descriptor(const auto &Open) {
  return descriptor(Open.nativeHandle());
}

/// Returns nanoseconds since 1970. 64 bits cannot hold times before 1677 or
/// after 2262, which tmpfs, XFS and Btrfs accept; they become the nearest one.
inline int64_t nanoseconds(const timespec &Time) {
  constexpr int64_t PerSecond = 1'000'000'000;
  using Limits = std::numeric_limits<int64_t>;
  int64_t Result;
  if (__builtin_mul_overflow(int64_t(Time.tv_sec), PerSecond, &Result))
    return Time.tv_sec < 0 ? Limits::min() : Limits::max();
  if (__builtin_add_overflow(Result, int64_t(Time.tv_nsec), &Result))
    return Limits::max();
  return Result;
}

inline FileIdentity identityOf(const struct stat &S) {
  return {deviceOf(S), S.st_ino, static_cast<uint64_t>(S.st_size),
          nanoseconds(modifiedTime(S)), nanoseconds(changedTime(S))};
}

/// Retries openat(2), which signals interrupt on network file systems and FUSE.
inline int openAt(int Base, const char *Path, int Flags) {
  return retry([&] { return ::openat(Base, Path, Flags); });
}

/// Opens \p Name in \p Base if nothing is mounted there. Returns -1 and sets
/// errno on an error: to EXDEV at a mount point, and if the system cannot open
/// in this way.
int openUnlessMount(int Base, const char *Name, int Flags);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_POSIX_SUPPORT_H
