//===- ControlGroupTest.cpp - Limits under made-up roots ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directories stand for the hierarchies of both versions. The tests of
// headstart bench (test/Bench) put a real link into real groups.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ControlGroup.h"
#include "LinuxTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/Machine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class ControlGroupTest : public testing::Test {
protected:
  void SetUp() override {
    Number = deviceNumberOf(Root.path());
    // A disk whose second partition holds the test's directory.
    Root.write("sys/devices/disk9/dev", "9:0\n");
    Root.write("sys/devices/disk9/queue/read_ahead_kb", "128\n");
    Root.write("sys/devices/disk9/disk9p2/partition", "2\n");
    std::filesystem::create_directories(Root.path("sys/dev/block"));
    std::filesystem::create_symlink("../../devices/disk9/disk9p2",
                                    Root.path("sys/dev/block/" + Number));
    Root.write("proc/self/mountinfo", "22 1 1:1 / /proc rw - proc proc rw\n"
                                      "30 1 " +
                                          Number +
                                          " / /here rw,relatime shared:1 - "
                                          "ext9 none rw\n");
    Root.write("proc/self/cgroup", "0::/user.slice/app.slice/shell.scope\n");
    Limits.ReadBytesPerSecond = 4000;
    Limits.MemoryBytes = 70000;
    Limits.DiskOf = Root.path();
  }

  /// Writes the files of a group in advance: unlike a group, a new directory
  /// has none.
  std::string makeGroup(const std::string &Parent,
                        std::initializer_list<std::string_view> Files) {
    const std::string Group =
        Parent + "/headstart-bench-" + std::to_string(::getpid());
    for (const std::string_view File : Files)
      Root.write(Group + "/" + std::string(File), "");
    return Group;
  }
  std::string read(const std::string &Name) const {
    return contentsOf(Root.path(Name));
  }

  TestDirectory Root;
  std::string Number;
  GroupLimits Limits;
};

TEST_F(ControlGroupTest, FindsDiskOfPartition) {
  const Disk D = readDisk(Root.path(), Root.path());
  EXPECT_EQ(D.Name, "disk9");
  EXPECT_EQ(D.Number, "9:0");
  EXPECT_EQ(D.FileSystem, "ext9");
  EXPECT_EQ(D.ReadaheadBytes, UINT64_C(131072));
}

TEST_F(ControlGroupTest, CreatesV1Groups) {
  Root.write("sys/fs/cgroup/blkio/blkio.throttle.read_bps_device", "");
  Root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "");
  const std::string Disk =
      makeGroup("sys/fs/cgroup/blkio", {"blkio.throttle.read_bps_device"});
  const std::string Memory =
      makeGroup("sys/fs/cgroup/memory", {"memory.limit_in_bytes"});
  ControlGroup Group;
  EXPECT_EQ(Group.create(Limits, Root.path()), "");
  EXPECT_EQ(read(Disk + "/blkio.throttle.read_bps_device"), "9:0 4000");
  EXPECT_EQ(read(Memory + "/memory.limit_in_bytes"), "70000");
  EXPECT_THAT(Group.entrances(),
              ElementsAre(Root.path(Disk + "/cgroup.procs"),
                          Root.path(Memory + "/cgroup.procs")));
}

TEST_F(ControlGroupTest, CreatesV2GroupAtRoot) {
  Root.write("sys/fs/cgroup/cgroup.controllers", "io memory\n");
  Root.write("sys/fs/cgroup/cgroup.subtree_control", "memory\n");
  const std::string Made = makeGroup("sys/fs/cgroup", {"io.max", "memory.max"});
  ControlGroup Group;
  EXPECT_EQ(Group.create(Limits, Root.path()), "");
  EXPECT_EQ(read(Made + "/io.max"), "9:0 rbps=4000");
  EXPECT_EQ(read(Made + "/memory.max"), "70000");
  EXPECT_THAT(Group.entrances(),
              ElementsAre(Root.path(Made + "/cgroup.procs")));
  // Only the controller that was off is switched on, and off again later.
  EXPECT_THAT(read("sys/fs/cgroup/cgroup.subtree_control"),
              testing::StartsWith("+io"));
  Group.remove();
  EXPECT_THAT(read("sys/fs/cgroup/cgroup.subtree_control"),
              testing::StartsWith("-io"));
  EXPECT_TRUE(Group.entrances().empty());
}

