//===- DirectoryList.cpp - All entries of a directory by readdir ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Directories.h"
#include "Support.h"
#include <algorithm>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <new>
#include <utility>

namespace headstart::os {

// struct linux_dirent64; see lib/OS/Records/LinuxRecords.cpp.
static constexpr size_t TypeAt = 18;
static constexpr size_t NameAt = 19;

/// Appends the record of \p Entry. Returns false if there is no memory for it.
static bool append(const dirent &Entry, std::unique_ptr<char[]> &Buffer,
                   size_t &Capacity, size_t &Filled) {
  const size_t NameBytes = std::strlen(Entry.d_name) + 1;
  const size_t Length = (NameAt + NameBytes + 7) / 8 * 8;
  if (Capacity - Filled < Length) {
    const size_t Larger = std::max(Capacity * 2, Filled + Length);
    std::unique_ptr<char[]> New(new (std::nothrow) char[Larger]);
    if (!New)
      return false;
    std::memcpy(New.get(), Buffer.get(), Filled);
    Buffer = std::move(New);
    Capacity = Larger;
  }
  char *const Record = Buffer.get() + Filled;
  std::memset(Record, 0, Length);
  const uint64_t Inode = Entry.d_ino;
  const auto RecordLength = static_cast<uint16_t>(Length);
  std::memcpy(Record, &Inode, sizeof(Inode));
  std::memcpy(Record + 16, &RecordLength, sizeof(RecordLength));
  Record[TypeAt] = static_cast<char>(Entry.d_type);
  std::memcpy(Record + NameAt, Entry.d_name, NameBytes);
  Filled += Length;
  return true;
}

std::error_code detail::listByReaddir(int Descriptor,
                                      std::unique_ptr<char[]> &Buffer,
                                      size_t &Capacity, size_t &Filled) {
  Filled = 0;
  const int Own = ::fcntl(Descriptor, F_DUPFD_CLOEXEC, 0);
  if (Own < 0)
    return lastError();
  DIR *const Stream = ::fdopendir(Own);
  if (Stream == nullptr) {
    const std::error_code Error = lastError();
    ::close(Own);
    return Error;
  }
  std::error_code Error;
  for (;;) {
    errno = 0;
    const dirent *const Entry = ::readdir(Stream); // NOLINT: not shared
    if (Entry == nullptr) {
      if (errno == EINTR)
        continue;
      // ENOENT: the directory was deleted, and is thus empty.
      if (Filled == 0 && errno != 0 && errno != ENOENT)
        Error = lastError();
      break;
    }
    if (!append(*Entry, Buffer, Capacity, Filled)) {
      // The entries read ahead are lost; a list with a gap must not be used.
      Error = std::make_error_code(std::errc::not_enough_memory);
      Filled = 0;
      break;
    }
  }
  ::closedir(Stream);
  return Error;
}

} // namespace headstart::os
