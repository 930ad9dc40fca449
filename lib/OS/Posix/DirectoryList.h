//===- DirectoryList.h - All entries of a directory by readdir --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_POSIX_DIRECTORYLIST_H
#define HEADSTART_LIB_OS_POSIX_DIRECTORYLIST_H

#include <cstddef>
#include <memory>
#include <system_error>

namespace headstart::os::detail {

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

#endif // HEADSTART_LIB_OS_POSIX_DIRECTORYLIST_H
