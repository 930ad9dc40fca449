//===- LinkerProbe.h - Queries of a linker program --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs programs to learn which linker they are, or which linker a compiler
/// driver would run, and parses a driver's answer to `-###`: the commands that
/// it would run. Nothing is linked.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_LINKERPROBE_H
#define HEADSTART_LINK_LINKERPROBE_H

#include "headstart/Link/LinkerName.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

struct LinkerVersion {
  std::string Line; ///< the first line; empty if there is none
  bool IsHeadstart = false;
};

/// What \p Program prints for --version. Blocks for at most 5 seconds.
LinkerVersion versionOf(const std::string &Program);

/// The linker that the compiler driver \p Driver would run if \p Option
/// ("-fuse-ld=lld", or "") were added, as a path if it can be found; empty if
/// the driver would run none, or reports none. \p Input is a file that it takes
/// for an object and does not read. Blocks like two calls of `versionOf`.
std::string linkerOf(const std::string &Driver, const std::string &Option,
                     const std::string &Input);

/// The linker that the compiler driver at the front of \p Link would run for
/// that link, as above. For GCC, the one that -fuse-ld=lld (`ld.lld`) selects.
std::string linkerOf(const std::vector<std::string> &Link);

/// Returns the arguments of the commands in \p Answer. A command is a line that
/// begins with a space; the other lines that drivers print are skipped. Spaces
/// separate arguments. In a quoted argument, a backslash makes the next
/// character literal (clang quotes all arguments, gcc those that need it). An
/// argument may contain line breaks.
std::vector<std::vector<std::string>> commandsIn(llvm::StringRef Answer);

/// The command that links: the last one whose program is a linker, or a driver
/// that will start a linker (clang leaves the link to gcc for some targets).
std::optional<std::vector<std::string>>
linkStepOf(std::vector<std::vector<std::string>> Commands);

/// Whether \p Args (with the driver's name) request no link: `-c`, `-S`, `-E`
/// and the like, or a query of the driver. This saves Headstart a query of the
/// driver for each file that is compiled.
bool onlyCompiles(DriverKind Driver, llvm::ArrayRef<std::string> Args);

} // namespace headstart

#endif // HEADSTART_LINK_LINKERPROBE_H
