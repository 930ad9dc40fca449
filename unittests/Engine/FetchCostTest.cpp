//===- FetchCostTest.cpp - A look, or the whole file ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/FetchCost.h"
#include "gtest/gtest.h"

using namespace headstart;
using std::chrono::milliseconds;

namespace {

constexpr uint64_t MiB = 1024 * 1024;
constexpr Tuning Numbers;

/// Fetches 32 MiB at so many MiB a second.
void fetchAt(FetchCost &Cost, unsigned Rate) {
  FetchCost::Time Now{std::chrono::hours(1)};
  for (unsigned I = 0; I != 32; ++I) {
    Cost.begin(Now);
    Now += milliseconds(1000) / Rate;
    Cost.end(MiB, Now);
    Now += milliseconds(5); // of nothing: not the disk's time
  }
}

TEST(FetchCostTest, NothingIsKnownAtFirst) {
  FetchCost Cost(Numbers);
  EXPECT_FALSE(Cost.isWholeCheaper(MiB));
  EXPECT_FALSE(Cost.isCheaperThanSymbols(1, 1000 * MiB, 0, {}));
  fetchAt(Cost, 1000);
  EXPECT_FALSE(Cost.isWholeCheaper(MiB));
  Cost.noteLook(16 * MiB, 0);
  EXPECT_TRUE(Cost.isWholeCheaper(MiB));
}

TEST(FetchCostTest, AFastDiskBringsMoreAndASlowOneWhatIsNeeded) {
  for (bool IsFast : {false, true}) {
    FetchCost Cost(Numbers);
    fetchAt(Cost, IsFast ? 1000 : 100);
    Cost.noteLook(16 * MiB, 4 * MiB);
    EXPECT_EQ(Cost.isWholeCheaper(MiB), IsFast);
    Cost.noteLook(16 * MiB, UINT64_MAX);
    EXPECT_FALSE(Cost.isWholeCheaper(MiB));
    EXPECT_EQ(Cost.isCheaperThanSymbols(10 * MiB, 100 * MiB, 0, {}), IsFast);
    EXPECT_FALSE(Cost.isCheaperThanSymbols(100 * MiB, 100 * MiB, 0, {}));
  }
}

TEST(FetchCostTest, ThreadsThatFetchAtTheSameTimeShareTheDisk) {
  FetchCost Cost(Numbers);
  FetchCost::Time Now{std::chrono::hours(1)};
  Cost.begin(Now);
  for (unsigned I = 0; I != 31; ++I) {
    Cost.begin(Now);
    Now += milliseconds(1);
    Cost.end(MiB, Now);
  }
  Cost.end(MiB, Now);
  Cost.noteLook(16 * MiB, 4 * MiB);
  EXPECT_TRUE(Cost.isWholeCheaper(MiB));
}

} // namespace
