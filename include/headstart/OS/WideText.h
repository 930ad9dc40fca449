//===- WideText.h - Names and paths as Windows has them ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Windows's names are any 16-bit units, ours are bytes: UTF-8, in which an
/// unpaired surrogate is the three bytes that it would have as a character
/// (WTF-8, https://wtf-8.codeberg.page). Every name of Windows has one such
/// form, and comes back from it unchanged. Pure, on any system, so that it is
/// tested everywhere; any thread.
///
/// \p Unit is `char16_t`, and on Windows also `wchar_t`.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_WIDETEXT_H
#define HEADSTART_OS_WIDETEXT_H

#include <cstddef>
#include <string>
#include <string_view>

namespace headstart::os {

/// The most bytes that one unit becomes.
inline constexpr size_t MaxBytesPerUnit = 3;

/// Writes \p Wide as WTF-8 to \p Into, which has room for
/// `MaxBytesPerUnit * Wide.size()` bytes. Returns the number of bytes; no zero
/// is added. Never fails, allocates nothing.
template <typename Unit>
size_t writeUtf8(std::basic_string_view<Unit> Wide, char *Into);

/// The same for units that lie as bytes, of the machine's order, at any
/// address: names in Windows's records. An odd last byte is left out.
size_t writeUtf8FromBytes(std::string_view WideBytes, char *Into);

/// Adds \p Wide as WTF-8 to \p Result. A pair of surrogates must not be cut in
/// two calls: neither this nor `appendWide` reads what is there already.
template <typename Unit>
void appendUtf8(std::basic_string_view<Unit> Wide, std::string &Result);

/// Adds \p Text to \p Result. False, with \p Result as it was, when \p Text is
/// not WTF-8 (an overlong form, a value past U+10FFFF, a character beyond
/// U+FFFF as two surrogates of three bytes): no name of Windows has that form.
template <typename Unit>
bool appendWide(std::string_view Text, std::basic_string<Unit> &Result);

/// What a path counts from.
enum class PathStart : unsigned char {
  Directory,      ///< `a\b`: the current directory
  DriveDirectory, ///< `C:a`: the current directory of that drive
  Drive,          ///< `\a`: the root of the current drive or share
  Nothing,        ///< `C:\a`, `\\server\share\a`: it is absolute
  Verbatim,       ///< `\\?\a`, `\\.\a`, `\??\a`: taken as it is, or a device
};

/// What \p Path counts from. Both separators are known but in `\\?\` and `\??\`
/// themselves.
template <typename Unit> PathStart startOf(std::basic_string_view<Unit> Path);

/// Whether Windows may take \p Path for a device or a pipe rather than a file
/// or directory: `\\.\...`, a `\\?\` without a drive, volume or share, the
/// pipes and mailslots of a server, and names like `NUL`, `com1.txt` or
/// `C:\x\aux:` by the rules up to Windows 10 (Windows 11 has given up most of
/// the last: https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
/// Those of which it is not sure count.
template <typename Unit> bool mayBeDevice(std::basic_string_view<Unit> Path);

/// \p Path as an absolute path of any length (`\\?\C:\...`,
/// `\\?\UNC\server\share\...`), with `/`, `.`, `..` and what trails resolved as
/// Win32 does for shorter ones:
/// https://learn.microsoft.com/dotnet/standard/io/file-path-formats. It counts
/// from \p Base, an absolute path: what `startOf` says. One that starts at
/// `Verbatim`, or `mayBeDevice` by its name, is returned as it is.
template <typename Unit>
std::basic_string<Unit> extendedPath(std::basic_string_view<Unit> Path,
                                     std::basic_string_view<Unit> Base);

/// Adds a space and \p Arg to \p CommandLine so that CommandLineToArgvW and
/// the C runtime take it off again as it is: in quotes where it is empty or has
/// a space, a tab, a newline or a quote in it, a backslash doubled where a
/// quote follows:
/// https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments.
/// Not for the first argument, nor for cmd.exe.
template <typename Unit>
void appendArgument(std::basic_string_view<Unit> Arg,
                    std::basic_string<Unit> &CommandLine);

} // namespace headstart::os

#endif // HEADSTART_OS_WIDETEXT_H
