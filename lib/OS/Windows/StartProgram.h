//===- StartProgram.h - Starting a program (Windows) ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_LIB_OS_WINDOWS_STARTPROGRAM_H // NOLINT(llvm-header-guard)
#define HEADSTART_LIB_OS_WINDOWS_STARTPROGRAM_H

#include "Support.h"

#include <array>
#include <optional>
#include <psapi.h>
#include <string>
#include <system_error>
#include <vector>

namespace headstart::os::detail {

/// A program that has been started.
struct Started {
  UniqueHandle Process;
  UniqueHandle Job; ///< that it is in; none where the system gave none
};

/// What a program gets from us.
struct StartOptions {
  DWORD Flags = 0;     ///< of CreateProcessW
  DWORD JobLimits = 0; ///< JOB_OBJECT_LIMIT_...
  /// Its standard handles, which can be inherited, and all that it inherits;
  /// none if it gets ours.
  std::optional<std::array<HANDLE, 3>> Streams;
  /// The file that is run; empty: the first argument is, and it is told its
  /// path.
  std::string Program;
  /// "NAME=VALUE", or "NAME" to leave it out, on top of our environment.
  std::vector<std::string> Environment;
};

/// Starts \p Args, of which the first is a path, or a program in PATH, with
/// and without `.exe`; not a batch file (`errc::executable_format_error`).
std::error_code startProgram(const std::vector<std::string> &Args,
                             StartOptions Options, Started &Result);

/// What the system counts of the memory of \p Process, also after its end.
std::optional<PROCESS_MEMORY_COUNTERS_EX> memoryOf(HANDLE Process);

/// NUL for reading and writing, to be inherited.
UniqueHandle openNothing();

/// For handles that a program is to inherit.
SECURITY_ATTRIBUTES inheritableAttributes();

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_WINDOWS_STARTPROGRAM_H
