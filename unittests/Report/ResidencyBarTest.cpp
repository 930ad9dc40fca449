//===- ResidencyBarTest.cpp - Bars, strips, and who can show them ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/Message.h"
#include "gtest/gtest.h"
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace headstart;

namespace {

constexpr BarStyle ASCII = {false, false};
constexpr BarStyle Blocks = {true, false};

BarStyle styleOf(const std::map<std::string, std::string> &Variables) {
  return BarStyle::of([&](llvm::StringRef Name) -> std::optional<std::string> {
    auto Found = Variables.find(Name.str());
    if (Found == Variables.end())
      return std::nullopt;
    return Found->second;
  });
}

TEST(ResidencyBarTest, OnlyExtremesRoundToZeroAndHundred) {
  EXPECT_EQ((ResidentShare{0, 10}).percent(), 0U);
  EXPECT_EQ((ResidentShare{1, 1000}).percent(), 1U);
  EXPECT_EQ((ResidentShare{5, 10}).percent(), 50U);
  EXPECT_EQ((ResidentShare{999, 1000}).percent(), 99U);
  EXPECT_EQ((ResidentShare{10, 10}).percent(), 100U);
  EXPECT_EQ((ResidentShare{0, 0}).percent(), 100U);
  constexpr uint64_t Most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ((ResidentShare{Most - 1, Most}).percent(), 99U);
}

TEST(ResidencyBarTest, StripHasFiveSteps) {
  const std::vector<ResidentShare> Pieces = {
      {0, 9}, {1, 9}, {4, 9}, {8, 9}, {9, 9}};
  EXPECT_EQ(drawStrip(Pieces, ASCII), ".-+*#");
  EXPECT_EQ(drawStrip(Pieces, Blocks), "\xc2\xb7"
                                       "\xe2\x96\x91"
                                       "\xe2\x96\x92"
                                       "\xe2\x96\x93"
                                       "\xe2\x96\x88");
  EXPECT_EQ(drawStrip({}, ASCII), "");
}

TEST(ResidencyBarTest, OnlyExtremesAreFullOrEmpty) {
  const std::vector<ResidentShare> Pieces = {{1, 1000000}, {999999, 1000000}};
  EXPECT_EQ(drawStrip(Pieces, ASCII), "-*");
}

TEST(ResidencyBarTest, BarLengthIsShare) {
  EXPECT_EQ(drawBar({0, 10}, 10, ASCII), "..........");
  EXPECT_EQ(drawBar({3, 10}, 10, ASCII), "###.......");
  EXPECT_EQ(drawBar({35, 100}, 10, ASCII), "###+......");
  EXPECT_EQ(drawBar({10, 10}, 10, ASCII), "##########");
  EXPECT_EQ(drawBar({0, 0}, 3, ASCII), "###");
  EXPECT_EQ(drawBar({1, 2}, 0, ASCII), "");
  EXPECT_EQ(drawBar({1, 2}, 4, Blocks),
            "\xe2\x96\x88\xe2\x96\x88\xc2\xb7\xc2\xb7");
}

TEST(ResidencyBarTest, SetsColourOncePerRun) {
  EXPECT_EQ(drawStrip({{1, 1}, {1, 1}, {0, 1}}, {false, true}),
            "\033[32m##\033[0m\033[2m.\033[0m");
}

TEST(ResidencyBarTest, LocaleSelectsCharacters) {
  EXPECT_TRUE(styleOf({{"LANG", "en_US.UTF-8"}}).Unicode);
  EXPECT_TRUE(styleOf({{"LC_CTYPE", "C.utf8"}, {"LANG", "C"}}).Unicode);
  EXPECT_FALSE(styleOf({}).Unicode);
  EXPECT_FALSE(styleOf({{"LANG", "en_US"}}).Unicode);
  EXPECT_FALSE(styleOf({{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}}).Unicode);
  // An empty variable counts as unset.
  EXPECT_TRUE(styleOf({{"LC_ALL", ""}, {"LANG", "en_US.UTF-8"}}).Unicode);
}

TEST(ResidencyBarTest, NoColorDisablesColours) {
  EXPECT_TRUE(styleOf({{"TERM", "xterm"}}).Colour);
  EXPECT_TRUE(styleOf({{"TERM", "xterm"}, {"NO_COLOR", ""}}).Colour);
  EXPECT_FALSE(styleOf({{"TERM", "xterm"}, {"NO_COLOR", "1"}}).Colour);
  EXPECT_FALSE(styleOf({{"TERM", "dumb"}}).Colour);
  EXPECT_FALSE(styleOf({}).Colour);
}

TEST(ResidencyBarTest, StripLeavesRoomForPath) {
  EXPECT_EQ(stripWidth(0), 0U);
  EXPECT_EQ(stripWidth(23), 0U);
  EXPECT_EQ(stripWidth(24), 8U);
  EXPECT_EQ(stripWidth(80), 26U);
  EXPECT_EQ(stripWidth(1000), 40U);
}

} // namespace
