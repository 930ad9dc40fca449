//===- DirectoryReader.cpp - Read directories in batches (Linux) ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"
#include "../Posix/Directories.h"
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

static int openAt2(int Base, const char *Path, int Flags, uint64_t Resolve) {
  open_how How = {};
  How.flags = static_cast<unsigned>(Flags);
  How.resolve = Resolve;
  return static_cast<int>(retry(
      [&] { return ::syscall(SYS_openat2, Base, Path, &How, sizeof(How)); }));
}

/// Whether openat2 failed because the system lacks the call. Sandboxes that do
/// not know the call return EPERM.
static bool lacksOpenat2() { return errno == ENOSYS || errno == EPERM; }

int detail::openParts(int Base, const char *Path) {
  const int FD = openAt2(Base, Path, DirectoryFlags | O_NOFOLLOW,
                         RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
  return FD < 0 && lacksOpenat2() ? openPartByPart(Base, Path) : FD;
}

// With RESOLVE_NO_XDEV, openat2 fails at a mount point, so that other
// directories need no fstat(2) to prove that they are none.
std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  const int Base = descriptor(Handle);
  const int Flags =
      DirectoryFlags | (Links == LinkRule::Refuse ? O_NOFOLLOW : 0);
  MayBeMount = true;
  if (Links == LinkRule::Refuse && mayLeave(Name)) {
    Result.close();
    return std::make_error_code(std::errc::cross_device_link);
  }
  int FD = openAt2(Base, Name, Flags, RESOLVE_NO_XDEV);
  MayBeMount = FD < 0 && (errno == EXDEV || lacksOpenat2());
  if (MayBeMount)
    FD = openAt(Base, Name, Flags);
  const std::error_code Error = FD < 0 ? lastError() : std::error_code();
  Result.close(); // only now, since it may be *this
  if (FD >= 0)
    Result.Handle = FD;
  return Error;
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
