//===- MappedFile.cpp - Open and read regular files -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For systems without a source of their own: uses only the C++ standard
// library. A "mapping" is a copy on the heap.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/MappedFile.h"

#include "Support.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

using namespace headstart::os;
using namespace headstart::os::detail;
namespace fs = std::filesystem;

namespace {

/// The object that an OpenFile's handle points to. A stream has one position,
/// and many threads may call readAt, so the lock covers seek and read together.
struct Stream {
  std::FILE *File;
  std::mutex Lock;
};

} // namespace

static Stream &streamOf(intptr_t Handle) {
  return *std::bit_cast<Stream *>(Handle);
}

static std::error_code lastError() { return {errno, std::generic_category()}; }

FileStatus headstart::os::statFile(const std::string &Path,
                                   std::error_code &Error,
                                   const FileIdentity *) {
  Error.clear();
  // The C functions would silently stat another file.
  if (Path.find('\0') != std::string::npos) {
    Error = std::make_error_code(std::errc::invalid_argument);
    return {};
  }
  const fs::file_status Type = fs::status(Path, Error);
  if (Type.type() == fs::file_type::not_found) {
    Error.clear();
    return {};
  }
  if (Error)
    return {};
  FileStatus Status;
  if (Type.type() != fs::file_type::regular) {
    Status.Kind = Type.type() == fs::file_type::directory ? FileKind::Directory
                                                          : FileKind::Other;
    return Status;
  }

  const uintmax_t Size = fs::file_size(Path, Error);
  fs::file_time_type Modified;
  fs::path Place;
  if (!Error)
    Modified = fs::last_write_time(Path, Error);
  if (!Error)
    Place = fs::canonical(Path, Error);
  if (Error)
    return {};
  Status.Kind = FileKind::Regular;
  Status.Identity.Inode = idOf(Place);
  Status.Identity.Size = Size;
  Status.Identity.ModifiedNs = nanoseconds(Modified);
  return Status;
}

std::error_code OpenFile::open(const std::string &Path, const FileStatus &,
                               OpenFile &Result) {
  return open(Path, Result);
}

std::error_code OpenFile::open(const std::string &Path, OpenFile &Result) {
  Result.close();

  // A stream does not report which file it has. Stat the path before and after
  // opening it, and start over if the results differ.
  for (unsigned Try = 0; Try < 4; ++Try) {
    std::error_code Error;
    const FileStatus Before = statFile(Path, Error);
    if (Error)
      return Error;
    if (Before.Kind == FileKind::Missing)
      return std::make_error_code(std::errc::no_such_file_or_directory);
    if (Before.Kind == FileKind::Directory)
      return std::make_error_code(std::errc::is_a_directory);
    if (Before.Kind == FileKind::Other)
      return std::make_error_code(std::errc::operation_not_supported);

    auto Opened = std::unique_ptr<Stream>(new (std::nothrow) Stream);
    if (!Opened)
      return std::make_error_code(std::errc::not_enough_memory);
    Opened->File = std::fopen(Path.c_str(), "rb");
    if (Opened->File == nullptr)
      return lastError();
    // A buffer would return what the file held at an earlier read.
    std::setvbuf(Opened->File, nullptr, _IONBF, 0);

    OpenFile Candidate;
    Candidate.Handle = std::bit_cast<intptr_t>(Opened.release());
    Candidate.Identity = Before.Identity;
    if (statFile(Path, Error).Identity == Before.Identity && !Error) {
      Result = std::move(Candidate);
      return {};
    }
  }
  return std::make_error_code(std::errc::device_or_resource_busy);
}

/// fseek takes a long, which may have only 32 bits, while files have 64.
static bool seek(std::FILE *File, uint64_t Offset) {
  int Origin = SEEK_SET;
  do {
    const auto Step = static_cast<long>(std::min(
        Offset, static_cast<uint64_t>(std::numeric_limits<long>::max())));
    if (std::fseek(File, Step, Origin) != 0)
      return false;
    Offset -= static_cast<uint64_t>(Step);
    Origin = SEEK_CUR;
  } while (Offset != 0);
  return true;
}

size_t OpenFile::readAt(uint64_t Offset, std::span<char> Into,
                        std::error_code &Error) const {
  Error.clear();
  if (!isOpen()) {
    Error = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  if (Offset > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return 0; // past the end of any file
  Stream &From = streamOf(Handle);
  const std::scoped_lock Guard(From.Lock);
  if (!seek(From.File, Offset)) {
    Error = lastError();
    return 0;
  }
  const size_t Got = std::fread(Into.data(), 1, Into.size(), From.File);
  if (Got < Into.size() && std::ferror(From.File) != 0) {
    Error = lastError();
    std::clearerr(From.File);
  }
  return Got;
}

void OpenFile::expectScatteredReads() const {}

void OpenFile::close() {
  if (isOpen()) {
    const std::unique_ptr<Stream> Closing(&streamOf(Handle));
    std::fclose(Closing->File);
  }
  Handle = InvalidHandle;
  Identity = {};
}

MappedFile::~MappedFile() {
  if (Size != 0)
    delete[] Data;
}

std::error_code MappedFile::map(const OpenFile &File, MappedFile &Result) {
  Result = MappedFile();
  if (!File.isOpen())
    return std::make_error_code(std::errc::bad_file_descriptor);
  if (File.size() == 0) {
    Result.Data = "";
    return {};
  }
  if (File.size() >= std::numeric_limits<size_t>::max())
    return std::make_error_code(std::errc::file_too_large);

  // A page-based mapping has a zero after the file's last byte (unless the file
  // ends at a page boundary), and users of mappings rely on it.
  const auto Length = static_cast<size_t>(File.size());
  std::unique_ptr<char[]> Copy(new (std::nothrow) char[Length + 1]);
  if (!Copy)
    return std::make_error_code(std::errc::not_enough_memory);
  std::error_code Error;
  const size_t Got = File.readAt(0, {Copy.get(), Length}, Error);
  if (Error)
    return Error;
  if (Got != Length)
    return std::make_error_code(std::errc::io_error);
  Copy[Length] = '\0';
  Result.Data = Copy.release();
  Result.Size = Length;
  return {};
}
