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
#include "headstart/Report/TraceLog.h"
#include <cstdint>
#include <string>
#include <vector>

namespace headstart {

/// Exit status of every subcommand. The last two are those of env(1) and its
/// like: of `run` only.
enum class Exit : uint8_t {
  Done = 0,
  Failed = 1,
  WrongUsage = 2,
  CannotRun = 126,
  NotFound = 127,
};

/// A parsed command line: what stood before `--`, and what stood after.
struct CommandArguments {
  bool JSON = false;
  std::string Flavour;
  std::vector<std::string> Operands;
  std::vector<PrefetchOption> Prefetch; ///< in their order
  TraceClock::time_point Origin;        ///< the start of main
  bool HasLinker = false;               ///< whether there was a `--`
  std::vector<std::string> Linker;      ///< the linker and its arguments
};

/// Prints "headstart: error: <message>" and gives back \p Status.
Exit fail(const std::string &Message, Exit Status = Exit::Failed);

/// headstart run: prefetch beside any linker. Returns only when that could not
/// be started; else the process ends as the linker does.
Exit runRun(const CommandArguments &Arguments);
/// headstart inputs: what a link will read.
Exit runInputs(const CommandArguments &Arguments);
/// headstart plan: the ranges that would be fetched, in their order.
Exit runPlan(const CommandArguments &Arguments);
/// headstart profile: the recorded profiles.
Exit runProfile(const CommandArguments &Arguments);
/// headstart evict: put files out of the page cache.
Exit runEvict(const CommandArguments &Arguments);
/// headstart residency: how much of each file is in memory.
Exit runResidency(const CommandArguments &Arguments);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_COMMAND_H
