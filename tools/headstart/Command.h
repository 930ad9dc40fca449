//===- Command.h - Subcommands of headstart ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of the subcommands, and their arguments.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_COMMAND_H
#define HEADSTART_TOOLS_HEADSTART_COMMAND_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/Report/Message.h"
#include "headstart/Report/TraceLog.h"
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace headstart {

/// The exit status of every subcommand. The last two are those of env(1) and
/// the like (`run`, `build`). Changed (`status --exit-code`) differs from
/// Failed: a script must not take an unreadable file for a change.
enum class Exit : uint8_t {
  Done = 0,
  Failed = 1,
  WrongUsage = 2,
  Changed = 3,
  CannotRun = 126,
  NotFound = 127,
};

/// The arguments of the commands on trees, not yet parsed.
struct TreeArguments {
  bool Hidden = false;
  bool NoIgnore = false;
  bool Follow = false;
  bool OneFileSystem = false;
  std::vector<std::string> Globs;
  std::optional<std::string> MaxDepth;
  std::optional<std::string> Jobs;
  bool Null = false;
  bool Sort = false;
  bool Stat = false;
  std::optional<std::string> Types;
  std::optional<std::string> Manifest; ///< "-": standard output
  std::optional<std::string> Since;
  bool Summary = false;
  bool ExitCode = false;
  std::optional<std::string> ChangedSince;
  std::optional<std::string> Memory;
};

/// The arguments of bench, not yet parsed.
struct BenchArguments {
  std::optional<std::string> Rounds, ColdRounds, WarmRounds;
  std::optional<std::string> Variants;
  std::optional<std::string> Stock;
  std::optional<std::string> Throttle;
  std::optional<std::string> Memory;
  std::optional<std::string> JSONFile;
  std::optional<std::string> CSV;
  std::optional<std::string> Prepare;
  std::optional<std::string> HTML;
  std::optional<std::string> From;
  bool NoHTML = false;
  bool NoWatch = false;
};

/// The arguments of build, not yet parsed.
struct BuildArguments {
  bool Status = false;
  std::optional<std::string> Directory;
};

/// A parsed command line: the arguments before `--`, and those after it.
struct CommandArguments {
  bool JSON = false;
  bool Verbose = false; ///< build, doctor
  std::string Flavour;
  std::vector<std::string> Operands;
  std::vector<PrefetchOption> Prefetch; ///< in order
  std::optional<std::string> Record;    ///< plan: the profile's file
  TreeArguments Tree;
  BenchArguments Bench;
  BuildArguments Build;
  TraceClock::time_point Origin;   ///< the start of main
  bool HasLinker = false;          ///< whether there was `--` or a linker
  std::vector<std::string> Linker; ///< the linker and its arguments
};

/// Prints "headstart: error: <message>" and returns \p Status.
Exit fail(const std::string &Message, Exit Status = Exit::Failed);
/// Prints that \p Program cannot be started because of \p Error; returns the
/// status that a shell would return.
Exit cannotRun(const std::string &Program, std::error_code Error);

/// Prints "headstart: note: <message>".
void note(const llvm::Twine &Message);

/// Prints why standard output cannot be written, and returns `Exit::Failed`. A
/// closed pipe ends the process by SIGPIPE, as it ends other programs; if
/// SIGPIPE is ignored, prints no message.
Exit failOutput(std::error_code Error);

/// Flushes `outs()`. Returns \p Status, or the flush's failure if \p Status is
/// Done.
Exit finishOutput(Exit Status);

/// "headstart 0.1.0 (LLVM 22.1.8)".
std::string versionText();

/// headstart run: runs any linker while prefetching its inputs. Ends the
/// process as the linker does; returns only if the linker cannot be started.
Exit runRun(const CommandArguments &Arguments);
/// headstart build: runs a build while fetching what its links will read. Ends
/// the process as the build does; returns only if the build cannot be started.
Exit runBuild(const CommandArguments &Arguments);
/// headstart inputs: lists the files that a link will read.
Exit runInputs(const CommandArguments &Arguments);
/// headstart plan: lists the ranges that would be fetched, in order.
Exit runPlan(const CommandArguments &Arguments);
/// headstart walk: lists trees.
Exit runWalk(const CommandArguments &Arguments);
/// headstart status: lists the changes since a manifest.
Exit runStatus(const CommandArguments &Arguments);
/// headstart warm: fetches files and trees. Ends the process if a signal
/// requests it.
Exit runWarm(const CommandArguments &Arguments);
/// headstart profile: shows, lists or prunes the stored profiles.
Exit runProfile(const CommandArguments &Arguments);
/// headstart queue: lists the links that run or wait for memory.
Exit runQueue(const CommandArguments &Arguments);
/// headstart evict: evicts files from the page cache.
Exit runEvict(const CommandArguments &Arguments);
/// headstart residency: prints how much of each file is cached.
Exit runResidency(const CommandArguments &Arguments);

/// headstart doctor: reports what slows prefetching on this machine.
Exit runDoctor(const CommandArguments &Arguments);

/// headstart bench: measures a link with and without prefetching. Ends the
/// process if a signal requests it.
Exit runBenchCommand(const CommandArguments &Arguments);

/// Runs `headstart`, whose first argument is the subcommand. Returns the exit
/// status. \p Origin is the start of main.
int runTool(int Count, char **Argv, TraceClock::time_point Origin);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_COMMAND_H
