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

/// The most levels of processes to follow. A driver starts a linker, and no
/// link has more levels; a process number that is reused must not cause a loop.
static constexpr unsigned MaxLevels = 8;

static std::string directoryOf(uint64_t Process) {
  return "/proc/" + std::to_string(Process) + "/";
}

/// Returns the fields of proc_pid_stat(5) from the third one, the state; empty
/// if \p Process cannot be read.
static std::string statOf(uint64_t Process) {
  const auto Text = readPseudoFile(directoryOf(Process) + "stat");
  // "12 (name) S ...": the name may contain anything.
  const size_t Name = Text ? Text->rfind(") ") : std::string::npos;
  return Name == std::string::npos ? std::string() : Text->substr(Name + 2);
}

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

/// Adds the activity of \p Process, whose fields are \p Stat, and of its
/// descendants to \p Progress.
static void addProgress(uint64_t Process, std::string_view Stat, unsigned Level,
                        uint64_t &Progress) {
  // Fields of proc_pid_stat(5): major faults, those of ended children, and the
  // processor time of both.
  constexpr unsigned FirstField = 3, FirstSummed = 12, LastSummed = 17;
  for (unsigned Field = FirstField; Field <= LastSummed; ++Field) {
    const std::string_view Value = takeField(Stat, ' ');
    if (Field >= FirstSummed)
      Progress += parseNumber(Value).value_or(0);
  }
  const auto Children = readPseudoFile(directoryOf(Process) + "task/" +
                                       std::to_string(Process) + "/children");
  std::string_view List = Children ? *Children : std::string_view();
  while (!List.empty() && Level != MaxLevels)
    if (const auto Child = parseNumber(takeField(List, ' ')))
      addProgress(*Child, statOf(*Child), Level + 1, Progress);
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
  addProgress(Process, Stat, 0, Sum.Progress);
  return Sum;
}
