//===- COFFInputListTest.cpp - All that a link reads, in order ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "COFFScanSupport.h"
#include "OS/TestLinks.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;

namespace {

Strings inputsOf(const Strings &Args) { return existing(parse(Args)); }

TEST(COFFInputListTest, OrdersInputsByTurn) {
  CurrentTestDirectory Directory;
  Directory.write("x.obj", objectWith("/defaultlib:a"));
  Directory.write("y.obj", objectWith("/defaultlib:x.obj /defaultlib:b"));
  Directory.write("z.obj", objectWith("/defaultlib:z2.obj"));
  Directory.write("z2.obj", objectWith("/defaultlib:d"));
  for (const char *Name :
       {"a.lib", "b.lib", "c.lib", "d.lib", "e.def", "n.natvis"})
    Directory.write(Name);
  EXPECT_THAT(
      inputsOf({"/debug", "/def:e.def", "/natvis:n.natvis", "/defaultlib:z.obj",
                "/defaultlib:c", "y.obj", "x.obj"}),
      ElementsAre("y.obj", "x.obj", "b.lib", "a.lib", "z.obj", "c.lib",
                  "z2.obj", "d.lib", "e.def", "n.natvis"));
}

TEST(COFFInputListTest, IdentifiesFilesByIdentity) {
  if (!os::test::canMakeLinks())
    GTEST_SKIP() << os::test::NoLinks;
  CurrentTestDirectory Directory;
  Directory.write("x.obj", objectWith("/defaultlib:./a.lib /defaultlib:l"));
  Directory.write("a.lib");
  std::filesystem::create_symlink("a.lib", "l.lib");
  std::filesystem::create_hard_link("x.obj", "h.obj");
  EXPECT_THAT(inputsOf({"x.obj", "./x.obj", "h.obj", "a.lib"}),
              ElementsAre("x.obj", "a.lib"));
  // A file that is read without a search is read again under another name.
  EXPECT_THAT(inputsOf({"x.obj", "a.lib", "/def:l.lib", "/stub:l.lib"}),
              ElementsAre("x.obj", "a.lib", "l.lib"));
}

TEST(COFFInputListTest, IdentifiesDefaultLibrariesByName) {
  CurrentTestDirectory Directory;
  Directory.write("x.obj", objectWith("/defaultlib:A.lib"));
  Directory.write("y.obj", objectWith("/defaultlib:a.lib /defaultlib:b"));
  Directory.write("a.lib");
  Directory.write("b.lib", "b");
  Directory.write("B.lib", "B");
  EXPECT_THAT(inputsOf({"y.obj", "x.obj"}),
              ElementsAre("y.obj", "x.obj", "a.lib", "b.lib"));
  if (os::test::OnWindows)
    GTEST_SKIP() << "the file system ignores case";
  // A.lib does not exist, and lld-link 22.1.8 does not search for a.lib.
  EXPECT_THAT(inputsOf({"x.obj", "y.obj", "/defaultlib:B"}),
              ElementsAre("x.obj", "y.obj", "b.lib"));
}

TEST(COFFInputListTest, MembersFollowTheirArchive) {
  CurrentTestDirectory Directory;
  Directory.write("f/x.obj", objectWith("/defaultlib:a"));
  Directory.write("y.obj", objectWith("/defaultlib:b"));
  Directory.write("a.lib");
  Directory.write("b.lib");
  Directory.write("f/t.lib", "!<thin>\n" + memberHeader("x.obj/", 1) +
                                 memberHeader("t.lib/", 1) +
                                 memberHeader("gone.obj/", 1));
  EXPECT_THAT(
      inputsOf({"/wholearchive:f/t.lib", "y.obj", "/defaultlib:f/x.obj"}),
      ElementsAre("f/t.lib", "f/x.obj", "y.obj", "a.lib", "b.lib"));
}

TEST(COFFInputListTest, LazyMembersHaveNoDependencies) {
  CurrentTestDirectory Directory;
  Directory.write("x.obj", objectWith("/defaultlib:a"));
  Directory.write("a.lib");
  Directory.write("t.lib", "!<thin>\n" + memberHeader("x.obj/", 1));
  EXPECT_THAT(inputsOf({"t.lib", "/machine:arm64ec"}),
              ElementsAre("t.lib", "x.obj"));
  EXPECT_THAT(inputsOf({"/wholearchive:t.lib", "/machine:arm64ec"}),
              ElementsAre("t.lib", "x.obj", "a.lib"));
}

} // namespace
