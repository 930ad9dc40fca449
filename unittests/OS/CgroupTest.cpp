//===- CgroupTest.cpp - SystemMemory under made-up roots ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cgroup layouts of systems, containers and hybrids, written into a
// directory that stands for the root.
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/Machine.h"
#include "headstart/OS/SystemMemory.h"

#include "gtest/gtest.h"

#include <optional>
#include <string>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

constexpr uint64_t MiB = UINT64_C(1) << 20;

class CgroupTest : public testing::Test {
protected:
  void SetUp() override {
    Root.write("proc/meminfo", "MemTotal:       16000 kB\n"
                               "MemFree:         1000 kB\n"
                               "MemAvailable:    8000 kB\n");
    Root.write("proc/self/mountinfo", V1Mount + V2Mount);
  }

  void write(const std::string &Name, const std::string &Text) const {
    Root.write(Name, Text);
  }
  /// The three files of one v2 group, numbers in MiB.
  void writeV2(const std::string &Group, const std::string &Max,
               uint64_t Current, uint64_t Cached) const {
    const std::string Directory = "sys/fs/cgroup/unified" + Group;
    write(Directory + "/memory.max", Max + "\n");
    write(Directory + "/memory.current", std::to_string(Current * MiB) + "\n");
    write(Directory + "/memory.stat", "anon 1\nactive_file " + mib(Cached / 2) +
                                          "\ninactive_file " +
                                          mib(Cached - Cached / 2) + "\n");
  }
  void writeV1(const std::string &Group, const std::string &Limit,
               uint64_t Usage, uint64_t Cached) const {
    const std::string Directory = "sys/fs/cgroup/memory" + Group;
    write(Directory + "/memory.limit_in_bytes", Limit + "\n");
    write(Directory + "/memory.usage_in_bytes",
          std::to_string(Usage * MiB) + "\n");
    write(Directory + "/memory.stat",
          "inactive_file 0\ntotal_inactive_file " + mib(Cached / 2) +
              "\ntotal_active_file " + mib(Cached - Cached / 2) + "\n");
  }
  static std::string mib(uint64_t Value) { return std::to_string(Value * MiB); }

  /// Checks the limit and the available memory, in MiB.
  void expect(uint64_t Limit, uint64_t Available) const {
    const SystemMemory Memory = SystemMemory::read(Root.path());
    EXPECT_EQ(Memory.CgroupLimitBytes, std::optional(Limit * MiB));
    EXPECT_EQ(Memory.CgroupAvailableBytes, std::optional(Available * MiB));
  }
  void expectNoLimit() const {
    const SystemMemory Memory = SystemMemory::read(Root.path());
    EXPECT_FALSE(Memory.CgroupLimitBytes);
    EXPECT_FALSE(Memory.CgroupAvailableBytes);
    EXPECT_EQ(Memory.TotalBytes, 16000U * 1024);
  }

  const TestDirectory Root;
  const std::string V1Mount =
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - "
      "cgroup cgroup rw,memory\n";
  const std::string V2Mount =
      "41 31 0:38 / /sys/fs/cgroup/unified rw shared:1 master:2 - "
      "cgroup2 cgroup2 rw,nsdelegate\n";
  const std::string None = "9223372036854771712";
};

TEST_F(CgroupTest, ReadsMeminfo) {
  const SystemMemory Memory = SystemMemory::read(Root.path());
  EXPECT_EQ(Memory.TotalBytes, 16000U * 1024);
  EXPECT_EQ(Memory.AvailableBytes, 8000U * 1024);
  EXPECT_EQ(SystemMemory::read(Root.path() + "/").TotalBytes, 16000U * 1024);
}

TEST(SystemMemoryTest, MissingFilesLeaveValuesEmpty) {
  const TestDirectory Directory;
  const SystemMemory Memory = SystemMemory::read(Directory.path());
  EXPECT_EQ(Memory.TotalBytes, 0U);
  EXPECT_EQ(Memory.AvailableBytes, 0U);
  EXPECT_FALSE(Memory.CgroupLimitBytes);
  EXPECT_FALSE(Memory.CgroupAvailableBytes);
  EXPECT_EQ(Memory.available(), 0U);
}

