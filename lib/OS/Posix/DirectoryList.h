//===- DirectoryList.h - All entries of a directory by readdir --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_POSIX_DIRECTORYLIST_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_POSIX_DIRECTORYLIST_H

#include <cstddef>
#include <memory>
#include <system_error>

namespace headstart::os::detail {

/// Reads all that is left in the directory that \p Descriptor is open on by
/// readdir(3), into \p Buffer of \p Capacity bytes, which is replaced by larger
/// ones as needed. \p Filled is what of it is used: records as
/// `parseLinuxEntries` reads them. An error is returned when there is none: one
/// that breaks the list off comes with the next call, which meets it again.
/// Blocks.
///
/// All at once, since readdir reads ahead into a buffer of its own: nobody else
/// could go on where it has stopped. The descriptor stays open, at the end of
/// the directory.
std::error_code listByReaddir(int Descriptor, std::unique_ptr<char[]> &Buffer,
                              size_t &Capacity, size_t &Filled);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_POSIX_DIRECTORYLIST_H
