//===- DirectoryRecords.h - Parse what systems list -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The records in which systems list a folder, read without a system call and
/// on any system: so that each is tested and fuzzed everywhere. Names are not
/// copied. Pure; any thread.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_DIRECTORYRECORDS_H
#define HEADSTART_OS_DIRECTORYRECORDS_H

#include "headstart/OS/DirectoryReader.h"

#include <cstddef>
#include <span>

namespace headstart::os {

/// Reads records from the front of \p Bytes into \p Into, as many as it takes,
/// and takes them off \p Bytes. `.` and `..` are left out. Returns the number
/// of entries; \p Malformed says that the next record cannot be one (its length
/// is impossible, its name does not end), whereupon \p Bytes is empty.
///
/// `struct linux_dirent64` of getdents64(2), as the machine lays it out.
size_t parseLinuxEntries(std::span<const char> &Bytes,
                         std::span<DirectoryEntry> Into, bool &Malformed);

} // namespace headstart::os

#endif // HEADSTART_OS_DIRECTORYRECORDS_H
