//===- ChildProcess.cpp - A system that runs no programs for us -----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"
#include <cstdlib>

using namespace headstart::os;

static std::error_code unsupported() {
  return std::make_error_code(std::errc::function_not_supported);
}

std::error_code ForegroundProgram::start(const std::vector<std::string> &) {
  return unsupported();
}

ProgramEnd ForegroundProgram::wait() {
  return {.BySignal = false, .Code = Child < 0 || Grace.count() < 0 ? 1 : 0};
}

void headstart::os::containFaults() {}

bool headstart::os::hadFault() { return false; }

void headstart::os::endLike(const ProgramEnd &End) {
  constexpr int SignalBase = 128; // as shells report a signal
  std::_Exit(End.BySignal ? SignalBase + End.Code : End.Code);
}

std::error_code headstart::os::becomeProgram(const std::vector<std::string> &) {
  return unsupported();
}

void headstart::os::setVariable(const std::string &, const std::string &) {}

void headstart::os::detachDescriptors(int) {}

std::error_code headstart::os::captureOutput(const std::vector<std::string> &,
                                             ProgramStream,
                                             const AnswerLimits &,
                                             std::string &) {
  return unsupported();
}
