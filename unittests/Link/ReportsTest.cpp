//===- ReportsTest.cpp - Statistics and traces ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OS/TestFiles.h"
#include "headstart/Link/PrefetchSettings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <chrono>
#include <sys/stat.h>

using namespace headstart;
using headstart::os::test::TestDirectory;
using testing::HasSubstr;

namespace {

class ReportsTest : public testing::Test {
protected:
  ReportsTest() { Run.Trace = std::make_shared<TraceLog>(Run.Origin); }
  std::string errorOf(const std::string &File) {
    Run.Problems.clear();
    Run.TimeTraceFile = File;
    Run.mergeTimeTrace(/*Succeeded=*/true);
    return Run.Problems.empty() ? "" : Run.Problems.front().Message;
  }

  static std::string timeTrace(const std::string &Events) {
    return "{\"traceEvents\":[" + Events + "],\"beginningOfTime\":" +
           std::to_string(
               std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count()) +
           "}";
  }

  TestDirectory Directory;
  PrefetchRun Run{{}, TraceClock::now() - std::chrono::seconds(1)};
};

TEST_F(ReportsTest, ErrorNamesUnreadableTimeTrace) {
  std::string Missing = Directory.path("missing");
  EXPECT_EQ(errorOf(Missing),
            "time trace '" + Missing + "': No such file or directory");
  EXPECT_EQ(errorOf("-"),
            "time trace '-': the linker wrote it to standard output");
  EXPECT_THAT(errorOf(Directory.path()), HasSubstr("Is a directory"));
  std::string Empty = Directory.write("empty", "");
  EXPECT_EQ(errorOf(Empty), "time trace '" + Empty + "': this is not a trace");
  std::string Cut = Directory.write("cut", "{\"traceEvents\":[{");
  EXPECT_EQ(errorOf(Cut), "time trace '" + Cut + "': the file is truncated");
  std::string Old = Directory.write(
      "old", "{\"traceEvents\":[],\"beginningOfTime\":1700000000000000}");
  EXPECT_EQ(errorOf(Old),
            "time trace '" + Old + "': this is the trace of another link");
}

// The link must not wait for the other end of a pipe.
TEST_F(ReportsTest, DoesNotReadTimeTraceFromPipe) {
  std::string Pipe = Directory.path("pipe");
  ASSERT_EQ(::mkfifo(Pipe.c_str(), 0600), 0);
  EXPECT_THAT(errorOf(Pipe), HasSubstr("Operation not supported"));
}

TEST_F(ReportsTest, CountsSkippedTimeTraceEvents) {
  EXPECT_EQ(errorOf(Directory.write(
                "t", timeTrace(R"({"ph":"X"},7,{"ph":"X","tid":1,"pid":1,
                                  "ts":1,"dur":1,"name":"good"})"))),
            "");
  PrefetchSettings Settings;
  Settings.Stats = true;
  Settings.StatsFile = Directory.path("stats.json");
  Settings.TraceFile = Directory.path("trace.json");
  writeReports(Settings, LinkStats(), Run.Trace.get(), "lld-link");
  auto Read = [&](const std::string &Path) {
    return llvm::cantFail(
        llvm::json::parse(llvm::cantFail(llvm::errorOrToExpected(
                                             llvm::MemoryBuffer::getFile(Path)))
                              ->getBuffer()));
  };
  llvm::json::Value Stats = Read(Settings.StatsFile);
  const llvm::json::Array &Errors = *Stats.getAsObject()->getArray("errors");
  ASSERT_EQ(Errors.size(), 1U);
  EXPECT_EQ(Errors[0].getAsObject()->getInteger("count"), 2);
  llvm::json::Value Trace = Read(Settings.TraceFile);
  EXPECT_EQ(llvm::count_if(*Trace.getAsObject()->getArray("traceEvents"),
                           [](const llvm::json::Value &E) {
                             return E.getAsObject()->getString("ph") == "X";
                           }),
            1);
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
