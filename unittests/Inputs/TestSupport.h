//===- TestSupport.h - Directories and command lines for tests --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_UNITTESTS_INPUTS_TESTSUPPORT_H // NOLINT(llvm-header-guard)
#define HEADSTART_UNITTESTS_INPUTS_TESTSUPPORT_H

#include "headstart/Inputs/LinkerModel.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace headstart::test {

using Strings = std::vector<std::string>;

/// A directory for the running test. It is the current directory while it
/// exists, and is removed with its contents.
class CurrentTestDirectory {
public:
  CurrentTestDirectory() : Before(std::filesystem::current_path()) {
    const testing::TestInfo *Test =
        testing::UnitTest::GetInstance()->current_test_info();
    std::filesystem::path Path =
        std::filesystem::path(testing::TempDir()) /
        (std::string("headstart-") + Test->test_suite_name() + "." +
         Test->name() + "-" + std::to_string(std::random_device()()));
    std::filesystem::create_directories(Path);
    // lld prints absolute names for some directories; /tmp may be a link.
    Directory = std::filesystem::canonical(Path);
    std::filesystem::current_path(Directory);
  }
  CurrentTestDirectory(const CurrentTestDirectory &) = delete;
  CurrentTestDirectory &operator=(const CurrentTestDirectory &) = delete;
  ~CurrentTestDirectory() {
    std::error_code Ignored;
    std::filesystem::current_path(Before, Ignored);
    std::filesystem::remove_all(Directory, Ignored);
  }

  std::string path(std::string_view Name = "") const {
    return Name.empty() ? Directory.string() : (Directory / Name).string();
  }
  /// Writes the file \p Name, and creates its directories if necessary.
  std::string write(std::string_view Name, std::string_view Text = "x") const {
    std::filesystem::path File = Directory / Name;
    std::filesystem::create_directories(File.parent_path());
    std::ofstream(File, std::ios::binary) << Text;
    return File.string();
  }

private:
  std::filesystem::path Before;
  std::filesystem::path Directory;
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

/// Expands and parses a command line of lld-link.
inline LinkCommand parse(const Strings &Args,
                         const CommandLineContext &Context = contextWith()) {
  return LinkerModel::of(Flavour::COFF)
      .parse(expandCommandLine(Flavour::COFF, Args, Context).Args, Context);
}

inline Strings names(const LinkCommand &Command) {
  Strings Result;
  for (const NamedInput &Input : Command.Inputs)
    Result.push_back(Input.Name);
  return Result;
}

inline Strings texts(const ExpandedCommandLine &Line) {
  Strings Result;
  for (const CommandLineArg &Arg : Line.Args)
    Result.push_back(Arg.Text);
  return Result;
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_INPUTS_TESTSUPPORT_H
