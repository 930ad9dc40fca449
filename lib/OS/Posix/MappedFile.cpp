//===- MappedFile.cpp - Open and map regular files (POSIX) ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/MappedFile.h"

#include "../Shared.h"
#include "Support.h"
#include "headstart/OS/DirectoryReader.h"

#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::detail;

static FileStatus statusFrom(const struct stat &Stat) {
  FileStatus Status;
  Status.Kind = S_ISREG(Stat.st_mode)   ? FileKind::Regular
                : S_ISDIR(Stat.st_mode) ? FileKind::Directory
                                        : FileKind::Other;
  Status.Identity = identityOf(Stat);
  return Status;
}

FileStatus headstart::os::statFile(const std::string &Path,
                                   std::error_code &Error,
                                   const FileIdentity *) {
  Error.clear();
  // c_str() would silently stat another file.
  if (Path.find('\0') != std::string::npos) {
    Error = std::make_error_code(std::errc::invalid_argument);
    return {};
  }
  struct stat Stat;
  if (retry([&] { return ::stat(Path.c_str(), &Stat); }) == 0)
    return statusFrom(Stat);
  if (errno != ENOENT && errno != ENOTDIR)
    Error = lastError();
  return {};
}

/// O_NONBLOCK and O_NOCTTY have no effect on a regular file. If the path names
/// something else since the stat, they prevent a hang or a new controlling
/// terminal; `keepRegular` detects this.
static constexpr int FileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/// Makes \p Descriptor, which may be negative, the \p Handle of a file. Closes
/// it if it is not of a regular file.
static std::error_code keepRegular(int Descriptor, intptr_t &Handle,
                                   FileIdentity &Identity) {
  if (Descriptor < 0)
    return lastError();
  struct stat Stat;
  const std::error_code Error = ::fstat(Descriptor, &Stat) != 0
                                    ? lastError()
                                    : refusal(statusFrom(Stat).Kind);
  if (Error) {
    ::close(Descriptor);
    return Error;
  }
  Handle = Descriptor;
  Identity = identityOf(Stat);
  return {};
}

std::error_code OpenFile::open(const std::string &Path, OpenFile &Result) {
  Result.close();

  std::error_code Error;
  const FileStatus Before = statFile(Path, Error);
  return Error ? Error : open(Path, Before, Result);
}

std::error_code OpenFile::open(const std::string &Path, const FileStatus &Seen,
                               OpenFile &Result) {
  Result.close();
  if (Seen.Kind != FileKind::Regular)
    return refusal(Seen.Kind);

  return keepRegular(retry([&] { return ::open(Path.c_str(), FileFlags); }),
                     Result.Handle, Result.Identity);
}

std::error_code DirectoryHandle::openFile(const char *Name,
                                          OpenFile &Result) const {
  Result.close();
  // A FIFO of that name must not be opened, which would wake its writer.
  struct stat Stat;
  if (::fstatat(descriptor(Handle), Name, &Stat, NoAutomount) != 0)
    return lastError();
  if (!S_ISREG(Stat.st_mode))
    return std::make_error_code(std::errc::operation_not_supported);
  const std::error_code Error =
      keepRegular(openAt(descriptor(Handle), Name, FileFlags), Result.Handle,
                  Result.Identity);
  // It may have become a directory since.
  return Error == std::errc::is_a_directory
             ? std::make_error_code(std::errc::operation_not_supported)
             : Error;
}

size_t OpenFile::readAt(uint64_t Offset, std::span<char> Into,
                        std::error_code &Error) const {
  Error.clear();
  size_t Done = 0;
  while (Done < Into.size()) {
    if (Offset + Done >
        static_cast<uint64_t>(std::numeric_limits<off_t>::max()))
      break; // past the end of any file
    const ssize_t Got = retry([&] {
      return ::pread(descriptor(Handle), Into.data() + Done, Into.size() - Done,
                     static_cast<off_t>(Offset + Done));
    });
    if (Got < 0)
      Error = lastError();
    if (Got <= 0)
      break;
    Done += static_cast<size_t>(Got);
  }
  return Done;
}

void OpenFile::expectScatteredReads() const {
  if (isOpen())
    expectScattered(descriptor(Handle));
}

void OpenFile::close() {
  // Not retried on EINTR: the descriptor is already released (Linux, and XNU's
  // fp_close_and_unlock), and another thread may have received its number.
  if (isOpen())
    ::close(descriptor(Handle));
  Handle = InvalidHandle;
  Identity = {};
}

MappedFile::~MappedFile() {
  if (Size != 0)
    ::munmap(const_cast<char *>(Data), Size);
}

std::error_code MappedFile::map(const OpenFile &File, MappedFile &Result) {
  Result = MappedFile();
  if (!File.isOpen())
    return std::make_error_code(std::errc::bad_file_descriptor);
  if (File.size() == 0) {
    // mmap refuses a length of 0, but `isMapped` must be true.
    Result.Data = "";
    return {};
  }
  if (File.size() > std::numeric_limits<size_t>::max() / 2)
    return std::make_error_code(std::errc::file_too_large);

  // Maps no additional page: a linker that reads past the end of an input then
  // reads what it would read without Headstart, and gets no SIGBUS.
  void *const Address = ::mmap(nullptr, static_cast<size_t>(File.size()),
                               PROT_READ, MAP_PRIVATE, descriptor(File), 0);
  if (Address == MAP_FAILED)
    return lastError();
  Result.Data = static_cast<const char *>(Address);
  Result.Size = static_cast<size_t>(File.size());
  return {};
}
