//===- Support.cpp - Small helpers of the Windows sources -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "headstart/OS/DirectoryRecords.h"
#include "headstart/OS/WideText.h"

#include <array>
#include <bit>
#include <cstring>
#include <winternl.h>

namespace headstart::os::detail {

/// ERROR_STOPPED_ON_SYMLINK, which mingw's winerror.h lacks.
static constexpr DWORD StoppedOnSymlink = 681;

/// Returns the std::errc for \p Code that a caller may want to recognize, or
/// `errc()`.
static std::errc conditionOf(DWORD Code) {
  switch (Code) {
  case ERROR_FILE_NOT_FOUND:
  case ERROR_PATH_NOT_FOUND:
  case ERROR_INVALID_DRIVE:
  case ERROR_INVALID_NAME: // no such file can exist
  case ERROR_BAD_PATHNAME:
  case ERROR_BAD_NETPATH:
  case ERROR_BAD_NET_NAME:
  case ERROR_DELETE_PENDING:
    return std::errc::no_such_file_or_directory;
  case ERROR_ACCESS_DENIED:
  case ERROR_PRIVILEGE_NOT_HELD:
    return std::errc::permission_denied;
  case ERROR_LOCK_VIOLATION: // another process has locked the bytes
    return std::errc::no_lock_available;
  case ERROR_SHARING_VIOLATION: // a process has it open exclusively
  case ERROR_USER_MAPPED_FILE:  // a process has mapped it
  case ERROR_BUSY:
  case ERROR_PIPE_BUSY:
    return std::errc::device_or_resource_busy;
  case ERROR_TOO_MANY_OPEN_FILES:
    return std::errc::too_many_files_open;
  case ERROR_NOT_ENOUGH_MEMORY:
  case ERROR_OUTOFMEMORY:
  case ERROR_NO_SYSTEM_RESOURCES:
  case ERROR_WORKING_SET_QUOTA:
  case ERROR_COMMITMENT_LIMIT:
    return std::errc::not_enough_memory;
  case ERROR_DIRECTORY:
    return std::errc::not_a_directory;
  case ERROR_INVALID_HANDLE:
    return std::errc::bad_file_descriptor;
  case ERROR_INVALID_PARAMETER:
    return std::errc::invalid_argument;
  case ERROR_INVALID_FUNCTION:
  case ERROR_NOT_SUPPORTED:
  case ERROR_CALL_NOT_IMPLEMENTED:
    return std::errc::function_not_supported;
  case ERROR_FILENAME_EXCED_RANGE:
  case ERROR_BUFFER_OVERFLOW:
    return std::errc::filename_too_long;
  case ERROR_CANT_RESOLVE_FILENAME:
  case StoppedOnSymlink:
    return std::errc::too_many_symbolic_link_levels;
  case ERROR_CRC:
  case ERROR_READ_FAULT:
  case ERROR_GEN_FAILURE:
  case ERROR_IO_DEVICE:
  case ERROR_FILE_INVALID:
    return std::errc::io_error;
  case ERROR_BAD_EXE_FORMAT:
  case ERROR_EXE_MACHINE_TYPE_MISMATCH:
    return std::errc::executable_format_error;
  default:
    return std::errc();
  }
}

namespace {

/// Windows's error numbers and messages, and their equivalents in std::errc.
class WindowsCategory final : public std::error_category {
public:
  const char *name() const noexcept override { return "windows"; }

  std::string message(int Code) const override {
    std::array<wchar_t, 512> Text;
    DWORD Length = ::FormatMessageW(
        FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
        static_cast<DWORD>(Code), 0, Text.data(),
        static_cast<DWORD>(Text.size()), nullptr);
    // Messages end in "\r\n" after a full stop, which ours do not have.
    while (Length != 0 &&
           (Text[Length - 1] <= L' ' || Text[Length - 1] == L'.'))
      --Length;
    if (Length == 0)
      return "Windows error " + std::to_string(static_cast<DWORD>(Code));
    return toUtf8({Text.data(), Length});
  }

