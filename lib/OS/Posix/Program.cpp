//===- Program.cpp - The standard descriptors' places (POSIX) -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Program.h"

#include "Support.h"

#include <array>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace headstart::os;

void headstart::os::holdStandardDescriptors() {
  // A directory to pass through: neither is allowed. The lowest place that is
  // free is taken; one that is none of the three is given back.
  int FD;
  do
    FD = ::open("/", detail::PassThrough | O_CLOEXEC);
  while (FD >= 0 && FD <= STDERR_FILENO);
  if (FD >= 0)
    ::close(FD);
}

std::string headstart::os::codePath() { return programPath(); }

void headstart::os::leaveAtOnce(int Status) { std::_Exit(Status); }

std::string headstart::os::currentDirectory() {
  std::array<char, PATH_MAX> Path;
  return ::getcwd(Path.data(), Path.size()) != nullptr ? Path.data() : "";
}
