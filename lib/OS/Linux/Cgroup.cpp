//===- Cgroup.cpp - The memory limits of our control group ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two pseudo-files lead to the limits. /proc/self/cgroup names our group in
// each hierarchy, /proc/self/mountinfo says where the hierarchies are mounted
// and which group a mount shows as its root:
//
//   0::/user.slice/build                               our group
//   30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw       the mount
//   /sys/fs/cgroup/user.slice/build/memory.max         the first file to read
//
// A limit of an ancestor binds us as much as our own, so the walk goes up to
// the mount's root. In a container the path may name groups that the mount does
// not show. The walk then reads only the mount's root, which is our own group.
//
//===----------------------------------------------------------------------===//

#include "Cgroup.h"

#include "PseudoFile.h"

#include <algorithm>
#include <string_view>
#include <vector>

using namespace headstart::os::detail;

namespace {

/// One of the two kinds of hierarchy.
struct Hierarchy {
  std::string_view FileSystem;
  std::string_view Controller; ///< v1: the hierarchy's; v2: "", for all
};

/// The names of a group's files about memory.
struct MemoryFiles {
  std::string_view UsageFile;
  /// Keys of memory.stat: the page cache, all of which counts as available, as
  /// in MemAvailable. A v1 group's usage includes its children's, but in its
  /// memory.stat only the "total_" figures do.
  std::string_view CacheKeys[2];
  /// Reclaim begins at the lower of the two: at memory.high the kernel
  /// throttles us, at memory.max it kills us.
  std::string_view LimitFiles[2];
};

constexpr Hierarchy V2 = {"cgroup2", ""};

constexpr MemoryFiles MemoryFilesV1 = {
    "memory.usage_in_bytes",
    {"total_inactive_file", "total_active_file"},
    {"memory.limit_in_bytes", ""}};
constexpr MemoryFiles MemoryFilesV2 = {"memory.current",
                                       {"inactive_file", "active_file"},
                                       {"memory.max", "memory.high"}};

/// v1 writes "no limit" as the largest page counter: LONG_MAX rounded down to a
/// page. This is its value for 64 KiB pages; for smaller pages it is larger.
constexpr uint64_t NoLimit = 0x7FFFFFFFFFFF0000;

/// The most levels to read below the root, since each costs four files. The
/// outermost ancestors of a deeper group are skipped.
constexpr unsigned MaxLevels = 64;

/// A mount of a hierarchy.
struct Mount {
  std::string Root;  ///< the group that the mount shows as its root
  std::string Point; ///< a directory
};

} // namespace

/// Returns our group in the hierarchy, from the lines of /proc/self/cgroup:
/// "<id>:<controllers>:<path>", where v2 has no controllers.
static std::optional<std::string> findGroup(std::string_view Lines,
                                            const Hierarchy &Kind) {
  while (!Lines.empty()) {
    std::string_view Line = takeField(Lines, '\n');
    const std::string_view Id = takeField(Line, ':');
    const std::string_view Controllers = takeField(Line, ':');
    const bool IsOurs = Kind.Controller.empty()
                            ? Id == "0" && Controllers.empty()
                            : hasField(Controllers, ',', Kind.Controller);
    if (IsOurs && Line.starts_with('/'))
      return std::string(Line);
  }
  return std::nullopt;
}

/// Returns the path of \p Group below \p MountRoot: "" for the root itself,
/// otherwise "/a/b"; nothing if the mount does not show the group.
static std::optional<std::string_view> below(std::string_view Group,
                                             std::string_view MountRoot) {
  // ".." leads out of our cgroup namespace.
  std::string_view Parts = Group;
  while (!Parts.empty())
    if (takeField(Parts, '/') == "..")
      return std::nullopt;
  if (MountRoot == "/")
    MountRoot = "";
  if (!Group.starts_with(MountRoot))
    return std::nullopt;
  Group.remove_prefix(MountRoot.size());
  if (Group == "/")
    Group = "";
  if (!Group.empty() && !Group.starts_with('/'))
    return std::nullopt;
  return Group;
}

/// Returns the mount of the hierarchy that shows the most ancestors of
/// \p Group; of equal ones the last, which may hide the others; if none shows
/// the group, the first one. \p Lines are those of /proc/self/mountinfo.
static std::optional<Mount> findMount(std::string_view Lines,
                                      const Hierarchy &Kind,
                                      std::string_view Group) {
  std::optional<Mount> Best;
  bool BestShowsGroup = false;
  while (!Lines.empty()) {
    const MountLine Line = parseMount(takeField(Lines, '\n'));
    Mount Candidate = {unescape(Line.Root), unescape(Line.Point)};
    if (Line.FileSystem != Kind.FileSystem ||
        !Candidate.Point.starts_with('/') ||
        (!Kind.Controller.empty() &&
         !hasField(Line.SuperOptions, ',', Kind.Controller)))
      continue;

    const bool ShowsGroup = below(Group, Candidate.Root).has_value();
    const bool IsBetter =
        !Best || (ShowsGroup && (!BestShowsGroup ||
                                 Candidate.Root.size() <= Best->Root.size()));
    if (!IsBetter)
      continue;
    Best = std::move(Candidate);
    BestShowsGroup = ShowsGroup;
  }
  return Best;
}

