//===- StartProgram.h - Starting a program (Windows) ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_OS_WINDOWS_STARTPROGRAM_H
#define HEADSTART_LIB_OS_WINDOWS_STARTPROGRAM_H

#include "Support.h"

#include <array>
#include <optional>
#include <psapi.h>
#include <string>
#include <system_error>
#include <vector>

namespace headstart::os::detail {

/// A started program.
struct Started {
  UniqueHandle Process;
  UniqueHandle Job; ///< the program's; none if the system refused one
};

/// The options of a program's start.
struct StartOptions {
  DWORD Flags = 0;     ///< of CreateProcessW
  DWORD JobLimits = 0; ///< JOB_OBJECT_LIMIT_...
  /// The program's standard handles, which are inheritable and the only ones
  /// that it inherits; none: it inherits ours.
  std::optional<std::array<HANDLE, 3>> Streams;
  /// The file to run. Empty: the first argument, which is then replaced by the
  /// path that was found.
  std::string Program;
  /// Changes to our environment: "NAME=VALUE", or "NAME" to remove it.
  std::vector<std::string> Environment;
};

/// Starts \p Args. The first is a path or a program in PATH, with or without
/// `.exe`; a batch file is an error (`errc::executable_format_error`).
std::error_code startProgram(const std::vector<std::string> &Args,
                             StartOptions Options, Started &Result);

/// Returns the memory counters of \p Process, even after its end.
std::optional<PROCESS_MEMORY_COUNTERS_EX> memoryOf(HANDLE Process);

/// Opens NUL for reading and writing, inheritably.
UniqueHandle openNothing();

/// Returns the attributes of handles that a program inherits.
SECURITY_ATTRIBUTES inheritableAttributes();

} // namespace headstart::os::detail

#endif // HEADSTART_LIB_OS_WINDOWS_STARTPROGRAM_H
