//===- Support.h - Small helpers of the Linux sources -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_LINUX_SUPPORT_H
#define HEADSTART_LIB_OS_LINUX_SUPPORT_H

#include "headstart/OS/Threads.h"

#include <cstdint>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace headstart::os::detail {

/// The flag for openat(2) of a directory that a path only leads through, which
/// requires no permission to read it.
inline constexpr int PassThrough = O_PATH;
/// The flag for fstatat(2) that prevents automounts.
inline constexpr int NoAutomount = AT_NO_AUTOMOUNT;

inline const timespec &modifiedTime(const struct stat &S) { return S.st_mtim; }
inline const timespec &changedTime(const struct stat &S) { return S.st_ctim; }
inline uint64_t deviceOf(const struct stat &S) { return S.st_dev; }

/// Hints that reads through \p Descriptor will not be sequential.
inline void expectScattered(int Descriptor) {
  ::posix_fadvise(Descriptor, 0, 0, POSIX_FADV_RANDOM);
}

/// Returns the use of the disks that \p Usage reports.
inline DiskUse diskUseIn(const rusage &Usage) {
  constexpr uint64_t Block = 512; // bytes, on every disk
  return {Block * static_cast<uint64_t>(Usage.ru_inblock),
          static_cast<uint64_t>(Usage.ru_majflt)};
}

/// The result of mincore(2) for a page; bit 0 means that it is resident.
using MincoreByte = unsigned char;

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_SUPPORT_H
