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
#include "llvm/Support/SaveAndRestore.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace headstart;
using llvm::json::Object;
using Use = llvm::SaveAndRestore<TraceLane *>;

static thread_local bool HasNoMemory = false;

// The sanitizers bring their own operators.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static constexpr bool AllocationsCanFail = false;
#else
static constexpr bool AllocationsCanFail = true;

void *operator new(size_t Size) {
  void *const Memory = HasNoMemory ? nullptr : std::malloc(Size);
  if (!Memory)
    throw std::bad_alloc();
  return Memory;
}
void operator delete(void *Memory) noexcept { std::free(Memory); }
void operator delete(void *Memory, size_t) noexcept { std::free(Memory); }
#endif

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

/// Returns the events of \p Log with \p Kind ("X") and, if it is not empty, \p
/// Name.
std::vector<Object> eventsOf(const TraceLog &Log, llvm::StringRef Kind,
                             llvm::StringRef Name = "") {
  llvm::json::Value V = parsed(Log);
  std::vector<Object> Result;
  for (const llvm::json::Value &E : *V.getAsObject()->getArray("traceEvents")) {
    const Object &O = *E.getAsObject();
    if (O.getString("ph") == Kind &&
        (Name.empty() || O.getString("name") == Name))
      Result.push_back(O);
  }
  return Result;
}

llvm::StringRef nameIn(const Object &Metadata) {
  return *Metadata.getObject("args")->getString("name");
}

/// Runs \p Work on \p Count threads, and \p Meanwhile on this one.
void onThreads(
    size_t Count, const std::function<void()> &Work,
    const std::function<void()> &Meanwhile = [] {}) {
  std::vector<std::thread> Threads;
  for (size_t T = 0; T != Count; ++T)
    Threads.emplace_back(Work);
  Meanwhile();
  for (std::thread &T : Threads)
    T.join();
}

TEST(TraceLogTest, EmptyTraceNamesProcess) {
  TraceLog Log(TraceClock::now(), "lld-link\xff");
  std::vector<Object> Names = eventsOf(Log, "M", "process_name");
  ASSERT_EQ(Names.size(), 1U);
  EXPECT_TRUE(nameIn(Names[0]).starts_with("lld-link"));
  EXPECT_TRUE(eventsOf(Log, "X").empty());
}

TEST(TraceLogTest, EventsHaveMicrosecondsAndFile) {
  TraceClock::time_point Start = TraceClock::now();
  TraceLog Log(Start);
  Log.addLane("prefetch 0")
      .add({"fetch", Start + std::chrono::milliseconds(2),
            Start + std::chrono::milliseconds(5), "a\xff.obj", 4096, 512,
            "headers", "parse", 100});
  std::vector<Object> Names = eventsOf(Log, "M", "thread_name");
  ASSERT_EQ(Names.size(), 1U);
  EXPECT_EQ(nameIn(Names[0]), "prefetch 0");
  std::vector<Object> Events = eventsOf(Log, "X");
  ASSERT_EQ(Events.size(), 1U);
  const Object &E = Events[0];
  EXPECT_EQ(E.getString("name"), "fetch");
  EXPECT_EQ(E.getNumber("ts"), 2000.0);
  EXPECT_EQ(E.getNumber("dur"), 3000.0);
  EXPECT_EQ(E.getInteger("tid"), Names[0].getInteger("tid"));
  EXPECT_EQ(E.getInteger("pid"), Names[0].getInteger("pid"));
  EXPECT_EQ(E.getObject("args")->getInteger("offset"), 4096);
  EXPECT_EQ(E.getObject("args")->getInteger("bytes"), 512);
  EXPECT_EQ(E.getObject("args")->getString("why"), "headers");
  EXPECT_EQ(E.getObject("args")->getString("stage"), "parse");
  EXPECT_EQ(E.getObject("args")->getInteger("resident"), 100);
}

TEST(TraceLogTest, EachThreadHasOwnLane) {
  TraceLog Log(TraceClock::now());
  onThreads(8, [&] {
    TraceLane &Lane = Log.addLane("thread");
    for (int I = 0; I != 1000; ++I)
      Lane.add({"open", TraceClock::now(), TraceClock::now(), "f"});
  });
  EXPECT_EQ(eventsOf(Log, "M", "thread_name").size(), 8U);
  EXPECT_EQ(eventsOf(Log, "X").size(), 8U * 1000);
}