  std::error_condition
  default_error_condition(int Code) const noexcept override {
    const std::errc Condition = conditionOf(static_cast<DWORD>(Code));
    if (Condition != std::errc())
      return std::make_error_condition(Condition);
    return {Code, *this};
  }
};

} // namespace

std::error_code errorOf(DWORD Code) {
  static const WindowsCategory Category;
  return {static_cast<int>(Code), Category};
}

DWORD codeOfStatus(LONG Status) {
  static auto *const CodeOf = findFunction<decltype(::RtlNtStatusToDosError)>(
      L"ntdll.dll", "RtlNtStatusToDosError");
  return CodeOf(Status);
}

std::error_code lastError() {
  DWORD Code = ::GetLastError();
  if (Code != ERROR_ACCESS_DENIED)
    return errorOf(Code);
  // LLVM's mapLastWindowsError also calls this function, which is undocumented
  // and exists since Windows 2000.
  static auto *const LastStatus =
      findFunction<LONG WINAPI()>(L"ntdll.dll", "RtlGetLastNtStatus");
  constexpr auto DeletePending = static_cast<LONG>(0xC0000056);
  constexpr auto FileDeleted = static_cast<LONG>(0xC0000123);
  const LONG Status = LastStatus != nullptr ? LastStatus() : 0;
  if (Status == DeletePending || Status == FileDeleted)
    Code = ERROR_DELETE_PENDING;
  return errorOf(Code);
}

int64_t nanosecondsOf(const FILETIME &Time) {
  return nanosecondsFromFileTime(
      static_cast<int64_t>(Time.dwHighDateTime) << 32 | Time.dwLowDateTime);
}

/// Returns the number of a file on its volume. The 64 bits of \p Index are all
/// of it on NTFS, and listings report the same. A file system with more bits
/// that cannot guarantee uniqueness in 64 reports 0 or -1 (MS-FSCC 2.1.9); then
/// this folds its 128 bits, so that two files collide by a chance of one in
/// 2^64. Callers only compare whether a file is still the same one.
static uint64_t inodeOf(HANDLE Handle, uint64_t Index) {
  if (Index != 0 && Index != UINT64_MAX)
    return Index;
  FILE_ID_INFO Info;
  if (::GetFileInformationByHandleEx(Handle, FileIdInfo, &Info, sizeof(Info)) ==
      0)
    return 0;
  std::array<uint64_t, 2> Halves;
  static_assert(sizeof(Halves) == sizeof(Info.FileId));
  std::memcpy(Halves.data(), &Info.FileId, sizeof(Halves));
  // An odd factor loses no bits; the golden ratio spreads small numbers.
  constexpr uint64_t Spread = UINT64_C(0x9E3779B97F4A7C15);
  return Halves[0] ^ std::rotl(Halves[1] * Spread, 32);
}

std::error_code statusOf(HANDLE Handle, FileStatus &Result) {
  Result = {};
  if (::GetFileType(Handle) != FILE_TYPE_DISK) {
    Result.Kind = FileKind::Other;
    return {};
  }
  BY_HANDLE_FILE_INFORMATION Info;
  if (::GetFileInformationByHandle(Handle, &Info) == 0)
    return lastError();
  const auto Joined = [](DWORD High, DWORD Low) {
    return static_cast<uint64_t>(High) << 32 | Low;
  };
  FileStatus Status;
  const bool IsDirectory =
      (Info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  const bool IsDevice = (Info.dwFileAttributes & FILE_ATTRIBUTE_DEVICE) != 0;
  Status.Kind = IsDirectory ? FileKind::Directory
                : IsDevice  ? FileKind::Other
                            : FileKind::Regular;
  Status.Identity.Device = Info.dwVolumeSerialNumber;
  Status.Identity.Inode =
      inodeOf(Handle, Joined(Info.nFileIndexHigh, Info.nFileIndexLow));
  if (!IsDirectory)
    Status.Identity.Size = Joined(Info.nFileSizeHigh, Info.nFileSizeLow);
  Status.Identity.ModifiedNs = nanosecondsOf(Info.ftLastWriteTime);
  FILE_BASIC_INFO Basic;
  if (::GetFileInformationByHandleEx(Handle, FileBasicInfo, &Basic,
                                     sizeof(Basic)) != 0)
    Status.Identity.ChangedNs =
        nanosecondsFromFileTime(Basic.ChangeTime.QuadPart);
  Result = Status;
  return {};
}

bool isWine() {
  static const bool Is =
      findFunction<void()>(L"ntdll.dll", "wine_get_version") != nullptr;
  return Is;
}

/// The most units of a path, with the zero: a UNICODE_STRING counts bytes in 16
/// bits.
static constexpr size_t MaxUnits = 32767;

std::error_code toWide(std::string_view Text, std::wstring &Result) {
  Result.clear();
  // A name with a NUL would silently name something else.
  if (Text.find('\0') != std::string_view::npos)
    return std::make_error_code(std::errc::invalid_argument);
  if (!appendWide(Text, Result))
    return std::make_error_code(std::errc::illegal_byte_sequence);
  return {};
}

std::string toUtf8(std::wstring_view Wide) {
  std::string Result;
  appendUtf8(Wide, Result);
  return Result;
}

/// Removes a `//?/` in front of a drive: Win32 resolves such a path like
/// others, and only `\\?\` means "as it is".
static void dropLoosePrefix(std::wstring &Path) {
  const auto IsSeparator = [](wchar_t C) { return C == L'/' || C == L'\\'; };
  constexpr size_t Prefix = 4;
  if (Path.size() > Prefix + 2 && !Path.starts_with(L"\\\\?\\") &&
      IsSeparator(Path[0]) && IsSeparator(Path[1]) && Path[2] == L'?' &&
      IsSeparator(Path[3]) && Path[Prefix + 1] == L':' &&
      IsSeparator(Path[Prefix + 2]))
    Path.erase(0, Prefix);
}

/// Makes \p Path, which names no device, absolute and of the form that may have
/// any length: `\\?\C:\...` or `\\?\UNC\server\share\...`. Returns false if
/// it is no path, such as a space.
static bool extend(std::wstring &Path) {
  std::wstring Full;
  DWORD Length = MAX_PATH;
  do {
    Full.resize(Length);
    Length = ::GetFullPathNameW(Path.c_str(), Length, Full.data(), nullptr);
  } while (Length > Full.size()); // the size that it needs
  Full.resize(Length);
  // The current directory may have the prefix.
  if (!Full.starts_with(L"\\\\?\\")) {
    if (Full.starts_with(L"\\\\"))
      Full.replace(0, 2, L"UNC\\");
    Full.insert(0, L"\\\\?\\");
  }
  Path = std::move(Full);
  return Length != 0;
}

std::error_code toSystemPath(std::string_view Path, std::wstring &Result) {
  if (std::error_code Error = toWide(Path, Result))
    return Error;
  if (Result.empty())
    return std::make_error_code(std::errc::no_such_file_or_directory);
  const auto TooLong = std::make_error_code(std::errc::filename_too_long);
  if (Result.size() >= MaxUnits)
    return TooLong;
  dropLoosePrefix(Result);
  const bool IsVerbatim =
      Result.starts_with(L"\\\\?\\") || Result.starts_with(L"\\??\\");
  if (!IsVerbatim && !mayBeDevice(std::wstring_view(Result)) && !extend(Result))
    return ::GetLastError() == ERROR_FILENAME_EXCED_RANGE
               ? TooLong
               : std::make_error_code(std::errc::no_such_file_or_directory);
  return Result.size() >= MaxUnits ? TooLong : std::error_code();
}

} // namespace headstart::os::detail
