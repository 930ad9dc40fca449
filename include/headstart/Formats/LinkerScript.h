//===- LinkerScript.h - What a linker script names --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads as much of a linker script as tells which files lld will open for it.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_LINKERSCRIPT_H
#define HEADSTART_FORMATS_LINKERSCRIPT_H

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace headstart {

/// Something that a linker script names.
struct ScriptName {
  enum class Kind : uint8_t {
    Input,     ///< in INPUT or GROUP, also inside AS_NEEDED
    Include,   ///< INCLUDE
    Directory, ///< SEARCH_DIR
  };
  Kind What = Kind::Input;
  llvm::StringRef Name; ///< without quotes, a part of the script
};

/// What the script \p Text names, in its order. Ends where lld would give up,
/// so that what is no script names nothing. \p IsPart: the text is one that
/// INCLUDE or -T names; it may begin in the midst of a command (INCLUDE inside
/// SECTIONS), and only what it includes itself counts from there on.
std::vector<ScriptName> readLinkerScript(llvm::StringRef Text, bool IsPart);

} // namespace headstart

#endif // HEADSTART_FORMATS_LINKERSCRIPT_H
