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

/// Calls \p Query(Units, Buffer), which returns the length that it has written,
/// or the larger one that it needs, until it fits. Returns false if it fails.
template <typename Function>
static bool queryText(Function Query, std::wstring &Result) {
  DWORD Length = MAX_PATH;
  do {
    Result.resize(Length);
    Length = Query(static_cast<DWORD>(Result.size()), Result.data());
  } while (Length > Result.size());
  Result.resize(Length);
  return Length != 0;
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

std::error_code toSystemPath(std::string_view Path, std::wstring &Result) {
  std::wstring Wide;
  if (std::error_code Error = toWide(Path, Wide))
    return Error;
  if (Wide.empty())
    return std::make_error_code(std::errc::no_such_file_or_directory);
  dropLoosePrefix(Wide);
  std::wstring Base;
  const std::wstring_view View = Wide;
  switch (startOf(View)) {
  case PathStart::Nothing:
  case PathStart::Verbatim:
    break;
  case PathStart::Directory:
  case PathStart::Drive:
    if (!queryText(::GetCurrentDirectoryW, Base))
      return lastError();
    break;
  case PathStart::DriveDirectory: {
    // Only the system knows where it keeps each drive's current directory.
    const std::wstring Drive = Wide.substr(0, 2);
    if (!queryText(
            [&](DWORD Units, wchar_t *Buffer) {
              return ::GetFullPathNameW(Drive.c_str(), Units, Buffer, nullptr);
            },
            Base))
      return lastError();
    break;
  }
  }
  Result = extendedPath(View, std::wstring_view(Base));
  if (Result.size() >= MaxUnits)
    return std::make_error_code(std::errc::filename_too_long);
  return {};
}

} // namespace headstart::os::detail
