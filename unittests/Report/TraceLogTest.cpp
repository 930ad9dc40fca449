//===- TraceLogTest.cpp - The trace, read back ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/TraceLog.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <thread>

using namespace headstart;

namespace {

llvm::json::Value parsed(const TraceLog &Log) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  Log.write(OS);
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
  if (!V) {
    ADD_FAILURE() << llvm::toString(V.takeError());
    return nullptr;
  }
  return *V;
}

TEST(TraceLogTest, AnEmptyTraceIsStillATrace) {
  llvm::json::Value V = parsed(TraceLog(TraceClock::now()));
  EXPECT_TRUE(V.getAsObject()->getArray("traceEvents")->empty());
}

TEST(TraceLogTest, EventsCarryTimesInMicrosecondsAndTheirFile) {
  TraceClock::time_point Start = TraceClock::now();
  TraceLog Log(Start);
  Log.addLane("prefetch 0")
      .add({"fetch", Start + std::chrono::milliseconds(2),
            Start + std::chrono::milliseconds(5), "a\xff.obj", 4096, 512,
            "headers"});
  llvm::json::Value V = parsed(Log);
  const llvm::json::Array &Events = *V.getAsObject()->getArray("traceEvents");
  ASSERT_EQ(Events.size(), 2U);
  const llvm::json::Object &Name = *Events[0].getAsObject();
  EXPECT_EQ(Name.getString("ph"), "M");
  EXPECT_EQ(Name.getObject("args")->getString("name"), "prefetch 0");
  const llvm::json::Object &E = *Events[1].getAsObject();
  EXPECT_EQ(E.getString("ph"), "X");
  EXPECT_EQ(E.getString("name"), "fetch");
  EXPECT_EQ(E.getNumber("ts"), 2000.0);
  EXPECT_EQ(E.getNumber("dur"), 3000.0);
  EXPECT_EQ(E.getInteger("tid"), Name.getInteger("tid"));
  EXPECT_EQ(E.getObject("args")->getInteger("offset"), 4096);
  EXPECT_EQ(E.getObject("args")->getInteger("bytes"), 512);
  EXPECT_EQ(E.getObject("args")->getString("why"), "headers");
}

TEST(TraceLogTest, EachThreadHasItsLane) {
  TraceLog Log(TraceClock::now());
  std::vector<std::thread> Threads;
  for (int T = 0; T != 8; ++T)
    Threads.emplace_back([&] {
      TraceLane &Lane = Log.addLane("thread");
      for (int I = 0; I != 1000; ++I)
        Lane.add({"open", TraceClock::now(), TraceClock::now(), "f"});
    });
  for (std::thread &T : Threads)
    T.join();
  llvm::json::Value V = parsed(Log);
  EXPECT_EQ(V.getAsObject()->getArray("traceEvents")->size(), 8U + 8 * 1000);
}

} // namespace
