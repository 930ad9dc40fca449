//===- Support.h - Small helpers of the macOS sources -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_DARWIN_SUPPORT_H
#define HEADSTART_LIB_OS_DARWIN_SUPPORT_H

#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>

namespace headstart::os::detail {

/// The flag of openat(2) for passing through a directory, which needs no
/// permission to read it. A system that does not know the flag (O_EXEC) ignores
/// it, and requires that permission.
inline constexpr int PassThrough = O_SEARCH;
/// Empty: fstatat(2) has no flag that prevents automounting.
inline constexpr int NoAutomount = 0;

inline const timespec &modifiedTime(const struct stat &S) {
  return S.st_mtimespec;
}
inline const timespec &changedTime(const struct stat &S) {
  return S.st_ctimespec;
}
/// `dev_t` is signed on macOS, and has 32 bits.
inline uint64_t deviceOf(const struct stat &S) {
  return static_cast<uint32_t>(S.st_dev);
}

/// Advises that reads through \p Descriptor are not sequential. A hint.
inline void expectScattered(int Descriptor) {
  ::fcntl(Descriptor, F_RDAHEAD, 0);
}

/// The type of mincore(2)'s result for a page; bit 0 means resident.
using MincoreByte = char;

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_DARWIN_SUPPORT_H
