//===- Support.h - Small helpers of the Windows sources ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_WINDOWS_SUPPORT_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_WINDOWS_SUPPORT_H

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "headstart/OS/MappedFile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace headstart::os::detail {

/// The error \p Code of Windows, in a category of its own that says the same as
/// one of std::errc where there is one (the runtime of mingw maps only some,
/// and sharing violations to nothing). To be compared with std::errc, not with
/// another error_code, nor by its value.
std::error_code errorOf(DWORD Code);

/// GetLastError as an error. To be called before anything else. That a file is
/// being deleted, which Win32 calls "access denied", is that it is gone.
std::error_code lastError();

/// \p Text (WTF-8) as Windows has it; nothing but an error if no name of
/// Windows has that form: `invalid_argument` for one with a NUL,
/// `illegal_byte_sequence` for what is not WTF-8.
std::error_code toWide(std::string_view Text, std::wstring &Result);

/// \p Wide as WTF-8. For many names `writeUtf8` (WideText.h), into a buffer.
std::string toUtf8(std::wstring_view Wide);

/// The path by which \p Path is given to the system: absolute, of any length,
/// counted from the current directory, whose change by another thread meanwhile
/// must not be; a device's name as it is (see `extendedPath`). Errors are those
/// of `toWide`, `no_such_file_or_directory` for an empty path, and
/// `filename_too_long` for what is longer than Windows takes.
std::error_code toSystemPath(std::string_view Path, std::wstring &Result);

/// Nanoseconds since 1970.
int64_t nanosecondsOf(const FILETIME &Time);

/// Closes what it holds. Both values that Windows uses for "none" are none.
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

/// The Win32 error for \p Status, of one of ntdll's calls.
DWORD codeOfStatus(LONG Status);

/// Wine shows the host's links and mounts as directories like others, and gives
/// hints to the host.
bool isWine();

/// Reads from \p Handle, whose calls wait, until \p Into is full, the file ends
/// or \p Error is set. Returns the bytes. The handle's position is not used,
/// but moves. By NtReadFile: for the OVERLAPPED that ReadFile needs for an
/// offset Wine asks its server for a completion, once for each read.
size_t readAt(HANDLE Handle, uint64_t Offset, std::span<char> Into,
              std::error_code &Error);

/// What GetFileInformationByHandle says of \p Handle, a file or directory on a
/// disk, with the time of its last change; any access will do. Equal for two
/// handles of one file. See the source for what `Device` and `Inode` are.
std::error_code statusOf(HANDLE Handle, FileStatus &Result);

/// A function of a library that every process has, or null: some are newer than
/// the oldest Windows that is served.
template <typename Function>
Function *findFunction(const wchar_t *Library, const char *Name) {
  const HMODULE Module = ::GetModuleHandleW(Library);
  if (Module == nullptr)
    return nullptr;
  // By way of a function without parameters, which compilers let through.
  return reinterpret_cast<Function *>(
      reinterpret_cast<void (*)()>(::GetProcAddress(Module, Name)));
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_WINDOWS_SUPPORT_H
