//===- TextStub.h - What a text-based stub re-exports -----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads of a .tbd file only what names other files.
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
  bool HasClients = false; ///< it names those who may link with it
};

/// The libraries of a .tbd file of version 1 to 5, the one that the file stands
/// for first. Text that is no such file gives what could be made of it, at
/// worst nothing. Any thread.
std::vector<StubDocument> readTextStub(llvm::StringRef Text);

} // namespace headstart

#endif // HEADSTART_FORMATS_TEXTSTUB_H
