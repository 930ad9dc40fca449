//===- DriverAnswer.h - The output of a driver's -### -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parses a compiler driver's answer to `-###`: the commands that it would run.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_DRIVERANSWER_H
#define HEADSTART_LINK_DRIVERANSWER_H

#include "headstart/Link/LinkerName.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace headstart {

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

#endif // HEADSTART_LINK_DRIVERANSWER_H
