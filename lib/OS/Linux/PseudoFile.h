//===- PseudoFile.h - Read what /proc and /sys tell -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Small text files of /proc and /sys: read whole, within a bound, and cut into
/// lines, fields and numbers.
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

/// \p Root as a prefix to which "/proc" can be added.
inline std::string prefixOf(const std::string &Root) {
  return Root.substr(0, Root.find_last_not_of('/') + 1);
}

/// The contents of \p Path; nothing when it cannot be read. Of a file longer
/// than 64 KiB the whole lines of its first 64 KiB.
std::optional<std::string> readPseudoFile(const std::string &Path);

/// Cuts the part before the first \p Separator off \p Rest and returns it; all
/// of \p Rest when there is none. "" when nothing is left.
std::string_view takeField(std::string_view &Rest, char Separator);

/// A decimal number and nothing else, surrounding white space aside.
std::optional<uint64_t> parseNumber(std::string_view Text);

/// The number after "<Key> " (or "<Key>:") at the start of a line of \p Text,
/// times 1024 where the line ends in "kB".
std::optional<uint64_t> findNumber(std::string_view Text, std::string_view Key);

/// The `some avg10` of a pressure file (Linux 4.20), in percent; nothing where
/// there is none.
std::optional<double> readPressure(const std::string &Path);

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_LINUX_PSEUDOFILE_H
