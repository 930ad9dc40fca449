//===- LinuxDiskUseTest.cpp - Disk reads by users -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file must be on a disk whose reads the kernel counts. The tests skip a
// directory on a tmpfs or on a network.
//
//===----------------------------------------------------------------------===//

#include "PosixTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/Threads.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
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

  void SetUp() override {
    if (!Counts)
      GTEST_SKIP()
          << "the kernel does not count reads from the current directory";
  }

  /// Evicts the file and reads it.
  void readCold() const {
    OpenFile File = openOrFail(Path);
    EXPECT_FALSE(PageCache().evict(File));
    std::string Bytes(FileBytes, '\0');
    std::error_code Error;
    EXPECT_EQ(File.readAt(0, Bytes, Error), FileBytes);
  }

  // The build directory is more likely on a disk than the temporary one.
  const std::string Path = "disk-use-" + std::to_string(::getpid()) + ".bytes";
  bool Counts = false;
};

TEST_F(LinuxDiskUseTest, CountsReadsOfThreadAndProcess) {
  DiskUse Before = *diskUse(DiskUser::Process);
  DiskUse Thread;
  std::thread([&] {
    // A page of the test program itself may have been missing.
    DiskUse AtFirst = *diskUse(DiskUser::Thread);
    EXPECT_LT(AtFirst.Bytes, FileBytes);
    readCold();
    Thread = *diskUse(DiskUser::Thread) - AtFirst;
  }).join();
  EXPECT_GE(Thread.Bytes, FileBytes);
  // The process's count includes threads that have ended.
  EXPECT_GE((*diskUse(DiskUser::Process) - Before).Bytes, Thread.Bytes);
}

TEST_F(LinuxDiskUseTest, CountsStopForUncachedPage) {
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

/// Runs \p Script in place of a child; exit status 1 means that it read the
/// whole file, 0 that it read less.
int readBy(const std::string &Script, const std::function<void()> &Meanwhile) {
  return exitStatus(startChild([&] {
    ForegroundProgram Program;
    if (Program.start({"sh", "-c", Script}))
      return 99;
    Meanwhile();
    const ProgramEnd End = Program.wait();
    if (End.BySignal || End.Code != 0 || !Program.diskUse())
      return 98;
    return Program.diskUse()->Bytes >= FileBytes ? 1 : 0;
  }));
}

TEST_F(LinuxDiskUseTest, CountsReadsOfProgramAndChildren) {
  OpenFile File = openOrFail(Path);
  EXPECT_FALSE(PageCache().evict(File));
  // The second command keeps the shell from replacing itself with the first.
  EXPECT_EQ(readBy("cat " + Path + " >/dev/null; :", [] {}), 1);
}

TEST_F(LinuxDiskUseTest, DoesNotCountOtherPrograms) {
  EXPECT_EQ(readBy("exit 0",
                   [&] {
                     readCold();
                     (void)exitStatus(startChild([&] {
                       readCold();
                       return 0;
                     }));
                   }),
            0);
}

TEST(DiskUseTest, DifferenceIsNotNegative) {
  const DiskUse Rest = DiskUse{30, 3} - DiskUse{40, 1};
  EXPECT_EQ(Rest.Bytes, 0U);
  EXPECT_EQ(Rest.Stops, 2U);
}

} // namespace
