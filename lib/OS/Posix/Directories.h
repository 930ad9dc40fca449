//===- Directories.h - Open directories below directories -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_POSIX_DIRECTORIES_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_POSIX_DIRECTORIES_H

#include <fcntl.h>
#include <string_view>

namespace headstart::os::detail {

inline constexpr int DirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// openat(2), which a signal may interrupt on network file systems and FUSE.
int openAt(int Base, const char *Path, int Flags);

/// Whether \p Path could lead out of the directory that it is relative to,
/// without a link. RESOLVE_BENEATH allows "a/..", but as openat(2) knows
/// nothing of the kind, and no caller needs it, no `..` is allowed at all.
bool mayLeave(std::string_view Path);

/// Opens the directory \p Path below \p Base part after part, where no call of
/// the system refuses links on the way. -1 and errno where there is one.
int openPartByPart(int Base, std::string_view Path);

/// The platform's way to open the directory \p Path, which has several parts
/// and does not lead out of \p Base, but for links: any on the way is an error.
/// -1 and errno.
int openParts(int Base, const char *Path);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_POSIX_DIRECTORIES_H