TEST(SystemMemoryTest, GuessesUnreadableLimits) {
  const TestDirectory Directory;
  EXPECT_EQ(maxMappings(Directory.path()), 65530U);
}

TEST_F(CgroupTest, IgnoresMalformedMeminfo) {
  for (const char *Text :
       {"", "MemTotal", "MemTotal:", "MemTotal: kB\n", "MemTotal: x kB\n",
        "MemTotal: -1 kB\n", "MemTotal: 12 34 kB\n",
        "MemTotal: 99999999999999999999 kB\n",
        "MemTotal: 18446744073709551615 kB\n", "MemTotals: 5 kB\n"}) {
    write("proc/meminfo", Text);
    const SystemMemory Memory = SystemMemory::read(Root.path());
    EXPECT_EQ(Memory.TotalBytes, 0U) << Text;
    EXPECT_EQ(Memory.AvailableBytes, 0U) << Text;
  }
  write("proc/meminfo", "MemTotal: x kB\nMemAvailable: 5 kB");
  EXPECT_EQ(SystemMemory::read(Root.path()).AvailableBytes, 5U * 1024);
}

TEST_F(CgroupTest, NoLimitWithoutGroup) {
  expectNoLimit();
  write("proc/self/cgroup", "");
  expectNoLimit();
  write("proc/self/cgroup", "garbage\n:::\n0::\n0::relative\n\n4:memory");
  expectNoLimit();
}

TEST_F(CgroupTest, NoLimitWithoutMount) {
  write("proc/self/cgroup", "0::/a\n");
  writeV2("/a", mib(100), 10, 0);
  write("proc/self/mountinfo",
        "22 27 0:21 / /proc rw - proc proc rw\nx\n1 2\n - - -\n");
  expectNoLimit();
}

TEST_F(CgroupTest, ReadsV1Limit) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/b\n4:hugetlb,memory:/a\n0::/\n");
  writeV1("/a", mib(100), 60, 20);
  writeV1("/b", mib(1), 0, 0);
  writeV1("", None, 500, 0);
  expect(100, 60);
}

TEST_F(CgroupTest, V1UnlimitedIsNoLimit) {
  write("proc/self/cgroup", "4:memory:/a\n");
  writeV1("/a", None, 60, 20);
  expectNoLimit();
  writeV1("/a", "9223372036854710272", 60, 20); // pages of 64 KiB
  expectNoLimit();
}

TEST_F(CgroupTest, V2AncestorLimitApplies) {
  write("proc/self/cgroup", "0::/user.slice/app.scope/inner\n");
  writeV2("/user.slice", mib(300), 100, 50);
  writeV2("/user.slice/app.scope", mib(200), 80, 10);
  writeV2("/user.slice/app.scope/inner", "max", 70, 0);
  expect(200, 130);
  // A wider limit can leave less memory available.
  writeV2("/user.slice", mib(300), 290, 50);
  expect(200, 60);
}

TEST_F(CgroupTest, ReadsOnlyInnermostLevelsOfDeepGroup) {
  std::string Group;
  for (int Level = 0; Level != 70; ++Level)
    Group += "/a";
  write("proc/self/cgroup", "0::" + Group + "\n");
  writeV2("/a", mib(100), 60, 20);
  expectNoLimit();
  writeV2(Group.substr(0, 20), mib(200), 60, 20);
  expect(200, 160);
}

TEST_F(CgroupTest, V2MaxIsNoLimit) {
  write("proc/self/cgroup", "0::/a\n");
  writeV2("/a", "max", 70, 0);
  expectNoLimit();
}

TEST_F(CgroupTest, V2MemoryHighIsALimit) {
  write("proc/self/cgroup", "0::/a\n");
  writeV2("/a", mib(100), 30, 0);
  write("sys/fs/cgroup/unified/a/memory.high", mib(80) + "\n");
  expect(80, 50);
  write("sys/fs/cgroup/unified/a/memory.high", "max\n");
  expect(100, 70);
}

