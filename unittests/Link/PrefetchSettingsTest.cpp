//===- PrefetchSettingsTest.cpp - Headstart's own options -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/PrefetchSettings.h"
#include "Inputs/TestSupport.h"
#include "llvm/Support/Error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>

using namespace headstart;
using headstart::test::contextWith;
using testing::HasSubstr;

namespace {

std::string messageOf(llvm::Error E) { return llvm::toString(std::move(E)); }

PrefetchOption option(const std::string &Name, const std::string &Value) {
  return {Name, Value, /*HasValue=*/true, "--" + Name + "=" + Value};
}

PrefetchOption flag(const std::string &Name) {
  return {Name, "", /*HasValue=*/false, "--" + Name};
}

TEST(PrefetchSettingsTest, ParsesSizes) {
  struct {
    const char *Text;
    uint64_t Bytes;
  } Cases[] = {{"0", 0},
               {"1000", 1000},
               {"64k", 65536},
               {"512M", 512u << 20},
               {"2G", uint64_t(2) << 30},
               {"2g", uint64_t(2) << 30},
               {"2GB", uint64_t(2) << 30},
               {"1T", uint64_t(1) << 40}};
  for (const auto &C : Cases) {
    llvm::Expected<MemoryLimit> L = parseMemoryLimit(C.Text);
    ASSERT_TRUE(bool(L)) << C.Text << messageOf(L.takeError());
    EXPECT_EQ(L->Bytes, C.Bytes) << C.Text;
    EXPECT_EQ(L->Percent, 0U);
  }
  llvm::Expected<MemoryLimit> Half = parseMemoryLimit("50%");
  ASSERT_TRUE(bool(Half));
  os::SystemMemory Memory;
  Memory.AvailableBytes = 1000;
  EXPECT_EQ(Half->on(Memory), 500U);
  // Without /proc, the memory is unknown rather than exhausted.
  EXPECT_EQ(Half->on(os::SystemMemory()) >> 20, 1023U);
}

TEST(PrefetchSettingsTest, RefusesInvalidSizes) {
  for (const char *Text : {"", "banana", "G", "-1", "1.5G", "0%", "101%", "%",
                           "1X", "99999999999T", "18446744073709551616"})
    EXPECT_THAT(messageOf(parseMemoryLimit(Text).takeError()),
                HasSubstr("expected a size"))
        << Text;
}

TEST(PrefetchSettingsTest, LaterOptionWins) {
  PrefetchSettings S;
  ASSERT_FALSE(bool(applyOptions(
      {option("prefetch-jobs", "2"), option("prefetch-inputs", "no"),
       option("prefetch-jobs", "16"), flag("prefetch-inputs")},
      S)));
  EXPECT_EQ(S.Jobs, 16U);
  EXPECT_EQ(whyOff(S), "");
}

TEST(PrefetchSettingsTest, AppliesEveryOption) {
  PrefetchSettings S;
  ASSERT_FALSE(bool(applyOptions(
      {option("prefetch-memory", "1G"), option("prefetch-profile", "none"),
       option("prefetch-stats", "s.json"), option("prefetch-trace", "t.json"),
       option("prefetch-handover", "none"), option("prefetch-inputs", "no")},
      S)));
  EXPECT_EQ(S.Memory->Bytes, uint64_t(1) << 30);
  EXPECT_EQ(S.Profile, "none");
  EXPECT_TRUE(S.Stats);
  EXPECT_EQ(S.StatsFile, "s.json");
  EXPECT_EQ(S.TraceFile, "t.json");
  EXPECT_FALSE(S.HandOver);
  EXPECT_NE(whyOff(S), "");
  ASSERT_FALSE(bool(applyOptions({flag("prefetch-stats")}, S)));
  EXPECT_TRUE(S.Stats);
  EXPECT_EQ(S.StatsFile, "");
}

TEST(PrefetchSettingsTest, ErrorNamesOptionAndValue) {
  for (const PrefetchOption &O :
       {option("prefetch-jobs", "banana"), option("prefetch-jobs", "-1"),
        option("prefetch-jobs", ""), option("prefetch-jobs", "100000"),
        flag("prefetch-jobs"), option("prefetch-memory", "banana"),
        flag("prefetch-trace"), option("prefetch-stats", ""),
        option("prefetch-handover", "banana"), flag("prefetch-nonsense")}) {
    PrefetchSettings S;
    std::string Message = messageOf(applyOptions({O}, S));
    EXPECT_THAT(Message, HasSubstr(O.Spelling));
    EXPECT_THAT(Message, HasSubstr(O.Value));
  }
}

TEST(PrefetchSettingsTest, RefusesMisspelledProfileKeyword) {
  for (const auto &[Value, Meant] :
       std::map<std::string, std::string>{{"auot", "auto"},
                                          {"AUTO", "auto"},
                                          {"aut", "auto"},
                                          {"on", "auto"},
                                          {"non", "none"},
                                          {"nnoe", "none"},
                                          {"off", "none"}}) {
    PrefetchSettings S;
    EXPECT_THAT(messageOf(applyOptions({option("prefetch-profile", Value)}, S)),
                HasSubstr("did you mean '" + Meant + "'?"))
        << Value;
  }
  for (const char *File : {"./auot", "auto.1", "p", "record", "C:auot"}) {
    PrefetchSettings S;
    EXPECT_EQ(messageOf(applyOptions({option("prefetch-profile", File)}, S)),
              "");
    EXPECT_EQ(S.Profile, File);
  }
}

/// Returns the warning, and sets \p S.
std::string warning(const std::map<std::string, std::string> &Variables,
                    PrefetchSettings &S) {
  S = {};
  return applyEnvironment(Flavour::COFF, contextWith(Variables), S);
}

TEST(PrefetchSettingsTest, EnvironmentAddsOptions) {
  PrefetchSettings S;
  EXPECT_EQ(warning({{"HEADSTART_FLAGS",
                      "--prefetch-jobs=3 '/prefetch-stats:a b.json'"}},
                    S),
            "");
  EXPECT_EQ(S.Jobs, 3U);
  EXPECT_EQ(S.StatsFile, "a b.json");
}

TEST(PrefetchSettingsTest, EnvironmentSwitchesOff) {
  PrefetchSettings S;
  for (const char *Off : {"off", "OFF", "0", "no", "false"}) {
    EXPECT_EQ(
        warning({{"HEADSTART", Off}, {"HEADSTART_FLAGS", "--prefetch-inputs"}},
                S),
        "");
    EXPECT_EQ(whyOff(S), "HEADSTART=off") << Off;
  }
  // Then no other value matters.
  EXPECT_EQ(warning({{"HEADSTART", "off"},
                     {"HEADSTART_FLAGS", "--prefetch-jobs=x --frob"}},
                    S),
            "");
  EXPECT_EQ(messageOf(applyOptions({option("prefetch-jobs", "banana"),
                                    option("prefetch-stats", "s.json")},
                                   S)),
            "");
  EXPECT_EQ(S.StatsFile, "s.json");
  for (const char *On : {"", "on", "1", "yes", "True"}) {
    EXPECT_EQ(warning({{"HEADSTART", On}}, S), "");
    EXPECT_EQ(whyOff(S), "") << On;
  }
  EXPECT_EQ(warning({{"HEADSTART", "of"}}, S),
            "HEADSTART: expected 'on' or 'off', but got 'of'; "
            "prefetching is off");
  EXPECT_NE(whyOff(S), "");
}

TEST(PrefetchSettingsTest, EnvironmentRefusesOtherOptions) {
  PrefetchSettings S;
  EXPECT_EQ(warning({{"HEADSTART_FLAGS", "--prefetch-jobs=2 /out:x.exe"}}, S),
            "HEADSTART_FLAGS: '/out:x.exe' is not a prefetching option; "
            "prefetching is off");
  EXPECT_NE(whyOff(S), "");
  EXPECT_THAT(warning({{"HEADSTART_FLAGS", "--prefetch-jobs=x"}}, S),
              HasSubstr("HEADSTART_FLAGS: --prefetch-jobs=x"));
}

TEST(PrefetchSettingsTest, EnvironmentRefusesOpenQuote) {
  PrefetchSettings S;
  EXPECT_EQ(warning({{"HEADSTART_FLAGS", "--prefetch-stats='a b"}}, S),
            "HEADSTART_FLAGS: the quote ' is not closed; prefetching is off");
  for (const char *Flags : {"'a'\"b' '", "\"\\\""})
    EXPECT_EQ(
        warning({{"HEADSTART_FLAGS", Flags}}, S),
        "HEADSTART_FLAGS: the quote \" is not closed; prefetching is off");
  EXPECT_EQ(warning({{"HEADSTART", "off"}, {"HEADSTART_FLAGS", "'"}}, S), "");
  EXPECT_EQ(warning({{"HEADSTART_FLAGS", "--prefetch-stats=\"it's\"\\'"}}, S),
            "");
  EXPECT_EQ(S.StatsFile, "it's'");
}

TEST(PrefetchSettingsTest, DefaultBudgetLeavesRoomForLinker) {
  os::SystemMemory Memory;
  Memory.AvailableBytes = uint64_t(20) << 30;
  EXPECT_EQ(PrefetchSettings().budgetBytes(Memory), uint64_t(10) << 30);
  Memory.CgroupAvailableBytes = uint64_t(3) << 30;
  EXPECT_EQ(PrefetchSettings().budgetBytes(Memory), uint64_t(3) << 29);
  EXPECT_GT(PrefetchSettings().budgetBytes(os::SystemMemory()), 0U);
}

TEST(WhyOffTest, ReportsWhatSwitchedPrefetchingOff) {
  PrefetchSettings S;
  EXPECT_EQ(whyOff(S), "");
  S.OffBecause = "--no-prefetch-inputs";
  EXPECT_EQ(whyOff(S), "--no-prefetch-inputs");
  S.IsSwitchedOff = true;
  EXPECT_EQ(whyOff(S), "HEADSTART=off");
  // An invalid variable switches it off until an option switches it on.
  EXPECT_NE(warning({{"HEADSTART", "of"}}, S), "");
  EXPECT_EQ(whyOff(S), "HEADSTART has an invalid value");
  EXPECT_NE(warning({{"HEADSTART_FLAGS", "--frob"}}, S), "");
  EXPECT_EQ(whyOff(S), "HEADSTART_FLAGS has an invalid value");
  EXPECT_EQ(messageOf(applyOptions({flag("prefetch-inputs")}, S)), "");
  EXPECT_EQ(whyOff(S), "");
  S.Jobs = 0;
  EXPECT_EQ(whyOff(S), "--prefetch-jobs=0");
}

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
