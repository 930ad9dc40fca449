//===- Support.h - Small helpers of the Linux sources -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_LINUX_SUPPORT_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_LINUX_SUPPORT_H

#include "../Posix/Common.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>

namespace headstart::os::detail {

/// Where the guard page of a mapping of a file of \p Size bytes is: a page that
/// is mapped although it is past the file's end.
///
/// It tells whether mincore(2) can be believed. To a process that neither owns
/// a file nor may write to it, mincore reports *every* page as resident
/// (can_do_mincore in mm/mincore.c) instead of failing: an ordinary user would
/// take a cold system library for a warm one. A page past the end is never in
/// the cache, so one that is reported to be gives the lie away.
///
/// The file's last page may belong to a block of up to 64 KiB that is cached as
/// a whole, so the guard stands behind that.
inline uint64_t guardOffset(uint64_t Size, size_t PageSize) {
  return roundUp(Size, std::max<size_t>(PageSize, 65536));
}

/// What openat(2) takes for a directory that is only passed through, for which
/// permission to read it is not needed.
inline constexpr int PassThrough = O_PATH;
/// What fstatat(2) takes so that a look mounts nothing.
inline constexpr int NoAutomount = AT_NO_AUTOMOUNT;

inline const timespec &modifiedTime(const struct stat &S) { return S.st_mtim; }
inline const timespec &changedTime(const struct stat &S) { return S.st_ctim; }
inline uint64_t deviceOf(const struct stat &S) { return S.st_dev; }

/// Reads through \p Descriptor do not follow one another. A hint.
inline void expectScattered(int Descriptor) {
  ::posix_fadvise(Descriptor, 0, 0, POSIX_FADV_RANDOM);
}

/// What mincore(2) fills in for a page; bit 0 says that it is in memory.
using MincoreByte = unsigned char;

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_SUPPORT_H