TEST_F(ControlGroupTest, CreatesV2GroupInDelegatedSubtree) {
  // No group can be made at the root; the group above ours is this user's.
  Root.write("sys/fs/cgroup/cgroup.controllers", "io memory\n");
  Root.write("sys/fs/cgroup/user.slice/cgroup.subtree_control", "memory io\n");
  Root.write("sys/fs/cgroup/user.slice/app.slice/cgroup.subtree_control",
             "io memory\n");
  const std::string Made =
      makeGroup("sys/fs/cgroup/user.slice/app.slice", {"io.max", "memory.max"});
  // A group in user.slice has no files, as if no controller were enabled.
  ControlGroup Group;
  EXPECT_EQ(Group.create(Limits, Root.path()), "");
  EXPECT_EQ(read(Made + "/memory.max"), "70000");
  EXPECT_FALSE(std::filesystem::exists(
      Root.path("sys/fs/cgroup/user.slice/headstart-bench-" +
                std::to_string(::getpid()))));
}

TEST_F(ControlGroupTest, ReportsWhyLimitsAreUnavailable) {
  ControlGroup Group;
  EXPECT_EQ(Group.create(Limits, Root.path()),
            "this system has no control groups that can limit this");
  Root.write("sys/fs/cgroup/cgroup.controllers", "cpu\n");
  EXPECT_THAT(Group.create(Limits, Root.path()),
              HasSubstr("/sys/fs/cgroup has no controller 'io'"));
  Root.write("sys/fs/cgroup/cgroup.controllers", "io cpu memory\n");
  EXPECT_THAT(Group.create(Limits, Root.path()),
              HasSubstr("does not delegate 'io': No such file"));
  Limits.DiskOf = "/proc/self/status";
  EXPECT_THAT(Group.create(Limits, Root.path()),
              HasSubstr("'/proc/self/status' is not on a local disk"));
  EXPECT_EQ(Group.create({}, Root.path()), "");
  EXPECT_TRUE(Group.entrances().empty());
}

TEST_F(ControlGroupTest, ReportsRequiredPermission) {
  Root.write("sys/fs/cgroup/cgroup.controllers", "io memory\n");
  Root.write("sys/fs/cgroup/cgroup.subtree_control", "io memory\n");
  ASSERT_EQ(::chmod(Root.path("sys/fs/cgroup").c_str(), 0555), 0);
  const bool IsRoot = ::geteuid() == 0;
  constexpr uid_t Unprivileged = 65534;
  ASSERT_EQ(::chmod(Root.path().c_str(), 0755), 0);
  ASSERT_TRUE(!IsRoot || ::seteuid(Unprivileged) == 0);
  ControlGroup Group;
  const std::string InV2 = Group.create(Limits, Root.path());
  ASSERT_TRUE(!IsRoot || ::seteuid(0) == 0);
  EXPECT_THAT(InV2, HasSubstr("Permission denied. Run it as root, or in a "
                              "control group that is delegated to you"));

  ASSERT_EQ(::chmod(Root.path("sys/fs/cgroup").c_str(), 0755), 0);
  Root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "");
  Limits.ReadBytesPerSecond = 0;
  ASSERT_EQ(::chmod(Root.path("sys/fs/cgroup/memory").c_str(), 0555), 0);
  ASSERT_TRUE(!IsRoot || ::seteuid(Unprivileged) == 0);
  const std::string InV1 = Group.create(Limits, Root.path());
  ASSERT_TRUE(!IsRoot || ::seteuid(0) == 0);
  EXPECT_THAT(InV1, testing::EndsWith("Permission denied. Run it as root"));
  ASSERT_EQ(::chmod(Root.path("sys/fs/cgroup/memory").c_str(), 0755), 0);
}

TEST_F(ControlGroupTest, RemovesGroupsOfDeadProcesses) {
  Root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "");
  makeGroup("sys/fs/cgroup/memory", {"memory.limit_in_bytes"});
  const std::string Parent = Root.path("sys/fs/cgroup/memory");
  // Process ids are at most 2^22.
  std::filesystem::create_directory(Parent + "/headstart-bench-999999999");
  std::filesystem::create_directory(Parent + "/headstart-bench-1");
  std::filesystem::create_directory(Parent + "/headstart-bench-notes");
  Limits.ReadBytesPerSecond = 0;
  ControlGroup Group;
  EXPECT_EQ(Group.create(Limits, Root.path()), "");
  EXPECT_FALSE(std::filesystem::exists(Parent + "/headstart-bench-999999999"));
  EXPECT_TRUE(std::filesystem::exists(Parent + "/headstart-bench-1"));
  EXPECT_TRUE(std::filesystem::exists(Parent + "/headstart-bench-notes"));
}

} // namespace
