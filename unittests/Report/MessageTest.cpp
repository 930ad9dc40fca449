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
  EXPECT_EQ((ResidentShare{0, 10}).percent(), 0U);
  EXPECT_EQ((ResidentShare{1, 1000}).percent(), 1U);
  EXPECT_EQ((ResidentShare{5, 10}).percent(), 50U);
  EXPECT_EQ((ResidentShare{999, 1000}).percent(), 99U);
  EXPECT_EQ((ResidentShare{10, 10}).percent(), 100U);
  EXPECT_EQ((ResidentShare{0, 0}).percent(), 100U);
  constexpr uint64_t Most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ((ResidentShare{Most - 1, Most}).percent(), 99U);
}

} // namespace
