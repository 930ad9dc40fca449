//===- Support.h - Small helpers of the generic sources ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// clang-tidy would derive the name of this guard from the checkout's path.
#ifndef HEADSTART_LIB_OS_GENERIC_SUPPORT_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_GENERIC_SUPPORT_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace headstart::os::detail {

/// Returns nanoseconds since 1970 if file_clock can convert to them, otherwise
/// since its own, unspecified epoch (1601 on Windows): good enough to compare.
template <class FileTime> int64_t nanoseconds(FileTime Time) {
  const auto SinceEpoch = [&] {
    if constexpr (requires { FileTime::clock::to_sys(Time); })
      return FileTime::clock::to_sys(Time).time_since_epoch();
    else
      return Time.time_since_epoch();
  }();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(SinceEpoch)
      .count();
}

/// Returns a substitute for the inode, which the library does not report: a
/// hash of the path after resolving links. It distinguishes two files of equal
/// size and time, but not a file from its replacement within one clock tick.
inline uint64_t idOf(const std::filesystem::path &Place) {
  return std::hash<std::string>()(Place.string());
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_GENERIC_SUPPORT_H
