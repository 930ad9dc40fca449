//===- ExtractionTableTest.cpp - Which archive members are linked ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/SymbolTables.h"
#include "gtest/gtest.h"
#include <thread>

using namespace headstart;

namespace {

SymbolUse defines(llvm::StringRef Name) { return {hashOfSymbol(Name), true}; }
SymbolUse lacks(llvm::StringRef Name) { return {hashOfSymbol(Name), false}; }

TEST(ExtractionTableTest, LinksMemberThatDefinesReference) {
  ExtractionTable Table;
  Table.addLinked({defines("main"), lacks("used")});
  uint32_t Used = Table.addLazy({defines("used")});
  uint32_t Unused = Table.addLazy({defines("unused")});
  EXPECT_TRUE(Table.isLinked(Used));
  EXPECT_FALSE(Table.isLinked(Unused));
  EXPECT_TRUE(Table.isLinked(0));
}

TEST(ExtractionTableTest, ResultIsIndependentOfOrder) {
  ExtractionTable Table;
  uint32_t Third = Table.addLazy({defines("c")});
  uint32_t Second = Table.addLazy({defines("b"), lacks("c")});
  uint32_t First = Table.addLazy({defines("a"), lacks("b")});
  EXPECT_FALSE(Table.isLinked(Third));
  Table.addLinked(lacks("a"));
  EXPECT_TRUE(Table.isLinked(First));
  EXPECT_TRUE(Table.isLinked(Second));
  EXPECT_TRUE(Table.isLinked(Third));
}

TEST(ExtractionTableTest, LinksFirstOfTwoDefinitions) {
  ExtractionTable Table;
  uint32_t First = Table.addLazy({defines("a")});
  uint32_t Second = Table.addLazy({defines("a")});
  Table.addLinked(lacks("a"));
  EXPECT_TRUE(Table.isLinked(First));
  EXPECT_FALSE(Table.isLinked(Second));
}

TEST(ExtractionTableTest, DefinedNameLinksNoMember) {
  ExtractionTable Table;
  Table.addLinked(defines("a"));
  uint32_t Late = Table.addLazy({defines("a")});
  Table.addLinked(lacks("a"));
  EXPECT_FALSE(Table.isLinked(Late));
}

TEST(ExtractionTableTest, OptionsReferenceNames) {
  ExtractionTable Table;
  uint32_t Early = Table.addLazy({defines("a")});
  Table.addLinked(SymbolUse{hashOfSymbol("a"), false});
  Table.addLinked(SymbolUse{hashOfSymbol("b"), false});
  uint32_t Late = Table.addLazy({defines("b")});
  EXPECT_TRUE(Table.isLinked(Early));
  EXPECT_TRUE(Table.isLinked(Late));
}

TEST(ExtractionTableTest, CyclicReferencesTerminate) {
  ExtractionTable Table;
  uint32_t A = Table.addLazy({defines("a"), lacks("b")});
  uint32_t B = Table.addLazy({defines("b"), lacks("a")});
  Table.addLinked(lacks("b"));
  EXPECT_TRUE(Table.isLinked(A));
  EXPECT_TRUE(Table.isLinked(B));
}

TEST(ExtractionTableTest, LongChainNeedsNoRecursion) {
  constexpr unsigned Length = 1000000;
  ExtractionTable Table;
  Table.addLinked(SymbolUse{1, false});
  uint32_t Last = 0;
  for (uint64_t I = Length; I != 0; --I)
    Last = Table.addLazy({{I, true}, {I + 1, false}});
  EXPECT_TRUE(Table.isLinked(Last));
  EXPECT_TRUE(Table.isLinked(1));
}

TEST(ExtractionTableTest, FullTableLinksEverything) {
  ExtractionTable Table(/*MaxNames=*/2);
  uint32_t A = Table.addLazy({defines("a")});
  EXPECT_FALSE(Table.isLinked(A));
  Table.addLazy({defines("b"), defines("c")});
  EXPECT_TRUE(Table.isLinked(A));
}

TEST(ExtractionTableTest, ThreadsComputeSameResult) {
  ExtractionTable Table;
  constexpr unsigned PerThread = 2000;
  std::vector<std::thread> Threads;
  // Member N defines N and references N + 1; only 0 is requested.
  for (unsigned T = 0; T != 4; ++T)
    Threads.emplace_back([&, T] {
      for (unsigned I = 0; I != PerThread; ++I)
        if (I % 4 == T)
          Table.addLazy({{I, true}, {I + 1, false}});
        else if (I % 97 == 0)
          Table.addLinked(SymbolUse{0, false});
    });
  for (std::thread &T : Threads)
    T.join();
  for (uint32_t Number = 1; Number <= PerThread; ++Number)
    EXPECT_TRUE(Table.isLinked(Number)) << Number;
}

} // namespace
