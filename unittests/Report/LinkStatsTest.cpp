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
#include <algorithm>
#include <optional>
#include <string>

using namespace headstart;
using testing::HasSubstr;

namespace {

LinkStats someStats() {
  LinkStats S;
  S.Tool = "lld-link";
  S.Flavour = "coff";
  S.Output = "/b/app.exe";
  S.On = true;
  S.Inputs = 450;
  S.OpenedInputs = 440;
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
  S.WaitedMs = 0.5;
  S.LinkerReadBytes = 1200000;
  S.LinkerStops = 14;
  S.Problems = {{"cannot open 'x.obj': Permission denied", 2}};
  return S;
}

std::string asJSON(const LinkStats &S) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeStatsJSON(S, OS);
  return Text;
}

llvm::json::Object objectOf(const LinkStats &S) {
  return *llvm::cantFail(llvm::json::parse(asJSON(S))).getAsObject();
}

std::string asParagraph(const LinkStats &S) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeStatsParagraph(S, OS);
  return Text;
}

TEST(LinkStatsTest, JSONHasEveryDocumentedField) {
  LinkStats S = someStats();
  S.ProcessorMs = {1, 2, 3.5, 4, 250, 6, 7, 8};
  S.Decisions[static_cast<size_t>(Decision::ByLayout)] = 7;
  S.Decisions[static_cast<size_t>(Decision::Stalled)] = 1;
  S.Stores.push_back({12.5, 0.7, 0.1, 0.002, 8, 40});
  const llvm::json::Object O = objectOf(S);
  EXPECT_EQ(O.size(), 31U);
  EXPECT_EQ(O.getInteger("version"), 1);
  EXPECT_EQ(O.getString("tool"), "lld-link");
  EXPECT_EQ(O.getString("flavour"), "coff");
  EXPECT_EQ(O.getString("output"), "/b/app.exe");
  EXPECT_EQ(O.getString("mode"), "on");
  EXPECT_EQ(O.getInteger("inputs"), 450);
  EXPECT_EQ(O.getInteger("inputs_bytes"), 800000000);
  EXPECT_EQ(O.getInteger("resident_bytes_before"), 0);
  EXPECT_EQ(O.getInteger("unknown_bytes_before"), 0);
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
  EXPECT_TRUE(O.getNull("why_off").has_value());
  EXPECT_EQ(O.getBoolean("unfinished"), false);
  EXPECT_EQ(O.getBoolean("short_of_memory"), false);
  EXPECT_EQ(O.getNumber("waited_ms"), 0.5);
  EXPECT_EQ(O.getInteger("linker_read_bytes"), 1200000);
  EXPECT_EQ(O.getInteger("linker_stops"), 14);
  const llvm::json::Object *Processor = O.getObject("processor_ms");
  ASSERT_TRUE(Processor);
  EXPECT_EQ(Processor->size(), NumPrefetchWorks);
  EXPECT_EQ(Processor->getNumber("opening"), 1);
  EXPECT_EQ(Processor->getNumber("looking"), 3.5);
  EXPECT_EQ(Processor->getNumber("record"), 8);
  ASSERT_EQ(O.getArray("stores")->size(), 1U);
  const llvm::json::Object *Store = (*O.getArray("stores"))[0].getAsObject();
  EXPECT_EQ(Store->getNumber("request_us"), 12.5);
  EXPECT_EQ(Store->getNumber("byte_ns"), 0.7);
  EXPECT_EQ(Store->getNumber("latency_ms"), 0.1);
  EXPECT_EQ(Store->getNumber("name_ms"), 0.002);
  EXPECT_EQ(Store->getInteger("at_once"), 8);
  EXPECT_EQ(Store->getInteger("samples"), 40);
  const llvm::json::Object *Decisions = O.getObject("decisions");
  ASSERT_TRUE(Decisions);
  EXPECT_EQ(Decisions->size(), 2U);
  EXPECT_EQ(Decisions->getInteger("by layout"), 7);
  EXPECT_EQ(Decisions->getInteger("stalled"), 1);
  ASSERT_EQ(O.getArray("errors")->size(), 1U);
  EXPECT_EQ((*O.getArray("errors"))[0].getAsObject()->getInteger("count"), 2);
}

