//===- Support.h - Differences of systems -----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_POSIX_SUPPORT_H
#define HEADSTART_LIB_OS_POSIX_SUPPORT_H

#if defined(__APPLE__)
#include "../Darwin/Support.h"
#else
#include "../Linux/Support.h"
#endif

#include "headstart/OS/MappedFile.h"

namespace headstart::os::detail {

inline FileIdentity identityOf(const struct stat &S) {
  return {deviceOf(S), S.st_ino, static_cast<uint64_t>(S.st_size),
          nanoseconds(modifiedTime(S)), nanoseconds(changedTime(S))};
}

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_POSIX_SUPPORT_H
