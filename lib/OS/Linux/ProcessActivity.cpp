//===- ProcessActivity.cpp - Progress of other processes ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ProcessActivity.h"

#include "PseudoFile.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::detail;

/// Whether \p Process is this one or an ancestor of it. Goes from child to
/// parent, since a list of children may miss one while others end
/// (proc_pid_task(5)).
static bool isAncestor(uint64_t Process) {
  uint64_t Ancestor = ::getpid();
  for (unsigned Level = 0; Level != MaxLevels && Ancestor > 1; ++Level) {
    if (Ancestor == Process)
      return true;
    const std::string Text = statOf(Ancestor);
    std::string_view Rest = Text;
    takeField(Rest, ' ');
    Ancestor = parseNumber(takeField(Rest, ' ')).value_or(0);
  }
  return false;
}

std::string headstart::os::processSpace() {
  struct stat Space = {};
  return ::stat("/proc/self/ns/pid", &Space) == 0 ? std::to_string(Space.st_ino)
                                                  : std::string();
}

std::optional<ProcessActivity> headstart::os::activityOf(uint64_t Process) {
  const std::string Stat = statOf(Process);
  if (Stat.empty())
    return std::nullopt;
  ProcessActivity Sum;
  // A signal or a debugger has stopped it.
  Sum.IsIdle = Stat[0] == 'T' || Stat[0] == 't' || isAncestor(Process);
  // Major faults, those of ended children, and the processor time of both.
  constexpr unsigned FirstSummed = 12, LastSummed = 17;
  for (const uint64_t One : withDescendants(Process))
    Sum.Progress += sumOfFields(statOf(One), FirstSummed, LastSummed);
  return Sum;
}