TEST(LinkStatsTest, JSONHasNullForMissingValues) {
  LinkStats S;
  const llvm::json::Object O = objectOf(S);
  EXPECT_EQ(O.getString("mode"), "off");
  for (const char *Key :
       {"output", "first_hint_ms", "last_hint_ms", "waited_ms",
        "linker_read_bytes", "linker_stops", "processor_ms"})
    EXPECT_TRUE(O.getNull(Key).has_value()) << Key;
}

TEST(LinkStatsTest, JSONReportsWhyPrefetchingWasOff) {
  LinkStats S;
  S.WhyOff = "HEADSTART=off";
  EXPECT_EQ(objectOf(S).getString("why_off"), "HEADSTART=off");
}

TEST(LinkStatsTest, JSONIsValidForNamesInInvalidUTF8) {
  LinkStats S = someStats();
  S.Output = "\xff.exe";
  S.Problems = {{"cannot open '\xff\xfe.obj'", 1}};
  EXPECT_TRUE(bool(llvm::json::parse(asJSON(S))));
}

TEST(LinkStatsTest, ParagraphFitsTerminal) {
  std::string Text = asParagraph(someStats());
  llvm::StringRef Rest = Text;
  while (!Rest.empty()) {
    auto [Line, Tail] = Rest.split('\n');
    EXPECT_LE(Line.size(), 79U);
    Rest = Tail;
  }
}

/// Returns the paragraph on one line, for comparisons.
std::string text(const LinkStats &S) {
  std::string Text = asParagraph(S);
  EXPECT_EQ(Text.back(), '\n');
  Text.pop_back();
  std::replace(Text.begin(), Text.end(), '\n', ' ');
  return Text;
}

TEST(LinkStatsTest, DescribesPrices) {
  LinkStats S = someStats();
  S.Stores = {{1, 2, 0, 0, 8, 0}, {12.4, 0.7, 0.1, 0.002, 8, 40}};
  S.Decisions[static_cast<size_t>(Decision::WholeCheaper)] = 3;
  S.Decisions[static_cast<size_t>(Decision::WholeFewArchives)] = 1;
  S.Decisions[static_cast<size_t>(Decision::ByProfile)] = 20;
  S.Decisions[static_cast<size_t>(Decision::ByLayout)] = 7;
  EXPECT_THAT(text(S),
              HasSubstr("Headstart fetched 4 files whole, 20 by the profile "
                        "(what the last link used) and 7 by a plan (what this "
                        "link will use). It estimates that one more request "
                        "costs the store 12.4 us, and one more megabyte 0.7 "
                        "ms."));
}

TEST(LinkStatsTest, DescribesColdLink) {
  LinkStats S = someStats();
  S.TouchedBytes = 597000000;
  S.WastedBytes = 3000000;
  EXPECT_EQ(
      text(S),
      "lld-link: prefetch: none of 800 MB (440 inputs) was cached. Headstart "
      "fetched 600 MB with 8 threads between 0.01 s and 0.90 s; the linker "
      "used all but 3.0 MB. The linker itself read 1.2 MB, including its own "
      "program, and "
      "waited for the disk 14 times (major page faults). The linker opened "
      "inputs 452 times; Headstart had the file ready 449 times. The "
      "link took 2.50 s. Headstart cannot open 'x.obj': Permission denied (and "
      "1 more "
      "like it).");
}

