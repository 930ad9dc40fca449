//===- SystemMemoryTest.cpp - Tests of SystemMemory -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Promises of every implementation.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/SystemMemory.h"

#include "gtest/gtest.h"

using namespace headstart::os;

namespace {

TEST(SystemMemoryTest, ValuesAreConsistent) {
  const SystemMemory Memory = SystemMemory::read();
  EXPECT_GT(Memory.AvailableBytes, 0U);
  EXPECT_LE(Memory.AvailableBytes, Memory.TotalBytes);
  if (Memory.CgroupAvailableBytes) {
    ASSERT_TRUE(Memory.CgroupLimitBytes);
  }
}

TEST(SystemMemoryTest, AvailableIsMinimumOfMachineAndCgroup) {
  SystemMemory Memory;
  Memory.AvailableBytes = 1000;
  EXPECT_EQ(Memory.available(), 1000U);
  Memory.CgroupAvailableBytes = 10;
  EXPECT_EQ(Memory.available(), 10U);
  Memory.CgroupAvailableBytes = 2000;
  EXPECT_EQ(Memory.available(), 1000U);
}

TEST(SystemMemoryTest, MemoryNameIsStable) {
  EXPECT_EQ(memoryName(), memoryName());
  EXPECT_EQ(memoryName().find('\n'), std::string::npos);
}

TEST(SystemMemoryTest, ReportsLimits) {
  EXPECT_GT(maxMappings(), 0U);
  EXPECT_GE(maxOpenFiles(), 8U);
}

} // namespace