TEST_F(CgroupTest, UsageAboveLimitLeavesNothingAvailable) {
  write("proc/self/cgroup", "0::/a\n");
  writeV2("/a", mib(100), 150, 20);
  expect(100, 0);
  writeV2("/a", mib(100), 50, 60); // read one after the other
  expect(100, 100);
}

TEST_F(CgroupTest, HybridUsesTighterLimit) {
  write("proc/self/cgroup", "4:memory:/a\n0::/b\n");
  writeV1("/a", mib(100), 30, 0);
  expect(100, 70); // the usual hybrid: no memory files in v2
  writeV2("/b", mib(50), 10, 0);
  expect(50, 40);
}

TEST_F(CgroupTest, ContainerMountRootIsItsGroup) {
  write("proc/self/cgroup", "0::/docker/abc/work\n");
  write("proc/self/mountinfo",
        "41 31 0:38 /docker/abc /sys/fs/cgroup/unified ro - cgroup2 c rw\n");
  writeV2("", mib(100), 30, 0);
  expect(100, 70);
  writeV2("/work", mib(60), 30, 0);
  expect(60, 30);
  // A path that only begins like the mount's root is not below it.
  write("proc/self/cgroup", "0::/docker/abcwork\n");
  expect(100, 70);
}

TEST_F(CgroupTest, GroupOutsideMountUsesMountRoot) {
  writeV2("", mib(100), 30, 0);
  write("proc/self/cgroup", "0::/docker/abc\n");
  expect(100, 70);
  write("proc/self/cgroup", "0::/../outside\n");
  writeV2("/outside", mib(5), 0, 0);
  expect(100, 70);
  write("proc/self/cgroup", "0::/gone (deleted)\n");
  expect(100, 70);
}

TEST_F(CgroupTest, SelectsMountThatContainsGroup) {
  write("proc/self/cgroup", "0::/a/b\n");
  writeV2("/a", mib(100), 30, 0);
  const std::string Other =
      "50 31 0:38 /z /sys/fs/cgroup/other rw - cgroup2 cgroup2 rw\n";
  const std::string Deeper =
      "51 31 0:38 /a/b /sys/fs/cgroup/other rw - cgroup2 cgroup2 rw\n";
  write("sys/fs/cgroup/other/memory.max", mib(1));
  write("sys/fs/cgroup/other/memory.current", "0");
  write("proc/self/mountinfo", Other + Deeper + V2Mount + Other);
  expect(100, 70);
  write("proc/self/mountinfo", V2Mount + Deeper + Other);
  expect(100, 70);
  write("sys/fs/cgroup/deeper/memory.max", mib(40));
  write("sys/fs/cgroup/deeper/memory.current", mib(30));
  write("proc/self/mountinfo",
        Other + "51 31 0:38 /a/b /sys/fs/cgroup/deeper rw - cgroup2 c rw\n");
  expect(40, 10);
}

TEST_F(CgroupTest, UnescapesMountPoints) {
  write("proc/self/cgroup", "0::/a\n");
  write("proc/self/mountinfo",
        "41 31 0:38 / /sys/fs/my\\040cgroup\\134x rw - cgroup2 c rw\n");
  write("sys/fs/my cgroup\\x/a/memory.max", mib(100));
  write("sys/fs/my cgroup\\x/a/memory.current", mib(30));
  expect(100, 70);
}

TEST_F(CgroupTest, IgnoresMalformedNumbers) {
  write("proc/self/cgroup", "0::/a\n");
  for (const char *Max : {"", "-1", "0x10", "12 34", "1e9", "maximum",
                          "99999999999999999999999"}) {
    SCOPED_TRACE(Max);
    writeV2("/a", Max, 10, 0);
    expectNoLimit();
  }
  writeV2("/a", mib(100), 10, 0);
  write("sys/fs/cgroup/unified/a/memory.stat", "inactive_file lots\n");
  expect(100, 90);
  write("sys/fs/cgroup/unified/a/memory.current", "?\n");
  const SystemMemory Memory = SystemMemory::read(Root.path());
  EXPECT_EQ(Memory.CgroupLimitBytes, std::optional(100 * MiB));
  EXPECT_FALSE(Memory.CgroupAvailableBytes);
}

