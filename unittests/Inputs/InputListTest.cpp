//===- InputListTest.cpp - The inputs of a link, in order -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/InputList.h"
#include "gmock/gmock.h"

using namespace headstart;
using testing::ElementsAre;

namespace {

NamedInput input(std::string Name, uint8_t Turn = 0) {
  NamedInput Input;
  Input.Name = std::move(Name);
  Input.Turn = Turn;
  return Input;
}

InputList listOf(std::vector<NamedInput> Inputs) {
  LinkCommand Command;
  Command.Inputs = std::move(Inputs);
  return InputList(Command);
}

/// Takes all inputs after the first, which was taken.
std::vector<std::string> rest(InputList &List) {
  std::vector<std::string> Names;
  while (std::optional<uint32_t> Number = List.next()) {
    Names.push_back(List[*Number].Name);
    EXPECT_EQ(List.take(*Number), Names.size() + 1);
  }
  return Names;
}

TEST(InputListTest, DependenciesComeInTheirTurn) {
  InputList List = listOf({input("a"), input("b"), input("late", 1)});
  ASSERT_EQ(List.next(), 0U);
  EXPECT_EQ(List.take(0), 1U);
  EXPECT_EQ(List.take(0), 0U);
  FoundInput Next, Later, Known;
  Next.Input = input("next");
  Next.Next = true;
  Later.Input = input("later");
  Known.Input = input("late"); // needed earlier than its position
  List.add(0, {Later, Next, Known});
  EXPECT_THAT(rest(List), ElementsAre("next", "b", "later", "late"));
}

// The linker opens the archive of the second turn before its turn.
TEST(InputListTest, NextInputStaysInItsTurn) {
  InputList List =
      listOf({input("a"), input("b"), input("thin.a", 1), input("z", 1)});
  ASSERT_TRUE(List.take(2));
  List.add(2, {{input("member.o"), /*Next=*/true}});
  List.add(0, {{input("found")}});
  std::vector<std::string> Names;
  while (std::optional<uint32_t> Number = List.next()) {
    List.take(*Number);
    Names.push_back(List[*Number].Name);
  }
  EXPECT_THAT(Names, ElementsAre("a", "b", "found", "member.o", "z"));
}

TEST(InputListTest, RecordedMemberIsNotOnDemand) {
  NamedInput Recorded = input("member.o", UINT8_MAX);
  Recorded.Reason = InputReason::Recorded;
  InputList List = listOf({input("thin.a"), Recorded});
  ASSERT_TRUE(List.take(0));
  FoundInput Known, New;
  Known.Input = input("member.o");
  New.Input = input("other.o");
  Known.Input.OnDemand = New.Input.OnDemand = true;
  List.add(0, {Known, New});
  EXPECT_FALSE(List[1].OnDemand);
  EXPECT_TRUE(List[2].OnDemand);
}

TEST(InputListTest, MergesAttributesOfRepeatedFile) {
  NamedInput Lazy = input("a.a"), Whole = input("a.a");
  Lazy.Lazy = true;
  Whole.Whole = true;
  InputList List = listOf({Lazy, Whole});
  ASSERT_EQ(List.size(), 1U);
  EXPECT_TRUE(List[0].Whole);
  EXPECT_FALSE(List[0].Lazy);
}

TEST(InputListTest, ScriptDirectoriesDistinguishInputs) {
  auto FromScript = [](std::string Script) {
    NamedInput Input = input("x.o");
    Input.Search = SearchRule::ScriptInput;
    Input.Reason = InputReason::LinkerScript;
    Input.From = std::move(Script);
    return Input;
  };
  EXPECT_EQ(listOf({FromScript("one/s.ld"), FromScript("one/other.ld"),
                    FromScript("two/s.ld")})
                .size(),
            2U);
}

TEST(InputListTest, PathIdentifiesInput) {
  NamedInput Library = input("z");
  Library.Search = SearchRule::Library;
  InputList List = listOf({Library, input("libz.a")});
  EXPECT_EQ(List.find("libz.a"), 1U);
  ResolvedInput Found{"libz.a", {}};
  ASSERT_TRUE(List.take(0));
  EXPECT_TRUE(List.settle(0, Found));
  EXPECT_EQ(List.find("libz.a"), 0U);
  ASSERT_TRUE(List.take(1));
  EXPECT_FALSE(List.settle(1, Found));
  EXPECT_EQ(List.find("other"), std::nullopt);
}

} // namespace
