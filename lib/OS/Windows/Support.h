//===- Support.h - Small helpers of the Windows sources ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_WINDOWS_SUPPORT_H
#define HEADSTART_LIB_OS_WINDOWS_SUPPORT_H

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "headstart/OS/MappedFile.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace headstart::os::detail {

/// Returns the Windows error \p Code in a category of its own, which maps those
/// that callers distinguish to the equivalent std::errc (mingw's runtime maps
/// only some, and not sharing violations). Compare it with std::errc, not with
/// another error_code, nor by its value.
std::error_code errorOf(DWORD Code);

/// Returns GetLastError as an error; call it before anything else. A file that
/// is being deleted, which Win32 reports as "access denied", counts as missing.
std::error_code lastError();

/// Converts \p Text (WTF-8) to the units of Windows. Returns an error if no
/// Windows name has that form: `invalid_argument` if it has a NUL,
/// `illegal_byte_sequence` if it is not WTF-8.
std::error_code toWide(std::string_view Text, std::wstring &Result);

/// Returns \p Wide as WTF-8.
std::string toUtf8(std::wstring_view Wide);

/// Converts \p Path to the form for system calls: absolute, of any length
/// (`\\?\C:\...`), resolved as Win32 does from the current directory, which no
/// other thread may change meanwhile. A path that `mayBeDevice`, or has such a
/// prefix, stays as it is. Returns the errors of `toWide`,
/// `no_such_file_or_directory` for an empty path, and `filename_too_long` for a
/// path longer than Windows allows.
std::error_code toSystemPath(std::string_view Path, std::wstring &Result);

/// A compiler may replace, rename or delete a file that we have open.
inline constexpr DWORD ShareAll =
    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// Returns the handle of an OpenFile or a DirectoryHandle.
template <typename T> HANDLE handleOf(const T &Opened) {
  return std::bit_cast<HANDLE>(Opened.nativeHandle());
}

/// Returns \p Time in nanoseconds since 1970.
int64_t nanosecondsOf(const FILETIME &Time);

/// Owns a handle. Both values that Windows uses for "none" count as none.
class UniqueHandle {
public:
  UniqueHandle() = default;
  explicit UniqueHandle(HANDLE Value) : Value(Value) {}
  UniqueHandle(UniqueHandle &&Other) noexcept
      : Value(std::exchange(Other.Value, nullptr)) {}
  UniqueHandle &operator=(UniqueHandle &&Other) noexcept {
    std::swap(Value, Other.Value);
    return *this;
  }
  UniqueHandle(const UniqueHandle &) = delete;
  UniqueHandle &operator=(const UniqueHandle &) = delete;
  ~UniqueHandle() { close(); }

  bool isOpen() const {
    return Value != nullptr && Value != INVALID_HANDLE_VALUE;
  }
  HANDLE get() const { return Value; }
  HANDLE release() { return std::exchange(Value, nullptr); }
  void close() {
    if (isOpen())
      ::CloseHandle(Value);
    Value = nullptr;
  }

private:
  HANDLE Value = nullptr;
};

/// Returns the Win32 error for \p Status, which a call of ntdll has returned.
DWORD codeOfStatus(LONG Status);

/// Whether this is Wine, which shows the host's links and mounts as plain
/// directories and passes hints to the host.
bool isWine();

/// Queries \p Handle by GetFileInformationByHandle, with the time of its last
/// change; any access right will do. What is not on a disk is `Other`. Handles
/// of one file have equal results. See the source for `Device` and `Inode`.
std::error_code statusOf(HANDLE Handle, FileStatus &Result);

/// Returns a function of a library that every process has, or null: some are
/// newer than the oldest supported Windows.
template <typename Function>
Function *findFunction(const wchar_t *Library, const char *Name) {
  const HMODULE Module = ::GetModuleHandleW(Library);
  if (Module == nullptr)
    return nullptr;
  // Compilers accept the cast by way of a function without parameters.
  return reinterpret_cast<Function *>(
      reinterpret_cast<void (*)()>(::GetProcAddress(Module, Name)));
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_WINDOWS_SUPPORT_H
