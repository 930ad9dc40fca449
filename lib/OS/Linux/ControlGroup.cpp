//===- ControlGroup.cpp - Less disk and memory for a program --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel's admin-guide documents the files' names and formats in cgroup-v1
// (blkio-controller.rst, memory.rst) and cgroup-v2.rst.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ControlGroup.h"

#include "PseudoFile.h"
#include "headstart/OS/Machine.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <dirent.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace headstart::os {

using namespace detail;

static constexpr std::string_view NamePrefix = "headstart-bench-";

static std::string reason(int Error) {
  return std::generic_category().message(Error);
}

static bool isFile(const std::string &Path) {
  return ::access(Path.c_str(), F_OK) == 0;
}

/// Removes groups in \p Parent whose creators have ended. Returns whether other
/// processes still have groups there.
static bool removeStale(const std::string &Parent) {
  bool OthersLive = false;
  DIR *Directory = ::opendir(Parent.c_str());
  if (Directory == nullptr)
    return false;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of our own
  while (const dirent *Entry = ::readdir(Directory)) {
    std::string_view Name = Entry->d_name;
    if (!Name.starts_with(NamePrefix))
      continue;
    const auto Maker = parseNumber(Name.substr(NamePrefix.size()));
    if (Maker && ::kill(static_cast<pid_t>(*Maker), 0) != 0 && errno == ESRCH)
      ::rmdir((Parent + "/" + Entry->d_name).c_str());
    else
      OthersLive |= Maker && static_cast<pid_t>(*Maker) != ::getpid();
  }
  ::closedir(Directory);
  return OthersLive;
}

/// Sets a limit. Returns why that failed, or "".
static std::string setLimit(const std::string &Path, const std::string &Text) {
  if (const int Error = writePseudoFile(Path, Text))
    return "cannot write '" + Text + "' to " + Path + ": " + reason(Error);
  return "";
}

/// Creates a group in \p Parent and sets its limits. Returns why that failed,
/// or
/// "".
std::string ControlGroup::add(const std::string &Parent,
                              std::span<const Limit> Limits) {
  removeStale(Parent);
  const std::string Group =
      Parent + "/" + std::string(NamePrefix) + std::to_string(::getpid());
  constexpr mode_t Rights = 0755;
  if (::mkdir(Group.c_str(), Rights) != 0 && errno != EEXIST)
    return "cannot create the control group " + Group + ": " + reason(errno);
  Groups.push_back(Group);
  Entrances.push_back(Group + "/cgroup.procs");
  for (const Limit &L : Limits)
    if (std::string Problem = setLimit(Group + "/" + L.File, L.Text);
        !Problem.empty())
      return Problem;
  return "";
}

std::string ControlGroup::handOn(const std::string &Parent,
                                 const std::vector<Limit> &Limits) {
  const std::string Switch = Parent + "/cgroup.subtree_control";
  const std::string On = readPseudoFile(Switch).value_or("");
  for (const auto &[Controller, File, Text] : Limits) {
    if (hasField(On, ' ', Controller))
      continue;
    if (const int Error = writePseudoFile(Switch, "+" + Controller)) {
      const auto Has = readPseudoFile(Parent + "/cgroup.controllers");
      return "the control group " + Parent +
             (Has && !hasField(*Has, ' ', Controller)
                  ? " has no controller '" + Controller + "'"
                  : " does not delegate '" + Controller +
                        "': " + reason(Error));
    }
    Undo.emplace_back(Switch, "-" + Controller);
  }
  return "";
}

std::string ControlGroup::createV2(const std::string &Prefix,
                                   const std::vector<Limit> &Limits) {
  // From the root down to our own group, use the first that allows a new group.
  // A group that has processes cannot delegate controllers, but the root can.
  const std::string Base = Prefix + "/sys/fs/cgroup";
  std::vector<std::string> Parents = {Base};
  const auto Own = readPseudoFile(Prefix + "/proc/self/cgroup");
  std::string_view Lines = Own ? std::string_view(*Own) : "";
  while (!Lines.empty()) {
    std::string_view Line = takeField(Lines, '\n');
    if (!Line.starts_with("0::/"))
      continue;
    Line.remove_prefix(4);
    while (!Line.empty())
      Parents.push_back(Parents.back() + "/" +
                        std::string(takeField(Line, '/')));
  }
  std::string Problem;
  for (const std::string &Parent : Parents) {
    std::string Failure = handOn(Parent, Limits);
    if (Failure.empty())
      Failure = add(Parent, Limits);
    if (Failure.empty())
      return "";
    // The failure of the uppermost group decides for those below.
    if (Problem.empty())
      Problem = Failure;
    remove();
  }
  return Problem;
}

std::string ControlGroup::create(const GroupLimits &Limits,
                                 const std::string &Root) {
  remove();
  if (!Limits.any())
    return "";
  const std::string Prefix = prefixOf(Root);
  // A system may have both versions, each controller in one of them.
  std::vector<Limit> V1;
  std::vector<Limit> V2;
  if (Limits.ReadBytesPerSecond != 0) {
    const Disk Where = readDisk(Limits.DiskOf, Root);
    if (Where.Number.empty())
      return "'" + Limits.DiskOf + "' is not on a local disk" +
             (Where.FileSystem.empty() ? "" : " (" + Where.FileSystem + ")");
    const std::string Rate = std::to_string(Limits.ReadBytesPerSecond);
    V1.push_back(
        {"blkio", "blkio.throttle.read_bps_device", Where.Number + " " + Rate});
    V2.push_back({"io", "io.max", Where.Number + " rbps=" + Rate});
  }
  if (Limits.MemoryBytes != 0) {
    const std::string Bytes = std::to_string(Limits.MemoryBytes);
    V1.push_back({"memory", "memory.limit_in_bytes", Bytes});
    V2.push_back({"memory", "memory.max", Bytes});
  }
  const std::string Base = Prefix + "/sys/fs/cgroup";
  const bool InV1 = std::all_of(V1.begin(), V1.end(), [&](const Limit &L) {
    return isFile(Base + "/" + L.Controller + "/" + L.File);
  });
  std::string Problem;
  if (InV1) {
    for (const Limit &L : V1)
      if (Problem.empty())
        Problem = add(Base + "/" + L.Controller, {&L, 1});
  } else if (isFile(Base + "/cgroup.controllers")) {
    Problem = createV2(Prefix, V2);
  } else {
    return "this system has no control groups that can limit this";
  }
  if (Problem.empty())
    return "";
  remove();
  if (::geteuid() != 0)
    Problem += InV1 ? ". Run it as root"
                    : ". Run it as root, or in a control group that is "
                      "delegated to you with the required controllers";
  return Problem;
}

void ControlGroup::remove() {
  constexpr int Tries = 60;
  constexpr std::chrono::milliseconds Pause{50};
  for (const std::string &Group : Groups)
    // A group is busy while a member is ending.
    for (int Try = 0; Try != Tries && ::rmdir(Group.c_str()) != 0; ++Try) {
      if (errno != EBUSY)
        break;
      std::this_thread::sleep_for(Pause);
    }
  Groups.clear();
  Entrances.clear();
  std::for_each(Undo.rbegin(), Undo.rend(), [](const auto &Change) {
    // Another process may have found the controller on, and need it.
    if (!removeStale(Change.first.substr(0, Change.first.rfind('/'))))
      writePseudoFile(Change.first, Change.second);
  });
  Undo.clear();
}

} // namespace headstart::os
