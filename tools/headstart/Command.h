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

#include "headstart/Inputs/InputList.h"
#include "headstart/Plan/FetchPlan.h"
#include "headstart/Report/Message.h"
#include "headstart/Report/TraceLog.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
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

/// A parsed command line: the arguments before `--`, and those after it.
struct CommandArguments {
  /// \p Options must outlive this object.
  explicit CommandArguments(const llvm::opt::InputArgList &Options)
      : Options(Options) {}

  /// Whether the option \p Id (Options.h) is present.
  bool has(unsigned Id) const { return Options.hasArg(Id); }
  /// The last value of the option \p Id; nothing if the option is absent.
  std::optional<std::string> value(unsigned Id) const {
    const llvm::opt::Arg *A = Options.getLastArg(Id);
    return A ? std::optional<std::string>(A->getValue()) : std::nullopt;
  }

  const llvm::opt::InputArgList &Options;
  bool JSON = false;
  std::vector<std::string> Operands;    ///< none if it takes a linker
  std::vector<PrefetchOption> Prefetch; ///< in order
  TraceClock::time_point Origin;        ///< the start of main
  bool HasLinker = false;               ///< whether there was `--` or a linker
  std::vector<std::string> Linker;      ///< the linker and its arguments
};

/// Prints "headstart: error: <message>" and returns \p Status.
Exit fail(const llvm::Twine &Message, Exit Status = Exit::Failed);
Exit fail(llvm::Error Problem, Exit Status = Exit::Failed);
/// Prints that \p Program cannot be started because of \p Error; returns the
/// status that a shell would return.
Exit cannotRun(const std::string &Program, std::error_code Error);

/// Prints "headstart: note: <message>".
void note(const llvm::Twine &Message);

/// Prints an object in JSON: the attribute "version", and those that \p Write
/// adds.
void printJSON(llvm::function_ref<void(llvm::json::OStream &)> Write);

/// Prints why standard output cannot be written, and returns `Exit::Failed`. A
/// closed pipe ends the process by SIGPIPE, as it ends other programs; if
/// SIGPIPE is ignored, prints no message.
Exit failOutput(std::error_code Error);

/// Flushes `outs()`. Returns \p Status, or the flush's failure if \p Status is
/// Done.
Exit finishOutput(Exit Status);

/// "headstart 0.1.0 (LLVM 22.1.8)".
std::string versionText();

/// Checks that the arguments contain a linker, and that --flavour, which sets
/// \p Forced, is known. If not, prints an error and returns its status.
Exit checkLinkerCommandLine(const CommandArguments &Arguments,
                            llvm::StringRef Subcommand,
                            std::optional<Flavour> &Forced);

/// Calls \p Work for each index below \p Count, on several threads: a cold disk
/// serves several requests at once, and an eviction waits until dirty pages are
/// written.
void forEachFile(size_t Count, llvm::function_ref<void(size_t)> Work);

struct PlannedFile {
  std::string Path;
  std::vector<PlannedRange> Ranges;
};

/// Plans every input of \p Command that exists, as the engine would without a
/// profile and with an empty cache. Stores all inputs in \p Inputs. Blocks for
/// the disk.
std::vector<PlannedFile> planInputs(const LinkCommand &Command,
                                    std::vector<ListedInput> &Inputs);

/// \name The subcommands
/// headstart.cpp has their help. `run` and `build` end the process as the
/// linker or the build does, and return only if it cannot be started. `warm`
/// and `bench` end it if a signal requests it.
/// @{
Exit runRun(const CommandArguments &Arguments);
Exit runBuild(const CommandArguments &Arguments);
Exit runInputs(const CommandArguments &Arguments);
Exit runPlan(const CommandArguments &Arguments);
Exit runWalk(const CommandArguments &Arguments);
Exit runStatus(const CommandArguments &Arguments);
Exit runWarm(const CommandArguments &Arguments);
Exit runProfile(const CommandArguments &Arguments);
Exit runQueue(const CommandArguments &Arguments);
Exit runEvict(const CommandArguments &Arguments);
Exit runResidency(const CommandArguments &Arguments);
Exit runDoctor(const CommandArguments &Arguments);
Exit runBenchCommand(const CommandArguments &Arguments);
/// @}

/// Runs `headstart`, whose first argument is the subcommand. Returns the exit
/// status. \p Origin is the start of main.
int runTool(int Count, char **Argv, TraceClock::time_point Origin);

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_COMMAND_H
