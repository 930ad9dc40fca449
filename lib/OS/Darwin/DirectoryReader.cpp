//===- DirectoryReader.cpp - Read directories in batches (macOS) ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"
#include "../Posix/Support.h"
#include "headstart/OS/DirectoryRecords.h"
#include <algorithm>
#include <sys/attr.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headstart::os {

using namespace detail;

// A firmlink leads to another volume, but stat(2) reports the same device
// (VA_REALFSID in XNU's vnode_getattr), so comparing devices would not detect
// it. If MayBeMount is set, the caller queries the identity, at the same cost.
int detail::openUnlessMount(int, const char *, int) {
  errno = EXDEV;
  return -1;
}

/// The most bytes of one record: the longest name (a file system may allow 255
/// characters of four bytes; XNU's own limit is MAXPATHLEN), and the fields.
static constexpr size_t MaxRecordBytes = MAXPATHLEN + 256;

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(
          std::max(BufferBytes, MaxRecordBytes))),
      Capacity(std::max(BufferBytes, MaxRecordBytes)) {}

/// Reads the next records of the directory. Returns their number, 0 at the end,
/// or -1 and sets errno. If the file system lacks this call, XNU does the same
/// by readdir (readdirattr in bsd/vfs/vfs_attrlist.c).
static int listInBulk(int Descriptor, char *Buffer, size_t Capacity) {
  const auto List = [&](attrlist &Wanted) {
    return retry([&] {
      return ::getattrlistbulk(Descriptor, &Wanted, Buffer, Capacity, 0);
    });
  };
  // Exactly what parseMacEntries reads.
  attrlist Wanted = {};
  Wanted.bitmapcount = ATTR_BIT_MAP_COUNT;
  Wanted.commonattr = ATTR_CMN_RETURNED_ATTRS | ATTR_CMN_ERROR | ATTR_CMN_NAME |
                      ATTR_CMN_OBJTYPE | ATTR_CMN_MODTIME | ATTR_CMN_CHGTIME |
                      ATTR_CMN_FLAGS | ATTR_CMN_FILEID;
  Wanted.dirattr = ATTR_DIR_MOUNTSTATUS;
  Wanted.fileattr = ATTR_FILE_DATALENGTH;
  const int Records = List(Wanted);
  if (Records >= 0 || (errno != EACCES && errno != EPERM))
    return Records;
  // The directory may be read but not searched. These attributes require only
  // the right to read it (LIST_DIR_ATTRS in XNU).
  Wanted.commonattr = ATTR_CMN_RETURNED_ATTRS | ATTR_CMN_ERROR | ATTR_CMN_NAME |
                      ATTR_CMN_OBJTYPE | ATTR_CMN_FILEID;
  Wanted.dirattr = Wanted.fileattr = 0;
  return List(Wanted);
}

std::error_code DirectoryReader::fill() {
  const int FD = descriptor(*Directory);
  const int Records = listInBulk(FD, Buffer.get(), Capacity);
  // ENOENT: the directory was deleted, and is thus empty.
  if (Records <= 0)
    return Records == 0 || errno == ENOENT ? std::error_code() : lastError();
  struct stat S;
  if (::fstat(FD, &S) != 0)
    return lastError();
  Device = deviceOf(S);
  Unread =
      takeMacRecords({Buffer.get(), Capacity}, static_cast<size_t>(Records));
  return {};
}

size_t DirectoryReader::parse(std::span<DirectoryEntry> Into, bool &Malformed) {
  return parseMacEntries(Unread, Device, Into, Malformed);
}

} // namespace headstart::os