TEST_F(CgroupTest, ReadsStartOfOversizedMountTable) {
  write("proc/self/cgroup", "0::/a\n");
  writeV2("/a", mib(100), 30, 0);
  std::string Table = V2Mount;
  while (Table.size() < 200'000)
    Table += "99 31 0:99 / /var/lib/containers/overlay rw - overlay o rw\n";
  write("proc/self/mountinfo", Table);
  expect(100, 70);
}

TEST_F(CgroupTest, ReadsMaxMapCount) {
  write("proc/sys/vm/max_map_count", "1048576\n");
  EXPECT_EQ(maxMappings(Root.path()), 1048576U);
  write("proc/sys/vm/max_map_count", "many\n");
  EXPECT_EQ(maxMappings(Root.path()), 65530U);
}

TEST(PressureTest, ReadsMachinePressure) {
  const TestDirectory Directory;
  EXPECT_FALSE(SystemMemory::read(Directory.path()).Stalled);
  const auto With = [&](const char *Text) {
    Directory.write("proc/pressure/memory", Text);
    return SystemMemory::read(Directory.path()).Stalled;
  };
  EXPECT_EQ(With("some avg10=12.50 avg60=1.00 avg300=0.00 total=99\n"
                 "full avg10=3.00 avg60=0.00 avg300=0.00 total=9\n"),
            std::chrono::microseconds(99));
  EXPECT_EQ(SystemMemory::read(Directory.path()).PressurePercent, 12.5);
  for (const char *Bad : {"", "some avg10=0.00 avg60=0.00\n",
                          "some avg10=0.00 total=", "some avg10=0.00 total=x",
                          "full avg10=3.00 total=9"})
    EXPECT_FALSE(With(Bad)) << Bad;
  const auto PercentOf = [&](const char *Text) {
    Directory.write("proc/pressure/memory", Text);
    return SystemMemory::read(Directory.path()).PressurePercent;
  };
  EXPECT_EQ(PercentOf("some avg10=0.00 avg60=0.00\n"), 0.0);
  for (const char *Bad : {"", "some avg10=", "some avg10=x", "full avg10=3.00",
                          "some avg10=-1", "some avg10=101", "some avg10=nan"})
    EXPECT_FALSE(PercentOf(Bad)) << Bad;
}

TEST_F(CgroupTest, GroupPressureOverridesMachinePressure) {
  write("proc/pressure/memory", "some avg10=50.00 total=70\n");
  write("proc/self/cgroup", "0::/build\n");
  EXPECT_EQ(SystemMemory::read(Root.path()).Stalled,
            std::chrono::microseconds(70));
  EXPECT_EQ(SystemMemory::read(Root.path()).PressurePercent, 50.0);
  write("sys/fs/cgroup/unified/build/memory.pressure",
        "some avg10=2.00 total=3\n");
  EXPECT_EQ(SystemMemory::read(Root.path()).Stalled,
            std::chrono::microseconds(3));
  EXPECT_EQ(SystemMemory::read(Root.path()).PressurePercent, 2.0);
}

/// The processor quota below a root.
class QuotaTest : public CgroupTest {
protected:
  std::optional<double> quota() const {
    return readMachine(Root.path()).ProcessorQuota;
  }
};

TEST_F(QuotaTest, NoQuotaWithoutLimit) {
  EXPECT_FALSE(quota());
  write("proc/self/cgroup", "0::/build\n");
  EXPECT_FALSE(quota());
  for (const char *Text :
       {"max 100000\n", "", "100000\n", "5 0\n", "x y\n", "-1 100000\n"}) {
    write("sys/fs/cgroup/unified/build/cpu.max", Text);
    EXPECT_FALSE(quota()) << Text;
  }
}

TEST_F(QuotaTest, V2UsesSmallestQuotaOfAllLevels) {
  write("proc/self/cgroup", "0::/build/job\n");
  write("sys/fs/cgroup/unified/build/job/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 4.0);
  write("sys/fs/cgroup/unified/build/cpu.max", "75000 50000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(QuotaTest, V1UsesCpuController) {
  write("proc/self/mountinfo",
        V1Mount + "36 31 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup "
                  "rw,cpu,cpuacct\n");
  write("proc/self/cgroup", "4:memory:/other\n3:cpu,cpuacct:/build\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(quota());
  write("sys/fs/cgroup/cpu/build/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu/build/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.5);
  // The group of the memory controller does not count.
  write("sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(CgroupTest, MemoryNameIsBootId) {
  write("proc/sys/kernel/random/boot_id", "one\n");
  const std::string One = memoryName(Root.path());
  EXPECT_EQ(One, "one");
  write("proc/sys/kernel/random/boot_id", "another\n");
  EXPECT_NE(memoryName(Root.path()), One);
  // The memory of a virtual machine changes while it runs.
  const std::string Another = memoryName(Root.path());
  write("proc/meminfo", "MemTotal: 8000 kB\nMemAvailable: 4000 kB\n");
  EXPECT_EQ(memoryName(Root.path()), Another);
}

TEST_F(CgroupTest, MemoryNameIncludesLimitingGroup) {
  write("proc/sys/kernel/random/boot_id", "one\n");
  const std::string Machine = memoryName(Root.path());
  auto NameIn = [&](const std::string &Group) {
    write("proc/self/cgroup", "0::" + Group + "\n");
    return memoryName(Root.path());
  };
  writeV2("/free", "max", 1, 0);
  writeV2("/wide", mib(100), 1, 0); // more than the machine has
  writeV2("/a", mib(10), 1, 0);
  writeV2("/b", mib(10), 1, 0);
  EXPECT_EQ(NameIn("/free"), Machine);
  EXPECT_EQ(NameIn("/wide"), Machine);
  EXPECT_NE(NameIn("/a"), Machine);
  EXPECT_NE(NameIn("/a"), NameIn("/b"));
  // A group with no limit, or the same one, takes memory from its parent.
  writeV2("/a/free", "max", 1, 0);
  writeV2("/a/same", mib(10), 1, 0);
  writeV2("/a/less", mib(5), 1, 0);
  EXPECT_EQ(NameIn("/a/free"), NameIn("/a"));
  EXPECT_EQ(NameIn("/a/same"), NameIn("/a"));
  EXPECT_NE(NameIn("/a/less"), NameIn("/a"));
}

TEST_F(CgroupTest, MemoryNameIncludesGroupIfMeminfoShowsItsLimit) {
  write("proc/sys/kernel/random/boot_id", "one\n");
  const std::string Machine = memoryName(Root.path());
  write("proc/meminfo", "MemTotal: 10240 kB\nMemAvailable: 4000 kB\n");
  auto NameIn = [&](const std::string &Group) {
    writeV2(Group, mib(10), 1, 0);
    write("proc/self/cgroup", "0::" + Group + "\n");
    return memoryName(Root.path());
  };
  EXPECT_NE(NameIn("/a"), Machine);
  EXPECT_NE(NameIn("/a"), NameIn("/b"));
}

TEST_F(CgroupTest, MemoryNameIsSameInsideContainer) {
  write("proc/sys/kernel/random/boot_id", "one\n");
  writeV2("/docker/a", mib(10), 1, 0);
  writeV2("/docker/b", mib(10), 1, 0);
  write("proc/self/cgroup", "0::/docker/a\n");
  const std::string Outside = memoryName(Root.path());
  // A container that sees only its own group, mounted at another place.
  write("proc/self/cgroup", "0::/\n");
  auto Inside = [&](const std::string &Group) {
    const std::string Point = "sys/fs/cgroup/unified/docker/" + Group;
    write("proc/self/mountinfo",
          "41 31 0:38 / /" + Point + " ro - cgroup2 cgroup2 rw\n");
    return memoryName(Root.path());
  };
  EXPECT_EQ(Inside("a"), Outside);
  EXPECT_NE(Inside("b"), Outside);
}

} // namespace
