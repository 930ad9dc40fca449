//===- SchedulerTest.cpp - Who is next ------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/Scheduler.h"
#include "gtest/gtest.h"
#include <memory>
#include <thread>

using namespace headstart;

namespace {

NamedInput input(std::string Name) {
  NamedInput Input;
  Input.Name = std::move(Name);
  return Input;
}

/// Returns a link of \p Inputs.
LinkCommand linkOf(std::vector<NamedInput> Inputs) {
  LinkCommand Command;
  Command.Inputs = std::move(Inputs);
  return Command;
}

using Task = Scheduler::Task;

class SchedulerTest : public testing::Test {
protected:
  uint64_t times(Decision What) const {
    return Counts.read().at(static_cast<size_t>(What));
  }
  /// Returns what waitForStall does if no thread makes progress.
  std::optional<bool> stall() {
    return Inputs.waitForStall(std::chrono::milliseconds(1),
                               [] { return false; });
  }

  Tuning Numbers;
  DecisionCounts Counts;
  Scheduler Inputs{Numbers, Counts};
};

TEST_F(SchedulerTest, CancelEndsWaitForUnpublishedInput) {
  Numbers.OpenTimeout = std::chrono::hours(1);
  Inputs.fill(linkOf({input("a.o"), input("b.o")}));
  std::optional<NamedInput> Claimed;
  InputEntry *Opening = Inputs.request("a.o", false, Claimed);
  ASSERT_TRUE(Opening && Claimed);
  (void)Inputs.next(); // a.o, which the linker requested
  InputEntry *Untouched = Inputs.next().Entry;
  ASSERT_EQ(Untouched->Named.Name, "b.o");

  // The linker's thread and three of the engine's: one waits for the linker,
  // one for an input that no thread has opened, and one for work.
  std::atomic<unsigned> Waiting{0};
  auto Waits = [&] { ++Waiting; };
  InputEntry *Found = Opening;
  bool ByLinker = true, FromUntouched = true;
  Task Next = Task::Fetch;
  std::thread Linker([&] {
    std::optional<NamedInput> Mine;
    Found = Inputs.request("a.o", false, Mine, Waits);
  });
  std::thread First(
      [&] { ByLinker = Inputs.waitUntilPublished(*Opening, Waits); });
  std::thread Second(
      [&] { FromUntouched = Inputs.waitUntilPublished(*Untouched, Waits); });
  std::thread Third([&] { Next = Inputs.next(0, Waits).What; });
  while (Waiting != 4)
    std::this_thread::yield();
  Inputs.cancel();
  for (std::thread *T : {&Linker, &First, &Second, &Third})
    T->join();
  EXPECT_EQ(Found, nullptr);
  EXPECT_EQ(times(Decision::LinkerWaited), 1U);
  EXPECT_FALSE(ByLinker);
  EXPECT_FALSE(FromUntouched);
  EXPECT_EQ(Next, Task::None);
}

/// The linker opens an input itself if a thread takes too long. What the thread
/// then fetches is not ahead of the linker, and the input's record stays in the
/// profile.
TEST_F(SchedulerTest, LinkerDoesNotWaitForHungThread) {
  Numbers.OpenTimeout = std::chrono::milliseconds(0);
  Inputs.fill(linkOf({input("a.o")}));
  Scheduler::Work Opening = Inputs.next();
  ASSERT_TRUE(Opening.IsClaimed);
  std::optional<NamedInput> Claimed;
  unsigned Waits = 0;
  EXPECT_EQ(Inputs.request("a.o", false, Claimed, [&] { ++Waits; }), nullptr);
  EXPECT_FALSE(Claimed);
  EXPECT_EQ(Waits, 0U);
  EXPECT_EQ(times(Decision::LinkerTimedOut), 1U);
  EXPECT_TRUE(Opening.Entry->IsRequested.load());
  Opening.Entry->Contents = std::make_shared<FileContents>();
  Inputs.publish(*Opening.Entry, EntryState::Ready);
  EXPECT_TRUE(Inputs.wasLeft("a.o"));
  EXPECT_EQ(Inputs.request("a.o", false, Claimed), Opening.Entry);
  EXPECT_EQ(times(Decision::LinkerTimedOut), 1U);
}

TEST_F(SchedulerTest, LinkerWaitsOnceForHungThreads) {
  Numbers.OpenTimeout = std::chrono::milliseconds(20);
  Inputs.fill(linkOf({input("a.o"), input("b.o")}));
  ASSERT_TRUE(Inputs.next().IsClaimed);
  ASSERT_TRUE(Inputs.next().IsClaimed);
  std::optional<NamedInput> Claimed;
  EXPECT_EQ(Inputs.request("b.o", false, Claimed), nullptr);
  unsigned Waits = 0;
  EXPECT_EQ(Inputs.request("a.o", false, Claimed, [&] { ++Waits; }), nullptr);
  EXPECT_EQ(Waits, 0U);
}

TEST_F(SchedulerTest, SkipsFollowingObjects) {
  Inputs.fill(linkOf({input("a.o"), input("b.o"), input("c.o"), input("d.a"),
                      input("e.o"), input("f.o")}));
  EXPECT_EQ(Inputs.next(7).Entry->Named.Name, "a.o");
  std::optional<NamedInput> Claimed;
  for (const char *Left : {"b.o", "c.o"}) {
    InputEntry *Entry = Inputs.request(Left, false, Claimed);
    ASSERT_TRUE(Entry && !Claimed);
    EXPECT_EQ(Entry->State, EntryState::Unavailable);
  }
  // Archives and the inputs after them are not left to the linker.
  EXPECT_EQ(Inputs.next().Entry->Named.Name, "d.a");
  // The linker neither opens an unclaimed input for the engine nor waits.
  EXPECT_EQ(Inputs.request("e.o", true, Claimed), nullptr);
  EXPECT_FALSE(Claimed);
  Scheduler::Work Last = Inputs.next();
  EXPECT_EQ(Last.Entry->Named.Name, "f.o");
  ASSERT_TRUE(Last.IsClaimed);
  EXPECT_EQ(Inputs.request("f.o", true, Claimed), nullptr);
}

TEST_F(SchedulerTest, RequestedInputGoesFirst) {
  Inputs.fill(linkOf({input("a.o"), input("b.o"), input("c.o")}));
  EXPECT_EQ(Inputs.next().Entry->Named.Name, "a.o");
  std::optional<NamedInput> Claimed;
  ASSERT_TRUE(Inputs.request("c.o", false, Claimed));
  EXPECT_EQ(Inputs.next().Entry->Named.Name, "c.o");
  EXPECT_EQ(Inputs.next().Entry->Named.Name, "b.o");
  EXPECT_EQ(times(Decision::PreparedUrgent), 1U);
  EXPECT_EQ(times(Decision::PreparedInOrder), 2U);
}

/// The rest of an input precedes what the linker reads after it, but not what
/// it has requested.
TEST_F(SchedulerTest, RestGoesBeforeNextInput) {
  Inputs.fill(linkOf({input("a.o"), input("b.o"), input("c.o")}));
  InputEntry *First = Inputs.next().Entry;
  Inputs.planned(*First, bitOf(LinkStage::Parse), nullptr);
  // No file may be kept open.
  Inputs.fetchRest(*First, LinkStage::Parse,
                   Inputs.keep(std::make_shared<os::OpenFile>()),
                   {{{4096, 8192}}});
  std::optional<NamedInput> Claimed;
  ASSERT_TRUE(Inputs.request("c.o", false, Claimed));
  EXPECT_EQ(Inputs.next().Entry->Named.Name, "c.o");
  Scheduler::Work Rest = Inputs.next();
  EXPECT_EQ(Rest.What, Task::Fetch);
  EXPECT_EQ(Rest.Entry, First);
  EXPECT_EQ(Rest.File, nullptr);
  ASSERT_EQ(Rest.Rest.size(), 1U);
  EXPECT_EQ(Rest.Rest[0].Range, (ByteRange{4096, 8192}));
  EXPECT_EQ(Inputs.next().Entry->Named.Name, "b.o");
  EXPECT_EQ(times(Decision::RestFetched), 1U);
}

// Threads wait for the store in this order (Gate.h).
TEST_F(SchedulerTest, PlacesFollowTakingOrder) {
  Inputs.fill(linkOf({input("a.o"), input("b.o"), input("c.o"), input("d.o")}));
  InputEntry &First = *Inputs.next().Entry;
  EXPECT_EQ(First.Place, 1U);
  std::optional<NamedInput> Claimed;
  InputEntry &Requested = *Inputs.request("d.o", false, Claimed);
  EXPECT_EQ(Requested.Place, 0U);
  EXPECT_EQ(Inputs.next().Entry, &Requested);
  Inputs.add(First, {{input("member.o"), /*Next=*/true}});
  InputEntry &Member = *Inputs.next(/*Skipped=*/1).Entry; // leaves b.o
  EXPECT_EQ(Member.Named.Name, "member.o");
  EXPECT_EQ(Requested.Place, 2U);
  EXPECT_EQ(Member.Place, 3U);
  EXPECT_EQ(Inputs.request("b.o", false, Claimed)->Place, 4U);
  // Another request takes nothing again.
  EXPECT_EQ(Inputs.request("a.o", /*Leaves=*/true, Claimed), nullptr);
  EXPECT_EQ(Inputs.next().Entry->Place, 5U);
  EXPECT_EQ(First.Place, 1U);
}

/// Else all threads would hang in one large input.
TEST_F(SchedulerTest, NoThreadJoinsHungThread) {
  Inputs.fill(linkOf({input("far/a.o"), input("b.o")}));
  const Scheduler::Work Hangs = Inputs.next();
  Inputs.planned(*Hangs.Entry, bitOf(LinkStage::Parse), nullptr);
  Inputs.fetchRest(*Hangs.Entry, LinkStage::Parse, nullptr, {{{4096, 8192}}});
  ASSERT_EQ(stall(), true);
  Scheduler::Work Near = Inputs.next();
  InputEntry *const Other = Near.Entry;
  EXPECT_EQ(Other->Named.Name, "b.o");
  Inputs.planned(*Other, bitOf(LinkStage::Contents), nullptr);
  Inputs.fetchRest(*Other, LinkStage::Parse, nullptr, {{{4096, 8192}}});
  Near = Inputs.next(0, nullptr, Near);
  EXPECT_EQ(Near.Entry, Other);
  for (LinkStage Stage : {LinkStage::Parse, LinkStage::Contents}) {
    Near = Inputs.next(0, nullptr, Near);
    ASSERT_EQ(Near.What, Task::Begin);
    Inputs.begin(Stage, /*IsBegun=*/Stage == LinkStage::Contents);
  }
  EXPECT_EQ(Inputs.next(0, nullptr, Near).Entry, Other);
  EXPECT_EQ(Inputs.next(0, nullptr, Hangs).Entry, Hangs.Entry);
  EXPECT_EQ(times(Decision::Stalled), 1U);
}

/// Threads whose file system has answered again do not hang any more.
TEST_F(SchedulerTest, ThreadsWaitAgainAfterStall) {
  Inputs.fill(linkOf({input("a.o"), input("b.o"), input("c.o"), input("d.o")}));
  Scheduler::Work First = Inputs.next(), Second = Inputs.next();
  ASSERT_EQ(stall(), true);
  for (Scheduler::Work *Each : {&First, &Second}) {
    Inputs.planned(*Each->Entry, 0, nullptr);
    *Each = Inputs.next(0, nullptr, *Each);
  }
  ASSERT_EQ(Second.Entry->Named.Name, "d.o");
  // The thread of c.o waits for d.o, which may name other inputs.
  Inputs.planned(*First.Entry, 0, nullptr);
  std::atomic<bool> Waits{false}, HasEnded{false};
  std::thread Waiting([&] {
    First = Inputs.next(0, [&] { Waits = true; }, First);
    HasEnded = true;
  });
  while (!Waits && !HasEnded)
    std::this_thread::yield();
  EXPECT_TRUE(Waits);
  Inputs.planned(*Second.Entry, 0, nullptr);
  Waiting.join();
  EXPECT_EQ(First.What, Task::Begin);
}

/// A thread that begins to fetch an input may leave a rest.
TEST_F(SchedulerTest, ThreadsWaitForRest) {
  Inputs.fill(linkOf({input("a.o")}));
  const Scheduler::Work Prepare = Inputs.next();
  Inputs.planned(*Prepare.Entry, bitOf(LinkStage::Contents), nullptr);
  ASSERT_EQ(Inputs.next(0, nullptr, Prepare).What, Task::Begin);
  Inputs.begin(LinkStage::Parse, /*IsBegun=*/false);
  ASSERT_EQ(Inputs.next().What, Task::Begin);
  Inputs.begin(LinkStage::Contents, /*IsBegun=*/true);
  const Scheduler::Work Fetch = Inputs.next();
  ASSERT_EQ(Fetch.What, Task::Fetch);
  Scheduler::Work Next;
  std::atomic<bool> Waits{false}, HasEnded{false};
  std::thread Other([&] {
    Next = Inputs.next(0, [&] { Waits = true; });
    HasEnded = true;
  });
  while (!Waits && !HasEnded)
    std::this_thread::yield();
  Inputs.fetchRest(*Fetch.Entry, LinkStage::Contents, nullptr,
                   {{{4096, 8192}}});
  Other.join();
  EXPECT_EQ(Next.What, Task::Fetch);
  EXPECT_EQ(Next.Rest.size(), 1U);
}

TEST_F(SchedulerTest, ThreadsDoNotWaitForHungThread) {
  LinkCommand Command =
      linkOf({input("far/a.o"), input("b.o"), input("far/c.o")});
  Command.Kind = Flavour::ELF; // plans its inputs together
  Inputs.fill(Command);
  Scheduler::Work Hangs = Inputs.next(), Near = Inputs.next();
  Inputs.next(); // far/c.o hangs, too
  Inputs.planned(*Near.Entry, bitOf(LinkStage::Contents), nullptr);
  // No work exists until far/a.o is prepared.
  Scheduler::Work Next;
  std::atomic<bool> Waits{false};
  std::thread Idle([&] { Next = Inputs.next(0, [&] { Waits = true; }, Near); });
  while (!Waits)
    std::this_thread::yield();
  EXPECT_EQ(stall(), false);
  Idle.join();
  ASSERT_EQ(Next.What, Task::Begin);
  Inputs.begin(LinkStage::Parse, /*IsBegun=*/true);
  // If the planner of an input that hangs ever returns, it reads the symbols.
  Next = Inputs.next();
  EXPECT_EQ(Next.What, Task::Symbols);
  EXPECT_EQ(Next.Entry, Near.Entry);
  EXPECT_FALSE(Hangs.Entry->HasSymbols);
  // A thread that hangs while it reads symbols does not delay others either.
  EXPECT_EQ(stall(), true);
  EXPECT_EQ(Inputs.next().Stage, LinkStage::Contents);
}

/// A thread that plans an object may still find libraries in it.
TEST_F(SchedulerTest, ThreadsWaitForInputsThatAnotherMayAdd) {
  Inputs.fill(linkOf({input("a.o")}));
  const Scheduler::Work Plans = Inputs.next();
  Inputs.planned(*Plans.Entry, 0, nullptr);
  ASSERT_EQ(Inputs.next().What, Task::Begin);
  Inputs.begin(LinkStage::Parse, /*IsBegun=*/false);
  Scheduler::Work Next;
  std::atomic<unsigned> Waits{0};
  auto Wait = [&] { ++Waits; };
  std::atomic<bool> HasEnded{false};
  std::thread First([&] {
    Next = Inputs.next(0, Wait);
    HasEnded = true;
  });
  while (Waits != 1 && !HasEnded)
    std::this_thread::yield();
  Inputs.add(*Plans.Entry, {{input("b.a"), /*Next=*/false}});
  First.join();
  ASSERT_EQ(Next.What, Task::Prepare);
  EXPECT_EQ(Next.Entry->Named.Name, "b.a");
  Inputs.planned(*Next.Entry, 0, nullptr);
  HasEnded = false;
  std::thread Second([&] {
    Next = Inputs.next(0, Wait, Next);
    HasEnded = true;
  });
  while (Waits != 2 && !HasEnded)
    std::this_thread::yield();
  EXPECT_EQ(Inputs.next(0, nullptr, Plans).What, Task::None);
  Second.join();
  EXPECT_EQ(Next.What, Task::None);
}

TEST_F(SchedulerTest, LateInputOfStageGoesFirst) {
  Inputs.fill(linkOf({input("a.o")}));
  const Scheduler::Work FirstTask = Inputs.next();
  InputEntry *First = FirstTask.Entry;
  const StageSet All = bitOf(LinkStage::Parse) | bitOf(LinkStage::Contents) |
                       bitOf(LinkStage::Types);
  Inputs.planned(*First, All, nullptr);
  for (LinkStage Stage : {LinkStage::Parse, LinkStage::Contents}) {
    Scheduler::Work Begin = Inputs.next();
    EXPECT_EQ(Begin.What, Task::Begin);
    EXPECT_EQ(Begin.Stage, Stage);
    Inputs.begin(Stage, Stage != LinkStage::Parse);
  }
  auto NextFetch = [&](const InputEntry *Entry, LinkStage Stage,
                       const Scheduler::Work &Finished = Scheduler::Work()) {
    Scheduler::Work Fetch = Inputs.next(0, nullptr, Finished);
    EXPECT_EQ(Fetch.What, Task::Fetch);
    EXPECT_EQ(Fetch.Entry, Entry);
    EXPECT_EQ(Fetch.Stage, Stage);
    return Fetch;
  };
  Scheduler::Work Fetch = NextFetch(First, LinkStage::Contents);
  EXPECT_EQ(Inputs.next(0, nullptr, FirstTask).Stage, LinkStage::Types);
  Inputs.add(*First, {{input("b.o"), /*Next=*/false}});
  const Scheduler::Work SecondTask = Inputs.next();
  InputEntry *Second = SecondTask.Entry;
  Inputs.planned(*Second, All | bitOf(LinkStage::DebugSymbols), nullptr);
  Inputs.begin(LinkStage::Types, true);
  const Scheduler::Work Late =
      NextFetch(Second, LinkStage::Contents, SecondTask);
  Fetch = NextFetch(Second, LinkStage::Types, Fetch);
  Fetch = NextFetch(First, LinkStage::Types, Fetch);
  EXPECT_EQ(Inputs.next(0, nullptr, Late).What, Task::Begin);
  Inputs.begin(LinkStage::DebugSymbols, false);
  EXPECT_EQ(Inputs.next(0, nullptr, Fetch).What, Task::None);
}

TEST_F(SchedulerTest, RefreshesPathsUntilLinkerHasReachedAll) {
  Numbers.RefreshStep = 2;
  Numbers.FreshFor = std::chrono::milliseconds(0);
  std::vector<NamedInput> All;
  for (unsigned I = 0; I != 8; ++I)
    All.push_back(input(std::to_string(I) + ".o"));
  Inputs.fill(linkOf(All));
  std::vector<InputEntry *> Entries;
  Scheduler::Work Last;
  for (const NamedInput &Each : All) {
    Last = Inputs.next(0, nullptr, Last);
    InputEntry *Entry = Last.Entry;
    Entry->Path = Each.Name;
    Entry->Contents = std::make_shared<FileContents>();
    Inputs.publish(*Entry, EntryState::Ready);
    Inputs.planned(*Entry, 0, nullptr);
    Entries.push_back(Entry);
  }
  Inputs.refreshAhead(*Entries[0]); // not yet two inputs
  Last = Inputs.next(0, nullptr, Last);
  EXPECT_EQ(Last.What, Task::Begin);
  Inputs.begin(LinkStage::Parse, /*IsBegun=*/false);

  // All is fetched. The linker may still be slower than a path is remembered.
  auto ExpectRefresh = [&](size_t Number) {
    Last = Inputs.next(0, nullptr, Last);
    EXPECT_EQ(Last.What, Task::Refresh);
    EXPECT_EQ(Last.Entry, Entries[Number]);
  };
  Inputs.refreshAhead(*Entries[1]);
  ExpectRefresh(2);
  ExpectRefresh(3);
  std::atomic<bool> Waits{false};
  std::thread Idle([&] { Last = Inputs.next(0, [&] { Waits = true; }, Last); });
  while (!Waits)
    std::this_thread::yield();
  Inputs.refreshAhead(*Entries[3]);
  Idle.join();
  EXPECT_EQ(Last.What, Task::Refresh);
  EXPECT_EQ(Last.Entry, Entries[4]);
  ExpectRefresh(5);
  // The engine is joined, so no thread waits for the linker any more.
  Inputs.refreshNoMore();
  EXPECT_EQ(Inputs.next(0, nullptr, Last).What, Task::None);
  EXPECT_FALSE(Inputs.cancel());
}

} // namespace
