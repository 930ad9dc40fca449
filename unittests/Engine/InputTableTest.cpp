//===- InputTableTest.cpp - The engine's inputs and their states ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Engine/InputTable.h"
#include "gtest/gtest.h"
#include <thread>

using namespace headstart;

static NamedInput input(std::string Name) {
  NamedInput Input;
  Input.Name = std::move(Name);
  return Input;
}

TEST(InputTableTest, CancelEndsTheWaitForWhatNobodyPublishes) {
  InputTable Table;
  Table.fill({input("a.o"), input("b.o")});
  bool Claimed = false;
  InputEntry *Opening = Table.find("a.o", false, Claimed);
  ASSERT_TRUE(Opening && Claimed);
  InputEntry *Untouched = Table.nextFor(LinkStage::Contents);
  Untouched = Table.nextFor(LinkStage::Contents);
  ASSERT_EQ(Untouched->Named.Name, "b.o");

  // The linker's thread, and two of the engine's: one waits for the linker, one
  // for an input that no thread has begun with.
  std::atomic<unsigned> Waiting{0};
  auto Waits = [&] { ++Waiting; };
  InputEntry *Found = Opening;
  bool ByLinker = true, FromUntouched = true;
  std::thread Linker([&] {
    bool Mine = false;
    Found = Table.find("a.o", false, Mine, Waits);
  });
  std::thread First(
      [&] { ByLinker = Table.waitUntilPublished(*Opening, Waits); });
  std::thread Second(
      [&] { FromUntouched = Table.waitUntilPublished(*Untouched, Waits); });
  while (Waiting != 3)
    std::this_thread::yield();
  Table.cancel();
  Linker.join();
  First.join();
  Second.join();
  EXPECT_EQ(Found, nullptr);
  EXPECT_FALSE(ByLinker);
  EXPECT_FALSE(FromUntouched);
}

TEST(InputTableTest, AFileThatIsNamedTwiceIsReadAsBothNeed) {
  InputTable Table;
  NamedInput Lazy = input("a.a"), Whole = input("a.a");
  Lazy.Lazy = true;
  Whole.Whole = true;
  Table.fill({Lazy, Whole});
  ASSERT_EQ(Table.size(), 1U);
  InputEntry *Entry = Table.nextFor(LinkStage::Parse);
  EXPECT_TRUE(Entry->Named.Whole);
  EXPECT_FALSE(Entry->Named.Lazy);
}

TEST(InputTableTest, ScriptsOfTwoFoldersMeanTwoFiles) {
  InputTable Table;
  auto FromScript = [](std::string Script) {
    NamedInput Input = input("x.o");
    Input.Search = SearchRule::ScriptInput;
    Input.Reason = InputReason::LinkerScript;
    Input.From = std::move(Script);
    return Input;
  };
  Table.fill({FromScript("one/s.ld"), FromScript("one/other.ld"),
              FromScript("two/s.ld")});
  EXPECT_EQ(Table.size(), 2U);
}

TEST(InputTableTest, ObjectsBehindAnotherAreLeftToTheLinker) {
  InputTable Table;
  Table.fill({input("a.o"), input("b.o"), input("c.o"), input("d.a"),
              input("e.o"), input("f.o")});
  EXPECT_EQ(Table.nextWork(7).Entry->Named.Name, "a.o");
  bool Claimed = false;
  for (const char *Left : {"b.o", "c.o"}) {
    InputEntry *Entry = Table.find(Left, false, Claimed);
    ASSERT_TRUE(Entry && !Claimed);
    EXPECT_EQ(Entry->State, EntryState::Unavailable);
  }
  // No archive is, and nothing behind it.
  EXPECT_EQ(Table.nextWork(0).Entry->Named.Name, "d.a");
  // The linker neither opens for us what nobody has begun with, nor waits.
  EXPECT_EQ(Table.find("e.o", true, Claimed), nullptr);
  EXPECT_FALSE(Claimed);
  (void)Table.nextWork(0); // e.o, for nothing
  InputEntry *Last = Table.nextWork(0).Entry;
  ASSERT_TRUE(Table.claim(*Last));
  EXPECT_EQ(Table.find("f.o", true, Claimed), nullptr);
}
