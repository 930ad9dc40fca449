//===- DirectoryHandle.cpp - Open directories and look into them (POSIX) --===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Records/Fields.h"
#include "Directories.h"
#include "Support.h"
#include "headstart/OS/DirectoryReader.h"
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace headstart::os {

using namespace detail;

void DirectoryHandle::close() {
  if (isOpen())
    ::close(descriptor(std::exchange(Handle, InvalidHandle)));
}

int detail::openAt(int Base, const char *Path, int Flags) {
  return retry([&] { return ::openat(Base, Path, Flags); });
}

std::error_code DirectoryHandle::open(const std::string &Path,
                                      DirectoryHandle &Result) {
  Result.close();
  // c_str() would silently open another directory.
  if (Path.find('\0') != std::string::npos)
    return std::make_error_code(std::errc::invalid_argument);
  // O_DIRECTORY refuses a FIFO or a device before opening it.
  const int FD =
      openAt(AT_FDCWD, Path.empty() ? "." : Path.c_str(), DirectoryFlags);
  if (FD < 0)
    return lastError();
  Result.Handle = FD;
  return {};
}

std::error_code DirectoryHandle::openFrom(const char *Path,
                                          DirectoryHandle &Result) const {
  DirectoryHandle Opened;
  Opened.Handle = openAt(descriptor(Handle), Path, DirectoryFlags);
  const std::error_code Error =
      Opened.isOpen() ? std::error_code() : lastError();
  Result = std::move(Opened); // not earlier: it may be this
  return Error;
}

std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  const std::string_view Part = Name;
  DirectoryHandle Opened;
  std::error_code Error;
  MayBeMount = true;
  if (Links == LinkRule::Follow)
    Opened.Handle =
        openEntry(descriptor(Handle), Name, DirectoryFlags, MayBeMount);
  else if (Part == ".." || Part.find('/') != std::string_view::npos)
    errno = EXDEV;
  else
    Opened.Handle = openEntry(descriptor(Handle), Name,
                              DirectoryFlags | O_NOFOLLOW, MayBeMount);
  if (!Opened.isOpen())
    Error = lastError();
  Result = std::move(Opened); // not earlier: it may be this
  return Error;
}

std::error_code DirectoryHandle::addStatus(DirectoryEntry &Entry,
                                           LinkRule Links) const {
  struct stat S;
  int Flags =
      NoAutomount | (Links == LinkRule::Follow ? 0 : AT_SYMLINK_NOFOLLOW);
  // The header requires a zero after the name.
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
  if (::fstatat(descriptor(Handle), Entry.Name.data(), &S, Flags) != 0)
    return lastError();
  Entry.Identity = identityOf(S);
  Entry.Type = typeOfEntry((S.st_mode & S_IFMT) >> 12);
  Entry.HasStatus = true;
  Entry.StatusIsHint = false;
  return {};
}

std::error_code DirectoryHandle::identity(FileIdentity &Result) const {
  struct stat S;
  if (::fstat(descriptor(Handle), &S) != 0)
    return lastError();
  Result = identityOf(S);
  return {};
}

} // namespace headstart::os
