//===- Text.cpp - Names and paths, ours and Windows's ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "headstart/OS/WideText.h"

namespace headstart::os::detail {

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
