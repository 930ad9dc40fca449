//===- LinkerScript.h - Dependencies of linker scripts ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads as much of a linker script as shows which files lld will open for it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_LINKERSCRIPT_H
#define HEADSTART_FORMATS_LINKERSCRIPT_H

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace headstart {

/// A file or a directory that a linker script names.
struct ScriptName {
  enum class Kind : uint8_t {
    Input,     ///< in INPUT or GROUP, also inside AS_NEEDED
    Include,   ///< INCLUDE
    Directory, ///< SEARCH_DIR
  };
  Kind What = Kind::Input;
  llvm::StringRef Name; ///< without quotes; points into the script
};

/// Returns the names in the script \p Text, in its order. Ends where lld would
/// report an error, so that a file that is no script names nothing. \p IsPart:
/// INCLUDE or -T names the text. It may begin within a command (INCLUDE inside
/// SECTIONS), and from there on only its own INCLUDEs count.
std::vector<ScriptName> readLinkerScript(llvm::StringRef Text, bool IsPart);

} // namespace headstart

#endif // HEADSTART_FORMATS_LINKERSCRIPT_H
