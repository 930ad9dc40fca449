//===- DirectoryRecords.h - Parse what systems list -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parsers for the records in which operating systems list a directory. They
/// make no system call and build on every system, so each of them is tested and
/// fuzzed everywhere. Names are not copied. Pure functions; thread-safe.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_DIRECTORYRECORDS_H
#define HEADSTART_OS_DIRECTORYRECORDS_H

#include "headstart/OS/DirectoryReader.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace headstart::os {

/// Parses records from the front of \p Bytes into \p Into, as many as it holds,
/// and removes them from \p Bytes. Skips `.` and `..`. Returns the number of
/// entries. If the next record is invalid (its length is impossible, or its
/// name is empty or unterminated), sets \p Malformed and empties \p Bytes; the
/// entries before it are valid. The other parsers do likewise.
///
/// This one parses `struct linux_dirent64` of getdents64(2) in the machine's
/// byte order, which has neither size nor times.
size_t parseLinuxEntries(std::span<const char> &Bytes,
                         std::span<DirectoryEntry> Into, bool &Malformed);

/// Parses macOS's records of getattrlistbulk(2). The request must be for
/// exactly these attributes: `ATTR_CMN_RETURNED_ATTRS`, `_ERROR`, `_NAME`,
/// `_OBJTYPE`, `_MODTIME`, `_CHGTIME`, `_FLAGS`, `_FILEID`,
/// `ATTR_DIR_MOUNTSTATUS` and `ATTR_FILE_DATALENGTH`; any other attribute is
/// malformed. \p Device is the device of the directory, and so of its entries
/// (`ATTR_CMN_DEVID` may be the device behind a volume group, which stat(2)
/// does not report). An entry has a status if it has all attributes except the
/// flags; only a file needs a length, and only a directory a mount status. For
/// a directory that is or would become a mount point, or that leads to another
/// volume (`SF_FIRMLINK`), type and inode are only a hint: both belong to the
/// directory beneath. An entry that macOS could not stat (`ATTR_CMN_ERROR`) has
/// only its name.
size_t parseMacEntries(std::span<const char> &Bytes, uint64_t Device,
                       std::span<DirectoryEntry> Into, bool &Malformed);

/// Returns the part of \p Buffer that its first \p Records records take, since
/// getattrlistbulk reports only their number. If one of them is invalid,
/// returns all of \p Buffer, so that `parseMacEntries` finds it.
std::span<const char> takeMacRecords(std::span<const char> Buffer,
                                     size_t Records);

/// Parses Windows's `FILE_FULL_DIR_INFO` (GetFileInformationByHandleEx) up to
/// the record that is marked as the last; \p Bytes may be longer. `Inode` and
/// `Device` are 0; size and times are always there. The status is a hint, and
/// names are UTF-16 in the machine's byte order, without a zero after them.
size_t parseWindowsEntries(std::span<const char> &Bytes,
                           std::span<DirectoryEntry> Into, bool &Malformed);

/// Returns the type of a Windows file with \p Attributes. \p Tag matters only
/// for a reparse point.
EntryType typeOfWindowsFile(uint32_t Attributes, uint32_t Tag);

/// Converts a `FILETIME`, or a time in a `LARGE_INTEGER` (units of 100 ns since
/// 1601), to nanoseconds since 1970, or to the nearest possible value. Returns
/// 0 for 0, which Windows uses for "none", and for negative times.
int64_t nanosecondsFromFileTime(int64_t FileTime);

} // namespace headstart::os

#endif // HEADSTART_OS_DIRECTORYRECORDS_H
