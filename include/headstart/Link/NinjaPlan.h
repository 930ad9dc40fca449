//===- NinjaPlan.h - What a build by ninja will do --------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which steps of a build will run, while ninja itself is running it. Not from
/// a dry run: `ninja -n` truncates and removes response files, removes
/// dependency files and repairs ninja's logs (measured with 1.11), all of which
/// the build is using. Only tools of ninja that read nothing but the manifest
/// are run (`-t graph`, `-t compdb`); times of files, and ninja's logs, tell
/// the rest. What is wrong or missing in them costs bytes, never the build.
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
  /// Whether another step makes one of its inputs: a link, an archive, but no
  /// compilation of a source.
  bool TakesOutputs = false;
  /// For how long the steps that will run before it have taken when they last
  /// ran, in milliseconds of one processor. 0 without TakesOutputs.
  uint64_t WorkBeforeMs = 0;
};

/// The steps that will run, by the work before them.
/// \p Graph is what `ninja -t graph` prints, \p Log and \p Deps are the
/// contents of `.ninja_log` and `.ninja_deps`; each may be empty or damaged.
/// \p ModifiedNs returns when a file was modified, 0 if it does not exist. It
/// is called at most once for each path. A step whose command line has changed
/// is not recognized.
std::vector<NinjaStep>
planNinja(llvm::StringRef Graph, llvm::StringRef Log, llvm::StringRef Deps,
          llvm::function_ref<int64_t(llvm::StringRef)> ModifiedNs);

/// A build by ninja in the current directory.
struct NinjaBuild {
  std::vector<std::string> Ninja;   ///< the program, and its option -f
  std::vector<std::string> Targets; ///< empty: the default ones
};

/// The steps of \p Build that will run; nothing if ninja does not answer. Runs
/// ninja for a moment. Blocks; ends when \p Cancelled becomes true. Any thread.
std::optional<std::vector<NinjaStep>>
queryNinja(const NinjaBuild &Build, const std::atomic<bool> &Cancelled);

/// The command of each first output of the steps with one of \p Rules, with
/// response files expanded. Blocks as `queryNinja`.
llvm::StringMap<std::string> commandsOf(const NinjaBuild &Build,
                                        llvm::ArrayRef<std::string> Rules,
                                        const std::atomic<bool> &Cancelled);

/// The command lines in \p Command, of a shell, up to what only a shell
/// understands.
std::vector<std::vector<std::string>> commandsInShell(llvm::StringRef Command);

} // namespace headstart

#endif // HEADSTART_LINK_NINJAPLAN_H
