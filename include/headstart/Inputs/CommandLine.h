//===- CommandLine.h - Arguments and who wrote them -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arguments of a linker's command line, with response files expanded and
/// the environment's share in its place, each with a note of who wrote it.
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

/// Which family of linkers a command line belongs to.
enum class Flavour : uint8_t { COFF, MachO, ELF };

/// One argument of a command line, and where it came from.
struct CommandLineArg {
  std::string Text;
  /// The innermost response file that holds the argument, as it was named;
  /// empty for the command line itself.
  std::string ResponseFile;
  /// The environment variable that holds the argument; empty otherwise.
  std::string Variable;
};

/// How the outside looks to a command line; a test makes its own.
struct CommandLineContext {
  /// Reads an environment variable; absent when it is not set.
  std::function<std::optional<std::string>(llvm::StringRef)> GetEnv;
  /// Where the linker program lies (`<prefix>/bin/lld-link`), for the library
  /// directories that lld derives from its own place.
  std::string ToolPath;

  /// The process's own environment, no tool path.
  static CommandLineContext fromProcess();
};

/// A command line with its response files expanded.
struct ExpandedCommandLine {
  std::vector<CommandLineArg> Args; ///< without the program's name
  /// What could not be expanded, one sentence each (path first): advice for
  /// the person who asked, never an error; the argument then stays as it is.
  std::vector<std::string> Notes;
};

/// Expands \p Args (without the program's name) as the linker will: LINK and
/// _LINK_ for COFF (unless /lldignoreenv), `@file` with the flavour's quoting
/// (`--rsp-quoting`), UTF-8 or UTF-16 with a byte-order mark, nested and taken
/// relative to the current directory as lld does, at most 64 deep, a file that
/// includes itself left as it is.
///
/// Only regular files are read: a FIFO (`@<(command)`) can be read once, and
/// that once is the linker's. Blocks for those files. Any thread.
ExpandedCommandLine expandCommandLine(Flavour F,
                                      llvm::ArrayRef<std::string> Args,
                                      const CommandLineContext &Context);

} // namespace headstart

#endif // HEADSTART_INPUTS_COMMANDLINE_H