TEST(LinkStatsTest, DescribesPartlyCachedLink) {
  LinkStats S = someStats();
  S.ResidentBytesBefore = 232000000;
  S.WastedBytes = 0;
  S.LinkerReadBytes = 0;
  S.LinkerStops = 0;
  S.WaitedMs = 210;
  S.Jobs = 1;
  S.Problems.clear();
  EXPECT_EQ(
      text(S),
      "lld-link: prefetch: 71% of 800 MB (440 inputs) was not cached. "
      "Headstart fetched 600 MB with 1 thread between 0.01 s and 0.90 s; the "
      "linker used all of it. The linker itself read nothing from the disk. "
      "The linker waited 0.21 s for files that Headstart was opening. The "
      "linker opened "
      "inputs 452 times; Headstart had the file ready 449 times. The link took "
      "2.50 "
      "s.");
}

TEST(LinkStatsTest, DescribesRequestsOfMostlyCachedRanges) {
  LinkStats S = someStats();
  S.ResidentBytesBefore = 799000000;
  EXPECT_THAT(
      text(S),
      HasSubstr("less than 1% of 800 MB (440 inputs) was not cached. "
                "Headstart requested 600 MB (at most 1.0 MB of it not cached) "
                "with 8 threads between 0.01 s and 0.90 s. The"));
  // The rounded figures do not show the difference.
  S.ResidentBytesBefore = 201000000;
  EXPECT_THAT(text(S), HasSubstr("Headstart fetched 600 MB with"));
  // If memory is short, bytes are fetched twice.
  S.ResidentBytesBefore = 799000000;
  S.ShortOfMemory = true;
  EXPECT_THAT(text(S), HasSubstr("Headstart fetched 600 MB with"));
}

LinkStats warmStats() {
  LinkStats S = someStats();
  S.ResidentBytesBefore = S.InputsBytes;
  S.HintedBytes = S.HintCalls = 0;
  S.FirstHintMs = S.LastHintMs = std::nullopt;
  S.LinkerReadBytes = 0;
  S.Problems.clear();
  return S;
}

TEST(LinkStatsTest, DescribesWarmLink) {
  EXPECT_EQ(text(warmStats()),
            "lld-link: prefetch: all 800 MB (440 inputs) were cached: "
            "there was nothing to fetch. The linker opened inputs 452 times; "
            "Headstart had the file ready 449 times. "
            "The link took 2.50 s.");
  // An empty budget is not the reason then.
  LinkStats S = warmStats();
  S.BudgetBytes = 0;
  EXPECT_EQ(text(S), text(warmStats()));
}

TEST(LinkStatsTest, DescribesProcessorTime) {
  LinkStats S = someStats();
  S.ProcessorMs = {1, 2, 3.5, 4, 250, 6, 7, 8};
  EXPECT_THAT(text(S), HasSubstr("The prefetcher took 0.28 s of processor "
                                 "time. The link"));
  // The time is too short to be of interest.
  S.ProcessorMs = {1, 0, 0, 0, 3, 0, 0, 0};
  EXPECT_EQ(text(S).find("processor"), std::string::npos);
}

// Bytes of unknown residency count neither as cached nor as uncached.
TEST(LinkStatsTest, DescribesUnknownResidency) {
  LinkStats S = someStats();
  S.UnknownBytesBefore = S.InputsBytes;
  EXPECT_THAT(
      text(S),
      HasSubstr("prefetch: the system does not report how much of "
                "800 MB (440 inputs) was cached. Headstart fetched 600 MB"));
  S.UnknownBytesBefore = 500000000;
  EXPECT_THAT(
      text(S),
      HasSubstr("prefetch: none of 300 MB was cached; for another 500 MB "
                "(440 inputs in all) this is unknown. Headstart "
                "fetched 600 MB"));
  S.ResidentBytesBefore = 87000000;
  EXPECT_THAT(
      text(S),
      HasSubstr("prefetch: 71% of 300 MB was not cached; for another 500 MB "
                "(440 inputs in all) this is unknown. Headstart "
                "fetched 600 MB"));
  S.ResidentBytesBefore = 299000000;
  EXPECT_THAT(
      text(S),
      HasSubstr("less than 1% of 300 MB was not cached; for another 500 MB"));
  S.ResidentBytesBefore = 300000000;
  EXPECT_THAT(text(S),
              HasSubstr("prefetch: all 300 MB were cached; for another 500 MB "
                        "(440 inputs in all) this is unknown. Headstart "
                        "fetched 600 MB"));
  S = warmStats();
  S.UnknownBytesBefore = 500000000;
  S.ResidentBytesBefore = 300000000;
  S.HintedBytes = 0;
  EXPECT_THAT(text(S),
              HasSubstr("this is unknown. Headstart fetched nothing because "
                        "the bytes that it sampled were cached. "
                        "The linker opened inputs 452"));
  S.Unfinished = true;
  EXPECT_THAT(
      text(S),
      HasSubstr("this is unknown. The linker finished before "
                "Headstart fetched anything. The linker opened inputs 452"));
  EXPECT_EQ(objectOf(S).getInteger("unknown_bytes_before"), 500000000);
}

