//===- Command.h - Subcommands of headstart ---------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a subcommand is, and what it is given.
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

/// Exit status of every subcommand. The last two are those of env(1) and its
/// like: of `run` only. Changed is of `status --exit-code` only: apart from
/// Failed, since a script must not take what could not be read for a change.
enum class Exit : uint8_t {
  Done = 0,
  Failed = 1,
  WrongUsage = 2,
  Changed = 3,
  CannotRun = 126,
  NotFound = 127,
};

/// What the commands on trees are given, as it was written.
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

/// What bench is given, as it was written.
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

/// What build is given, as it was written.
struct BuildArguments {
  bool Status = false;
  std::optional<std::string> Directory;
};

/// A parsed command line: what stood before `--`, and what stood after.
struct CommandArguments {
  bool JSON = false;
  bool Verbose = false; ///< build, doctor
  std::string Flavour;
  std::vector<std::string> Operands;
  std::vector<PrefetchOption> Prefetch; ///< in their order
  std::optional<std::string> Record;    ///< plan: the file of one
  TreeArguments Tree;
  BenchArguments Bench;
  BuildArguments Build;
  TraceClock::time_point Origin;   ///< the start of main
  bool HasLinker = false;          ///< whether there was a `--` or a linker
  std::vector<std::string> Linker; ///< the linker and its arguments
};

/// Prints "headstart: error: <message>" and gives back \p Status.
Exit fail(const std::string &Message, Exit Status = Exit::Failed);
/// The same for a program that the user names and that \p Error keeps from
/// starting; gives back the status that a shell would.
Exit cannotRun(const std::string &Program, std::error_code Error);

/// Prints "headstart: note: <message>".
void note(const llvm::Twine &Message);

/// Says why standard output could not be written to and gives back
/// `Exit::Failed`. A closed pipe ends the process as it ends others, by
/// SIGPIPE; where that is ignored it is no reason for a message.
Exit failOutput(std::error_code Error);

/// Writes what `outs()` still holds. Gives back \p Status, or the failure if
/// all went well but for that.
Exit finishOutput(Exit Status);

/// "headstart 0.1.0 (LLVM 22.1.8)".
std::string versionText();

/// headstart run: prefetch beside any linker. Returns only when that could not
/// be started; else the process ends as the linker does.
Exit runRun(const CommandArguments &Arguments);
/// headstart build: a build, and meanwhile what its links will read. Ends the
/// process as the build does, unless that could not be started.
Exit runBuild(const CommandArguments &Arguments);
/// headstart inputs: what a link will read.
Exit runInputs(const CommandArguments &Arguments);
/// headstart plan: the ranges that would be fetched, in their order.
Exit runPlan(const CommandArguments &Arguments);
/// headstart walk: list trees.
Exit runWalk(const CommandArguments &Arguments);
/// headstart status: what has changed since a manifest.
Exit runStatus(const CommandArguments &Arguments);
/// headstart warm: fetch files and trees. Ends the process when a signal asks.
Exit runWarm(const CommandArguments &Arguments);
/// headstart profile: the recorded profiles.
Exit runProfile(const CommandArguments &Arguments);
/// headstart queue: which links run and which wait for memory.
Exit runQueue(const CommandArguments &Arguments);
/// headstart evict: put files out of the page cache.
Exit runEvict(const CommandArguments &Arguments);
/// headstart residency: how much of each file is in memory.
Exit runResidency(const CommandArguments &Arguments);

/// headstart doctor: what this machine can do, and what that costs.
Exit runDoctor(const CommandArguments &Arguments);

/// headstart bench: a link against itself, with and without prefetch. Ends the
/// process when a signal asks.
Exit runBenchCommand(const CommandArguments &Arguments);

/// The program `headstart`: its first word is the subcommand. Returns the exit
/// status. \p Origin is the start of main.
int runTool(int Count, char **Argv, TraceClock::time_point Origin);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_COMMAND_H