TEST(TraceLogTest, SortsLanesByPlace) {
  TraceLog Log(TraceClock::now());
  Log.addLane("prefetch 1", 101);
  Log.addLane("prefetch 0", 100);
  Log.addLane("linker");
  std::vector<Object> Names = eventsOf(Log, "M", "thread_name");
  std::vector<Object> Places = eventsOf(Log, "M", "thread_sort_index");
  ASSERT_EQ(Names.size(), 3U);
  ASSERT_EQ(Places.size(), 3U);
  EXPECT_EQ(nameIn(Names[0]), "linker");
  EXPECT_EQ(nameIn(Names[1]), "prefetch 0");
  EXPECT_EQ(nameIn(Names[2]), "prefetch 1");
  for (size_t I = 0; I != 3; ++I) {
    EXPECT_EQ(Places[I].getInteger("tid"), Names[I].getInteger("tid"));
    if (I != 0)
      EXPECT_GT(Places[I].getObject("args")->getInteger("sort_index"),
                Places[I - 1].getObject("args")->getInteger("sort_index"));
  }
}

TEST(TraceLogTest, ForeignThreadKeepsItsLane) {
  TraceLog Log(TraceClock::now());
  TraceLane &Mine = Log.laneOfThisThread("linker's inputs", 1);
  EXPECT_EQ(&Log.laneOfThisThread("linker's inputs", 1), &Mine);
  std::thread([&] {
    EXPECT_NE(&Log.laneOfThisThread("linker's inputs", 1), &Mine);
  }).join();
  std::vector<Object> Names = eventsOf(Log, "M", "thread_name");
  ASSERT_EQ(Names.size(), 2U);
  EXPECT_EQ(nameIn(Names[0]), "linker's inputs");
  EXPECT_EQ(nameIn(Names[1]), "linker's inputs 2");
}

TEST(TraceLogTest, ForeignThreadsHaveDistinctNames) {
  constexpr size_t NumThreads = 16;
  TraceLog Log(TraceClock::now());
  std::atomic<size_t> Ready{0};
  onThreads(NumThreads, [&] {
    ++Ready;
    while (Ready != NumThreads)
      std::this_thread::yield();
    Log.laneOfThisThread("linker's inputs", 1);
  });
  std::set<std::string> Names;
  for (const Object &Event : eventsOf(Log, "M", "thread_name"))
    Names.insert(nameIn(Event).str());
  EXPECT_EQ(Names.size(), NumThreads);
  EXPECT_TRUE(Names.count("linker's inputs 16"));
}

