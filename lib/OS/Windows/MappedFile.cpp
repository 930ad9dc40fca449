//===- MappedFile.cpp - Open and map regular files (Windows) --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/MappedFile.h"

#include "../Shared.h"
#include "Support.h"
#include "headstart/OS/DirectoryRecords.h"
#include "headstart/OS/WideText.h"

#include <algorithm>
#include <limits>
#include <winternl.h>

// The code is inside the namespace, since winbase.h has its own OpenFile.
namespace headstart::os {

using namespace detail;

/// Stats the system path \p Path. Opens it only for its attributes, which
/// sharing modes allow. Opening a pipe or a device would use it, so this never
/// opens a path that may be one.
static FileStatus statSystemPath(const std::wstring &Path,
                                 std::error_code &Error) {
  FileStatus Status;
  if (mayBeDevice(std::wstring_view(Path))) {
    Status.Kind = FileKind::Other;
    return Status;
  }
  // Backup semantics open directories, too.
  const UniqueHandle Handle(::CreateFileW(Path.c_str(), FILE_READ_ATTRIBUTES,
                                          ShareAll, nullptr, OPEN_EXISTING,
                                          FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (!Handle.isOpen())
    Error = lastError();
  else
    Error = statusOf(Handle.get(), Status);
  // A path below a file is missing as well.
  if (isMissing(Error))
    Error.clear();
  return Status;
}

/// Whether \p Path is still the regular file \p Known, as far as that shows
/// without opening it. False for a link, whose target does not show.
static bool isStill(const std::wstring &Path, const FileIdentity &Known) {
  WIN32_FILE_ATTRIBUTE_DATA Data;
  constexpr DWORD Others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE |
                           FILE_ATTRIBUTE_REPARSE_POINT;
  return ::GetFileAttributesExW(Path.c_str(), GetFileExInfoStandard, &Data) !=
             0 &&
         (Data.dwFileAttributes & Others) == 0 &&
         (static_cast<uint64_t>(Data.nFileSizeHigh) << 32 |
          Data.nFileSizeLow) == Known.Size &&
         nanosecondsOf(Data.ftLastWriteTime) == Known.ModifiedNs;
}

/// Whether \p Handle is of the regular file \p Known, by its size and times.
/// Two queries of the open file cost less than its full identity, which
/// includes the volume's.
static bool isStill(HANDLE Handle, const FileIdentity &Known) {
  FILE_BASIC_INFO Basic;
  FILE_STANDARD_INFO Standard;
  constexpr DWORD Others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE;
  return Known.ChangedNs > 0 && // FAT has none
         ::GetFileInformationByHandleEx(Handle, FileBasicInfo, &Basic,
                                        sizeof(Basic)) != 0 &&
         (Basic.FileAttributes & Others) == 0 &&
         nanosecondsFromFileTime(Basic.ChangeTime.QuadPart) ==
             Known.ChangedNs &&
         nanosecondsFromFileTime(Basic.LastWriteTime.QuadPart) ==
             Known.ModifiedNs &&
         ::GetFileInformationByHandleEx(Handle, FileStandardInfo, &Standard,
                                        sizeof(Standard)) != 0 &&
         static_cast<uint64_t>(Standard.EndOfFile.QuadPart) == Known.Size;
}

FileStatus statFile(const std::string &Path, std::error_code &Error,
                    const FileIdentity *Known) {
  std::wstring Wide;
  Error = toSystemPath(Path, Wide);
  if (Error == std::errc::no_such_file_or_directory) {
    Error.clear();
    return {};
  }
  if (Error)
    return {};
  if (Known != nullptr && isStill(Wide, *Known))
    return {FileKind::Regular, *Known};
  return statSystemPath(Wide, Error);
}

std::error_code OpenFile::open(const std::string &Path, OpenFile &Result) {
  std::error_code Error;
  const FileStatus Seen = statFile(Path, Error);
  if (!Error)
    return open(Path, Seen, Result);
  Result.close();
  return Error;
}

std::error_code OpenFile::open(const std::string &Path, const FileStatus &Seen,
                               OpenFile &Result) {
  Result.close();
  if (Seen.Kind != FileKind::Regular)
    return refusal(Seen.Kind);
  std::wstring Wide;
  if (std::error_code Error = toSystemPath(Path, Wide))
    return Error;

  UniqueHandle Opened(::CreateFileW(Wide.c_str(), GENERIC_READ, ShareAll,
                                    nullptr, OPEN_EXISTING,
                                    FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!Opened.isOpen())
    return lastError();
  // Another file may have got the name since the stat.
  FileStatus Now = Seen;
  if (!isStill(Opened.get(), Seen.Identity)) {
    if (std::error_code Error = statusOf(Opened.get(), Now))
      return Error;
    if (Now.Kind != FileKind::Regular)
      return refusal(Now.Kind);
  }
  Result.Handle = std::bit_cast<intptr_t>(Opened.release());
  Result.Identity = Now.Identity;
  return {};
}

// Uses NtReadFile: ReadFile takes an offset only by an OVERLAPPED, for which
// Wine requests a completion from its server each time.
size_t OpenFile::readAt(uint64_t Offset, std::span<char> Into,
                        std::error_code &Error) const {
  Error.clear();
  if (!isOpen()) {
    Error = std::make_error_code(std::errc::bad_file_descriptor);
    return 0;
  }
  // From ntifs.h; MinGW's headers lack it.
  using ReadFunction =
      NTSTATUS NTAPI(HANDLE File, HANDLE Event, PIO_APC_ROUTINE Routine,
                     PVOID Context, PIO_STATUS_BLOCK Status, PVOID Buffer,
                     ULONG Length, PLARGE_INTEGER Offset, PULONG Key);
  static ReadFunction *const Read =
      findFunction<ReadFunction>(L"ntdll.dll", "NtReadFile");
  constexpr auto Last =
      static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  size_t Done = 0;
  // No file has bytes after the last offset.
  while (Done < Into.size() && Offset <= Last && Done <= Last - Offset) {
    constexpr size_t Max = size_t(1) << 30; // fits a ULONG
    LARGE_INTEGER Where;
    Where.QuadPart = static_cast<LONGLONG>(Offset + Done);
    IO_STATUS_BLOCK Result = {};
    const NTSTATUS Status = Read(
        handleOf(*this), nullptr, nullptr, nullptr, &Result, Into.data() + Done,
        static_cast<ULONG>(std::min(Into.size() - Done, Max)), &Where, nullptr);
    if (Status < 0) {
      if (const DWORD Code = codeOfStatus(Status); Code != ERROR_HANDLE_EOF)
        Error = errorOf(Code);
      break;
    }
    if (Result.Information == 0)
      break;
    Done += static_cast<size_t>(Result.Information);
  }
  return Done;
}

// Only opening a handle can request this (FILE_FLAG_RANDOM_ACCESS), and then
// Windows would also keep all pages that are read in memory.
void OpenFile::expectScatteredReads() const {}

void OpenFile::close() {
  if (isOpen())
    ::CloseHandle(handleOf(*this));
  Handle = InvalidHandle;
  Identity = {};
}

MappedFile::~MappedFile() {
  if (Size != 0)
    ::UnmapViewOfFile(Data);
}

std::error_code MappedFile::map(const OpenFile &File, MappedFile &Result) {
  Result = MappedFile();
  if (!File.isOpen())
    return std::make_error_code(std::errc::bad_file_descriptor);
  if (File.size() == 0) {
    // An empty file has no section, but counts as mapped.
    Result.Data = "";
    return {};
  }
  if (File.size() > std::numeric_limits<size_t>::max() / 2)
    return std::make_error_code(std::errc::file_too_large);

  // The view keeps the section open, and the section the file.
  const UniqueHandle Section(::CreateFileMappingW(
      handleOf(File), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (!Section.isOpen())
    return lastError();
  const void *const Address = ::MapViewOfFile(
      Section.get(), FILE_MAP_READ, 0, 0, static_cast<size_t>(File.size()));
  if (Address == nullptr) {
    const std::error_code Error = lastError();
    // Windows refuses a view longer than the section, by an unspecified error.
    FileStatus Now;
    if (!statusOf(handleOf(File), Now) && Now.Identity.Size < File.size())
      return std::make_error_code(std::errc::io_error);
    return Error;
  }
  Result.Data = static_cast<const char *>(Address);
  HANDLE Kept = nullptr;
  if (::DuplicateHandle(::GetCurrentProcess(), handleOf(File),
                        ::GetCurrentProcess(), &Kept, 0, 0,
                        DUPLICATE_SAME_ACCESS) != 0)
    Result.File.Handle = std::bit_cast<intptr_t>(Kept);
  Result.Size = static_cast<size_t>(File.size());
  return {};
}

} // namespace headstart::os
