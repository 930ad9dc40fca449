//===- LinkStatsTest.cpp - The figures of a link, as JSON and in words ----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/LinkStats.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace headstart;
using testing::HasSubstr;

namespace {

LinkStats someStats() {
  LinkStats S;
  S.Tool = "lld-link";
  S.Flavour = "coff";
  S.On = true;
  S.Inputs = 450;
  S.InputsBytes = 800000000;
  S.ResidentBytesBefore = 0;
  S.HintedBytes = 600000000;
  S.HintCalls = 1200;
  S.HandedOver = 449;
  S.NotHandedOver = 3;
  S.BudgetBytes = uint64_t(1) << 33;
  S.Jobs = 8;
  S.FirstHintMs = 8.1234;
  S.LastHintMs = 900;
  S.LinkMs = 2500;
  S.Problems = {{"cannot open 'x.obj': Permission denied", 2}};
  return S;
}

std::string asJSON(const LinkStats &S) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeStatsJSON(S, OS);
  return Text;
}

std::string asParagraph(const LinkStats &S) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeStatsParagraph(S, OS);
  return Text;
}

TEST(LinkStatsTest, JSONHasEveryPromisedField) {
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(asJSON(someStats()));
  ASSERT_TRUE(bool(V)) << llvm::toString(V.takeError());
  const llvm::json::Object &O = *V->getAsObject();
  EXPECT_EQ(O.size(), 20U);
  EXPECT_EQ(O.getInteger("version"), 1);
  EXPECT_EQ(O.getString("tool"), "lld-link");
  EXPECT_EQ(O.getString("flavour"), "coff");
  EXPECT_EQ(O.getString("mode"), "on");
  EXPECT_EQ(O.getInteger("inputs"), 450);
  EXPECT_EQ(O.getInteger("inputs_bytes"), 800000000);
  EXPECT_EQ(O.getInteger("resident_bytes_before"), 0);
  EXPECT_EQ(O.getInteger("hinted_bytes"), 600000000);
  EXPECT_EQ(O.getInteger("hint_calls"), 1200);
  EXPECT_EQ(O.getInteger("handed_over"), 449);
  EXPECT_EQ(O.getInteger("not_handed_over"), 3);
  EXPECT_TRUE(O.getNull("touched_bytes").has_value());
  EXPECT_TRUE(O.getNull("wasted_bytes").has_value());
  EXPECT_EQ(O.getInteger("budget_bytes"), int64_t(1) << 33);
  EXPECT_EQ(O.getInteger("jobs"), 8);
  EXPECT_EQ(O.getString("profile"), "none");
  EXPECT_EQ(O.getNumber("first_hint_ms"), 8.123);
  EXPECT_EQ(O.getNumber("last_hint_ms"), 900);
  EXPECT_EQ(O.getNumber("link_ms"), 2500);
  ASSERT_EQ(O.getArray("errors")->size(), 1U);
  EXPECT_EQ((*O.getArray("errors"))[0].getAsObject()->getInteger("count"), 2);
}

TEST(LinkStatsTest, WhatDidNotHappenIsNull) {
  LinkStats S;
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(asJSON(S));
  ASSERT_TRUE(bool(V));
  EXPECT_EQ(V->getAsObject()->getString("mode"), "off");
  EXPECT_TRUE(V->getAsObject()->getNull("first_hint_ms").has_value());
}

TEST(LinkStatsTest, NamesThatAreNotUTF8StayValidJSON) {
  LinkStats S = someStats();
  S.Problems = {{"cannot open '\xff\xfe.obj'", 1}};
  EXPECT_TRUE(bool(llvm::json::parse(asJSON(S))));
}

TEST(LinkStatsTest, TheParagraphSaysWhatMatters) {
  std::string P = asParagraph(someStats());
  EXPECT_THAT(P, HasSubstr("450 inputs, 800 MB (100% not in memory)"));
  EXPECT_THAT(P, HasSubstr("Fetched 600 MB"));
  EXPECT_THAT(P, HasSubstr("449 of 452"));
  EXPECT_THAT(P, HasSubstr("Permission denied"));
}

TEST(LinkStatsTest, TheParagraphStaysWithinTheTerminal) {
  std::string Text = asParagraph(someStats());
  llvm::StringRef Rest = Text;
  while (!Rest.empty()) {
    auto [Line, Tail] = Rest.split('\n');
    EXPECT_LE(Line.size(), 79U);
    Rest = Tail;
  }
}

TEST(LinkStatsTest, SaysWhenNothingWasFetched) {
  LinkStats Warm = someStats();
  Warm.HintedBytes = 0;
  Warm.ResidentBytesBefore = Warm.InputsBytes;
  EXPECT_THAT(asParagraph(Warm), HasSubstr("Nothing had to be"));
  Warm.BudgetBytes = 0;
  EXPECT_THAT(asParagraph(Warm), HasSubstr("Nothing had to be"));
  Warm.ResidentBytesBefore = 0;
  EXPECT_THAT(asParagraph(Warm), HasSubstr("Nothing was allowed"));
  LinkStats Off;
  EXPECT_THAT(asParagraph(Off), HasSubstr("off"));
}

TEST(LinkStatsTest, SaysWhyItWasOff) {
  LinkStats Off;
  Off.Tool = "headstart run";
  Off.Problems = {{"nobody knows this linker", 1}};
  EXPECT_THAT(asParagraph(Off), HasSubstr("nobody knows this linker."));
}

TEST(LinkStatsTest, BesideAnotherLinkerNothingIsHandedOver) {
  LinkStats Beside = someStats();
  Beside.HandedOver = 0;
  Beside.NotHandedOver = 0;
  EXPECT_THAT(asParagraph(Beside), testing::Not(HasSubstr("ready-made")));
  EXPECT_THAT(asParagraph(Beside), HasSubstr("Permission denied"));
}

TEST(LinkStatsTest, BytesForPeople) {
  EXPECT_EQ(formatBytes(0), "0 bytes");
  EXPECT_EQ(formatBytes(1), "1 byte");
  EXPECT_EQ(formatBytes(999), "999 bytes");
  EXPECT_EQ(formatBytes(1500), "1.5 kB");
  EXPECT_EQ(formatBytes(999999), "1.0 MB");
  EXPECT_EQ(formatBytes(750000000), "750 MB");
  EXPECT_EQ(formatBytes(3400000000), "3.4 GB");
  EXPECT_EQ(formatBytes(UINT64_MAX), "18447 PB");
}

} // namespace
