//===- MachOResolveTest.cpp - Resolves Mach-O inputs ----------------------===//
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

/// Returns the path of the first input of \p Args, or "missing NAME".
std::string found(const Strings &Args) {
  LinkCommand Command = parseMachO(Args);
  ResolvedInput R = InputResolver(Command).resolve(Command.Inputs.at(0));
  return (R.exists() ? "" : "missing ") + R.Path;
}

/// Returns the path of the re-exported \p Name that \p From references.
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

TEST(MachOResolveTest, SearchesLibrariesByKindThenDirectory) {
  CurrentTestDirectory Directory;
  Directory.write("one/liba.a");
  Directory.write("two/liba.dylib");
  Directory.write("two/libb.so");
  Directory.write("two/libb.a");
  Directory.write("two/libc.tbd");
  Directory.write("two/libc.dylib");
  Directory.write("two/crt1.o");
  EXPECT_EQ(found({"-Lone", "-Ltwo", "-la"}), "one/liba.a");
  EXPECT_EQ(found({"-search_dylibs_first", "-Lone", "-Ltwo", "-la"}),
            "two/liba.dylib");
  EXPECT_EQ(found({"-search_dylibs_first", "-Ltwo", "-lb"}), "two/libb.so");
  EXPECT_EQ(found({"-Ltwo", "-lc"}), "two/libc.tbd");
  EXPECT_EQ(found({"-Ltwo", "-lcrt1.o"}), "two/crt1.o");
  EXPECT_EQ(found({"-Ltwo", "-lnowhere"}), "missing -lnowhere");
}

TEST(MachOResolveTest, AppliesRootsToSearchPaths) {
  CurrentTestDirectory Directory;
  Directory.write("r1/usr/lib/x");
  Directory.write("r2/opt/lib/x");
  Directory.write("r2/usr/local/lib/x");
  Directory.write("r2/Library/Frameworks/x");
  Directory.write("file");
  Directory.write("own/x");
  LinkCommand Command = parseMachO(
      {"-syslibroot", "r1", "-syslibroot", "r2", "-L/opt/lib", "-Lfile",
       "-Lnowhere", "-Lown", "-L" + Directory.path("own"), "-Fown"});
  EXPECT_THAT(Command.SearchPaths,
              ElementsAre("r2/opt/lib", "own", Directory.path("own"),
                          "r1/usr/lib", "r2/usr/local/lib"));
  EXPECT_THAT(Command.MachO.FrameworkPaths,
              ElementsAre("own", "r2/Library/Frameworks"));
  EXPECT_THAT(Command.MachO.SystemRoots, ElementsAre("r1", "r2"));
  EXPECT_THAT(parseMachO({"-syslibroot", "r1", "-Lown", "-Z"}).SearchPaths,
              ElementsAre("own"));
  // A last root of "/" cancels the others.
  EXPECT_THAT(
      parseMachO({"-syslibroot", "r1", "-syslibroot", "/"}).MachO.SystemRoots,
      ElementsAre(""));
}

TEST(MachOResolveTest, AppliesRootsToAbsolutePaths) {
  CurrentTestDirectory Directory;
  std::string Own = Directory.write("own/liba.dylib");
  std::string Object = Directory.write("own/a.o");
  Directory.write("root/opt/libb.dylib");
  Directory.write("root" + Object);
  EXPECT_EQ(found({"-syslibroot", "root", "/opt/libb.dylib"}),
            "root/opt/libb.dylib");
  EXPECT_EQ(found({"-syslibroot", "root", Own}), Own);
  // Roots do not change the paths of objects. Without roots, no path changes.
  EXPECT_EQ(found({"-syslibroot", "root", Object}), Object);
  EXPECT_EQ(found({"/opt/libb.dylib"}), "missing /opt/libb.dylib");
  EXPECT_EQ(found({"-syslibroot", "root", "-weak_library", "/opt/libb.dylib"}),
            "root/opt/libb.dylib");
  EXPECT_EQ(found({"-syslibroot", "root", "/opt/libc.dylib"}),
            "missing /opt/libc.dylib");
}

