//===- Support.h - Small helpers of the generic sources ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_GENERIC_SUPPORT_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_GENERIC_SUPPORT_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace headstart::os::detail {

/// Nanoseconds since 1970 where file_clock can tell, otherwise since its own
/// epoch, which is anyone's choice (1601 on Windows): good enough to compare.
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

/// What stands in for the inode, which the library does not tell: the place
/// where the links end. It keeps two files of one size and time apart, though
/// not a file from another that was put in its place within one clock tick.
inline uint64_t idOf(const std::filesystem::path &Place) {
  return std::hash<std::string>()(Place.string());
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_GENERIC_SUPPORT_H