// One of the linker's threads ends the process while others continue.
TEST(TraceLogTest, WritesWhileForeignThreadsContinue) {
  constexpr int Times = 500, NumThreads = 2;
  TraceLog Log(TraceClock::now());
  std::atomic<int> Ended{0};
  const auto Add = [&] {
    for (int I = 0; I != Times; ++I) {
      const Use Lane(TraceLane::current(),
                     &Log.laneOfThisThread("linker's inputs", 1));
      TraceSpan Span("handed over", "a file's name that is not short");
      Log.sample("fetched", [&] { return I; });
    }
    ++Ended;
  };
  onThreads(NumThreads, Add, [&] {
    while (Ended != NumThreads) {
      std::string Text;
      llvm::raw_string_ostream OS(Text);
      Log.write(OS);
      EXPECT_TRUE(llvm::StringRef(Text).ends_with("]}\n"));
      // Otherwise the threads would rarely get the lock.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_EQ(eventsOf(Log, "X").size(), static_cast<size_t>(Times * NumThreads));
}

TEST(TraceLogTest, NestedEventsFollowOuterEvent) {
  TraceClock::time_point Start = TraceClock::now();
  auto At = [&](int Ms) { return Start + std::chrono::milliseconds(Ms); };
  TraceLog Log(Start);
  TraceLane &Lane = Log.addLane("prefetch 0");
  // In the order of their ends.
  Lane.add({"wait", At(1), At(2), ""});
  Lane.add({"fetch", At(1), At(4), ""});
  Lane.add({"wait", At(5), At(5), ""});
  Lane.add({"fetch", At(5), At(5), ""});
  std::vector<Object> Events = eventsOf(Log, "X");
  ASSERT_EQ(Events.size(), 4U);
  EXPECT_EQ(Events[0].getString("name"), "fetch");
  EXPECT_EQ(Events[1].getString("name"), "wait");
  EXPECT_EQ(Events[2].getString("name"), "fetch");
  EXPECT_EQ(Events[3].getString("name"), "wait");
}

TEST(TraceLogTest, FlowEndsInsideEvent) {
  TraceClock::time_point Start = TraceClock::now();
  auto At = [&](int Ms) { return Start + std::chrono::milliseconds(Ms); };
  TraceLog Log(Start);
  TraceEvent Open{"open", At(2), At(3), "f"};
  Open.Flow = {TraceFlow::From, 7};
  Log.addLane("prefetch 0").add(Open);
  // The linker began to wait before the file was opened.
  TraceEvent Taken{"handed over", At(1), At(4), "f"};
  Taken.Flow = {TraceFlow::To, 7};
  Log.addLane("linker's inputs").add(Taken);
  std::vector<Object> From = eventsOf(Log, "s");
  std::vector<Object> To = eventsOf(Log, "f");
  ASSERT_EQ(From.size(), 1U);
  ASSERT_EQ(To.size(), 1U);
  EXPECT_EQ(From[0].getInteger("id"), 7);
  EXPECT_EQ(To[0].getInteger("id"), 7);
  EXPECT_EQ(From[0].getNumber("ts"), 2000.0);
  EXPECT_GT(*To[0].getNumber("ts"), 2000.0);
  EXPECT_LT(*To[0].getNumber("ts"), 4000.0);
  EXPECT_EQ(To[0].getString("bp"), "e");
}

TEST(TraceLogTest, CountersAreOrderedAndChange) {
  TraceLog Log(TraceClock::now());
  for (uint64_t Bytes : {10, 20, 20, 30})
    Log.sample("fetched", [&] { return Bytes; });
  Log.sample("budget", [] { return 5; });
  std::vector<Object> Fetched = eventsOf(Log, "C", "fetched");
  ASSERT_EQ(Fetched.size(), 3U);
  for (size_t I = 0; I != 3; ++I)
    EXPECT_EQ(Fetched[I].getObject("args")->getInteger("bytes"),
              static_cast<int64_t>(I + 1) * 10);
  EXPECT_LE(*Fetched[0].getNumber("ts"), *Fetched[1].getNumber("ts"));
  EXPECT_LE(*Fetched[1].getNumber("ts"), *Fetched[2].getNumber("ts"));
  EXPECT_EQ(eventsOf(Log, "C", "budget").size(), 1U);
}

TEST(TraceLogTest, MonotonicCounterIsMonotonicInTrace) {
  constexpr int Times = 500, NumThreads = 4;
  TraceLog Log(TraceClock::now());
  std::atomic<int64_t> Bytes{0};
  onThreads(NumThreads, [&] {
    for (int I = 0; I != Times; ++I) {
      ++Bytes;
      Log.sample("fetched", [&] { return Bytes.load(); });
    }
  });
  int64_t Last = 0;
  double LastTime = 0;
  for (const Object &Event : eventsOf(Log, "C", "fetched")) {
    int64_t Now = *Event.getObject("args")->getInteger("bytes");
    EXPECT_GT(Now, Last);
    Last = Now;
    EXPECT_GE(*Event.getNumber("ts"), LastTime);
    LastTime = *Event.getNumber("ts");
  }
  EXPECT_EQ(Last, Times * NumThreads);
}

TEST(TraceLogTest, SpansAndWaitsNeedALane) {
  TraceLog Log(TraceClock::now());
  TraceLane &Lane = Log.addLane("prefetch 0");
  {
    TraceSpan None("nothing", "f");
    TraceSpan Untraced;
    Untraced.begin("nothing");
    const Use Own(TraceLane::current(), &Lane);
    TraceSpan Span("open", "f");
    Span.event().Bytes = 3;
    TraceSpan Forgotten("fetch", "f");
    Forgotten.forget();
    TraceSpan Unneeded;
    TraceSpan Wait;
    Wait.begin("wait");
  }
  std::vector<Object> Events = eventsOf(Log, "X");
  ASSERT_EQ(Events.size(), 2U);
  EXPECT_EQ(Events[0].getString("name"), "open");
  EXPECT_EQ(Events[0].getObject("args")->getInteger("bytes"), 3);
  EXPECT_EQ(Events[1].getString("name"), "wait");
}

/// std::bad_alloc ends an engine's thread, and must not end the process.
TEST(TraceLogTest, SurvivesLackOfMemory) {
  if (!AllocationsCanFail)
    GTEST_SKIP() << "a sanitizer brings its own operator new";
  TraceLog Log(TraceClock::now());
  const Use Lane(TraceLane::current(), &Log.addLane("thread"));
  for (bool IsPassing : {false, true}) {
    bool IsCaught = false;
    try {
      TraceSpan Span("open");
      TraceSpan Wait;
      Wait.begin("wait for memory");
      HasNoMemory = true;
      if (IsPassing)
        throw std::bad_alloc();
    } catch (const std::bad_alloc &) {
      IsCaught = true;
    }
    HasNoMemory = false;
    EXPECT_TRUE(IsCaught);
  }
  EXPECT_TRUE(eventsOf(Log, "X").empty());
  {
    const TraceSpan Span("fetch");
  }
  EXPECT_EQ(eventsOf(Log, "X").size(), 1U);
}

} // namespace
