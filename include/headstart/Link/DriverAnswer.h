//===- DriverAnswer.h - What a compiler driver would run --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The answer of a compiler driver to `-###`: the commands that it would run.
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

/// The arguments of the commands in \p Answer. Commands are the lines that
/// begin with a space; everything else that drivers print is skipped. Arguments
/// are separated by spaces; in a quoted one a backslash stands before what it
/// is to be taken for (clang quotes all arguments, gcc those that need it). An
/// argument may contain line breaks.
std::vector<std::vector<std::string>> commandsIn(llvm::StringRef Answer);

/// The command that links: the last whose program is a linker, or a driver
/// that will start one (clang leaves the link to gcc for some targets).
std::optional<std::vector<std::string>>
linkStepOf(std::vector<std::vector<std::string>> Commands);

/// Whether \p Args (with the driver's name) say that nothing is linked: `-c`,
/// `-S`, `-E` and their like, or a question to the driver. Saves asking for
/// each file that is compiled.
bool onlyCompiles(DriverKind Driver, llvm::ArrayRef<std::string> Args);

} // namespace headstart

#endif // HEADSTART_LINK_DRIVERANSWER_H
