//===- MessageTest.cpp - Shares in messages -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/Message.h"
#include "gtest/gtest.h"
#include <limits>

using namespace headstart;

namespace {

TEST(MessageTest, OnlyExtremesRoundToZeroAndHundred) {
  EXPECT_EQ(percentOf(0, 10), 0U);
  EXPECT_EQ(percentOf(1, 1000), 1U);
  EXPECT_EQ(percentOf(5, 10), 50U);
  EXPECT_EQ(percentOf(999, 1000), 99U);
  EXPECT_EQ(percentOf(10, 10), 100U);
  EXPECT_EQ(percentOf(0, 0), 100U);
  constexpr uint64_t Most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(percentOf(Most - 1, Most), 99U);
}

} // namespace
