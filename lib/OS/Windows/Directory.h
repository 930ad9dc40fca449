//===- Directory.h - An open directory of Windows ---------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The state of a DirectoryHandle, and the methods of listing it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_WINDOWS_DIRECTORY_H
#define HEADSTART_LIB_OS_WINDOWS_DIRECTORY_H

#include "Support.h"
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

namespace headstart::os::detail {

/// The methods of listing a directory, by GetFileInformationByHandleEx. The
/// reader uses the first one that the file system or redirector does not
/// refuse. .NET lists every directory by the second one.
enum class ListMethod : uint8_t {
  IdBoth, ///< FileIdBothDirectoryInfo
  Full,   ///< FileFullDirectoryInfo, Windows 8
};

/// For tests: from now on all methods before \p First count as refused. Any
/// thread.
void refuseMethodsBefore(ListMethod First);

/// The object to which a DirectoryHandle's handle points.
struct Directory {
  /// No volume has this number, since they have 32 bits.
  static constexpr uint64_t UnknownDevice = UINT64_MAX;

  UniqueHandle Handle;
  /// The method that works here and the number of the volume, if known. One
  /// thread reads them to open a directory below while another one lists.
  std::atomic<ListMethod> Method = ListMethod::IdBoth;
  std::atomic<uint64_t> Device = UnknownDevice;
  bool IsBegun = false;
  bool IsAtEnd = false;

  explicit Directory(UniqueHandle Handle) : Handle(std::move(Handle)) {}
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;
};

inline Directory *directoryOf(intptr_t Handle) {
  return std::bit_cast<Directory *>(Handle);
}

inline std::error_code notOpen() {
  return std::make_error_code(std::errc::bad_file_descriptor);
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_WINDOWS_DIRECTORY_H
