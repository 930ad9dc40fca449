//===- PseudoFile.h - Read what /proc and /sys tell -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads small text files of /proc and /sys whole, up to a limit, and splits
/// them into lines, fields and numbers.
///
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_LINUX_PSEUDOFILE_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_LINUX_PSEUDOFILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headstart::os::detail {

/// Returns \p Root without a `/` at its end, as a prefix of "/proc".
inline std::string prefixOf(const std::string &Root) {
  return Root.substr(0, Root.find_last_not_of('/') + 1);
}

/// Returns the contents of \p Path; nothing if it cannot be read. If the file
/// has 64 KiB or more, returns the whole lines of its first 64 KiB.
std::optional<std::string> readPseudoFile(const std::string &Path);

/// Removes the part before the first \p Separator, and that, from \p Rest and
/// returns the part: all of \p Rest without one, "" if \p Rest is empty.
std::string_view takeField(std::string_view &Rest, char Separator);

/// Returns \p Text without the white space around it.
std::string_view trim(std::string_view Text);

/// A line of /proc/self/mountinfo: "<id> <parent> <device> <root> <point>
/// <options> <optional>... - <type> <source> <super options>". Its fields write
/// space, tab, newline and backslash as `\ooo`; see `unescape`.
struct MountLine {
  std::string_view Id;
  std::string_view Device; ///< "major:minor"
  std::string_view Root;   ///< the directory of the file system that is mounted
  std::string_view Point;
  std::string_view FileSystem;
  std::string_view Source;
  std::string_view SuperOptions;
};

/// Parses \p Line; missing fields are empty.
MountLine parseMount(std::string_view Line);

/// Decodes `\ooo`.
std::string unescape(std::string_view Text);

/// Parses a decimal number; \p Text may add white space around it, but no more.
std::optional<uint64_t> parseNumber(std::string_view Text);

/// Returns the number after "<Key> " (or "<Key>:") at the start of a line of
/// \p Text, times 1024 if the line ends in "kB".
std::optional<uint64_t> findNumber(std::string_view Text, std::string_view Key);

/// Returns the `some avg10` of a pressure file (Linux 4.20), in percent;
/// nothing if there is none.
std::optional<double> readPressure(const std::string &Path);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_PSEUDOFILE_H
