//===- ReportsTest.cpp - The figures of the linker
//----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/PrefetchSettings.h"
#include "gtest/gtest.h"

using namespace headstart;

namespace {

TEST(LinkersDiskUseTest, IsMissingWithoutCounters) {
  LinkStats Stats;
  Stats.HintedBytes = 500;
  addLinkersDiskUse(os::DiskUse{0, 3}, os::DiskUse{}, Stats);
  EXPECT_FALSE(Stats.LinkerReadBytes.has_value());
  EXPECT_FALSE(Stats.LinkerStops.has_value());
  // If nothing was fetched, the threads have nothing to count.
  Stats.HintedBytes = 0;
  addLinkersDiskUse(os::DiskUse{0, 3}, os::DiskUse{}, Stats);
  EXPECT_EQ(Stats.LinkerReadBytes, 0U);
  EXPECT_EQ(Stats.LinkerStops, 3U);
}

} // namespace
