//===- DirectoryReader.cpp - Read folders in batches (Linux) --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"
#include "Support.h"
#include "headstart/OS/DirectoryRecords.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <utility>

namespace headstart::os {

using detail::lastError;

namespace {
constexpr int FolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

int descriptor(intptr_t Handle) { return static_cast<int>(Handle); }
} // namespace

DirectoryHandle::DirectoryHandle(DirectoryHandle &&Other) noexcept
    : Handle(std::exchange(Other.Handle, InvalidHandle)) {}

DirectoryHandle &DirectoryHandle::operator=(DirectoryHandle &&Other) noexcept {
  if (this != &Other) {
    close();
    Handle = std::exchange(Other.Handle, InvalidHandle);
  }
  return *this;
}

void DirectoryHandle::close() {
  if (isOpen())
    ::close(descriptor(std::exchange(Handle, InvalidHandle)));
}

// O_DIRECTORY: a FIFO or a device is refused before it is opened.
std::error_code DirectoryHandle::open(const std::string &Path,
                                      DirectoryHandle &Result) {
  Result.close();
  int FD = ::open(Path.empty() ? "." : Path.c_str(), FolderFlags);
  if (FD < 0)
    return lastError();
  Result.Handle = FD;
  return {};
}

/// Opens part after part where the system has no openat2(2) (Linux before 5.6,
/// or a sandbox that forbids it).
static int openPartByPart(int Base, const char *Path) {
  int At = Base;
  std::string Part;
  for (std::string_view Rest = Path; !Rest.empty();) {
    size_t End = std::min(Rest.find('/'), Rest.size());
    Part = Rest.substr(0, End);
    Rest.remove_prefix(std::min(End + 1, Rest.size()));
    if (Part.empty())
      continue;
    int Next = Part == ".."
                   ? -1
                   : ::openat(At, Part.c_str(),
                              (Rest.empty() ? O_RDONLY : O_PATH) | O_DIRECTORY |
                                  O_CLOEXEC | O_NOFOLLOW);
    int Error = Part == ".." ? EXDEV : errno;
    if (At != Base)
      ::close(At);
    errno = Error;
    if (Next < 0)
      return -1;
    At = Next;
  }
  return At == Base ? ::openat(Base, ".", FolderFlags) : At;
}

std::error_code DirectoryHandle::openBelow(const char *Path, LinkRule Links,
                                           DirectoryHandle &Result) const {
  int Base = descriptor(Handle);
  int FD = -1;
  if (Links == LinkRule::Follow) {
    FD = ::openat(Base, Path, FolderFlags);
  } else if (std::string_view(Path).find('/') == std::string_view::npos) {
    FD = ::openat(Base, Path, FolderFlags | O_NOFOLLOW);
  } else {
    open_how How = {};
    How.flags = FolderFlags | O_NOFOLLOW;
    How.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
    FD =
        static_cast<int>(::syscall(SYS_openat2, Base, Path, &How, sizeof(How)));
    if (FD < 0 && (errno == ENOSYS || errno == EPERM || errno == EAGAIN))
      FD = openPartByPart(Base, Path);
  }
  if (FD < 0)
    return lastError();
  Result.close();
  Result.Handle = FD;
  return {};
}

// With RESOLVE_NO_XDEV a mount point is an error, so that all others need no
// fstat(2) to be told from one.
std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  open_how How = {};
  How.flags = FolderFlags | (Links == LinkRule::Refuse ? O_NOFOLLOW : 0);
  How.resolve = RESOLVE_NO_XDEV;
  int Base = descriptor(Handle);
  MayBeMount = false;
  int FD =
      static_cast<int>(::syscall(SYS_openat2, Base, Name, &How, sizeof(How)));
  if (FD < 0 && (errno == EXDEV || errno == ENOSYS || errno == EPERM)) {
    MayBeMount = true;
    FD = ::openat(Base, Name, static_cast<int>(How.flags));
  }
  if (FD < 0)
    return lastError();
  Result.close();
  Result.Handle = FD;
  return {};
}

