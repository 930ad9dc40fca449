//===- Program.cpp - A program that nobody tells about --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Program.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

std::vector<headstart::os::ProgramPart> headstart::os::programParts() {
  return {};
}

void headstart::os::holdStandardDescriptors() {}

std::string headstart::os::programPath() { return {}; }

std::string headstart::os::codePath() { return {}; }

void headstart::os::leaveAtOnce(int Status) { std::_Exit(Status); }

void headstart::os::shareHeaps() {}

std::string headstart::os::currentDirectory() {
  std::error_code Error;
  // Not string(), which throws if the code page lacks a character.
  const std::u8string Path = std::filesystem::current_path(Error).u8string();
  return {Path.begin(), Path.end()};
}
