//===- LinuxOnly.cpp - Functions of Linux, for other systems --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/ControlGroup.h"
#include "headstart/OS/EvictionBlockers.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/ProcessActivity.h"

namespace headstart::os {

std::string ControlGroup::create(const GroupLimits &Limits,
                                 const std::string & /*Root*/) {
  remove();
  return Limits.any() ? "this system has no control groups" : "";
}

void ControlGroup::remove() {
  Groups.clear();
  Entrances.clear();
  Undo.clear();
}

FileBacking backingOf(const OpenFile &) { return FileBacking::Disk; }

std::vector<FileUse> findUses(std::span<const std::string> Paths) {
  return std::vector<FileUse>(Paths.size());
}

PageCache PageCache::inLargeRequests() const { return *this; }

// Touching a page of a file that has shrunk is a fault (SIGBUS, on Windows an
// exception). Only Linux has a call that touches pages without that risk.
HintResult PageCache::fetchInLargePages(const OpenFile &,
                                        ByteRange Range) const {
  HintResult Result;
  Result.Range = Range;
  return Result;
}

std::string processSpace() { return {}; }

std::optional<ProcessActivity> activityOf(uint64_t) { return std::nullopt; }

std::optional<Ancestor> findAncestor(std::span<const std::string_view>) {
  return std::nullopt;
}

void waitForEnd(const Ancestor &) {}

bool continueDetached() { return false; }

} // namespace headstart::os
