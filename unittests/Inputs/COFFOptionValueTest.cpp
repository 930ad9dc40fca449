//===- COFFOptionValueTest.cpp - A value is not an input ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "COFF/Parse.h"
#include "TestSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Option.h"
#include "gmock/gmock.h"
#include <map>

using namespace llvm;
using namespace headstart;
using namespace headstart::coff;
using namespace headstart::test;
using testing::ElementsAre;

namespace {

/// The options of whose value lld reads at least a part.
const std::map<unsigned, std::string> ReadOptions = {
    {OPT_wholearchive_file, "value.obj"},
    {OPT_defaultlib, "value.obj"},
    {OPT_call_graph_ordering_file, "value.obj"},
    {OPT_deffile, "value.obj"},
    {OPT_lto_cs_profile_file, "value.obj"},
    {OPT_lto_sample_profile, "value.obj"},
    {OPT_natvis, "value.obj"},
    {OPT_sectionlayout, "value.obj"},
    {OPT_stub, "value.obj"},
    {OPT_vfsoverlay, "value.obj"},
    {OPT_defarm64native, "value.obj"},
    {OPT_manifestinput, "value.obj"},
};

// The table generates the test, so that no option can be forgotten.
TEST(COFFOptionValueTest, OnlyKnownOptionsAddInputs) {
  CurrentTestDirectory Directory;
  const GenericOptionTable &Table = optionTable();
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    if (Table.getOptionKind(ID) != opt::Option::JoinedClass)
      continue;
    SmallVector<StringRef, 5> Prefixes;
    Table.appendOptionPrefixes(ID, Prefixes);
    for (StringRef Prefix : Prefixes) {
      std::string Arg = (Prefix + Table.getOptionName(ID) + "value.obj").str();
      Strings Expected = {"a.obj", "plain.def"};
      if (auto It = ReadOptions.find(ID); It != ReadOptions.end()) {
        Expected.push_back(It->second);
        // The last argument wins.
        if (ID == OPT_deffile)
          erase(Expected, "plain.def");
      }
      // These arguments make lld read as many inputs as possible.
      Strings Args = {"a.obj",           "/debug", "/def:plain.def",
                      "/manifest:embed", Arg,      "/machine:arm64x"};
      // Arguments that change how others are read have their own tests.
      if (ID == OPT_debug_value || ID == OPT_machine ||
          ID == OPT_manifest_value)
        Expected = names(parse({"a.obj", "/def:plain.def"}));
      if (ID == OPT_thinlto_index_only_file || ID == OPT_lldemit)
        Expected = {"a.obj", "plain.def"};
      EXPECT_THAT(names(parse(Args)),
                  testing::UnorderedElementsAreArray(Expected))
          << Arg;
    }
  }
}

TEST(COFFOptionValueTest, ReadsPartsOfValues) {
  EXPECT_THAT(names(parse({"a.obj", "/debug", "/pdbstream:name=file.txt"})),
              ElementsAre("a.obj", "file.txt"));
  EXPECT_THAT(names(parse({"a.obj", "/debug", "/pdbstream:file.txt"})),
              ElementsAre("a.obj"));
  EXPECT_THAT(names(parse({"a.obj", "/order:@file.txt"})),
              ElementsAre("a.obj", "file.txt"));
}

TEST(COFFOptionValueTest, EmptyValuesAddNoInput) {
  EXPECT_THAT(names(parse({"a.obj", "/def:", "/stub:", "/order:@",
                           "/order:", "/natvis:", "/debug", "/pdbstream:a="})),
              ElementsAre("a.obj"));
}

TEST(COFFOptionValueTest, NoOptionTakesNextArg) {
  const GenericOptionTable &Table = optionTable();
  for (unsigned ID = 1; ID <= Table.getNumOptions(); ++ID) {
    unsigned Kind = Table.getOptionKind(ID);
    EXPECT_TRUE(
        Kind == opt::Option::FlagClass || Kind == opt::Option::JoinedClass ||
        Kind == opt::Option::GroupClass || Kind == opt::Option::InputClass ||
        Kind == opt::Option::UnknownClass)
        << Table.getOptionName(ID).str();
  }
  EXPECT_THAT(names(parse({"/out:", "x.exe"})), ElementsAre("x.exe"));
}

} // namespace
