//===- MachOResolveTest.cpp - Where ld64.lld finds an input ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachOTestSupport.h"
#include "OS/TestLinks.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;

namespace {

/// The path of the first input of \p Args, or "missing NAME".
std::string found(const Strings &Args) {
  LinkCommand Command = parseMachO(Args);
  ResolvedInput R = InputResolver(Command).resolve(Command.Inputs.at(0));
  return (R.exists() ? "" : "missing ") + R.Path;
}

/// Where a re-exported \p Name is found that \p From names.
std::string foundAgain(const Strings &Args, const std::string &Name,
                       const std::string &From,
                       const std::string &Umbrella = "") {
  LinkCommand Command = parseMachO(Args);
  NamedInput Input;
  Input.Name = Name;
  Input.Reason = InputReason::ReExport;
  Input.Search = SearchRule::Dylib;
  Input.From = From;
  Input.Umbrella = Umbrella;
  ResolvedInput R = InputResolver(Command).resolve(Input);
  return (R.exists() ? "" : "missing ") + R.Path;
}

TEST(MachOResolveTest, librariesByKindThenFolder) {
  CurrentTestFolder Folder;
  Folder.write("one/liba.a");
  Folder.write("two/liba.dylib");
  Folder.write("two/libb.so");
  Folder.write("two/libb.a");
  Folder.write("two/libc.tbd");
  Folder.write("two/libc.dylib");
  Folder.write("two/crt1.o");
  EXPECT_EQ(found({"-Lone", "-Ltwo", "-la"}), "one/liba.a");
  EXPECT_EQ(found({"-search_dylibs_first", "-Lone", "-Ltwo", "-la"}),
            "two/liba.dylib");
  EXPECT_EQ(found({"-search_dylibs_first", "-Ltwo", "-lb"}), "two/libb.so");
  EXPECT_EQ(found({"-Ltwo", "-lc"}), "two/libc.tbd");
  EXPECT_EQ(found({"-Ltwo", "-lcrt1.o"}), "two/crt1.o");
  EXPECT_EQ(found({"-Ltwo", "-lnowhere"}), "missing nowhere");
}

TEST(MachOResolveTest, searchPathsBelowRoots) {
  CurrentTestFolder Folder;
  Folder.write("r1/usr/lib/x");
  Folder.write("r2/opt/lib/x");
  Folder.write("r2/usr/local/lib/x");
  Folder.write("r2/Library/Frameworks/x");
  Folder.write("file");
  Folder.write("own/x");
  LinkCommand Command = parseMachO(
      {"-syslibroot", "r1", "-syslibroot", "r2", "-L/opt/lib", "-Lfile",
       "-Lnowhere", "-Lown", "-L" + Folder.path("own"), "-Fown"});
  EXPECT_THAT(Command.SearchPaths,
              ElementsAre("r2/opt/lib", "own", Folder.path("own"), "r1/usr/lib",
                          "r2/usr/local/lib"));
  EXPECT_THAT(Command.MachO.FrameworkPaths,
              ElementsAre("own", "r2/Library/Frameworks"));
  EXPECT_THAT(Command.MachO.SystemRoots, ElementsAre("r1", "r2"));
  EXPECT_THAT(parseMachO({"-syslibroot", "r1", "-Lown", "-Z"}).SearchPaths,
              ElementsAre("own"));
  // A last root of "/" undoes the others.
  EXPECT_THAT(
      parseMachO({"-syslibroot", "r1", "-syslibroot", "/"}).MachO.SystemRoots,
      ElementsAre(""));
}

TEST(MachOResolveTest, absolutePathsBelowRoots) {
  CurrentTestFolder Folder;
  std::string Own = Folder.write("own/liba.dylib");
  std::string Object = Folder.write("own/a.o");
  Folder.write("root/opt/libb.dylib");
  Folder.write("root" + Object);
  EXPECT_EQ(found({"-syslibroot", "root", "/opt/libb.dylib"}),
            "root/opt/libb.dylib");
  EXPECT_EQ(found({"-syslibroot", "root", Own}), Own);
  // Objects stay where they are, and so does what has no root.
  EXPECT_EQ(found({"-syslibroot", "root", Object}), Object);
  EXPECT_EQ(found({"/opt/libb.dylib"}), "missing /opt/libb.dylib");
  EXPECT_EQ(found({"-syslibroot", "root", "-weak_library", "/opt/libb.dylib"}),
            "root/opt/libb.dylib");
  EXPECT_EQ(found({"-syslibroot", "root", "/opt/libc.dylib"}),
            "missing /opt/libc.dylib");
}

TEST(MachOResolveTest, frameworks) {
  if (!os::test::canMakeLinks())
    GTEST_SKIP() << os::test::NoLinks;
  CurrentTestFolder Folder;
  Folder.write("one/A.framework/A");
  Folder.write("two/A.framework/A.tbd");
  Folder.write("two/A.framework/A");
  Folder.write("one/B.framework/Versions/A/B");
  Folder.write("one/B.framework/Versions/A/B_debug");
  std::filesystem::create_symlink("Versions/A/B", "one/B.framework/B");
  EXPECT_EQ(found({"-Fone", "-Ftwo", "-framework", "A"}), "one/A.framework/A");
  EXPECT_EQ(found({"-Ftwo", "-Fone", "-framework", "A"}),
            "two/A.framework/A.tbd");
  EXPECT_EQ(found({"-Fone", "-framework", "B"}), "one/B.framework/B");
  EXPECT_EQ(found({"-Fone", "-framework", "B,_debug"}),
            Folder.path("one/B.framework/Versions/A/B_debug"));
  EXPECT_EQ(found({"-Fone", "-framework", "B,_none"}), "one/B.framework/B");
  EXPECT_EQ(found({"-Fone", "-framework", "C"}), "missing C");
}

TEST(MachOResolveTest, installNamesOnTheSearchPath) {
  CurrentTestFolder Folder;
  Folder.write("lib/libx.1.tbd");
  Folder.write("fw/F.framework/F");
  Folder.write("root/usr/lib/libx.1.dylib");
  Folder.write("root/usr/lib/system/liby.tbd");
  EXPECT_EQ(foundAgain({"-Llib"}, "/usr/lib/libx.1.dylib", "d"),
            "lib/libx.1.tbd");
  EXPECT_EQ(foundAgain({"-Ffw"}, "/System/F.framework/F", "d"),
            "fw/F.framework/F");
  EXPECT_EQ(foundAgain({"-syslibroot", "root", "-Z"},
                       "/usr/lib/system/liby.dylib", "d"),
            "root/usr/lib/system/liby.tbd");
  EXPECT_EQ(foundAgain({"-Z"}, "/usr/lib/system/libnone.dylib", "d"),
            "missing /usr/lib/system/libnone.dylib");
}

TEST(MachOResolveTest, installNamesWithPrefixes) {
  if (!os::test::canMakeLinks())
    GTEST_SKIP() << os::test::NoLinks;
  CurrentTestFolder Folder;
  Folder.write("out/liba.dylib");
  Folder.write("deep/in/libb.dylib");
  Folder.write("other/libc.tbd");
  Folder.write("deep/run/libd.dylib");
  Folder.write("deep/umbrella.dylib",
               dylibFile("u", {runPath("nowhere"), runPath("@loader_path/run"),
                               runPath(Folder.path("other"))}));
  std::filesystem::create_symlink("deep/umbrella.dylib", "link.dylib");
  EXPECT_EQ(
      foundAgain({"-o", "out/program"}, "@executable_path/liba.dylib", "x"),
      "out/liba.dylib");
  EXPECT_EQ(foundAgain({"-dylib", "-o", "out/program"},
                       "@executable_path/liba.dylib", "x"),
            "missing @executable_path/liba.dylib");
  // From where the umbrella really is, not the one that names it.
  std::string B = Folder.path("deep/in/libb.dylib");
  EXPECT_EQ(foundAgain({}, "@loader_path/in/libb.dylib", "link.dylib"), B);
  EXPECT_EQ(foundAgain({}, "@loader_path/in/libb.dylib", "other/libc.tbd",
                       "link.dylib"),
            B);
  EXPECT_EQ(foundAgain({}, "@rpath/libc.dylib", "link.dylib"),
            Folder.path("other/libc.tbd"));
  EXPECT_EQ(foundAgain({}, "@rpath/libd.dylib", "x", "link.dylib"),
            Folder.path("deep/run/libd.dylib"));
  EXPECT_EQ(foundAgain({}, "@rpath/libe.dylib", "link.dylib"),
            "missing @rpath/libe.dylib");
  EXPECT_EQ(foundAgain({}, "@rpath/libe.dylib", "nowhere"),
            "missing @rpath/libe.dylib");
}

TEST(MachOResolveTest, runPathsWithoutEnd) {
  CurrentTestFolder Folder;
  Folder.write("last/liba.dylib");
  for (size_t Before : {63, 64}) {
    Strings Commands(Before, runPath("nowhere"));
    Commands.push_back(runPath("last"));
    Folder.write("u.dylib", dylibFile("u", Commands));
    EXPECT_EQ(foundAgain({}, "@rpath/liba.dylib", "u.dylib"),
              Before == 63 ? "last/liba.dylib" : "missing @rpath/liba.dylib");
  }
}

} // namespace