template <class Number>
static void lower(std::optional<Number> &Value, Number To) {
  Value = Value ? std::min(*Value, To) : To;
}

/// Applies the limit of the group in \p Directory, if any, to \p Memory.
static void addLevel(const std::string &Directory, const MemoryFiles &Files,
                     CgroupMemory &Memory) {
  std::optional<uint64_t> Limit;
  for (const std::string_view Name : Files.LimitFiles) {
    if (Name.empty())
      continue;
    // v2 writes "max" for no limit, which readNumber rejects.
    const std::optional<uint64_t> Value =
        readNumber(Directory + "/" + std::string(Name));
    if (Value && *Value < NoLimit)
      lower(Limit, *Value);
  }
  if (!Limit)
    return;
  // The levels come from the inside out. Groups that share an outer group with
  // the same limit take memory from each other.
  if (!Memory.LimitBytes || *Limit <= *Memory.LimitBytes)
    Memory.LimitDirectory = Directory;
  lower(Memory.LimitBytes, *Limit);

  const std::optional<uint64_t> Usage =
      readNumber(Directory + "/" + std::string(Files.UsageFile));
  if (!Usage)
    return;
  uint64_t Cached = 0;
  if (const auto Stat = readPseudoFile(Directory + "/memory.stat"))
    for (const std::string_view Key : Files.CacheKeys)
      Cached += std::min(findNumber(*Stat, Key).value_or(0), *Usage - Cached);
  // The files are read one after the other and may be inconsistent.
  const uint64_t Charged = *Usage - Cached;
  lower(Memory.AvailableBytes, *Limit - std::min(*Limit, Charged));
}

namespace {

/// The contents of the two pseudo-files that lead to our groups.
struct Membership {
  const std::string &Root;
  std::optional<std::string> Groups =
      readPseudoFile(Root + "/proc/self/cgroup");
  std::optional<std::string> Mounts =
      readPseudoFile(Root + "/proc/self/mountinfo");

  /// Returns the directories of our group in the hierarchy and of its visible
  /// ancestors, our own first; none if there is no such hierarchy.
  std::vector<std::string> levelsOf(const Hierarchy &Kind) const;
};

} // namespace

std::vector<std::string> Membership::levelsOf(const Hierarchy &Kind) const {
  std::vector<std::string> Directories;
  if (!Groups || !Mounts)
    return Directories;
  const std::optional<std::string> Group = findGroup(*Groups, Kind);
  const std::optional<Mount> Where =
      Group ? findMount(*Mounts, Kind, *Group) : std::nullopt;
  if (!Where)
    return Directories;
  std::string_view Rest = below(*Group, Where->Root).value_or("");
  const std::string Top = Root + Where->Point;
  for (unsigned Level = 0; !Rest.empty() && Level != MaxLevels; ++Level) {
    Directories.push_back(Top + std::string(Rest));
    Rest = Rest.substr(0, Rest.rfind('/'));
  }
  Directories.push_back(Top);
  return Directories;
}

CgroupMemory headstart::os::detail::readCgroupMemory(const std::string &Root) {
  CgroupMemory Memory;
  const Membership Ours{Root};
  // Read both: a hybrid system also mounts v2, without the memory controller.
  for (const std::string &Directory : Ours.levelsOf({"cgroup", "memory"}))
    addLevel(Directory, MemoryFilesV1, Memory);
  const std::vector<std::string> Directories = Ours.levelsOf(V2);
  if (!Directories.empty())
    Memory.Waits = readPressure(Directories.front() + "/memory.pressure");
  for (const std::string &Directory : Directories)
    addLevel(Directory, MemoryFilesV2, Memory);
  return Memory;
}

/// Lowers \p Value to \p Quota / \p Period processors: microseconds that a
/// group's processes may run in each period. "max" and -1 mean no quota.
static void lowerQuota(std::optional<double> &Value, std::string_view Quota,
                       std::string_view Period) {
  const std::optional<uint64_t> Time = parseNumber(Quota);
  const std::optional<uint64_t> Of = parseNumber(Period);
  if (!Time || !Of || *Of == 0)
    return;
  lower(Value, static_cast<double>(*Time) / static_cast<double>(*Of));
}

std::optional<double>
headstart::os::detail::readProcessorQuota(const std::string &Root) {
  std::optional<double> Quota;
  const Membership Ours{Root};
  for (const std::string &Directory : Ours.levelsOf({"cgroup", "cpu"}))
    lowerQuota(Quota,
               readPseudoFile(Directory + "/cpu.cfs_quota_us").value_or(""),
               readPseudoFile(Directory + "/cpu.cfs_period_us").value_or(""));
  for (const std::string &Directory : Ours.levelsOf(V2)) {
    const std::string Text =
        readPseudoFile(Directory + "/cpu.max").value_or("");
    std::string_view Period = Text;
    const std::string_view Time = takeField(Period, ' ');
    lowerQuota(Quota, Time, Period);
  }
  return Quota;
}
