//===- Support.h - Small helpers of the Linux sources -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_LINUX_SUPPORT_H
#define HEADSTART_LIB_OS_LINUX_SUPPORT_H

#include "../Pages.h"
#include "../Posix/Common.h"
#include "headstart/OS/Threads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace headstart::os::detail {

/// Returns the offset of the guard page in a mapping of a file of \p Size
/// bytes: a page that is mapped although it is past the file's end.
///
/// It shows whether the results of mincore(2) are true. If a process neither
/// owns a file nor may write to it, mincore reports *every* page as resident
/// (can_do_mincore in mm/mincore.c) instead of failing, so that an ordinary
/// user would take a cold system library for a warm one. A page past the end is
/// never cached; if mincore reports it as resident, its results are false.
///
/// The file's last page may belong to a block of up to 64 KiB that is cached as
/// a whole, so the guard page is after that block.
inline uint64_t guardOffset(uint64_t Size, size_t PageSize) {
  return roundUp(Size, std::max<size_t>(PageSize, 65536));
}

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
