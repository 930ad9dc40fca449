//===- BuildStatus.h - What builds have fetched -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A running `headstart build` has two files in the user's cache, whose names
/// follow from the build directory: one that it has locked, until the kernel
/// ends the process, and one with JSON for `headstart build --status`.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_BUILDSTATUS_H
#define HEADSTART_TOOLS_HEADSTART_BUILDSTATUS_H

#include "Command.h"
#include "headstart/Link/BuildFetcher.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <mutex>
#include <string>
#include <vector>

namespace headstart {

/// What a build is doing.
struct BuildStatus {
  std::string Directory;
  std::vector<std::string> Command;
  uint64_t BudgetBytes = 0;
  llvm::StringRef State; ///< "planning", "fetching", "paused", "done"
  llvm::StringRef Why;   ///< it is paused
  std::vector<BuildLinkFigures> Links;
};

/// Where a build leaves its status. Any thread.
class BuildStatusFile {
public:
  /// Takes the place of the build in \p Directory; false if another one has it.
  /// Where there is no cache directory, there is no file. Blocks.
  bool open(const std::string &Directory);
  /// Replaces the status. Blocks for a small file.
  void write(const BuildStatus &Status);
  /// Removes the files, unless another thread is writing them. The last.
  void remove();

private:
  std::mutex Mutex;
  std::string Path;    ///< empty: none
  std::string Written; ///< the last status
  int Lock = -1;
};

/// headstart build --status.
Exit showBuildStatus(bool AsJSON);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_BUILDSTATUS_H