static int64_t nanoseconds(const timespec &Time) {
  return Time.tv_sec * INT64_C(1000000000) + Time.tv_nsec;
}

static EntryType typeOf(mode_t Mode) {
  switch (Mode & S_IFMT) {
  case S_IFREG:
    return EntryType::Regular;
  case S_IFDIR:
    return EntryType::Directory;
  case S_IFLNK:
    return EntryType::Link;
  case S_IFIFO:
    return EntryType::Fifo;
  case S_IFSOCK:
    return EntryType::Socket;
  case S_IFBLK:
    return EntryType::BlockDevice;
  case S_IFCHR:
    return EntryType::CharacterDevice;
  default:
    return EntryType::Unknown;
  }
}

static FileIdentity identityOf(const struct stat &S) {
  return {S.st_dev, S.st_ino, static_cast<uint64_t>(S.st_size),
          nanoseconds(S.st_mtim), nanoseconds(S.st_ctim)};
}

std::error_code DirectoryHandle::addStatus(DirectoryEntry &Entry,
                                           LinkRule Links) const {
  struct stat S;
  int Flags =
      AT_NO_AUTOMOUNT | (Links == LinkRule::Follow ? 0 : AT_SYMLINK_NOFOLLOW);
  if (::fstatat(descriptor(Handle), Entry.Name.data(), &S, Flags) != 0)
    return lastError();
  Entry.Identity = identityOf(S);
  Entry.Type = typeOf(S.st_mode);
  Entry.HasStatus = true;
  return {};
}

std::error_code DirectoryHandle::readFile(const char *Name,
                                          std::span<char> Into, size_t &Filled,
                                          uint64_t &Size) const {
  Filled = 0;
  Size = 0;
  // A FIFO of that name must not be opened: that would wake its writer.
  struct stat S;
  if (::fstatat(descriptor(Handle), Name, &S, AT_NO_AUTOMOUNT) != 0)
    return lastError();
  if (!S_ISREG(S.st_mode))
    return std::make_error_code(std::errc::operation_not_supported);
  int FD =
      ::openat(descriptor(Handle), Name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (FD < 0)
    return lastError();
  std::error_code Error;
  if (::fstat(FD, &S) != 0)
    Error = lastError();
  else if (!S_ISREG(S.st_mode))
    Error = std::make_error_code(std::errc::operation_not_supported);
  Size = Error ? 0 : static_cast<uint64_t>(S.st_size);
  while (!Error && Filled != Into.size()) {
    ssize_t Got = ::read(FD, Into.data() + Filled, Into.size() - Filled);
    if (Got == 0)
      break;
    if (Got > 0)
      Filled += static_cast<size_t>(Got);
    else if (errno != EINTR)
      Error = lastError();
  }
  ::close(FD);
  return Error;
}

std::error_code DirectoryHandle::identity(FileIdentity &Result) const {
  struct stat S;
  if (::fstat(descriptor(Handle), &S) != 0)
    return lastError();
  Result = identityOf(S);
  return {};
}

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(BufferBytes)),
      Capacity(BufferBytes) {}

void DirectoryReader::start(DirectoryHandle &NewFolder) {
  Folder = &NewFolder;
  Unread = {};
}

size_t DirectoryReader::read(std::span<DirectoryEntry> Into,
                             std::error_code &Error) {
  Error = {};
  // A batch may hold nothing but dots.
  while (true) {
    if (Unread.empty()) {
      ++Calls;
      ssize_t Got = ::getdents64(descriptor(Folder->nativeHandle()),
                                 Buffer.get(), Capacity);
      if (Got < 0 && errno == EINTR)
        continue;
      if (Got < 0)
        Error = lastError();
      if (Got <= 0)
        return 0;
      Unread = {Buffer.get(), static_cast<size_t>(Got)};
    }
    bool Malformed = false;
    size_t Count = parseLinuxEntries(Unread, Into, Malformed);
    if (Malformed)
      Error = std::make_error_code(std::errc::bad_message);
    if (Malformed || Count != 0)
      return Count;
  }
}

} // namespace headstart::os
