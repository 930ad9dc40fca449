//===- BuildLinks.h - The links of a build to come --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_BUILDLINKS_H
#define HEADSTART_TOOLS_HEADSTART_BUILDLINKS_H

#include "headstart/Link/BuildFetcher.h"
#include "headstart/Link/NinjaPlan.h"
#include "headstart/OS/ProcessActivity.h"
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <memory>
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

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_BUILDLINKS_H
