//===- DirectoryHandle.cpp - Open directories and look into them (POSIX) --===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Records/Fields.h"
#include "Support.h"
#include "headstart/OS/DirectoryReader.h"
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace headstart::os {

using namespace detail;

static constexpr int DirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

void DirectoryHandle::close() {
  if (isOpen())
    ::close(descriptor(std::exchange(Handle, InvalidHandle)));
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

std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  const int Base = descriptor(Handle);
  int Flags = DirectoryFlags;
  MayBeMount = true;
  if (Links == LinkRule::Refuse) {
    Flags |= O_NOFOLLOW;
    // O_NOFOLLOW concerns only the last part.
    if (Name == std::string_view("..") || std::strchr(Name, '/') != nullptr) {
      Result.close();
      return std::make_error_code(std::errc::cross_device_link);
    }
  }
  int FD = openUnlessMount(Base, Name, Flags);
  MayBeMount = FD < 0 && errno == EXDEV;
  if (MayBeMount)
    FD = openAt(Base, Name, Flags);
  const std::error_code Error = FD < 0 ? lastError() : std::error_code();
  Result.close(); // only now, since it may be *this
  if (FD >= 0)
    Result.Handle = FD;
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
