//===- LinuxAndWindows.cpp - What macOS cannot do -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/Machine.h"
#include "headstart/OS/MeasuredProgram.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "headstart/OS/Threads.h"
#include <cstdlib>

namespace headstart::os {

static std::error_code unsupported() {
  return std::make_error_code(std::errc::function_not_supported);
}

void enterBackground() {}

std::error_code evictAll() { return unsupported(); }

std::error_code ForegroundProgram::start(const std::vector<std::string> &) {
  return unsupported();
}

ProgramEnd ForegroundProgram::wait() {
  return {.BySignal = false, .Code = Child < 0 || Grace.count() < 0 ? 1 : 0};
}

void containFaults() {}

bool hadFault() { return false; }

void endLike(const ProgramEnd &End) {
  std::_Exit(End.BySignal ? ProgramEnd::SignalBase + End.Code : End.Code);
}

std::error_code becomeProgram(const std::vector<std::string> &) {
  return unsupported();
}

void setVariable(const std::string &, const std::string &) {}

void detachDescriptors(int) {}

std::error_code captureOutput(const std::vector<std::string> &, ProgramStream,
                              const AnswerLimits &, std::string &) {
  return unsupported();
}

MeasuredProgram::~MeasuredProgram() { kill(); }

std::error_code MeasuredProgram::start(const ProgramStart & /*Start*/) {
  Begin = std::chrono::steady_clock::now();
  return unsupported();
}

std::optional<ProgramUsage>
MeasuredProgram::wait(std::chrono::milliseconds /*MaxWait*/) {
  return std::nullopt;
}

void MeasuredProgram::kill() { Child = -1; }

std::optional<ProgramSample> sampleProgram(int /*Id*/) { return std::nullopt; }

Machine readMachine(const std::string & /*Root*/) { return {}; }

Disk readDisk(const std::string & /*Path*/, const std::string & /*Root*/) {
  return {};
}

PageTables::PageTables(const Capabilities &Allowed) : Allowed(Allowed) {}

PageTables::~PageTables() = default;

std::optional<std::vector<ByteRange>>
PageTables::present(std::span<const char>) {
  return std::nullopt;
}

} // namespace headstart::os