TEST(LinkStatsTest, DescribesWhyNothingWasFetched) {
  LinkStats S = warmStats();
  S.ResidentBytesBefore = 799000000;
  EXPECT_THAT(text(S),
              HasSubstr("less than 1% of 800 MB (440 inputs) was not "
                        "cached. The link does not need the uncached parts. "
                        "The linker opened inputs 452"));
  S.ResidentBytesBefore = 400000000;
  EXPECT_THAT(text(S), HasSubstr("50% of 800 MB (440 inputs) was not "
                                 "cached. The link does not need"));
  S.Unfinished = true;
  EXPECT_THAT(text(S), HasSubstr("not cached. The linker finished before "
                                 "Headstart fetched anything. The linker"));
  S.ShortOfMemory = true;
  EXPECT_THAT(text(S),
              HasSubstr("not cached. Headstart fetched nothing "
                        "because memory was short. The linker opened"));
  S.BudgetBytes = 0;
  EXPECT_THAT(text(S), HasSubstr("not cached. --prefetch-memory left no memory "
                                 "for fetching. The linker opened"));
}

TEST(LinkStatsTest, UsesSingular) {
  LinkStats S = someStats();
  S.LinkerStops = 1;
  S.HandedOver = 1;
  S.NotHandedOver = 0;
  EXPECT_THAT(text(S), HasSubstr("waited for the disk once (a major page "
                                 "fault). The linker opened inputs once; "
                                 "Headstart had the file ready. The"));
  S.HandedOver = 4;
  EXPECT_THAT(text(S), HasSubstr("inputs 4 times; Headstart had the file "
                                 "ready each time. The"));
  S.HandedOver = 0;
  S.NotHandedOver = 4;
  EXPECT_THAT(text(S), HasSubstr("inputs 4 times; Headstart never had the "
                                 "file ready. The"));
}

TEST(LinkStatsTest, DescribesProfile) {
  LinkStats S = someStats();
  S.Profile = "none";
  EXPECT_THAT(text(S), testing::Not(HasSubstr("profile")));
  S.Profile = "used";
  EXPECT_THAT(text(S),
              HasSubstr(" Headstart used the profile of an earlier link. The"));
  S.Profile = "stale";
  EXPECT_THAT(text(S),
              HasSubstr(" The stored profile does not match this link. The"));
  S.Problems = {{"'x' is not a profile", 1}};
  EXPECT_THAT(text(S), testing::Not(HasSubstr("stored profile")));
  S.Profile = "recorded";
  EXPECT_THAT(text(S), HasSubstr(" There was no profile yet; this link "
                                 "stored one. The"));
}

TEST(LinkStatsTest, DescribesLinkWithoutInputs) {
  LinkStats S;
  S.Tool = "ld.lld";
  S.On = true;
  S.LinkMs = 10;
  EXPECT_EQ(text(S), "ld.lld: prefetch: there was nothing to prefetch. "
                     "The link took 0.01 s.");
}

