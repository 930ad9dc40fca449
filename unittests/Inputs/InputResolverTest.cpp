//===- InputResolverTest.cpp - From names to paths ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "gmock/gmock.h"

using namespace headstart;
using namespace headstart::test;

namespace {

/// Returns the path and the kind of file to which the last input resolves.
std::pair<std::string, os::FileKind> find(const Strings &Args) {
  LinkCommand Command = parse(Args);
  EXPECT_FALSE(Command.Inputs.empty());
  ResolvedInput R = InputResolver(Command).resolve(Command.Inputs.back());
  return {R.Path, R.Status.Kind};
}
std::pair<std::string, os::FileKind> regular(std::string Path) {
  return {std::move(Path), os::FileKind::Regular};
}
std::pair<std::string, os::FileKind> missing(std::string Path) {
  return {std::move(Path), os::FileKind::Missing};
}

TEST(InputResolverTest, AbsoluteNamesSkipSearch) {
  CurrentTestDirectory Directory;
  std::string Path = Directory.write("a.obj");
  Directory.write("lib/b.obj");
  EXPECT_EQ(find({Path, "/libpath:lib"}), regular(Path));
  EXPECT_EQ(find({Directory.path("b.obj"), "/libpath:lib"}),
            missing(Directory.path("b.obj")));
  // lld adds no extension to them (lld 22: findFile).
  EXPECT_EQ(find({Directory.path("a")}), missing(Directory.path("a")));
}

TEST(InputResolverTest, SearchesRelativeNamesInOrder) {
  CurrentTestDirectory Directory;
  Directory.write("p1/a.obj");
  Directory.write("p2/a.obj");
  Directory.write("p2/sub/b.obj");
  EXPECT_EQ(find({"a.obj", "/libpath:none", "/libpath:p1", "/libpath:p2"}),
            regular("p1/a.obj"));
  EXPECT_EQ(find({"a.obj", "/libpath:p2/", "/libpath:p1"}),
            regular("p2/a.obj"));
  EXPECT_EQ(find({"sub/b.obj", "/libpath:p1", "/libpath:p2"}),
            regular("p2/sub/b.obj"));
  Directory.write("a.obj");
  EXPECT_EQ(find({"a.obj", "/libpath:p1"}), regular("a.obj"));
  EXPECT_EQ(find({"/wholearchive:a.obj", "/libpath:p1"}), regular("a.obj"));
}

TEST(InputResolverTest, TriesObjExtensionInEachDirectory) {
  CurrentTestDirectory Directory;
  Directory.write("p1/a.obj");
  Directory.write("p2/a");
  EXPECT_EQ(find({"a", "/libpath:p1", "/libpath:p2"}), regular("p1/a.obj"));
  EXPECT_EQ(find({"a", "/libpath:p2", "/libpath:p1"}), regular("p2/a"));
  Directory.write("p1/a");
  EXPECT_EQ(find({"a", "/libpath:p1"}), regular("p1/a"));
  // A '.' anywhere in the name counts as an extension.
  EXPECT_EQ(find({"./p1/b"}), missing("./p1/b"));
  Directory.write("p1/b.obj");
  EXPECT_EQ(find({"./p1/b"}), missing("./p1/b"));
}

TEST(InputResolverTest, FindsLibraries) {
  CurrentTestDirectory Directory;
  Directory.write("p1/foo.lib");
  Directory.write("p1/bar.obj");
  Directory.write("p1/libbaz.a");
  EXPECT_EQ(find({"a.obj", "/defaultlib:foo", "/libpath:p1"}),
            regular("p1/foo.lib"));
  EXPECT_EQ(find({"a.obj", "/defaultlib:foo.lib", "/libpath:p1"}),
            regular("p1/foo.lib"));
  EXPECT_EQ(find({"a.obj", "/defaultlib:bar", "/libpath:p1"}),
            missing("bar.lib"));
  EXPECT_EQ(find({"a.obj", "/defaultlib:baz", "/libpath:p1"}),
            missing("baz.lib"));
  EXPECT_EQ(find({"a.obj", "/defaultlib:/abs/foo", "/libpath:p1"}),
            missing("/abs/foo.lib"));
}

TEST(InputResolverTest, FindsLibrariesInMinGWMode) {
  CurrentTestDirectory Directory;
  Directory.write("p1/foo.lib");
  Directory.write("p1/libfoo.a");
  Directory.write("p1/libbar.a");
  Directory.write("here.lib");
  auto Find = [](const std::string &Option) {
    return find({"a.o", "/lldmingw", "/libpath:p1", Option});
  };
  EXPECT_EQ(Find("/defaultlib:foo"), regular("p1/foo.lib"));
  EXPECT_EQ(Find("/defaultlib:bar"), regular("p1/libbar.a"));
  EXPECT_EQ(Find("/defaultlib:bar.lib"), regular("p1/libbar.a"));
  EXPECT_EQ(Find("/defaultlib:none"), missing("libnone.a"));
  EXPECT_EQ(Find("/defaultlib:sub/bar"), missing("sub/bar.lib"));
  // Like lld-link 22.1.8: "could not open 'libhere.a'".
  EXPECT_EQ(Find("/defaultlib:here"), missing("libhere.a"));
}

TEST(InputResolverTest, ReportsMissingFilesAsStatus) {
  CurrentTestDirectory Directory;
  EXPECT_EQ(find({"a.obj"}), missing("a.obj"));
  EXPECT_EQ(find({"a"}), missing("a"));
  EXPECT_EQ(find({"a.obj", "/stub:s"}), missing("s"));
}

TEST(InputResolverTest, DoesNotSearchOptionFiles) {
  CurrentTestDirectory Directory;
  Directory.write("p1/x.def");
  EXPECT_EQ(find({"a.obj", "/libpath:p1", "/def:x.def"}), missing("x.def"));
  EXPECT_EQ(find({"a.obj", "/libpath:p1", "/def:p1/x.def"}),
            regular("p1/x.def"));
}

TEST(InputResolverTest, DirectoryEndsSearch) {
  CurrentTestDirectory Directory;
  std::filesystem::create_directories("p1/a.obj");
  Directory.write("p2/a.obj");
  EXPECT_EQ(find({"a.obj", "/libpath:p1", "/libpath:p2"}),
            std::pair(std::string("p1/a.obj"), os::FileKind::Directory));
}

TEST(InputResolverTest, DistinguishesFiles) {
  CurrentTestDirectory Directory;
  Directory.write("a.obj");
  Directory.write("b.obj");
  LinkCommand Command = parse({"a.obj", "./a.obj", "b.obj"});
  InputResolver Resolver(Command);
  os::FileIdentity A = Resolver.resolve(Command.Inputs[0]).Status.Identity;
  EXPECT_EQ(A, Resolver.resolve(Command.Inputs[1]).Status.Identity);
  EXPECT_FALSE(A == Resolver.resolve(Command.Inputs[2]).Status.Identity);
  EXPECT_EQ(A.Size, 1U);
}

} // namespace
