//===- AbilitiesTest.cpp - What is said of the system's calls -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Abilities.h"
#include "headstart/OS/PageCache.h"

#include "gtest/gtest.h"

#include <vector>

using namespace headstart::os;

namespace {

TEST(AbilitiesTest, EachIsToldOnceInOrder) {
  const std::vector<Ability> All = tryAbilities();
  ASSERT_EQ(All.size(), 10U);
  for (size_t I = 0; I != All.size(); ++I)
    EXPECT_EQ(static_cast<size_t>(All[I].Kind), I);
}

TEST(AbilitiesTest, AreThoseOfThePageCache) {
  const PageCacheAbilities Found = PageCache::probe();
  for (const Ability &One : tryAbilities()) {
    if (One.Kind == AbilityKind::Hint) {
      EXPECT_EQ(One.Works, Found.Hint);
    } else if (One.Kind == AbilityKind::Cachestat) {
      EXPECT_EQ(One.Works, Found.Cachestat);
    } else if (One.Kind == AbilityKind::Mincore) {
      EXPECT_EQ(One.Works, Found.Mincore);
    } else if (One.Kind == AbilityKind::Evict) {
      EXPECT_EQ(One.Works, Found.Evict);
    } else if (One.Kind == AbilityKind::LargePages && !Found.PopulateRead) {
      EXPECT_FALSE(One.Works);
    }
  }
}

TEST(AbilitiesTest, ThisTestsThreadsCanBeStarted) {
  EXPECT_TRUE(tryAbilities().back().Works);
}

} // namespace
