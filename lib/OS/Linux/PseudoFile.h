//===- PseudoFile.h - Read /proc and /sys -----------------------*- C++ -*-===//
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

#ifndef HEADSTART_LIB_OS_LINUX_PSEUDOFILE_H
#define HEADSTART_LIB_OS_LINUX_PSEUDOFILE_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headstart::os::detail {

/// Returns \p Root without a `/` at its end, as a prefix of "/proc".
inline std::string prefixOf(const std::string &Root) {
  return Root.substr(0, Root.find_last_not_of('/') + 1);
}

/// Returns the contents of \p Path; nothing if it cannot be read. If the file
/// has 64 KiB or more, returns the whole lines of its first 64 KiB.
std::optional<std::string> readPseudoFile(const std::string &Path);

/// Writes \p Text in one call, as these files require. Returns errno, or 0.
int writePseudoFile(const std::string &Path, std::string_view Text);

/// Removes the part before the first \p Separator, and that, from \p Rest and
/// returns the part: all of \p Rest without one, "" if \p Rest is empty.
std::string_view takeField(std::string_view &Rest, char Separator);

/// Whether a field of \p List, without the spaces around it, is \p Item.
bool hasField(std::string_view List, char Separator, std::string_view Item);

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

/// Parses a number; \p Text may add white space around it, but no more.
std::optional<uint64_t> parseNumber(std::string_view Text);

/// Returns the number that is all of the file \p Path.
inline std::optional<uint64_t> readNumber(const std::string &Path) {
  return parseNumber(readPseudoFile(Path).value_or(""));
}

/// Returns the number after "<Key> " (or "<Key>:") at the start of a line of
/// \p Text, times 1024 if the line ends in "kB".
std::optional<uint64_t> findNumber(std::string_view Text, std::string_view Key);

/// The `some` line of a pressure file (Linux 4.20), as far as it can be read.
struct Pressure {
  std::optional<double> Percent;                    ///< avg10
  std::optional<std::chrono::microseconds> Stalled; ///< total
};
Pressure readPressure(const std::string &Path);

/// Returns "/proc/" and \p Process.
std::string directoryOf(uint64_t Process);

/// Returns the fields of proc_pid_stat(5) from the third one, the state; empty
/// if \p Process cannot be read.
std::string statOf(uint64_t Process);

/// Returns the sum of the fields \p First to \p Last, numbered as in
/// proc_pid_stat(5), of \p Stat, which `statOf` has returned.
uint64_t sumOfFields(std::string_view Stat, unsigned First, unsigned Last);

/// The most levels of processes to follow. A driver starts a linker, and no
/// link has more levels; a process number that is reused must not cause a loop.
inline constexpr unsigned MaxLevels = 8;

/// Returns \p Process and its descendants. Follows only the children of main
/// threads, since other threads seldom start a linker.
std::vector<uint64_t> withDescendants(uint64_t Process);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_PSEUDOFILE_H
