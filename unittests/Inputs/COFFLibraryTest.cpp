//===- COFFLibraryTest.cpp - Default libraries and their exclusion --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "COFF/Parse.h"
#include "TestSupport.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;
using testing::ElementsAre;

namespace {

TEST(COFFLibraryTest, DefaultLibrariesFollowInputs) {
  EXPECT_THAT(names(parse({"/defaultlib:b", "a.obj", "-DEFAULTLIB:c.lib"})),
              ElementsAre("a.obj", "b", "c.lib"));
}

TEST(COFFLibraryTest, OpensEachNameOnce) {
  // The names are compared as written, ignoring case (lld 22: visitedLibs).
  EXPECT_THAT(names(parse({"a.obj", "/defaultlib:b", "/defaultlib:B",
                           "/defaultlib:b.lib", "/defaultlib:B.LIB"})),
              ElementsAre("a.obj", "b", "b.lib"));
}

// Observed in lld-link 22.1.8: the first is not searched for, the second once.
TEST(COFFLibraryTest, InputOfSameNameReplacesDefaultLibrary) {
  EXPECT_THAT(names(parse({"a.obj", "sub/Foo.lib", "/defaultlib:foo.LIB"})),
              ElementsAre("a.obj", "sub/Foo.lib"));
  EXPECT_THAT(names(parse({"a.obj", "sub/Foo.lib", "/defaultlib:foo"})),
              ElementsAre("a.obj", "sub/Foo.lib", "foo"));
  EXPECT_THAT(names(parse({"a.obj", "foo.a", "/defaultlib:foo.a"})),
              ElementsAre("a.obj", "foo.a", "foo.a"));
}

TEST(COFFLibraryTest, NodefaultlibWithoutNameExcludesAll) {
  LinkCommand Command =
      parse({"a.obj", "/defaultlib:b", "/nodefaultlib", "c.lib"});
  EXPECT_THAT(names(Command), ElementsAre("a.obj", "c.lib"));
  EXPECT_TRUE(Command.ExcludesAllLibraries);
  EXPECT_TRUE(coff::isExcluded("anything", InputResolver(Command)));
}

TEST(COFFLibraryTest, NodefaultlibExcludesByName) {
  CurrentTestDirectory Directory;
  LinkCommand Command = parse({"a.obj", "/defaultlib:b", "/defaultlib:c.lib",
                               "/defaultlib:d", "/nodefaultlib:b.lib",
                               "/disallowlib:c", "e.lib", "/nodefaultlib:e"});
  EXPECT_THAT(names(Command), ElementsAre("a.obj", "e.lib", "d"));
  EXPECT_THAT(Command.ExcludedLibraries, ElementsAre("b.lib", "c", "e"));
  InputResolver Resolver(Command);
  EXPECT_TRUE(coff::isExcluded("c.lib", Resolver));
  EXPECT_FALSE(coff::isExcluded("d.lib", Resolver));
}

TEST(COFFLibraryTest, ComparesMissingNamesInLowerCase) {
  CurrentTestDirectory Directory;
  EXPECT_THAT(
      names(parse({"a.obj", "/defaultlib:LIBCMT", "/nodefaultlib:libcmt"})),
      ElementsAre("a.obj"));
}

TEST(COFFLibraryTest, ExclusionComparesFoundPaths) {
  CurrentTestDirectory Directory;
  Directory.write("lib/foo.lib");
  // If a library is found in a directory, its path counts, however it is named.
  EXPECT_THAT(names(parse({"a.obj", "/libpath:lib", "/defaultlib:foo",
                           "/nodefaultlib:lib/foo.lib"})),
              ElementsAre("a.obj"));
  EXPECT_THAT(names(parse({"a.obj", "/libpath:lib", "/defaultlib:foo",
                           "/nodefaultlib:other/foo.lib"})),
              ElementsAre("a.obj", "foo"));
  if (std::filesystem::exists("lib/FOO.lib"))
    GTEST_SKIP() << "the file system ignores case";
  // FOO is not found, so it excludes no library that is found ...
  EXPECT_THAT(names(parse({"a.obj", "/libpath:lib", "/defaultlib:foo",
                           "/nodefaultlib:FOO", "/machine:x64"})),
              ElementsAre("a.obj", "foo"));
  // ... unless lld searches again in lower case.
  EXPECT_THAT(names(parse({"a.obj", "/libpath:lib", "/defaultlib:foo",
                           "/nodefaultlib:FOO"})),
              ElementsAre("a.obj"));
}

TEST(COFFLibraryTest, ExclusionAppliesMinGWNames) {
  CurrentTestDirectory Directory;
  Directory.write("lib/libfoo.a");
  EXPECT_THAT(names(parse({"a.o", "/lldmingw", "/libpath:lib",
                           "/defaultlib:foo", "/nodefaultlib:libfoo.a"})),
              ElementsAre("a.o"));
  EXPECT_THAT(names(parse({"a.o", "/lldmingw", "/libpath:lib",
                           "/defaultlib:foo", "/nodefaultlib:bar"})),
              ElementsAre("a.o", "foo"));
}

} // namespace
