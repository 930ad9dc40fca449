//===- BackgroundTest.cpp - Work that makes way for others ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/Threads.h"
#include "gtest/gtest.h"
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace headstart::os;

namespace {

TEST(BackgroundTest, DiskStallReadsPressureThenDiskstats) {
  test::TestDirectory Root;
  EXPECT_EQ(diskStall(Root.path()), std::nullopt);
  Root.write("proc/diskstats",
             " 254       0 vda 100 3 4096 70 50 6 800 900 0 20 30 0 0 0 0 1 2\n"
             " 254       1 vda1 1 0 8 5 0 0 0 0 0 0 0\n"
             " 254       2 vda2\n");
  EXPECT_EQ(diskStall(Root.path()), std::chrono::milliseconds(75));
  Root.write("sys/fs/cgroup/io.pressure",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  EXPECT_EQ(diskStall(Root.path()), std::chrono::microseconds(7));
  Root.write("proc/pressure/io",
             "some avg10=20.45 avg60=20.39 avg300=14.50 total=3876423703\n"
             "full avg10=19.37 avg60=17.56 avg300=12.13 total=2831146587\n");
  EXPECT_EQ(diskStall(Root.path()), std::chrono::microseconds(3876423703));
  for (const char *Text : {"", "some", "some avg10=1.00\n", "some total=x\n"}) {
    Root.write("proc/pressure/io", Text);
    EXPECT_EQ(diskStall(Root.path()), std::chrono::microseconds(7)) << Text;
  }
}

TEST(BackgroundTest, ChildThreadsInheritBackgroundPriority) {
  constexpr int IdleClass = 3;
  constexpr int ClassShift = 13;
  long Class = 0;
  int Nice = 0;
  std::thread([&] {
    enterBackground();
    std::thread([&] {
      Class = ::syscall(SYS_ioprio_get, 1, 0) >> ClassShift;
      Nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
    }).join();
  }).join();
  EXPECT_EQ(Class, IdleClass);
  EXPECT_GE(Nice, 10);
  EXPECT_NE(::syscall(SYS_ioprio_get, 1, 0) >> ClassShift, IdleClass);
}

} // namespace
