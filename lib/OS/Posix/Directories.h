//===- Directories.h - Open directories below directories -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_POSIX_DIRECTORIES_H
#define HEADSTART_LIB_OS_POSIX_DIRECTORIES_H

#include <fcntl.h>
#include <string_view>

namespace headstart::os::detail {

inline constexpr int DirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// Retries openat(2), which signals interrupt on network file systems and FUSE.
int openAt(int Base, const char *Path, int Flags);

/// Whether \p Path could leave the directory that it is relative to without
/// following a link. RESOLVE_BENEATH allows "a/..", but openat(2) has nothing
/// similar and no caller needs it, so `..` is not allowed at all.
bool mayLeave(std::string_view Path);

/// Opens the directory \p Path below \p Base part by part, for systems without
/// a call that refuses links on the way. Returns -1 and sets errno on an error.
int openPartByPart(int Base, std::string_view Path);

/// Opens the directory \p Path by the platform's own method. \p Path has
/// several parts, and can leave \p Base only by links: any link on the way is
/// an error. Returns -1 and sets errno on an error.
int openParts(int Base, const char *Path);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_POSIX_DIRECTORIES_H
