//===- DirectoryRecords.h - Parse what systems list -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The records in which systems list a directory, read without a system call
/// and on any system: so that each is tested and fuzzed everywhere. Names are
/// not copied. Pure; any thread.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_DIRECTORYRECORDS_H
#define HEADSTART_OS_DIRECTORYRECORDS_H

#include "headstart/OS/DirectoryReader.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace headstart::os {

/// Reads records from the front of \p Bytes into \p Into, as many as it takes,
/// and takes them off \p Bytes. `.` and `..` are left out. Returns the number
/// of entries; \p Malformed says that the next record cannot be one (its length
/// is impossible, its name is empty or does not end), whereupon \p Bytes is
/// empty. The entries before it are sound. The other parsers do likewise.
///
/// `struct linux_dirent64` of getdents64(2), as the machine lays it out.
/// Neither size nor times.
size_t parseLinuxEntries(std::span<const char> &Bytes,
                         std::span<DirectoryEntry> Into, bool &Malformed);

/// macOS's records of getattrlistbulk(2), asked for just these attributes:
/// `ATTR_CMN_RETURNED_ATTRS`, `_ERROR`, `_NAME`, `_OBJTYPE`, `_MODTIME`,
/// `_CHGTIME`, `_FLAGS`, `_FILEID`, `ATTR_DIR_MOUNTSTATUS` and
/// `ATTR_FILE_DATALENGTH`: any other attribute is malformed. \p Device is that
/// of the directory and so of its entries (`ATTR_CMN_DEVID` may be the device
/// behind a volume group, which stat(2) does not give). An entry has its status
/// if all of these but the flags are there: a file needs its length, a
/// directory its mount status. A directory on which something is, or would be,
/// mounted, or that leads to another volume (`SF_FIRMLINK`), has type and inode
/// as a hint: both are those of what is beneath. One that macOS could not stat
/// (`ATTR_CMN_ERROR`) has its name only.
size_t parseMacEntries(std::span<const char> &Bytes, uint64_t Device,
                       std::span<DirectoryEntry> Into, bool &Malformed);

/// What of \p Buffer the first \p Records records take: getattrlistbulk tells
/// their number only. All of \p Buffer if one of them cannot be one, so that
/// `parseMacEntries` finds it.
std::span<const char> takeMacRecords(std::span<const char> Buffer,
                                     size_t Records);

/// Windows's `FILE_ID_BOTH_DIR_INFO` (GetFileInformationByHandleEx), up to the
/// record that says it is the last: \p Bytes may be longer. \p Device is the
/// number of the directory's volume, where all its entries are (what a junction
/// points to is not an entry). Where the file system has no id of 64 bits,
/// `Inode` and `Device` are 0; size and times are always there. Names are
/// UTF-16 in the machine's order and have no zero behind them, as with the two
/// other parsers of Windows's records; the status is a hint.
size_t parseWindowsEntries(std::span<const char> &Bytes, uint64_t Device,
                           std::span<DirectoryEntry> Into, bool &Malformed);

/// Windows's `FILE_FULL_DIR_INFO` (GetFileInformationByHandleEx), like
/// `parseWindowsEntries`: size and times, but no id, so that `Inode` and
/// `Device` are 0.
size_t parseFullEntries(std::span<const char> &Bytes,
                        std::span<DirectoryEntry> Into, bool &Malformed);

/// Any number of Windows's `WIN32_FIND_DATAW` (FindFirstFileExW), one behind
/// the other: size and the time of the last write, but no id and no time of
/// change, which are 0.
size_t parseFindData(std::span<const char> &Bytes,
                     std::span<DirectoryEntry> Into, bool &Malformed);

/// What a file of Windows with \p Attributes is; \p Tag is of meaning for a
/// reparse point only.
EntryType typeOfWindowsFile(uint32_t Attributes, uint32_t Tag);

/// A `FILETIME` or a time in a `LARGE_INTEGER` (units of 100 ns since 1601) as
/// nanoseconds since 1970, or the nearest that there is. 0, which Windows uses
/// for "none", and what is below stay 0.
int64_t nanosecondsFromFileTime(int64_t FileTime);

} // namespace headstart::os

#endif // HEADSTART_OS_DIRECTORYRECORDS_H
