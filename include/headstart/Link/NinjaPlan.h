//===- NinjaPlan.h - The upcoming links of ninja ----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Predicts which steps of a build will run, while ninja runs the build. A dry
/// run would disturb it: `ninja -n` truncates and removes response files,
/// removes dependency files and repairs ninja's logs (measured with 1.11), all
/// of which the build is using. Headstart runs only ninja's tools that read
/// just the manifest (`-t graph`, `-t compdb`), and reads the times of files
/// and ninja's logs. Errors and gaps in these cost bytes, never the build.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LINK_NINJAPLAN_H
#define HEADSTART_LINK_NINJAPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

/// A step that will run.
struct NinjaStep {
  std::string Rule;
  std::vector<std::string> Outputs; ///< as the manifest names them
  /// Whether another step makes one of its inputs: true for a link or an
  /// archive, false for the compilation of a source.
  bool TakesOutputs = false;
  /// The time that the steps that will run before this one took when they last
  /// ran, in milliseconds of one processor. 0 without TakesOutputs.
  uint64_t WorkBeforeMs = 0;
};

/// Returns the steps that will run, in the order of the work before them.
/// \p Graph is the output of `ninja -t graph`, \p Log and \p Deps are the
/// contents of `.ninja_log` and `.ninja_deps`; each may be empty or damaged.
/// \p ModifiedNs returns the time at which a file was modified, 0 if it does
/// not exist. It is called at most once for each path. The planner does not
/// recognize a step whose command line has changed.
std::vector<NinjaStep>
planNinja(llvm::StringRef Graph, llvm::StringRef Log, llvm::StringRef Deps,
          llvm::function_ref<int64_t(llvm::StringRef)> ModifiedNs);

/// A build by ninja in the current directory.
struct NinjaBuild {
  std::vector<std::string> Ninja;   ///< the program, and its option -f
  std::vector<std::string> Targets; ///< empty: the default ones
};

/// Returns the steps of \p Build that will run; nothing if ninja does not
/// answer. Runs ninja briefly. Blocks; ends when \p Cancelled becomes true. Any
/// thread.
std::optional<std::vector<NinjaStep>>
queryNinja(const NinjaBuild &Build, const std::atomic<bool> &Cancelled);

/// Returns the commands of the steps with one of \p Rules, keyed by their first
/// outputs, with response files expanded. Blocks like `queryNinja`.
llvm::StringMap<std::string> commandsOf(const NinjaBuild &Build,
                                        llvm::ArrayRef<std::string> Rules,
                                        const std::atomic<bool> &Cancelled);

/// Returns the command lines in the shell command \p Command, up to the first
/// argument that only a shell understands.
std::vector<std::vector<std::string>> commandsInShell(llvm::StringRef Command);

} // namespace headstart

#endif // HEADSTART_LINK_NINJAPLAN_H
