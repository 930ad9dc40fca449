//===- DirectoryReader.cpp - Read directories in batches (Windows) --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer holds the records of one system call, followed by the names of one
// call of `parse` in WTF-8. A record has at least 68 bytes in addition to its
// name, and a unit of 2 bytes becomes at most 3. The names of all records, with
// their zeros, therefore take at most one and a half times the records' space.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"
#include "Support.h"
#include "headstart/OS/DirectoryRecords.h"
#include "headstart/OS/WideText.h"
#include <algorithm>

namespace headstart::os {

using namespace detail;

/// Larger than the largest record (68 bytes and 255 units).
static constexpr size_t MinBufferBytes = 4096;
/// Shares reject a larger buffer with ERROR_INVALID_PARAMETER
/// (github.com/dotnet/corefx issue 32098), and a Windows 10 (14393) loses what
/// follows a larger first buffer (github.com/windirstat/windirstat issue 631).
static constexpr size_t MaxBufferBytes = size_t(64) << 10;

static size_t capacityFor(size_t BufferBytes) {
  return std::clamp(BufferBytes, MinBufferBytes, MaxBufferBytes);
}

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(capacityFor(BufferBytes) *
                                                    5 / 2)),
      Capacity(capacityFor(BufferBytes)) {}

/// Whether \p Handle is of a deleted directory.
static bool isDeleted(HANDLE Handle) {
  FILE_STANDARD_INFO Info;
  if (::GetFileInformationByHandleEx(Handle, FileStandardInfo, &Info,
                                     sizeof(Info)) != 0)
    return Info.DeletePending || Info.NumberOfLinks == 0;
  // Win32's code for STATUS_FILE_DELETED.
  return ::GetLastError() == ERROR_ACCESS_DENIED;
}

/// Whether \p Error means that the directory has no more entries.
static bool isEnd(DWORD Error, HANDLE Handle) {
  switch (Error) {
  case ERROR_NO_MORE_FILES:
  case ERROR_FILE_NOT_FOUND: // an empty root, which has no `.` and `..`
    return true;
  case ERROR_ACCESS_DENIED:
  case ERROR_PATH_NOT_FOUND:
  case ERROR_DELETE_PENDING:
    return isDeleted(Handle);
  default:
    return false;
  }
}

// .NET lists every directory by this class.
std::error_code DirectoryReader::fill() {
  if (!Directory->isOpen())
    return std::make_error_code(std::errc::bad_file_descriptor);
  const HANDLE Handle = handleOf(*Directory);
  if (::GetFileInformationByHandleEx(Handle, FileFullDirectoryInfo,
                                     Buffer.get(),
                                     static_cast<DWORD>(Capacity)) != 0) {
    Unread = {Buffer.get(), Capacity};
    return {};
  }
  DWORD Failure = ::GetLastError();
  // The record does not fit; no file system has such names.
  if (Failure == ERROR_MORE_DATA)
    Failure = ERROR_FILENAME_EXCED_RANGE;
  return isEnd(Failure, Handle) ? std::error_code() : errorOf(Failure);
}

size_t DirectoryReader::parse(std::span<DirectoryEntry> Into, bool &Malformed) {
  // The names of earlier calls stay: a record takes at least two thirds of the
  // bytes of its name in UTF-8.
  const auto Parsed = static_cast<size_t>(Unread.data() - Buffer.get());
  const size_t Count = parseWindowsEntries(Unread, Into, Malformed);
  char *Text = Buffer.get() + Capacity + Parsed * 3 / 2;
  for (DirectoryEntry &Entry : Into.first(Count)) {
    const size_t Bytes = writeUtf8FromBytes(Entry.Name, Text);
    Text[Bytes] = '\0';
    Entry.Name = {Text, Bytes};
    Text += Bytes + 1;
  }
  return Count;
}

} // namespace headstart::os
