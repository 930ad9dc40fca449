//===- DirectoryReader.cpp - Read directories -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"

namespace headstart::os {

void DirectoryReader::start(DirectoryHandle &NewDirectory) {
  Directory = &NewDirectory;
  Unread = {};
}

size_t DirectoryReader::read(std::span<DirectoryEntry> Into,
                             std::error_code &Error) {
  Error = {};
  // A batch may contain only `.` and `..`.
  while (Directory != nullptr && !Into.empty()) {
    if (Unread.empty())
      Error = fill();
    if (Unread.empty()) {
      Directory = nullptr;
      return 0;
    }
    bool Malformed = false;
    const size_t Count = parse(Into, Malformed);
    if (Malformed) {
      Error = std::make_error_code(std::errc::bad_message);
      Directory = nullptr;
    }
    if (Malformed || Count != 0)
      return Count;
  }
  return 0;
}

} // namespace headstart::os
