//===- Build.h - The parts of headstart build -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a build will link, what `headstart build` publishes meanwhile, and what
/// the links reported.
///
/// A running `headstart build` has two files in the user's cache, named after
/// the build directory: a lock file, which it keeps locked until the kernel
/// ends the process, and a JSON file for `headstart build --status`.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_BUILD_H
#define HEADSTART_TOOLS_HEADSTART_BUILD_H

#include "Command.h"
#include "headstart/Link/BuildFetcher.h"
#include "headstart/Link/NinjaPlan.h"
#include "headstart/OS/ProcessActivity.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// The meaning of a build's command line.
struct BuildCommandLine {
  std::string Directory;           ///< absolute; the directory of the outputs
  bool Builds = true;              ///< false for `ninja -t clean` and the like
  std::optional<NinjaBuild> Ninja; ///< present if ninja builds Directory
};

/// Reads \p Args, the command of a build. \p Given overrides its directory.
/// Blocks for a few lookups.
BuildCommandLine readBuildCommandLine(llvm::ArrayRef<std::string> Args,
                                      const std::optional<std::string> &Given);

/// The build directory of \p Tool: ninja, make or cargo.
std::string buildDirectoryOf(const os::Ancestor &Tool);

/// A link that will probably run. Profile or Command is present, or both.
struct UpcomingLink {
  std::string Output;
  std::shared_ptr<const LinkProfile> Profile; ///< of the last run
  std::vector<std::string> Command;
};

/// Returns the links that \p Build, in the current directory, will run, the
/// earliest first. Adds the absolute paths of its outputs to \p Written.
/// Blocks.
std::vector<UpcomingLink> upcomingLinks(const BuildCommandLine &Build,
                                        llvm::StringSet<> &Written,
                                        const std::atomic<bool> &Cancelled);

/// Returns what \p Link will read, without what the build writes: what the
/// profile knows, and else what the command line says. Blocks.
std::vector<FileRanges> filesOf(const UpcomingLink &Link,
                                const llvm::StringSet<> &Written,
                                const std::atomic<bool> &Cancelled);

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

#endif // HEADSTART_TOOLS_HEADSTART_BUILD_H