TEST(MachOResolveTest, FindsFrameworks) {
  if (!os::test::canMakeLinks())
    GTEST_SKIP() << os::test::NoLinks;
  CurrentTestDirectory Directory;
  Directory.write("one/A.framework/A");
  Directory.write("two/A.framework/A.tbd");
  Directory.write("two/A.framework/A");
  Directory.write("one/B.framework/Versions/A/B");
  Directory.write("one/B.framework/Versions/A/B_debug");
  std::filesystem::create_symlink("Versions/A/B", "one/B.framework/B");
  EXPECT_EQ(found({"-Fone", "-Ftwo", "-framework", "A"}), "one/A.framework/A");
  EXPECT_EQ(found({"-Ftwo", "-Fone", "-framework", "A"}),
            "two/A.framework/A.tbd");
  EXPECT_EQ(found({"-Fone", "-framework", "B"}), "one/B.framework/B");
  EXPECT_EQ(found({"-Fone", "-framework", "B,_debug"}),
            Directory.path("one/B.framework/Versions/A/B_debug"));
  EXPECT_EQ(found({"-Fone", "-framework", "B,_none"}), "one/B.framework/B");
  EXPECT_EQ(found({"-Fone", "-framework", "C"}), "missing C");
}

TEST(MachOResolveTest, FindsInstallNamesOnSearchPath) {
  CurrentTestDirectory Directory;
  Directory.write("lib/libx.1.tbd");
  Directory.write("fw/F.framework/F");
  Directory.write("root/usr/lib/libx.1.dylib");
  Directory.write("root/usr/lib/system/liby.tbd");
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

TEST(MachOResolveTest, ExpandsInstallNamePrefixes) {
  if (!os::test::canMakeLinks())
    GTEST_SKIP() << os::test::NoLinks;
  CurrentTestDirectory Directory;
  Directory.write("out/liba.dylib");
  Directory.write("deep/in/libb.dylib");
  Directory.write("other/libc.tbd");
  Directory.write("deep/run/libd.dylib");
  Directory.write(
      "deep/umbrella.dylib",
      dylibFile("u", {runPath("nowhere"), runPath("@loader_path/run"),
                      runPath(Directory.path("other"))}));
  std::filesystem::create_symlink("deep/umbrella.dylib", "link.dylib");
  EXPECT_EQ(
      foundAgain({"-o", "out/program"}, "@executable_path/liba.dylib", "x"),
      "out/liba.dylib");
  EXPECT_EQ(foundAgain({"-dylib", "-o", "out/program"},
                       "@executable_path/liba.dylib", "x"),
            "missing @executable_path/liba.dylib");
  // @loader_path is the umbrella's resolved place, not its referrer's.
  std::string B = Directory.path("deep/in/libb.dylib");
  EXPECT_EQ(foundAgain({}, "@loader_path/in/libb.dylib", "link.dylib"), B);
  EXPECT_EQ(foundAgain({}, "@loader_path/in/libb.dylib", "other/libc.tbd",
                       "link.dylib"),
            B);
  EXPECT_EQ(foundAgain({}, "@rpath/libc.dylib", "link.dylib"),
            Directory.path("other/libc.tbd"));
  EXPECT_EQ(foundAgain({}, "@rpath/libd.dylib", "x", "link.dylib"),
            Directory.path("deep/run/libd.dylib"));
  EXPECT_EQ(foundAgain({}, "@rpath/libe.dylib", "link.dylib"),
            "missing @rpath/libe.dylib");
  EXPECT_EQ(foundAgain({}, "@rpath/libe.dylib", "nowhere"),
            "missing @rpath/libe.dylib");
}

TEST(MachOResolveTest, SurvivesRecursiveRunPaths) {
  CurrentTestDirectory Directory;
  Directory.write("last/liba.dylib");
  for (size_t Before : {63, 64}) {
    Strings Commands(Before, runPath("nowhere"));
    Commands.push_back(runPath("last"));
    Directory.write("u.dylib", dylibFile("u", Commands));
    EXPECT_EQ(foundAgain({}, "@rpath/liba.dylib", "u.dylib"),
              Before == 63 ? "last/liba.dylib" : "missing @rpath/liba.dylib");
  }
}

} // namespace
