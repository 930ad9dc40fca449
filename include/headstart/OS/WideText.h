//===- WideText.h - Names and paths as Windows has them ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Windows's names are arbitrary 16-bit units. Headstart's names are bytes:
/// UTF-8, in which an unpaired surrogate takes the three bytes that it would
/// have as a character (WTF-8, https://wtf-8.codeberg.page). Every Windows name
/// has exactly one such form, and is converted back unchanged. These pure
/// functions build, and are tested, on every system. Thread-safe.
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

/// Writes \p WideBytes, units stored as bytes in the machine's order at any
/// address, such as names in Windows's records, as WTF-8 to \p Into, which has
/// room for `MaxBytesPerUnit` bytes per unit. Returns the number of bytes, and
/// adds no zero. Ignores an odd last byte. Never fails, and allocates nothing.
size_t writeUtf8FromBytes(std::string_view WideBytes, char *Into);

/// Appends \p Wide as WTF-8 to \p Result. The caller must not split a surrogate
/// pair between two calls: neither this nor `appendWide` reads the old text.
template <typename Unit>
void appendUtf8(std::basic_string_view<Unit> Wide, std::string &Result);

/// Appends \p Text to \p Result. Returns false and leaves \p Result unchanged
/// if \p Text is not WTF-8 (an overlong form, a value past U+10FFFF, a
/// character beyond U+FFFF as two surrogates of three bytes), since no Windows
/// name has that form.
template <typename Unit>
bool appendWide(std::string_view Text, std::basic_string<Unit> &Result);

/// Whether Windows may take \p Path for a device or a pipe instead of a file or
/// directory: `\\.\...`, a `\\?\` without a drive, volume or share, the pipes
/// and mailslots of a server, and names like `NUL`, `com1.txt` or `C:\x\aux:`
/// by the rules up to Windows 10 (Windows 11 has dropped most of these names:
/// https://learn.microsoft.com/windows/win32/fileio/naming-a-file). Returns
/// true in case of doubt.
template <typename Unit> bool mayBeDevice(std::basic_string_view<Unit> Path);

/// Appends a space and \p Arg to \p CommandLine so that CommandLineToArgvW and
/// the C runtime parse it back unchanged: in quotes if it is empty or contains
/// a space, a tab, a newline or a quote, with each backslash before a quote
/// doubled:
/// https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments.
/// Not for the first argument, nor for cmd.exe.
template <typename Unit>
void appendArgument(std::basic_string_view<Unit> Arg,
                    std::basic_string<Unit> &CommandLine);

} // namespace headstart::os

#endif // HEADSTART_OS_WIDETEXT_H
