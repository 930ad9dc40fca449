//===- BuildStatus.h - The status of builds ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A running `headstart build` has two files in the user's cache, named after
/// the build directory: a lock file, which it keeps locked until the kernel
/// ends the process, and a JSON file for `headstart build --status`.
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

/// The status of a build.
struct BuildStatus {
  std::string Directory;
  std::vector<std::string> Command;
  uint64_t BudgetBytes = 0;
  llvm::StringRef State; ///< "fetching", "paused", "done"
  llvm::StringRef Why;   ///< the reason for a pause
  std::vector<BuildLinkFigures> Links;
};

/// The file with the status of a build. Any thread.
class BuildStatusFile {
public:
  /// Locks the status of the build in \p Directory; returns false if another
  /// process has locked it. Without a cache directory there is no file. Blocks.
  bool open(const std::string &Directory);
  /// Whether another process has locked the status of \p Directory, or the
  /// cache has no locks. Blocks.
  static bool isTaken(const std::string &Directory);
  /// Whether `open` has locked a file.
  bool isLocked() const { return Lock != -1; }
  /// Replaces the status. Blocks for a small file.
  void write(const BuildStatus &Status);
  /// Removes the files, unless another thread is writing them. The last call.
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
