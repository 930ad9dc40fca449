//===- ProcessActivity.cpp - Whether another process goes on --------------===//
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

/// A driver starts a linker; nothing that links has more levels, and a process
/// number that is used again meanwhile must not make a loop.
static constexpr unsigned MaxLevels = 8;

/// Adds the activity of \p Process and its descendants to \p Sum. False if the
/// process cannot be read.
static bool addActivity(uint64_t Process, unsigned Level,
                        ProcessActivity &Sum) {
  const std::string Folder = "/proc/" + std::to_string(Process) + "/";
  const auto Text = readPseudoFile(Folder + "stat");
  // "12 (name) S ...": the name may contain anything.
  const size_t Name = Text ? Text->rfind(") ") : std::string::npos;
  if (Name == std::string::npos)
    return false;
  std::string_view Rest = std::string_view(*Text).substr(Name + 2);
  const std::string_view State = takeField(Rest, ' ');
  // Stopped by a signal, or by a debugger.
  if (Level == 0 && (State == "T" || State == "t"))
    Sum.IsIdle = true;
  if (Process == static_cast<uint64_t>(::getpid()))
    Sum.IsIdle = true;
  // Fields of proc_pid_stat(5): major faults, those of ended children, and the
  // processor time of both.
  constexpr unsigned FirstField = 4, FirstSummed = 12, LastSummed = 17;
  for (unsigned Field = FirstField; Field <= LastSummed; ++Field) {
    const std::string_view Value = takeField(Rest, ' ');
    if (Field >= FirstSummed)
      Sum.Progress += parseNumber(Value).value_or(0);
  }
  const auto Children =
      readPseudoFile(Folder + "task/" + std::to_string(Process) + "/children");
  std::string_view List = Children ? *Children : std::string_view();
  while (!List.empty() && Level != MaxLevels)
    if (const auto Child = parseNumber(takeField(List, ' ')))
      addActivity(*Child, Level + 1, Sum);
  return true;
}

std::string headstart::os::processSpace() {
  struct stat Space = {};
  return ::stat("/proc/self/ns/pid", &Space) == 0 ? std::to_string(Space.st_ino)
                                                  : std::string();
}

std::optional<ProcessActivity> headstart::os::activityOf(uint64_t Process) {
  ProcessActivity Sum;
  if (!addActivity(Process, 0, Sum))
    return std::nullopt;
  return Sum;
}
