//===- LinkerPositionTest.cpp - Where the linker is in a stage ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/LinkerPosition.h"
#include "EngineTestSupport.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace headstart;
using namespace headstart::test;

namespace {

/// A mapped file, and ranges of 64 KiB that are 128 KiB apart, so that a fault
/// in one maps nothing of another.
class LinkerPositionTest : public testing::Test {
protected:
  static constexpr uint64_t Bytes = 64 << 10, Count = 8;

  LinkerPositionTest() {
    Numbers.FollowAhead = 2;
    All.memory().decide(2 << 20, true);
    All.reached(LinkStage::Contents);
  }

  void SetUp() override {
    Path = Directory.write("a.obj", std::string(2 * Bytes * Count, 'x'));
    evict({Path});
    const os::OpenFile File = openOrFail(Path);
    auto New = std::make_shared<FileContents>();
    ASSERT_FALSE(os::MappedFile::map(File, New->Mapping));
    Contents = std::move(New);
    if (!os::PageTables().present(Contents->Mapping.bytes()))
      GTEST_SKIP() << "the system does not report page tables";
  }

  static ByteRange range(uint64_t I) { return {2 * Bytes * I, Bytes}; }

  /// Fetches the ranges from \p First to before \p End for \p Stage.
  void fetch(LinkStage Stage, uint64_t First, uint64_t End) {
    const os::OpenFile File = openOrFail(Path);
    for (uint64_t I = First; I != End; ++I) {
      ASSERT_TRUE(All.store(1).enter({.Stage = Stage,
                                      .Bytes = Bytes,
                                      .IsUrgent = true,
                                      .IsFollowed = true}));
      All.store(1).leave(Bytes, std::nullopt);
      (void)Cache.fetch(File, range(I));
      Position.add(Contents, range(I), Stage, /*ShowsPosition=*/true);
    }
  }
  void touch(uint64_t I) {
    const std::span<const char> Part = Contents->part(range(I));
    EXPECT_EQ(std::accumulate(Part.begin(), Part.end(), 0), int('x' * Bytes));
  }
  /// The ranges that are ahead of the linker, as far as seen.
  uint64_t ahead() {
    Position.follow();
    return All.memory().ahead() / Bytes;
  }

  TestDirectory Directory;
  os::PageCache Cache;
  Tuning Numbers;
  DecisionCounts Decisions;
  Gate All{UINT64_MAX,
           [] {
             os::SystemMemory Memory;
             Memory.AvailableBytes = 1 << 20;
             return Memory;
           },
           Numbers, Decisions};
  LinkerPosition Position{All, Cache, Numbers, Decisions};
  std::string Path;
  std::shared_ptr<const FileContents> Contents;
};

TEST_F(LinkerPositionTest, TouchedRangesAreNotAhead) {
  fetch(LinkStage::Contents, 0, Count);
  EXPECT_EQ(ahead(), Count);
  touch(0);
  EXPECT_EQ(ahead(), Count - 1);
  touch(2); // it has passed 1
  EXPECT_EQ(ahead(), Count - 3);
  touch(7); // too far from the others
  EXPECT_EQ(ahead(), Count - 3);
  touch(3);
  touch(5);
  EXPECT_EQ(ahead(), 0U);
}

TEST_F(LinkerPositionTest, EarlierTouchIsIgnored) {
  fetch(LinkStage::Types, 0, 2);
  touch(1); // in the stage before
  fetch(LinkStage::Contents, 2, 3);
  touch(2);
  All.reached(LinkStage::Types);
  EXPECT_EQ(ahead(), 2U);
  touch(0);
  EXPECT_EQ(ahead(), 1U);
  // None of the others can show when it is touched.
  EXPECT_EQ(ahead(), 0U);
}

TEST_F(LinkerPositionTest, EvictedRangesAreNotAhead) {
  fetch(LinkStage::Contents, 0, 3);
  EXPECT_EQ(ahead(), 3U);
  evict({Path});
  EXPECT_EQ(ahead(), 1U); // it checks two at a time
  EXPECT_EQ(ahead(), 0U);
  EXPECT_EQ(Decisions.read().at(static_cast<size_t>(Decision::LinkerFollowed)),
            0U);
}

TEST_F(LinkerPositionTest, TouchDoesNotBeginNextStage) {
  fetch(LinkStage::Types, 0, 3);
  touch(0);
  EXPECT_EQ(ahead(), 3U);
  EXPECT_EQ(All.memory().stage(), LinkStage::Contents);
}

TEST_F(LinkerPositionTest, EndOfStageRemovesItsRanges) {
  fetch(LinkStage::Contents, 0, 3);
  fetch(LinkStage::Types, 3, 4);
  All.reached(LinkStage::Types);
  EXPECT_EQ(ahead(), 1U);
  touch(3);
  EXPECT_EQ(ahead(), 0U);
}

} // namespace
