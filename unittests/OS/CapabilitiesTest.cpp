//===- CapabilitiesTest.cpp - Names of system calls -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Capabilities.h"
#include "headstart/OS/PageCache.h"

#include "gtest/gtest.h"

#include <vector>

using namespace headstart::os;

namespace {

TEST(CapabilitiesTest, ReportsEachCapabilityOnceInOrder) {
  const std::vector<Capability> All = probeCapabilities();
  ASSERT_EQ(All.size(), 10U);
  for (size_t I = 0; I != All.size(); ++I)
    EXPECT_EQ(static_cast<size_t>(All[I].Kind), I);
}

TEST(CapabilitiesTest, MatchesPageCacheProbe) {
  const PageCacheCapabilities Found = PageCache::probe();
  for (const Capability &One : probeCapabilities()) {
    if (One.Kind == CapabilityKind::Hint) {
      EXPECT_EQ(One.Works, Found.Hint);
    } else if (One.Kind == CapabilityKind::Cachestat) {
      EXPECT_EQ(One.Works, Found.Cachestat);
    } else if (One.Kind == CapabilityKind::Mincore) {
      EXPECT_EQ(One.Works, Found.Mincore);
    } else if (One.Kind == CapabilityKind::Evict) {
      EXPECT_EQ(One.Works, Found.Evict);
    } else if (One.Kind == CapabilityKind::LargePages && !Found.PopulateRead) {
      EXPECT_FALSE(One.Works);
    }
  }
}

TEST(CapabilitiesTest, ReportsThatThreadsCanStart) {
  EXPECT_TRUE(probeCapabilities().back().Works);
}

} // namespace
