//===- COFFOptionTableTest.cpp - The table against lld-link's -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "COFF/Parse.h"
#include "TestSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/Option.h"
#include "gmock/gmock.h"
#include <array>
#include <random>
#include <set>

using namespace llvm;
using namespace llvm::opt;
using namespace headstart;
using namespace headstart::coff;
using namespace headstart::test;
using testing::ElementsAre;

namespace {

// Every option of lld-link 22.1.8, extracted from the option table in Debian's
// liblldCOFF.a (OptionStrTableStorage, OptionPrefixesTable and infoTable of
// DriverUtils.cpp.o). "/x" stands for the prefixes "/", "-", "/?" and "-?". A
// name that ends in ':' or '=' has a joined value.
// clang-format off
constexpr StringLiteral LldOptions[] = {
    "--color-diagnostics", "--color-diagnostics=", "--no-color-diagnostics",
    "--rsp-quoting=", "--time-trace", "--time-trace-granularity=",
    "--time-trace=", "--version", "/?", "/align:", "/aligncomm:", "/allowbind",
    "/allowbind:no", "/allowisolation", "/allowisolation:no", "/alternatename:",
    "/appcontainer", "/appcontainer:no", "/arm64xsameaddress:",
    "/assemblydebug", "/assemblydebug:", "/auto-import", "/auto-import:no",
    "/base:", "/Brepro", "/build-id", "/build-id:no",
    "/call-graph-ordering-file:", "/call-graph-profile-sort",
    "/call-graph-profile-sort:no", "/cetcompat", "/cetcompat:no",
    "/cetcompatstrict", "/cetcompatstrict:no", "/cetdynamicapisinproc",
    "/cetdynamicapisinproc:no", "/cetipvalidationrelaxed",
    "/cetipvalidationrelaxed:no", "/debug", "/debug:", "/debugtype:", "/def:",
    "/defarm64native:", "/defaultlib:", "/delay:", "/delayload:", "/demangle",
    "/demangle:no", "/dependentloadflag", "/dependentloadflag:", "/diasdkdir:",
    "/disallowlib:", "/dll", "/driver", "/driver:uponly", "/driver:uponly,wdm",
    "/driver:wdm", "/driver:wdm,uponly", "/dwodir:", "/dynamicbase",
    "/dynamicbase:no", "/editandcontinue", "/emitpogophaseinfo",
    "/emittoolversioninfo", "/emittoolversioninfo:no", "/end-lib", "/entry:",
    "/errorlimit:", "/errorreport:", "/exclude-all-symbols",
    "/exclude-symbols:", "/export-all-symbols", "/export:", "/failifmismatch:",
    "/fastfail", "/fat-lto-objects", "/fat-lto-objects:no", "/filealign:",
    "/fixed", "/fixed:no", "/force", "/force:multiple", "/force:multipleres",
    "/force:unresolved", "/functionpadmin", "/functionpadmin:", "/guard:",
    "/guardsym:", "/heap:", "/help", "/highentropyva", "/highentropyva:no",
    "/hotpatchcompatible", "/hotpatchcompatible:no", "/idlout:", "/ignore:",
    "/ignoreidl", "/ilk:", "/implib:", "/include:", "/includeglob:",
    "/includeoptional:", "/incremental", "/incremental:no", "/inferasanlibs",
    "/inferasanlibs:no", "/integritycheck", "/integritycheck:no", "/kernel",
    "/kill-at", "/largeaddressaware", "/largeaddressaware:no", "/lib",
    "/libpath:", "/link", "/linkrepro:", "/linkreprofullpathrsp:",
    "/lld-allow-duplicate-weak", "/lld-allow-duplicate-weak:no", "/lldemit:",
    "/lldignoreenv", "/lldltocache:", "/lldltocachepolicy:", "/lldmap",
    "/lldmap:", "/lldmingw", "/lldsavetemps", "/lldsavetemps:", "/ltcg",
    "/ltcg:", "/ltcgout:", "/lto-cs-profile-file:", "/lto-cs-profile-generate",
    "/lto-obj-path:", "/lto-pgo-warn-mismatch", "/lto-pgo-warn-mismatch:no",
    "/lto-sample-profile:", "/machine:", "/manifest", "/manifest:",
    "/manifestdependency:", "/manifestfile:", "/manifestinput:",
    "/manifestuac:", "/map", "/map:", "/mapinfo:", "/maxilksize:", "/merge:",
    "/mllvm:", "/natvis:", "/nocoffgrpinfo", "/nodbgdirmerge", "/nodefaultlib",
    "/nodefaultlib:", "/noentry", "/noexp", "/noimplib", "/nologo", "/noseh",
    "/novcfeature", "/nxcompat", "/nxcompat:no", "/opt:", "/order:",
    "/osversion:", "/out:", "/output-def:", "/pdb:", "/pdbaltpath:",
    "/pdbcompress", "/pdbpagesize:", "/pdbsourcepath:", "/pdbstream:",
    "/pdbstripped:", "/prefetch-inputs", "/prefetch-inputs:no",
    "/print-search-paths", "/print-symbol-order:", "/profile", "/release",
    "/reproduce:", "/runtime-pseudo-reloc", "/runtime-pseudo-reloc:no",
    "/safeseh", "/safeseh:no", "/section:", "/sectionlayout:", "/stack:",
    "/start-lib", "/stdcall-fixup", "/stdcall-fixup:no", "/stub:",
    "/subsystem:", "/summary", "/swaprun:", "/swaprun:cd", "/swaprun:net",
    "/thinlto-distributor-arg:", "/thinlto-distributor:",
    "/thinlto-emit-imports-files", "/thinlto-index-only",
    "/thinlto-index-only:", "/thinlto-object-suffix-replace:",
    "/thinlto-prefix-replace:", "/thinlto-remote-compiler-arg:",
    "/thinlto-remote-compiler-prepend-arg:", "/thinlto-remote-compiler:",
    "/threads:", "/throwingnew", "/time", "/timestamp:", "/tlbid:", "/tlbout:",
    "/tsaware", "/tsaware:no", "/vctoolsdir:", "/vctoolsversion:", "/verbose",
    "/verbose:", "/version:", "/vfsoverlay:", "/wholearchive", "/wholearchive:",
    "/winsdkdir:", "/winsdkversion:", "/winsysroot:", "/wrap:", "/WX", "/WX:no",
};
// clang-format on

bool isOwn(unsigned ID) {
  return optionTable().getOptionGroupID(ID) == OPT_grp_headstart;
}

/// Returns the ids of all flags and all options with values.
std::vector<unsigned> searchableOptions() {
  std::vector<unsigned> IDs;
  for (unsigned ID = 1; ID <= optionTable().getNumOptions(); ++ID)
    if (unsigned Kind = optionTable().getOptionKind(ID);
        Kind == Option::FlagClass || Kind == Option::JoinedClass)
      IDs.push_back(ID);
  return IDs;
}

SmallVector<StringRef, 5> prefixesOf(unsigned ID) {
  SmallVector<StringRef, 5> Prefixes;
  optionTable().appendOptionPrefixes(ID, Prefixes);
  return Prefixes;
}

TEST(COFFOptionTableTest, HasExactlyOptionsOfLld) {
  std::set<std::string> Known(std::begin(LldOptions), std::end(LldOptions));
  std::set<std::string> Ours;
  for (unsigned ID : searchableOptions()) {
    if (isOwn(ID))
      continue;
    SmallVector<StringRef, 5> Prefixes = prefixesOf(ID);
    std::string Name = optionTable().getOptionName(ID).str();
    if (Prefixes.size() == 1) {
      EXPECT_EQ(Prefixes[0], "--") << Name;
      Ours.insert("--" + Name);
    } else if (Name.empty()) {
      EXPECT_THAT(Prefixes, ElementsAre("/??", "-??", "/?", "-?"));
      Ours.insert("/?");
    } else {
      EXPECT_THAT(Prefixes, ElementsAre("/", "-", "/?", "-?")) << Name;
      Ours.insert("/" + Name);
    }
  }
  // Stock lld's own prefetch option, which Headstart accepts.
  EXPECT_TRUE(Ours.insert("/prefetch-inputs").second);
  EXPECT_TRUE(Ours.insert("/prefetch-inputs:no").second);
  EXPECT_EQ(Ours, Known);
}

/// Returns the id, spelling and value of each argument in \p Args.
std::vector<std::array<std::string, 3>> matches(const InputArgList &Args) {
  std::vector<std::array<std::string, 3>> Result;
  for (const Arg *A : Args)
    Result.push_back({std::to_string(A->getOption().getID()),
                      A->getSpelling().str(),
                      A->getNumValues() ? A->getValue() : ""});
  return Result;
}

void expectSame(const std::string &Text) {
  const char *Argv[] = {Text.c_str()};
  unsigned MissingIndex;
  unsigned MissingCount;
  EXPECT_EQ(matches(parseArguments(Argv)),
            matches(optionTable().ParseArgs(Argv, MissingIndex, MissingCount)))
      << Text;
}

TEST(COFFOptionTableTest, AgreesWithOptTableOnEveryOption) {
  for (unsigned ID : searchableOptions()) {
    std::string Name = optionTable().getOptionName(ID).str();
    for (StringRef Prefix : {"/", "-", "/?", "-?", "--", "/??", "-??", "//"})
      for (StringRef Value :
           {"", "value.obj", "/a/b.obj", "x:y=z", ":", "no", ":no", "=4", "/"})
        for (const std::string &Spelled :
             {Name, StringRef(Name).lower(), StringRef(Name).upper(),
              StringRef(Name).drop_back(Name.empty() ? 0 : 1).str()})
          expectSame(Prefix.str() + Spelled + Value.str());
  }
}

TEST(COFFOptionTableTest, AgreesWithOptTableOnOtherArgs) {
  for (const char *Text : {"a.obj",
                           "-",
                           "--",
                           "/",
                           "//",
                           "/?",
                           "/??",
                           "/???",
                           "-?",
                           "-??",
                           "?",
                           "/home/user/x.obj",
                           "/out/x:y.obj",
                           "/x.obj",
                           "-lfoo",
                           "-L/x",
                           "-x",
                           "--x",
                           "--help",
                           "/a:b/c",
                           "/out",
                           "/out:",
                           "C:\\x.obj",
                           "@x",
                           "/prefetch-inputs:banana",
                           "/prefetch-jobs=4",
                           "/no-prefetch-inputs",
                           "--prefetch-inputs=no"})
    expectSame(Text);
}

TEST(COFFOptionTableTest, AgreesWithOptTableOnRandomArgs) {
  std::mt19937 Random(22); // NOLINT: the same arguments every time
  std::vector<unsigned> IDs = searchableOptions();
  StringRef Alphabet = "/-?:=abcdefgoutlib.\\\"\x80\xff ";
  for (unsigned I = 0; I < 20000; ++I) {
    std::string Text;
    if (Random() % 2)
      Text = std::string(Random() % 2 ? "/" : "-") +
             optionTable().getOptionName(IDs[Random() % IDs.size()]).str();
    for (unsigned Length = Random() % 8; Length; --Length)
      Text.insert(Text.begin() + Random() % (Text.size() + 1),
                  Alphabet[Random() % Alphabet.size()]);
    if (!Text.empty())
      expectSame(Text);
  }
}

} // namespace
