//===- DirectoryReader.cpp - Read directories by readdir (POSIX) ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For POSIX systems without a source of their own. It is tested on Linux, for
// the systems that fall back on parts of it.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"
#include "Directories.h"
#include "DirectoryList.h"
#include "Support.h"
#include "headstart/OS/DirectoryRecords.h"
#include <algorithm>

namespace headstart::os {

using namespace detail;

int detail::openParts(int Base, const char *Path) {
  return openPartByPart(Base, Path);
}

std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  // Part of the same file system, with the same device, may be mounted there.
  MayBeMount = true;
  return openBelow(Name, Links, Result);
}

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(
          std::max<size_t>(BufferBytes, 1))),
      Capacity(std::max<size_t>(BufferBytes, 1)) {}

void DirectoryReader::start(DirectoryHandle &NewDirectory) {
  Directory = &NewDirectory;
  Unread = {};
}

size_t DirectoryReader::read(std::span<DirectoryEntry> Into,
                             std::error_code &Error) {
  Error = {};
  while (Directory != nullptr && !Into.empty()) {
    if (Unread.empty()) {
      ++Calls;
      size_t Filled = 0;
      Error = listByReaddir(static_cast<int>(Directory->nativeHandle()), Buffer,
                            Capacity, Filled);
      if (Filled == 0) {
        Directory = nullptr;
        return 0;
      }
      Unread = {Buffer.get(), Filled};
    }
    bool Malformed = false;
    const size_t Count = parseLinuxEntries(Unread, Into, Malformed);
    if (Malformed) {
      Error = std::make_error_code(std::errc::bad_message);
      Directory = nullptr;
    }
    if (Malformed || Count != 0)
      return Count;
  }
  return 0;
}

} // namespace headstart::os
