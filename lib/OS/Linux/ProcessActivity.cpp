//===- ProcessActivity.cpp - Progress of other processes ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ProcessActivity.h"

#include "ChildSupport.h"
#include "PseudoFile.h"

#include <algorithm>
#include <array>
#include <climits>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::detail;

/// The process that has started \p Process; 0: unknown.
static uint64_t parentOf(uint64_t Process) {
  const std::string Text = statOf(Process);
  std::string_view Rest = Text;
  takeField(Rest, ' ');
  return parseNumber(takeField(Rest, ' ')).value_or(0);
}

/// Whether \p Process is this one or an ancestor of it. Goes from child to
/// parent, since a list of children may miss one while others end
/// (proc_pid_task(5)).
static bool isAncestor(uint64_t Process) {
  uint64_t Ancestor = ::getpid();
  for (unsigned Level = 0; Level != MaxLevels && Ancestor > 1; ++Level) {
    if (Ancestor == Process)
      return true;
    Ancestor = parentOf(Ancestor);
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

static std::vector<std::string> commandLineOf(uint64_t Process) {
  std::vector<std::string> Args;
  const auto Text = readPseudoFile(directoryOf(Process) + "/cmdline");
  std::string_view Rest = Text ? std::string_view(*Text) : "";
  while (!Rest.empty())
    Args.emplace_back(takeField(Rest, '\0'));
  return Args;
}

/// The target of the symbolic link \p Path; "" if it is not readable.
static std::string linkOf(const std::string &Path) {
  std::array<char, PATH_MAX> Target = {};
  const ssize_t Length = ::readlink(Path.c_str(), Target.data(), Target.size());
  return {Target.data(), static_cast<size_t>(std::max<ssize_t>(Length, 0))};
}

/// Whether \p Args are those of a shell that runs one command.
static bool isShellCommand(const std::vector<std::string> &Args) {
  return Args.front().ends_with("sh") &&
         std::any_of(Args.begin() + 1, Args.end(), [](std::string_view Arg) {
           return Arg.starts_with("-") && Arg.ends_with("c");
         });
}

std::optional<Ancestor>
headstart::os::findAncestor(std::span<const std::string_view> Names) {
  if (linkOf("/proc/self") != std::to_string(::getpid()))
    return std::nullopt; // the numbers of another namespace
  constexpr unsigned MaxAncestors = 64;
  std::optional<Ancestor> Found;
  std::string FoundName;
  auto Process = static_cast<uint64_t>(::getppid());
  for (unsigned I = 0; I != MaxAncestors && Process > 1; ++I) {
    std::vector<std::string> Args = commandLineOf(Process);
    if (Args.empty()) // not readable, or longer than readPseudoFile reads
      Args.emplace_back();
    const std::string Name = Args.front().substr(Args.front().rfind('/') + 1);
    const bool IsWanted = Found ? Name == FoundName
                                : std::ranges::find(Names, Name) != Names.end();
    if (IsWanted) {
      FoundName = Name;
      Found = {Process, linkOf(directoryOf(Process) + "/cwd"),
               linkOf(directoryOf(Process) + "/exe"), std::move(Args)};
    } else if (Found && !isShellCommand(Args)) {
      break;
    }
    Process = parentOf(Process);
  }
  return Found;
}

void headstart::os::waitForEnd(const Ancestor &Of) {
  const int Descriptor = openProcess(static_cast<pid_t>(Of.Process));
  pollfd Poll = {.fd = Descriptor, .events = POLLIN, .revents = 0};
  // A process that has ended may still be listed, without arguments. One that
  // runs another program has other arguments.
  constexpr int Interval = 500; // ms
  while (commandLineOf(Of.Process) == Of.Args)
    if (::poll(&Poll, 1, Interval) > 0)
      break;
  if (Descriptor >= 0)
    ::close(Descriptor);
}
