//===- DirectoryHandle.cpp - Open directories and look into them (POSIX) --===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Records/Fields.h"
#include "../Shared.h"
#include "Directories.h"
#include "Support.h"
#include "headstart/OS/DirectoryReader.h"
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace headstart::os {

using namespace detail;

static constexpr int PassThroughFlags = PassThrough | O_DIRECTORY | O_CLOEXEC;

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

bool detail::mayLeave(std::string_view Path) {
  return Path.starts_with('/') || hasDotDot(Path, "/");
}

int detail::openPartByPart(int Base, std::string_view Path) {
  // Without "/" at the end, since the last part is opened with other flags.
  Path = Path.substr(0, Path.find_last_not_of('/') + 1);
  int At = Base;
  std::string Part;
  while (!Path.empty()) {
    Part = takePart(Path, "/");
    if (Part.empty())
      continue;
    // Passing through a directory needs no permission to read it.
    const int Flags = Path.empty() ? DirectoryFlags : PassThroughFlags;
    const int Next = openAt(At, Part.c_str(), Flags | O_NOFOLLOW);
    const int Error = errno;
    if (At != Base)
      ::close(At);
    errno = Error;
    if (Next < 0)
      return -1;
    At = Next;
  }
  return At;
}

static int openWithoutLinks(int Base, const char *Path) {
  if (mayLeave(Path)) {
    errno = EXDEV; // like openat2
    return -1;
  }
  if (std::string_view(Path).find('/') == std::string_view::npos)
    return openAt(Base, Path, DirectoryFlags | O_NOFOLLOW);
  return openParts(Base, Path);
}

std::error_code DirectoryHandle::openBelow(const char *Path, LinkRule Links,
                                           DirectoryHandle &Result) const {
  const int Base = descriptor(Handle);
  const int FD = Links == LinkRule::Follow ? openAt(Base, Path, DirectoryFlags)
                                           : openWithoutLinks(Base, Path);
  const std::error_code Error = FD < 0 ? lastError() : std::error_code();
  Result.close(); // not earlier: it may be this
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
