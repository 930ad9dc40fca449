//===- SystemMemory.cpp - Memory that nobody tells about ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/SystemMemory.h"

#include <cstdio>

using namespace headstart::os;

SystemMemory SystemMemory::read(const std::string &) { return {}; }

std::string headstart::os::memoryName(const std::string &) { return {}; }

std::optional<uint64_t> headstart::os::peakMemory() { return std::nullopt; }

uint64_t headstart::os::maxMappings(const std::string &) {
  return 65530; // Linux's default, the lowest known limit
}

uint64_t headstart::os::maxOpenFiles() { return FOPEN_MAX; }

uint64_t headstart::os::freeDescriptors() { return maxOpenFiles(); }

std::string headstart::os::blockingLimit() { return ""; }
