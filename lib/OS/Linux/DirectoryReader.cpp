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
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace headstart::os {

using detail::lastError;
using detail::nanoseconds;

namespace {
constexpr int FolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

int descriptor(intptr_t Handle) { return static_cast<int>(Handle); }
} // namespace

void DirectoryHandle::close() {
  if (isOpen())
    ::close(descriptor(std::exchange(Handle, InvalidHandle)));
}

/// openat(2), which a signal may interrupt on network file systems and FUSE.
static int openAt(int Base, const char *Path, int Flags) {
  int FD;
  do
    FD = ::openat(Base, Path, Flags);
  while (FD < 0 && errno == EINTR);
  return FD;
}

/// openat2(2).
static int openAt2(int Base, const char *Path, int Flags, uint64_t Resolve) {
  open_how How = {};
  How.flags = static_cast<unsigned>(Flags);
  How.resolve = Resolve;
  long FD;
  do
    FD = ::syscall(SYS_openat2, Base, Path, &How, sizeof(How));
  while (FD < 0 && errno == EINTR);
  return static_cast<int>(FD);
}

/// After an error of openat2: whether the system has no such call. EPERM is
/// what sandboxes answer that do not know it.
static bool lacksOpenat2() { return errno == ENOSYS || errno == EPERM; }

std::error_code DirectoryHandle::open(const std::string &Path,
                                      DirectoryHandle &Result) {
  Result.close();
  // c_str() would silently name another folder.
  if (Path.find('\0') != std::string::npos)
    return std::make_error_code(std::errc::invalid_argument);
  // O_DIRECTORY: a FIFO or a device is refused before it is opened.
  const int FD =
      openAt(AT_FDCWD, Path.empty() ? "." : Path.c_str(), FolderFlags);
  if (FD < 0)
    return lastError();
  Result.Handle = FD;
  return {};
}

/// Takes the first part and the '/' behind it off \p Path.
static std::string_view takePart(std::string_view &Path) {
  const size_t End = std::min(Path.find('/'), Path.size());
  const std::string_view Part = Path.substr(0, End);
  Path.remove_prefix(std::min(End + 1, Path.size()));
  return Part;
}

/// Whether \p Path could lead out of the folder that it is relative to, without
/// a link. RESOLVE_BENEATH allows "a/..", but as openat(2) knows nothing of the
/// kind, and no caller needs it, no `..` is allowed at all.
static bool mayLeave(std::string_view Path) {
  if (Path.starts_with('/'))
    return true;
  while (!Path.empty())
    if (takePart(Path) == "..")
      return true;
  return false;
}

/// Opens part after part where the system has no openat2(2) (Linux before 5.6,
/// or a sandbox that forbids it).
static int openPartByPart(int Base, std::string_view Path) {
  // Without "/" at the end: the last part is not opened like the others.
  Path = Path.substr(0, Path.find_last_not_of('/') + 1);
  int At = Base;
  std::string Part;
  while (!Path.empty()) {
    Part = takePart(Path);
    if (Part.empty())
      continue;
    // To pass through a folder, permission to read it is not needed.
    const int Flags = Path.empty() ? FolderFlags : FolderFlags | O_PATH;
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
    errno = EXDEV; // as openat2 has it
    return -1;
  }
  if (std::string_view(Path).find('/') == std::string_view::npos)
    return openAt(Base, Path, FolderFlags | O_NOFOLLOW);
  const int FD = openAt2(Base, Path, FolderFlags | O_NOFOLLOW,
                         RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
  return FD < 0 && lacksOpenat2() ? openPartByPart(Base, Path) : FD;
}

std::error_code DirectoryHandle::openBelow(const char *Path, LinkRule Links,
                                           DirectoryHandle &Result) const {
  const int Base = descriptor(Handle);
  const int FD = Links == LinkRule::Follow ? openAt(Base, Path, FolderFlags)
                                           : openWithoutLinks(Base, Path);
  const std::error_code Error = FD < 0 ? lastError() : std::error_code();
  Result.close(); // not sooner: it may be this
  if (FD >= 0)
    Result.Handle = FD;
  return Error;
}

// With RESOLVE_NO_XDEV a mount point is an error, so that all others need no
// fstat(2) to be told from one.
std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  const int Base = descriptor(Handle);
  const int Flags = FolderFlags | (Links == LinkRule::Refuse ? O_NOFOLLOW : 0);
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
  Result.close(); // not sooner: it may be this
  if (FD >= 0)
    Result.Handle = FD;
  return Error;
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
  // The header asks for a zero behind the name.
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
  if (::fstatat(descriptor(Handle), Entry.Name.data(), &S, Flags) != 0)
    return lastError();
  Entry.Identity = identityOf(S);
  Entry.Type = typeOf(S.st_mode);
  Entry.HasStatus = true;
  Entry.StatusIsHint = false;
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
  // O_NONBLOCK and O_NOCTTY: see OpenFile::open.
  const int FD = openAt(descriptor(Handle), Name,
                        O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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

/// The largest record: the kernel gives no name of PATH_MAX bytes or more
/// (verify_dirent_name, fs/readdir.c), and rounds up to 8 bytes. It answers
/// EINVAL to a buffer that is too small for the next entry.
static constexpr size_t LargestRecord = (19 + PATH_MAX + 7) / 8 * 8;

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(
          std::max(BufferBytes, LargestRecord))),
      Capacity(std::max(BufferBytes, LargestRecord)) {}

void DirectoryReader::start(DirectoryHandle &NewFolder) {
  Folder = &NewFolder;
  Unread = {};
}

size_t DirectoryReader::read(std::span<DirectoryEntry> Into,
                             std::error_code &Error) {
  Error = {};
  // A batch may hold nothing but dots.
  while (Folder != nullptr && !Into.empty()) {
    if (Unread.empty()) {
      ++Calls;
      const ssize_t Got = ::getdents64(descriptor(Folder->nativeHandle()),
                                       Buffer.get(), Capacity);
      if (Got < 0 && errno == EINTR)
        continue;
      // ENOENT: the folder was deleted, and a deleted folder is an empty one
      // (IS_DEADDIR in iterate_dir, fs/readdir.c).
      if (Got < 0 && errno != ENOENT)
        Error = lastError();
      if (Got <= 0) {
        Folder = nullptr;
        return 0;
      }
      Unread = {Buffer.get(), static_cast<size_t>(Got)};
    }
    bool Malformed = false;
    const size_t Count = parseLinuxEntries(Unread, Into, Malformed);
    if (Malformed) {
      Error = std::make_error_code(std::errc::bad_message);
      Folder = nullptr;
    }
    if (Malformed || Count != 0)
      return Count;
  }
  return 0;
}

} // namespace headstart::os
