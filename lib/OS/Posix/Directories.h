//===- Directories.h - Open directories below directories -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_POSIX_DIRECTORIES_H
#define HEADSTART_LIB_OS_POSIX_DIRECTORIES_H

#include <cstddef>
#include <fcntl.h>
#include <memory>
#include <system_error>

namespace headstart::os::detail {

/// Retries openat(2), which signals interrupt on network file systems and FUSE.
int openAt(int Base, const char *Path, int Flags);

/// Opens \p Name in \p Base if nothing is mounted there. Returns -1 and sets
/// errno on an error: to EXDEV at a mount point, and if the system cannot open
/// in this way.
int openUnlessMount(int Base, const char *Name, int Flags);

/// Reads the rest of the directory that \p Descriptor is open on, by
/// readdir(3), into \p Buffer of \p Capacity bytes, which is replaced by larger
/// ones as needed. \p Filled bytes of it are used, by records for
/// `parseLinuxEntries`. Returns an error only without records: the next call
/// meets an error after some records again, and returns it. Blocks.
///
/// It reads everything at once, since readdir reads ahead into a buffer of its
/// own, so no other reader could continue where it stops. The descriptor stays
/// open, at the end of the directory.
std::error_code listByReaddir(int Descriptor, std::unique_ptr<char[]> &Buffer,
                              size_t &Capacity, size_t &Filled);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_POSIX_DIRECTORIES_H
