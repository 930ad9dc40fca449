//===- Refusal.h - Why something is not opened as a file --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_REFUSAL_H
#define HEADSTART_LIB_OS_REFUSAL_H

#include "headstart/OS/MappedFile.h"

namespace headstart::os::detail {

/// Returns the error of OpenFile::open for \p Kind; none for a regular file.
inline std::error_code refusal(FileKind Kind) {
  switch (Kind) {
  case FileKind::Missing:
    return std::make_error_code(std::errc::no_such_file_or_directory);
  case FileKind::Regular:
    return {};
  case FileKind::Directory:
    return std::make_error_code(std::errc::is_a_directory);
  case FileKind::Other:
    break;
  }
  return std::make_error_code(std::errc::operation_not_supported);
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_REFUSAL_H
