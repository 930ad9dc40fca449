//===- Measure.cpp - A system that measures no programs for us ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Machine.h"
#include "headstart/OS/MeasuredProgram.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/OS/Threads.h"

namespace headstart::os {

MeasuredProgram::~MeasuredProgram() { kill(); }

std::error_code MeasuredProgram::start(const ProgramStart & /*Start*/) {
  Begin = std::chrono::steady_clock::now();
  return std::make_error_code(std::errc::function_not_supported);
}

std::optional<ProgramUsage>
MeasuredProgram::wait(std::optional<std::chrono::milliseconds> /*MaxWait*/) {
  return std::nullopt;
}

void MeasuredProgram::kill() { Child = -1; }

std::optional<ProgramSample> sampleProgram(int /*Id*/) { return std::nullopt; }

std::vector<MappedPart> mappedFilesOf(int /*Id*/) { return {}; }

void writeBack(const std::string & /*Path*/) {}

Machine readMachine(const std::string &Root) {
  Machine M;
  M.Cores = usableProcessors();
  M.MemoryBytes = SystemMemory::read(Root).TotalBytes;
  return M;
}

Disk readDisk(const std::string & /*Path*/, const std::string & /*Root*/) {
  return {};
}

} // namespace headstart::os
