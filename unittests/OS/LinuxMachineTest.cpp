//===- LinuxMachineTest.cpp - Machines under test roots -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinuxTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/Capabilities.h"
#include "headstart/OS/Machine.h"
#include "headstart/OS/Program.h"
#include "headstart/OS/Threads.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <barrier>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <malloc.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <vector>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

class LinuxMachineTest : public testing::Test {
protected:
  /// Returns the store of the test's directory if its file system is
  /// \p FileSystem.
  Disk on(const std::string &FileSystem) const {
    Root.write("proc/self/mountinfo", "30 1 " + Number + " / /here rw - " +
                                          FileSystem + " somewhere rw\n");
    return readDisk(Root.path(), Root.path());
  }

  TestDirectory Root;
  std::string Number = deviceNumberOf(Root.path());
};

TEST_F(LinuxMachineTest, DerivesStorageKindFromFileSystemName) {
  EXPECT_EQ(on("nfs4").Kind, StorageKind::Network);
  EXPECT_EQ(on("9p").Kind, StorageKind::Network);
  EXPECT_EQ(on("fuse").Kind, StorageKind::UserSpace);
  EXPECT_EQ(on("fuse.sshfs").Kind, StorageKind::UserSpace);
  EXPECT_EQ(on("tmpfs").Kind, StorageKind::Memory);
  // The store below these is unknown.
  EXPECT_EQ(on("overlay").Kind, StorageKind::Unknown);
  EXPECT_EQ(on("ext4").Kind, StorageKind::Unknown);
}

TEST_F(LinuxMachineTest, BlockDeviceIsDiskRegardlessOfName) {
  Root.write("sys/dev/block/" + Number + "/dev", Number + "\n");
  Root.write("sys/dev/block/" + Number + "/queue/read_ahead_kb", "256\n");
  const Disk D = on("fuseblk");
  EXPECT_EQ(D.Kind, StorageKind::Disk);
  EXPECT_EQ(D.ReadaheadBytes, 262144U);
}

TEST_F(LinuxMachineTest, FindsDiskOfPartition) {
  Root.write("sys/devices/disk9/dev", "9:0\n");
  Root.write("sys/devices/disk9/queue/read_ahead_kb", "128\n");
  Root.write("sys/devices/disk9/disk9p2/partition", "2\n");
  std::filesystem::create_directories(Root.path("sys/dev/block"));
  std::filesystem::create_symlink("../../devices/disk9/disk9p2",
                                  Root.path("sys/dev/block/" + Number));
  const Disk D = on("ext9");
  EXPECT_EQ(D.Name, "disk9");
  EXPECT_EQ(D.FileSystem, "ext9");
  EXPECT_EQ(D.ReadaheadBytes, 131072U);
}

// The kernel gives each Btrfs subvolume a device number that mountinfo lacks.
TEST_F(LinuxMachineTest, FindsBtrfsMountById) {
  struct statx S = {};
  ASSERT_EQ(::statx(AT_FDCWD, Root.path().c_str(), 0, STATX_MNT_ID, &S), 0);
  const std::string Id = std::to_string(S.stx_mnt_id);
  const auto FileSystemOf = [&](const std::string &Start,
                                const std::string &End) {
    Root.write("proc/self/mountinfo", Start + " 1 0:9999 / /here rw - " + End);
    return readDisk(Root.path(), Root.path()).FileSystem;
  };
  EXPECT_EQ(FileSystemOf(Id, "btrfs somewhere rw\n"), "btrfs");
  EXPECT_EQ(FileSystemOf(Id + "1", "btrfs somewhere rw\n"), "");
  EXPECT_EQ(FileSystemOf(Id, "ext4 somewhere rw\n"), "");
}

TEST_F(LinuxMachineTest, ReadsReadaheadWithoutBlockDevice) {
  EXPECT_FALSE(on("nfs4").ReadaheadBytes);
  EXPECT_EQ(on("nfs4").ReadaheadFile, "");
  const std::string File =
      Root.write("sys/class/bdi/" + Number + "/read_ahead_kb", "128\n");
  const Disk D = on("nfs4");
  EXPECT_EQ(D.ReadaheadBytes, 131072U);
  EXPECT_EQ(D.ReadaheadFile, File);
  EXPECT_EQ(D.Name, "");
}

TEST_F(LinuxMachineTest, MissingPathHasUnknownKind) {
  EXPECT_EQ(readDisk(Root.path("missing"), Root.path()).Kind,
            StorageKind::Unknown);
}

TEST_F(LinuxMachineTest, ReportsUnmountedPseudoFileSystems) {
  using Places = std::vector<std::string>;
  EXPECT_EQ(readMachine(Root.path()).Unmounted, Places({"/proc", "/sys"}));
  Root.write("proc/self/status", "");
  EXPECT_EQ(readMachine(Root.path()).Unmounted, Places({"/sys"}));
  Root.write("sys/fs/file", "");
  EXPECT_EQ(readMachine(Root.path()).Unmounted, Places());
  EXPECT_EQ(readMachine().Unmounted, Places());
}

TEST(LinuxCapabilitiesTest, EveryCapabilityNamesItsCall) {
  for (const Capability &One : probeCapabilities())
    EXPECT_NE(One.Call, "") << static_cast<int>(One.Kind);
}

TEST(LinuxCapabilitiesTest, ForbiddenCallDoesNotWork) {
  EXPECT_EQ(runWithout(SYS_madvise, EPERM,
                       [] {
                         for (const Capability &One : probeCapabilities()) {
                           const bool ByMadvise =
                               One.Kind == CapabilityKind::LargePages ||
                               One.Kind == CapabilityKind::Cold;
                           if (ByMadvise && One.Works)
                             return 1;
                           if (One.Kind == CapabilityKind::Threads &&
                               !One.Works)
                             return 2;
                         }
                         return 0;
                       }),
            0);
}

/// How many heaps glibc has made.
size_t countHeaps() {
  char *Text = nullptr;
  size_t Size = 0;
  std::FILE *File = ::open_memstream(&Text, &Size);
  EXPECT_EQ(::malloc_info(0, File), 0);
  (void)std::fclose(File);
  const std::string All(Text, Size);
  std::free(Text); // NOLINT: open_memstream's
  size_t Count = 0;
  for (size_t At = All.find("<heap nr="); At != std::string::npos;
       At = All.find("<heap nr=", At + 1))
    ++Count;
  return Count;
}

TEST(LinuxHeapsTest, ThreadsShareHeaps) {
  const size_t Before = countHeaps();
  shareHeaps();
  const unsigned Count = 4 * usableProcessors();
  std::barrier AllHaveOne(Count);
  std::vector<std::jthread> Several;
  for (unsigned I = 0; I != Count; ++I)
    Several.emplace_back([&] {
      const auto Mine = std::make_unique<std::string>(1000, 'a');
      AllHaveOne.arrive_and_wait();
    });
  Several.clear();
  EXPECT_LE(countHeaps(), std::max<size_t>(Before, usableProcessors() + 1));
}

} // namespace
