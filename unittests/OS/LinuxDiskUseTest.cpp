//===- LinuxDiskUseTest.cpp - What was read from disks, and by whom -------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file must be on a disk whose reads the system counts; a folder on a tmpfs
// or on a network is a named skip.
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Threads.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::test;

namespace {

constexpr size_t FileBytes = 4 * 1024 * 1024;

class LinuxDiskUseTest : public testing::Test {
protected:
  LinuxDiskUseTest() {
    std::ofstream(Path, std::ios::binary) << pattern(FileBytes);
    DiskUse Before = *diskUse(DiskUser::Process);
    readCold();
    Counts = (*diskUse(DiskUser::Process) - Before).Bytes >= FileBytes;
  }
  ~LinuxDiskUseTest() override { std::filesystem::remove(Path); }

  /// Reads the file when nothing of it is in memory.
  void readCold() const {
    OpenFile File = openOrFail(Path);
    EXPECT_FALSE(PageCache().evict(File));
    std::string Bytes(FileBytes, '\0');
    std::error_code Error;
    EXPECT_EQ(File.readAt(0, Bytes, Error), FileBytes);
  }

  // The build's folder is on a disk rather than the temporary one.
  const std::string Path = "disk-use-" + std::to_string(::getpid()) + ".bytes";
  bool Counts = false;
};

TEST_F(LinuxDiskUseTest, IsToldOfThreadAndProcess) {
  if (!Counts)
    GTEST_SKIP() << "reads from the current folder are not counted";
  DiskUse Before = *diskUse(DiskUser::Process);
  DiskUse Thread;
  std::thread([&] {
    // A page of the test itself may have been missing.
    DiskUse AtFirst = *diskUse(DiskUser::Thread);
    EXPECT_LT(AtFirst.Bytes, FileBytes);
    readCold();
    Thread = *diskUse(DiskUser::Thread) - AtFirst;
  }).join();
  EXPECT_GE(Thread.Bytes, FileBytes);
  // Also of threads that have ended.
  EXPECT_GE((*diskUse(DiskUser::Process) - Before).Bytes, Thread.Bytes);
}

TEST_F(LinuxDiskUseTest, APageThatIsMissingStopsAThread) {
  if (!Counts)
    GTEST_SKIP() << "reads from the current folder are not counted";
  DiskUse Thread;
  std::thread([&] {
    OpenFile File = openOrFail(Path);
    EXPECT_FALSE(PageCache().evict(File));
    MappedFile Mapping = mapOrFail(File);
    uint64_t Before = diskUse(DiskUser::Thread)->Stops;
    EXPECT_EQ(Mapping.bytes()[FileBytes / 2],
              pattern(FileBytes)[FileBytes / 2]);
    Thread = *diskUse(DiskUser::Thread);
    Thread.Stops -= Before;
  }).join();
  EXPECT_GE(Thread.Stops, 1U);
  EXPECT_GE(Thread.Bytes, PageCache().pageSize());
}

TEST_F(LinuxDiskUseTest, IsToldOfChildrenThatWereWaitedFor) {
  if (!Counts)
    GTEST_SKIP() << "reads from the current folder are not counted";
  DiskUse Before = *diskUse(DiskUser::Children);
  pid_t Child = ::fork();
  if (Child == 0) {
    readCold();
    ::_exit(0);
  }
  EXPECT_EQ((*diskUse(DiskUser::Children) - Before).Bytes, 0U);
  int Status = 1;
  ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  EXPECT_GE((*diskUse(DiskUser::Children) - Before).Bytes, FileBytes);
}

TEST(DiskUseTest, Adds) {
  DiskUse Use{10, 1};
  Use += {20, 2};
  EXPECT_EQ(Use.Bytes, 30U);
  EXPECT_EQ(Use.Stops, 3U);
  DiskUse Rest = Use - DiskUse{40, 1};
  EXPECT_EQ(Rest.Bytes, 0U);
  EXPECT_EQ(Rest.Stops, 2U);
}

} // namespace
