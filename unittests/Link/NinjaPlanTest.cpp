//===- NinjaPlanTest.cpp - The upcoming links of ninja --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/NinjaPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

using namespace headstart;
using namespace llvm;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Two programs of two objects each; they share one object through an archive.
/// The text is the output of `ninja -t graph` of 1.11.
constexpr StringLiteral Graph = R"(digraph ninja {
rankdir="LR"
node [fontsize=10, shape=box, height=0.25]
edge [fontsize=10]
"0x1" [label="all"]
"0x2" [label="phony", shape=ellipse]
"0x2" -> "0x1"
"0x10" -> "0x2" [arrowhead=none]
"0x20" -> "0x2" [arrowhead=none]
"0x10" [label="app"]
"0x11" [label="link", shape=ellipse]
"0x11" -> "0x10"
"0x12" -> "0x11" [arrowhead=none]
"0x13" -> "0x11" [arrowhead=none]
"0x20" -> "0x11" [arrowhead=none style=dotted]
"0x12" [label="app.o"]
"0x14" -> "0x12" [label=" cc"]
"0x14" [label="app.c"]
"0x13" [label="lib.a"]
"0x15" -> "0x13" [label=" ar"]
"0x15" [label="lib.o"]
"0x16" -> "0x15" [label=" cc"]
"0x16" [label="lib.c"]
"0x20" [label="tool"]
"0x21" -> "0x20" [label=" link"]
"0x21" [label="tool.o"]
"0x22" -> "0x21" [label=" cc"]
"0x22" [label="tool.c"]
}
)";

constexpr StringLiteral Log = "# ninja log v5\n"
                              "0\t100\t10\tapp.o\taa\n"
                              "0\t300\t10\tlib.o\taa\n"
                              "300\t310\t10\tlib.a\taa\n"
                              "0\t350\t10\ttool.o\taa\n"
                              "half a li";

/// Returns times with which all outputs are up to date.
std::map<std::string, int64_t> upToDate() {
  return {{"app.c", 1},  {"lib.c", 1},   {"tool.c", 1}, {"app.o", 10},
          {"lib.o", 10}, {"tool.o", 10}, {"lib.a", 11}, {"app", 12},
          {"tool", 12},  {"h.h", 1}};
}

std::vector<std::string> plan(const std::map<std::string, int64_t> &Times,
                              StringRef Deps = "", StringRef Dot = Graph) {
  std::vector<std::string> Outputs;
  for (const NinjaStep &Step :
       planNinja(Dot, Log, Deps, [&](StringRef Path) -> int64_t {
         auto Found = Times.find(Path.str());
         return Found == Times.end() ? 0 : Found->second;
       }))
    Outputs.push_back((join(Step.Outputs, " ") + " " +
                       Twine(Step.WorkBeforeMs) +
                       (Step.TakesOutputs ? " link" : ""))
                          .str());
  return Outputs;
}

std::string number(uint32_t Value) {
  std::string Bytes(4, '\0');
  support::endian::write32le(Bytes.data(), Value);
  return Bytes;
}

std::string pathRecord(std::string Path, uint32_t Number) {
  Path.resize((Path.size() + 3) / 4 * 4);
  return number(static_cast<uint32_t>(Path.size()) + 4) + Path +
         number(~Number);
}

/// Returns a log according to which tool.o includes h.h.
std::string deps(uint32_t Version) {
  const uint32_t Head = Version == 4 ? 12 : 8;
  std::string Bytes = "# ninjadeps\n" + number(Version) +
                      pathRecord("tool.o", 0) + pathRecord("h.h", 1) +
                      number((UINT32_C(1) << 31) | (Head + 4)) + number(0);
  for (uint32_t I = 4; I != Head; I += 4)
    Bytes += number(0);
  return Bytes + number(1);
}

TEST(NinjaPlanTest, PlansNothingIfUpToDate) {
  EXPECT_THAT(plan(upToDate()), IsEmpty());
}

TEST(NinjaPlanTest, PlansDependentsOfChange) {
  auto Times = upToDate();
  Times["lib.c"] = 20;
  EXPECT_THAT(plan(Times),
              ElementsAre("lib.o 0", "lib.a 300 link", "app 310 link"));
}

TEST(NinjaPlanTest, EarliestLinkComesFirst) {
  auto Times = upToDate();
  Times["app.c"] = Times["lib.c"] = Times["tool.c"] = 20;
  EXPECT_THAT(plan(Times),
              ElementsAre("app.o 0", "lib.o 0", "tool.o 0", "lib.a 300 link",
                          "tool 350 link", "app 410 link"));
}

TEST(NinjaPlanTest, PlansMissingOutput) {
  auto Times = upToDate();
  Times.erase("tool");
  EXPECT_THAT(plan(Times), ElementsAre("tool 0 link"));
}

TEST(NinjaPlanTest, IgnoresOrderOnlyDependencies) {
  auto Times = upToDate();
  Times["tool"] = 30; // newer than app
  EXPECT_THAT(plan(Times), IsEmpty());
}

TEST(NinjaPlanTest, LogMarksUnchangedOutputsUpToDate) {
  auto Times = upToDate();
  Times["app.o"] = 5; // older than its source, but checked at 10
  Times["app.c"] = 9;
  EXPECT_THAT(plan(Times), IsEmpty());
}

TEST(NinjaPlanTest, ReadsHeaderDependencies) {
  auto Times = upToDate();
  for (const uint32_t Version : {3U, 4U}) {
    EXPECT_THAT(plan(Times, deps(Version)), IsEmpty());
    Times["h.h"] = 20;
    EXPECT_THAT(plan(Times, deps(Version)),
                ElementsAre("tool.o 0", "tool 350 link"));
    EXPECT_THAT(plan(Times, deps(Version + 2)), IsEmpty());
    Times["h.h"] = 1;
  }
}

/// Ninja may be writing the file, and other programs are called ninja, too.
TEST(NinjaPlanTest, SurvivesDamagedFiles) {
  auto Times = upToDate();
  Times["h.h"] = Times["lib.c"] = 20;
  const std::string Deps = deps(4);
  for (size_t Size = 0; Size != Deps.size(); ++Size)
    EXPECT_EQ(plan(Times, StringRef(Deps).take_front(Size)).size(), 3U);
  for (size_t Size = 0; Size != Graph.size(); ++Size)
    (void)plan(Times, Deps, Graph.take_front(Size));
  EXPECT_THAT(plan(Times, "", "\"a\" -> \"a\" [label=\" cc\"]\n"),
              ElementsAre(" 0 link"));
  // The second edge has no output.
  EXPECT_THAT(plan(Times, "",
                   "\"c\" [label=\"x.c\"]\n"
                   "\"o\" [label=\"x.o\"]\n"
                   "\"c\" -> \"o\" [label=\" cc\"]\n"
                   "\"e\" [label=\"link\", shape=ellipse]\n"
                   "\"o\" -> \"e\" [arrowhead=none]\n"),
              ElementsAre("x.o 0"));
}

TEST(NinjaPlanTest, SplitsShellCommands) {
  EXPECT_THAT(commandsInShell(R"(: && c++ "a b.o" -o app && cmake -E echo x)"),
              ElementsAre(ElementsAre(":"),
                          ElementsAre("c++", "a b.o", "-o", "app"),
                          ElementsAre("cmake", "-E", "echo", "x")));
  EXPECT_THAT(commandsInShell("cd elsewhere && c++ a.o"), IsEmpty());
  EXPECT_THAT(commandsInShell(""), IsEmpty());
}

} // namespace
