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
#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// What a build's command line says.
struct BuildCommandLine {
  std::string Directory;           ///< absolute; where outputs are built
  bool Builds = true;              ///< no question such as `ninja -t clean`
  std::optional<NinjaBuild> Ninja; ///< in Directory, where ninja builds
};

/// Reads \p Args, the command of a build. \p Given overrules where it
/// builds. Blocks for a few lookups.
BuildCommandLine readBuildCommandLine(llvm::ArrayRef<std::string> Args,
                                      const std::optional<std::string> &Given);

/// A link that will run, as far as is known; one of the two is there.
struct UpcomingLink {
  std::string Output;
  std::shared_ptr<const LinkProfile> Profile; ///< of its last run
  std::vector<std::string> Command;
};

/// The links to come in \p Build, the current directory, the earliest first.
/// Adds the absolute paths of what the build will write to \p Written. Blocks.
std::vector<UpcomingLink> upcomingLinks(const BuildCommandLine &Build,
                                        llvm::StringSet<> &Written,
                                        const std::atomic<bool> &Cancelled);

/// What \p Link will read that was there before the build. Blocks.
std::vector<FileRanges> filesOf(const UpcomingLink &Link,
                                const llvm::StringSet<> &Written,
                                const std::atomic<bool> &Cancelled);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_BUILDLINKS_H
