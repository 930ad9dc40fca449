//===- Support.h - Small helpers of the macOS sources -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_DARWIN_SUPPORT_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_DARWIN_SUPPORT_H

#include "../Posix/Common.h"

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>

namespace headstart::os::detail {

/// What openat(2) takes for a directory that is only passed through, for which
/// permission to read it is not needed. A system that does not know the flag
/// (O_EXEC) ignores it and asks for that permission.
inline constexpr int PassThrough = O_SEARCH;
/// Nothing: fstatat(2) has no flag that keeps a look from mounting.
inline constexpr int NoAutomount = 0;

inline const timespec &modifiedTime(const struct stat &S) {
  return S.st_mtimespec;
}
inline const timespec &changedTime(const struct stat &S) {
  return S.st_ctimespec;
}
/// `dev_t` has a sign there, and 32 bits.
inline uint64_t deviceOf(const struct stat &S) {
  return static_cast<uint32_t>(S.st_dev);
}

/// Reads through \p Descriptor do not follow one another. A hint.
inline void expectScattered(int Descriptor) {
  ::fcntl(Descriptor, F_RDAHEAD, 0);
}

/// What mincore(2) fills in for a page; bit 0 says that it is in memory.
using MincoreByte = char;

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_DARWIN_SUPPORT_H
