//===- TextStub.h - Re-exports of a text-based stub -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads only the parts of a .tbd file that name other files.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_TEXTSTUB_H
#define HEADSTART_FORMATS_TEXTSTUB_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace headstart {

/// Libraries that a stub re-exports for some targets.
struct StubReExports {
  /// "arm64-macos" (version 4 and 5) or "arm64" (1 to 3); empty means all.
  std::vector<std::string> Targets;
  std::vector<std::string> Names; ///< install names
};

/// One library of a .tbd file.
struct StubDocument {
  std::string InstallName;
  std::vector<StubReExports> ReExports;
  bool HasClients = false; ///< only the clients that it names may link with it
};

/// Returns the libraries of a .tbd file of version 1 to 5, first the one that
/// the file represents. Returns of other text what it can read, at worst
/// nothing. Any thread.
std::vector<StubDocument> readTextStub(llvm::StringRef Text);

} // namespace headstart

#endif // HEADSTART_FORMATS_TEXTSTUB_H
