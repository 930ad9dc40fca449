//===- ReaddirReader.cpp - Read directories by readdir (POSIX) ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads directories only by what macOS falls back on, for tests on Linux.
//
//===----------------------------------------------------------------------===//

#include "Posix/Directories.h"
#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryRecords.h"
#include <algorithm>
#include <cerrno>

namespace headstart::os {

using namespace detail;

// Part of the same file system, with the same device, may be mounted there.
int detail::openUnlessMount(int, const char *, int) {
  errno = EXDEV;
  return -1;
}

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(
          std::max<size_t>(BufferBytes, 1))),
      Capacity(std::max<size_t>(BufferBytes, 1)) {}

std::error_code DirectoryReader::fill() {
  size_t Filled = 0;
  const std::error_code Error = listByReaddir(
      static_cast<int>(Directory->nativeHandle()), Buffer, Capacity, Filled);
  Unread = {Buffer.get(), Filled};
  return Error;
}

size_t DirectoryReader::parse(std::span<DirectoryEntry> Into, bool &Malformed) {
  return parseLinuxEntries(Unread, Into, Malformed);
}

} // namespace headstart::os
