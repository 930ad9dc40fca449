//===- COFFOutputTest.cpp - The outputs of lld-link -----------------------===//
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
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {

Strings outputs(const Strings &Args,
                const CommandLineContext &Context = contextWith()) {
  Strings Paths;
  for (const LinkOutput &Output : parse(Args, Context).Outputs)
    Paths.push_back(Output.Path);
  return Paths;
}

TEST(COFFOutputTest, NamesImageAfterFirstInput) {
  EXPECT_THAT(outputs({"dir/a.b.obj", "c.obj"}), ElementsAre("a.b.exe"));
  EXPECT_THAT(outputs({"/wholearchive:x/w.lib", "c.obj"}),
              ElementsAre("w.exe"));
  EXPECT_THAT(outputs({"/vfsoverlay:v.yaml", "c.obj"}), ElementsAre("c.exe"));
  EXPECT_THAT(outputs({"c.obj", "/driver"}), ElementsAre("c.sys"));
  EXPECT_THAT(outputs({"c.obj", "/driver:wdm,uponly"}), ElementsAre("c.sys"));
  EXPECT_THAT(outputs({"c.obj", "/out:1.exe", "-OUT:o/2.exe"}),
              ElementsAre("o/2.exe"));
}

TEST(COFFOutputTest, ListsImportLibraries) {
  EXPECT_THAT(outputs({"c.obj", "/dll"}), ElementsAre("c.dll", "c.lib"));
  EXPECT_THAT(outputs({"c.obj", "/dll", "/noimplib"}), ElementsAre("c.dll"));
  EXPECT_THAT(outputs({"c.obj", "/dll", "/lldmingw"}), ElementsAre("c.dll"));
  EXPECT_THAT(outputs({"c.obj", "/lldmingw", "/implib:x.a"}),
              ElementsAre("c.exe", "x.a"));
  EXPECT_THAT(outputs({"c.obj", "/export:f", "/out:o/c.exe"}),
              ElementsAre("o/c.exe", "o/c.lib"));
  EXPECT_THAT(outputs({"/def:x.def", "/out:x.dll"}),
              ElementsAre("x.dll", "x.lib"));
}

// If `foo.exe` is linked with a library of that name, an output with the
// library's name would prevent its prefetch.
TEST(COFFOutputTest, ProgramsHaveNoImportLibraryByDefault) {
  EXPECT_THAT(outputs({"main.obj", "foo.lib", "/out:foo.exe"}),
              ElementsAre("foo.exe"));
}

TEST(COFFOutputTest, ListsPDBs) {
  EXPECT_THAT(outputs({"c.obj", "/debug"}), ElementsAre("c.exe", "c.pdb"));
  EXPECT_THAT(outputs({"c.obj", "/debug", "/pdb:x.pdb"}),
              ElementsAre("c.exe", "x.pdb"));
  EXPECT_THAT(outputs({"c.obj", "/debug:dwarf", "/pdb:x.pdb"}),
              ElementsAre("c.exe"));
  EXPECT_THAT(outputs({"c.obj", "/pdbstripped:s.pdb"}),
              ElementsAre("c.exe", "s.pdb"));
}

TEST(COFFOutputTest, ListsMaps) {
  EXPECT_THAT(outputs({"c.obj", "/map", "/out:o.x/c"}),
              ElementsAre("o.x/c", "o.map"));
  EXPECT_THAT(outputs({"c.obj", "/map", "/map:m"}), ElementsAre("c.exe", "m"));
  EXPECT_THAT(outputs({"c.obj", "/map:m", "/map", "/lldmap:l"}),
              ElementsAre("c.exe", "c.map", "l"));
}

TEST(COFFOutputTest, ListsManifests) {
  EXPECT_THAT(outputs({"c.obj", "/manifest"}),
              ElementsAre("c.exe", "c.exe.manifest"));
  EXPECT_THAT(outputs({"c.obj", "/manifestdependency:x"}),
              ElementsAre("c.exe", "c.exe.manifest"));
  EXPECT_THAT(outputs({"c.obj", "/manifestdependency:x", "/manifest:no"}),
              ElementsAre("c.exe"));
  EXPECT_THAT(outputs({"c.obj", "/manifest:embed"}), ElementsAre("c.exe"));
  EXPECT_THAT(outputs({"c.obj", "/manifest", "/manifestfile:m"}),
              ElementsAre("c.exe", "m"));
}

TEST(COFFOutputTest, ListsReproducers) {
  CommandLineContext Context = contextWith({{"LLD_REPRODUCE", "env.tar"}});
  EXPECT_THAT(outputs({"c.obj"}, Context), ElementsAre("c.exe", "env.tar"));
  EXPECT_THAT(outputs({"c.obj", "/lldignoreenv"}, Context),
              ElementsAre("c.exe", "env.tar"));
  EXPECT_THAT(outputs({"c.obj", "/linkrepro:dir"}, Context),
              ElementsAre("c.exe", "dir/repro.tar"));
  EXPECT_THAT(outputs({"c.obj", "/linkrepro:dir", "/reproduce:r.tar"}, Context),
              ElementsAre("c.exe", "r.tar"));
  EXPECT_THAT(outputs({"c.obj", "/linkreprofullpathrsp:full.rsp"}),
              ElementsAre("c.exe", "full.rsp"));
}

TEST(COFFOutputTest, ListsOtherOutputs) {
  EXPECT_THAT(outputs({"c.obj", "/dwodir:d", "/lto-obj-path:l",
                       "/output-def:x.def", "/print-symbol-order:order",
                       "/thinlto-index-only:index", "--time-trace=t.json"}),
              UnorderedElementsAre("c.exe", "d", "l", "x.def", "order", "index",
                                   "t.json"));
  EXPECT_THAT(outputs({"c.obj", "--time-trace"}),
              ElementsAre("c.exe", "c.exe.time-trace"));
  EXPECT_THAT(outputs({"c.obj", "--time-trace", "/out:d.exe"}),
              ElementsAre("d.exe", "d.exe.time-trace"));
}

TEST(COFFOutputTest, OutputsThatOptionsReadAreNoInputs) {
  LinkCommand Command =
      parse({"c.obj", "/debug", "/pdbstream:old=c.pdb", "/pdbstream:new=s",
             "/order:@order", "/print-symbol-order:order"});
  EXPECT_THAT(names(Command), ElementsAre("c.obj", "s"));
}

TEST(COFFOutputTest, NamedInputRemainsInput) {
  LinkCommand Command =
      parse({"c.obj", "c.lib", "/dll", "/defaultlib:d.lib", "/implib:d.lib"});
  EXPECT_THAT(names(Command), ElementsAre("c.obj", "c.lib", "d.lib"));
  EXPECT_THAT(Command.Outputs, ElementsAre("c.dll", "d.lib"));
}

TEST(COFFOutputTest, WritesNothingWithoutLink) {
  EXPECT_THAT(outputs({"/out:x.exe"}), IsEmpty());
  EXPECT_THAT(outputs({"/lib", "a.obj", "/out:x.lib"}), IsEmpty());
}

} // namespace