TEST(LinkStatsTest, DescribesLinkThatOpenedNoInput) {
  LinkStats S;
  S.Tool = "headstart run";
  S.On = true;
  S.Inputs = 3;
  S.Unfinished = true;
  S.LinkMs = 10;
  EXPECT_EQ(text(S),
            "headstart run: prefetch: the linker finished before Headstart "
            "opened any of 3 inputs. The link took 0.01 s.");
}

TEST(LinkStatsTest, DescribesMemoryShortage) {
  LinkStats S = someStats();
  S.ShortOfMemory = true;
  S.Problems.clear();
  EXPECT_THAT(
      text(S),
      HasSubstr("and 0.90 s. Memory was short, so Headstart fetched files "
                "only shortly before the linker read them. The linker itself"));
}

TEST(LinkStatsTest, DescribesAddedThreads) {
  LinkStats S = someStats();
  S.FirstJobs = S.Jobs;
  S.FirstHintMs = S.LastHintMs;
  EXPECT_THAT(text(S), HasSubstr("with 8 threads at 0.90 s"));
  S.FirstHintMs = 8;
  EXPECT_THAT(text(S), HasSubstr("with 8 threads between"));
  S.FirstJobs = 4;
  EXPECT_THAT(text(S), HasSubstr("with 8 threads (at first 4; more because "
                                 "the store did not answer) between"));
  S.LatencyMs = 0.42;
  EXPECT_THAT(text(S), HasSubstr("the store answered in 0.4 ms) between"));
}

TEST(LinkStatsTest, DescribesUnfinishedFetch) {
  LinkStats S = someStats();
  S.Unfinished = true;
  EXPECT_THAT(text(S), HasSubstr("and 0.90 s. The linker finished before "
                                 "Headstart had fetched everything. The "
                                 "linker itself read 1.2 MB"));
}

TEST(LinkStatsTest, DescribesWhyPrefetchingWasOff) {
  LinkStats Off;
  Off.Tool = "lld-link";
  Off.LinkMs = 2110;
  for (const char *Why :
       {"of HEADSTART=off", "of --no-prefetch-inputs", "of --prefetch-jobs=0",
        "this command does not link", "HEADSTART has an invalid value"}) {
    llvm::StringRef Given = Why;
    Given.consume_front("of ");
    Off.WhyOff = Given.str();
    EXPECT_EQ(text(Off), std::string("lld-link: prefetch: off, because ") +
                             Why + ". The link took 2.11 s.");
  }
  Off.Tool = "headstart run";
  Off.WhyOff = "the linker's inputs are unknown";
  Off.Problems = {{"this linker is unknown", 1}};
  EXPECT_EQ(text(Off), "headstart run: prefetch: off, because the linker's "
                       "inputs are unknown. The link "
                       "took 2.11 s. This linker is unknown.");
}

TEST(LinkStatsTest, DescribesForeignLinker) {
  LinkStats S = someStats();
  S.Tool = "headstart run";
  S.HandedOver = S.NotHandedOver = 0;
  S.WaitedMs = std::nullopt;
  S.Problems.clear();
  EXPECT_EQ(
      text(S),
      "headstart run: prefetch: none of 800 MB (440 inputs) was "
      "cached. Headstart fetched 600 MB with 8 threads between 0.01 s "
      "and 0.90 s. The linker itself read 1.2 MB, including its own program, "
      "and waited for the disk 14 times (major page faults). The link "
      "took 2.50 s.");
}

TEST(LinkStatsTest, OmitsUnreportedFigures) {
  LinkStats S = someStats();
  S.LinkerReadBytes = S.LinkerStops = std::nullopt;
  S.Problems.clear();
  EXPECT_EQ(
      text(S),
      "lld-link: prefetch: none of 800 MB (440 inputs) was cached. Headstart "
      "fetched 600 MB with 8 threads between 0.01 s and 0.90 s. The linker "
      "opened inputs 452 times; Headstart had the file ready 449 times. The "
      "link "
      "took 2.50 s.");
}

TEST(LinkStatsTest, FormatsBytes) {
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
