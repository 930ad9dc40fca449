//===- CommandLine.h - Arguments and who wrote them -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arguments of a linker's command line with response files and environment
/// variables expanded. Each argument has a note of where it was written.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_INPUTS_COMMANDLINE_H
#define HEADSTART_INPUTS_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The family of linkers that a command line belongs to.
enum class Flavour : uint8_t { COFF, MachO, ELF };

/// One argument of a command line, and its origin.
struct CommandLineArg {
  std::string Text;
  /// The name, as written, of the innermost response file that holds the
  /// argument; empty for an argument of the command line itself.
  std::string ResponseFile;
  /// The environment variable that holds the argument; empty otherwise.
  std::string Variable;
};

/// The environment in which a command line is read. Tests provide their own.
/// Only the search for an MSVC toolchain uses the environment of the process.
struct CommandLineContext {
  /// Reads an environment variable; without it, none is set.
  std::function<std::optional<std::string>(llvm::StringRef)> GetEnv;
  /// The path of the linker program (`<prefix>/bin/lld-link`), from which lld
  /// derives its own library directories.
  std::string ToolPath;

  /// The value of the environment variable \p Name; nullopt if it is not set.
  std::optional<std::string> env(llvm::StringRef Name) const {
    return GetEnv ? GetEnv(Name) : std::nullopt;
  }

  /// The environment of this process, without a tool path.
  static CommandLineContext fromProcess();
};

/// A command line with its response files expanded.
struct ExpandedCommandLine {
  std::vector<CommandLineArg> Args; ///< without the program's name
  /// One sentence for each response file that was not expanded, as
  /// advice for the user, never an error. Its argument stays as it is.
  std::vector<std::string> Notes;
};

/// Expands \p Args (without the program's name) as the linker will. For COFF it
/// adds LINK and _LINK_ (unless /lldignoreenv). It expands `@file`, in UTF-8 or
/// in UTF-16 with a byte-order mark, with the flavour's quoting
/// (`--rsp-quoting`). Files nest at most 64 deep, and their names are relative
/// to the current directory, as in lld. It leaves a file that includes itself.
///
/// Reads only regular files: a FIFO (`@<(command)`) can be read only once, and
/// the linker must read it. Blocks while it reads. Any thread.
ExpandedCommandLine expandCommandLine(Flavour F,
                                      llvm::ArrayRef<std::string> Args,
                                      const CommandLineContext &Context);

} // namespace headstart

#endif // HEADSTART_INPUTS_COMMANDLINE_H
