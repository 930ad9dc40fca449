//===- DirectoryReader.cpp - Read directories in batches (Linux) ----------===//
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
#include <dirent.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace headstart::os {

using namespace detail;

// With RESOLVE_NO_XDEV, openat2 fails at a mount point, so that other
// directories need no fstat(2) to prove that they are none. Sandboxes that do
// not know the call return EPERM.
int detail::openUnlessMount(int Base, const char *Name, int Flags) {
  open_how How = {};
  How.flags = static_cast<unsigned>(Flags);
  How.resolve = RESOLVE_NO_XDEV;
  const auto FD = retry(
      [&] { return ::syscall(SYS_openat2, Base, Name, &How, sizeof(How)); });
  if (FD < 0 && (errno == ENOSYS || errno == EPERM))
    errno = EXDEV;
  return static_cast<int>(FD);
}

/// The size of the largest record: the kernel returns no name of PATH_MAX bytes
/// or more (verify_dirent_name, fs/readdir.c) and rounds up to 8 bytes. It
/// fails with EINVAL if the buffer is too small for the next entry.
static constexpr size_t MaxRecordBytes = (19 + PATH_MAX + 7) / 8 * 8;

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(
          std::max(BufferBytes, MaxRecordBytes))),
      Capacity(std::max(BufferBytes, MaxRecordBytes)) {}

std::error_code DirectoryReader::fill() {
  const ssize_t Got = retry([&] {
    return ::getdents64(descriptor(*Directory), Buffer.get(), Capacity);
  });
  if (Got >= 0) {
    Unread = {Buffer.get(), static_cast<size_t>(Got)};
    return {};
  }
  // ENOENT: the directory was deleted (IS_DEADDIR in iterate_dir, fs/readdir.c)
  // and counts as empty.
  return errno == ENOENT ? std::error_code() : lastError();
}

size_t DirectoryReader::parse(std::span<DirectoryEntry> Into, bool &Malformed) {
  return parseLinuxEntries(Unread, Into, Malformed);
}

} // namespace headstart::os
