//===- TestSupport.h - Directories and command lines for tests --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_INPUTS_TESTSUPPORT_H
#define HEADSTART_UNITTESTS_INPUTS_TESTSUPPORT_H

#include "OS/TestFiles.h"
#include "headstart/Inputs/InputList.h"
#include "headstart/Inputs/LinkerModel.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace headstart::test {

using Strings = std::vector<std::string>;

/// A directory for the running test. It is the current directory while it
/// exists, and is removed with its contents.
class CurrentTestDirectory : public os::test::TestDirectory {
public:
  // lld prints absolute names for some directories; /tmp may be a link.
  CurrentTestDirectory()
      : TestDirectory(std::filesystem::canonical(testing::TempDir())),
        Before(std::filesystem::current_path()) {
    std::filesystem::current_path(path());
  }
  CurrentTestDirectory(const CurrentTestDirectory &) = delete;
  CurrentTestDirectory &operator=(const CurrentTestDirectory &) = delete;
  ~CurrentTestDirectory() {
    std::error_code Ignored;
    std::filesystem::current_path(Before, Ignored);
  }

private:
  std::filesystem::path Before;
};

/// Returns a context with only these variables.
inline CommandLineContext
contextWith(std::map<std::string, std::string> Variables = {},
            std::string ToolPath = "") {
  CommandLineContext Context;
  Context.ToolPath = std::move(ToolPath);
  Context.GetEnv = [Variables = std::move(Variables)](
                       llvm::StringRef Name) -> std::optional<std::string> {
    auto It = Variables.find(Name.str());
    if (It == Variables.end())
      return std::nullopt;
    return It->second;
  };
  return Context;
}

/// Expands and parses a command line of a flavour.
inline LinkCommand parse(Flavour F, const Strings &Args,
                         const CommandLineContext &Context) {
  return LinkerModel::of(F).parse(expandCommandLine(F, Args, Context).Args,
                                  Context);
}
inline LinkCommand parse(const Strings &Args,
                         const CommandLineContext &Context = contextWith()) {
  return parse(Flavour::COFF, Args, Context);
}
inline LinkCommand parseELF(const Strings &Args,
                            const CommandLineContext &Context = contextWith()) {
  return parse(Flavour::ELF, Args, Context);
}
inline LinkCommand
parseMachO(const Strings &Args,
           const CommandLineContext &Context = contextWith()) {
  return parse(Flavour::MachO, Args, Context);
}

/// Returns the paths of all inputs of \p Command that exist, in order.
inline Strings existing(const LinkCommand &Command) {
  Strings Paths;
  for (const ListedInput &Input : listInputs(Command))
    if (Input.Found.exists())
      Paths.push_back(Input.Found.Path);
  return Paths;
}

/// Returns the paths that a link of ELF reads, in order.
inline Strings listed(const Strings &Args) {
  Strings Paths;
  LinkCommand Command = parseELF(Args);
  for (const ListedInput &Input : listInputs(Command))
    Paths.push_back(Input.Found.Path);
  return Paths;
}

/// Returns the path to which the only input of \p Command resolves.
inline std::string onlyPath(const LinkCommand &Command) {
  EXPECT_EQ(Command.Inputs.size(), 1U);
  return InputResolver(Command).resolve(Command.Inputs.at(0)).Path;
}

inline Strings names(const LinkCommand &Command) {
  Strings Result;
  for (const NamedInput &Input : Command.Inputs)
    Result.push_back(Input.Name);
  return Result;
}

inline std::vector<InputReason> reasons(const LinkCommand &Command) {
  std::vector<InputReason> Result;
  Result.reserve(Command.Inputs.size());
  for (const NamedInput &Input : Command.Inputs)
    Result.push_back(Input.Reason);
  return Result;
}

inline Strings origins(const LinkCommand &Command) {
  Strings Result;
  for (const NamedInput &Input : Command.Inputs)
    Result.push_back(Input.From);
  return Result;
}

/// Returns Headstart's own options, each as "name" or "name=value".
inline Strings texts(const std::vector<PrefetchOption> &Options) {
  Strings Result;
  for (const PrefetchOption &Option : Options) {
    EXPECT_TRUE(Option.HasValue || Option.Value.empty());
    Result.push_back(Option.Name + (Option.HasValue ? "=" + Option.Value : ""));
  }
  return Result;
}

inline Strings texts(const ExpandedCommandLine &Line) {
  Strings Result;
  for (const CommandLineArg &Arg : Line.Args)
    Result.push_back(Arg.Text);
  return Result;
}

/// Lists the inputs of random command lines, whose arguments begin with one of
/// \p Starts or none.
inline void listRandomLines(Flavour F, Strings Starts) {
  CurrentTestDirectory Directory;
  Starts.emplace_back();
  std::mt19937 Random(22); // NOLINT: the same arguments every time
  for (unsigned I = 0; I < 300; ++I) {
    Strings Args;
    for (unsigned Left = Random() % 10; Left; --Left) {
      std::string &Arg = Args.emplace_back(Starts[Random() % Starts.size()]);
      if (Random() % 2)
        for (unsigned Length = Random() % 12; Length; --Length)
          Arg += char(Random() % 256);
    }
    listInputs(parse(F, Args, contextWith()));
  }
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_INPUTS_TESTSUPPORT_H
