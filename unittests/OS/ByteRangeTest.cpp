//===- ByteRangeTest.cpp - Tests of ByteRange -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/ByteRange.h"

#include "gtest/gtest.h"

#include <limits>

using namespace headstart;

TEST(ByteRangeTest, ClipsToTheFile) {
  const ByteRange Nothing{100, 0};
  EXPECT_EQ((ByteRange{10, 20}.clippedTo(100)), (ByteRange{10, 20}));
  EXPECT_EQ((ByteRange{90, 10}.clippedTo(100)), (ByteRange{90, 10}));
  EXPECT_EQ((ByteRange{90, 11}.clippedTo(100)), (ByteRange{90, 10}));
  EXPECT_EQ((ByteRange{99, 50}.clippedTo(100)), (ByteRange{99, 1}));
  EXPECT_EQ((ByteRange{100, 1}.clippedTo(100)), Nothing);
  EXPECT_EQ((ByteRange{5000, 1}.clippedTo(100)), Nothing);
  EXPECT_TRUE((ByteRange{10, 0}.clippedTo(100)).empty());
  EXPECT_TRUE((ByteRange{0, 10}.clippedTo(0)).empty());
}

TEST(ByteRangeTest, ClipsRangesThatOverflow) {
  constexpr uint64_t Max = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ((ByteRange{10, Max}.clippedTo(100)), (ByteRange{10, 90}));
  EXPECT_TRUE((ByteRange{Max, Max}.clippedTo(100)).empty());
  EXPECT_EQ((ByteRange{Max - 1, Max}.clippedTo(Max)), (ByteRange{Max - 1, 1}));
}
