//===- MachOScanTest.cpp - Dependencies of Mach-O inputs ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats/ArchiveTestSupport.h"
#include "MachOTestSupport.h"
#include "OS/TestFiles.h"
#include "headstart/Formats/FileInspector.h"
#include "gmock/gmock.h"
#include <random>

using namespace headstart;
using namespace headstart::test;
using namespace llvm::MachO;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Returns the references of the first input of \p Args.
std::vector<FoundInput> scan(Strings Args) {
  Args.insert(Args.begin(), {"-arch", "arm64"});
  LinkCommand Command = parseMachO(Args);
  InputResolver Resolver(Command);
  const NamedInput &Named = Command.Inputs.at(0);
  ResolvedInput Found = Resolver.resolve(Named);
  os::OpenFile File;
  EXPECT_FALSE(os::OpenFile::open(Found.Path, File)) << Found.Path;
  FileInspector Inspector(File);
  return Resolver.scan(Named, Found.Path, Inspector);
}

/// Returns the names, with "l" or "f" before those that are searched for.
Strings namesOf(const std::vector<FoundInput> &Found) {
  Strings Result;
  for (const FoundInput &F : Found)
    Result.push_back((F.Input.Search == SearchRule::Library     ? "l "
                      : F.Input.Search == SearchRule::Framework ? "f "
                                                                : "") +
                     F.Input.Name);
  return Result;
}

std::string universal(const std::string &X86, const std::string &ARM,
                      uint32_t Offset = 4096) {
  std::string File =
      universalHead({{CPU_TYPE_X86_64, CPU_SUBTYPE_X86_64_ALL, Offset,
                      static_cast<uint32_t>(X86.size())},
                     {CPU_TYPE_ARM64, CPU_SUBTYPE_ARM64_ALL, 2 * Offset,
                      static_cast<uint32_t>(ARM.size())}});
  File.resize(Offset);
  File += X86;
  File.resize(2 * size_t(Offset));
  return File + ARM;
}

TEST(MachOScanTest, FindsLinkerOptions) {
  CurrentTestDirectory Directory;
  Directory.write("a.o",
                  objectFile({linkerOption({"-lz"}),
                              linkerOption({"-framework", "Foundation"}),
                              linkerOption({"-lz"}), linkerOption({"-lm"})}));
  std::vector<FoundInput> Found = scan({"a.o"});
  EXPECT_THAT(namesOf(Found), ElementsAre("l z", "f Foundation", "l m"));
  for (const FoundInput &F : Found) {
    EXPECT_FALSE(F.Next);
    EXPECT_TRUE(F.Input.Optional);
    EXPECT_EQ(F.Input.Reason, InputReason::LinkerOption);
    EXPECT_EQ(F.Input.From, "a.o");
  }
}

TEST(MachOScanTest, IgnoresOtherLinkerOptions) {
  CurrentTestDirectory Directory;
  std::string Option = linkerOption({"-lz"});
  Directory.write("a.o", objectFile({Option, linkerOption({"-framework", "z"}),
                                     linkerOption({"-lswiftCore"})}));
  EXPECT_THAT(scan({"a.o", "-ignore_auto_link"}), IsEmpty());
  EXPECT_THAT(namesOf(scan({"a.o", "--ignore-auto-link-option=z"})),
              ElementsAre("l swiftCore"));
  EXPECT_THAT(scan({"--start-lib", "a.o"}), IsEmpty());
  EXPECT_THAT(namesOf(scan({"--start-lib", "-all_load", "a.o"})),
              ElementsAre("l z", "f z", "l swiftCore"));
  std::vector<FoundInput> Found = scan({"a.o", "-force_load_swift_libs"});
  EXPECT_FALSE(Found[0].Input.Whole);
  EXPECT_TRUE(Found[2].Input.Whole);
  // lld skips an object for another processor.
  Directory.write("x.o", objectFile({Option}, CPU_TYPE_X86_64));
  EXPECT_THAT(scan({"x.o"}), IsEmpty());
  // The contents of a section are not scanned.
  EXPECT_THAT(scan({"-sectcreate", "A", "b", "a.o"}), IsEmpty());
}

TEST(MachOScanTest, IgnoresMalformedLinkerOptions) {
  CurrentTestDirectory Directory;
  std::string Huge = command(LC_LINKER_OPTION, little(0xffffffff) + "-lz");
  Directory.write("a.o", objectFile({linkerOption({"-framework"}),
                                     linkerOption({"-x"}), linkerOption({}),
                                     Huge, command(LC_LINKER_OPTION, "")}));
  EXPECT_THAT(namesOf(scan({"a.o"})), ElementsAre("l z"));
  // A command of size zero, and commands that do not fit.
  Directory.write("b.o", objectFile({little(LC_LINKER_OPTION) + little(0)}));
  Directory.write("c.o",
                  objectFile({little(LC_LINKER_OPTION) + little(1 << 20)}));
  Directory.write("d.o", objectFile({linkerOption({"-lz"})}).substr(0, 45));
  for (const char *Name : {"b.o", "c.o", "d.o"})
    EXPECT_THAT(scan({Name}), IsEmpty()) << Name;
}

TEST(MachOScanTest, FindsReExports) {
  CurrentTestDirectory Directory;
  Strings Commands = {dylibCommand(LC_LOAD_DYLIB, "@rpath/l.dylib"),
                      dylibCommand(LC_REEXPORT_DYLIB, "/usr/lib/a.dylib"),
                      dylibCommand(LC_REEXPORT_DYLIB, "@rpath/b.dylib")};
  Directory.write("a.dylib", dylibFile("a", Commands));
  std::vector<FoundInput> Found = scan({"a.dylib"});
  EXPECT_THAT(namesOf(Found),
              ElementsAre("/usr/lib/a.dylib", "@rpath/b.dylib"));
  EXPECT_TRUE(Found[0].Next);
  EXPECT_EQ(Found[0].Input.Search, SearchRule::Dylib);
  EXPECT_EQ(Found[0].Input.Umbrella, "");
  EXPECT_THAT(
      namesOf(scan({"a.dylib", "-flat_namespace"})),
      ElementsAre("@rpath/l.dylib", "/usr/lib/a.dylib", "@rpath/b.dylib"));
  Directory.write("b.dylib", dylibFile("b", Commands, MH_NO_REEXPORTED_DYLIBS));
  EXPECT_THAT(scan({"b.dylib"}), IsEmpty());
}

TEST(MachOScanTest, SearchesReExportsNextToUmbrella) {
  if (os::test::OnWindows)
    GTEST_SKIP() << "lld uses another separator on this system";
  CurrentTestDirectory Directory;
  auto ReExport = [](const std::string &Name) {
    return dylibCommand(LC_REEXPORT_DYLIB, Name);
  };
  // A re-exported library searches next to the first, unless it is public.
  Directory.write("one/top.dylib",
                  dylibFile("top", {ReExport("@loader_path/p/mid"),
                                    ReExport("/usr/lib/pub")}));
  Directory.write("one/p/mid",
                  dylibFile("mid", {ReExport("@loader_path/bottom")}));
  Directory.write("one/p/bottom", dylibFile("wrong", {}));
  Directory.write("one/bottom",
                  dylibFile("bottom", {ReExport("@loader_path/last")}));
  Directory.write("one/last", dylibFile("last", {}));
  Directory.write("lib/pub.dylib",
                  dylibFile("/usr/lib/pub", {ReExport("@loader_path/beside")}));
  Directory.write("lib/beside",
                  dylibFile("beside", {ReExport("@loader_path/top2")}));
  Directory.write("lib/top2", dylibFile("top2", {}));
  EXPECT_THAT(
      existing(parseMachO({"-arch", "arm64", "one/top.dylib", "-Llib"})),
      ElementsAre("one/top.dylib", Directory.path("one/p/mid"),
                  Directory.path("one/bottom"), Directory.path("one/last"),
                  "lib/pub.dylib", Directory.path("lib/beside"),
                  Directory.path("lib/top2")));
}

TEST(MachOScanTest, SurvivesCyclicReExports) {
  CurrentTestDirectory Directory;
  Directory.write("a.dylib",
                  dylibFile("a", {dylibCommand(LC_REEXPORT_DYLIB, "b.dylib")}));
  Directory.write("b.dylib",
                  dylibFile("b", {dylibCommand(LC_REEXPORT_DYLIB, "a.dylib"),
                                  dylibCommand(LC_REEXPORT_DYLIB, "b.dylib")}));
  EXPECT_THAT(existing(parseMachO({"-arch", "arm64", "a.dylib"})),
              ElementsAre("a.dylib", "b.dylib"));
}

TEST(MachOScanTest, ScansOnlySliceOfArchitecture) {
  CurrentTestDirectory Directory;
  std::string Other = objectFile({linkerOption({"-lx"})}, CPU_TYPE_X86_64);
  std::string Own = objectFile({linkerOption({"-la"})});
  Directory.write("fat.o", universal(Other, Own));
  EXPECT_THAT(namesOf(scan({"fat.o"})), ElementsAre("l a"));
  EXPECT_THAT(namesOf(scan({"fat.o", "-arch", "x86_64"})), ElementsAre("l x"));
  EXPECT_THAT(scan({"fat.o", "-arch", "arm64e"}), IsEmpty());
  EXPECT_THAT(scan({"fat.o", "-arch", "nonsense"}), IsEmpty());
}

TEST(MachOScanTest, IgnoresImpossibleSlices) {
  CurrentTestDirectory Directory;
  std::string Own = objectFile({linkerOption({"-la"})});
  auto Fat = [](uint32_t Offset, uint32_t Size, uint32_t Count = 1) {
    return big(FAT_MAGIC) + big(Count) + big(CPU_TYPE_ARM64) + big(0) +
           big(Offset) + big(Size) + big(0);
  };
  // A slice after the end, one across it, one over the table, and too many.
  Directory.write("a.o", Fat(1 << 30, 100) + Own);
  Directory.write("b.o", Fat(0xffffff00, 0x200) + Own);
  Directory.write("c.o", Fat(0, 8) + Own);
  Directory.write("d.o", big(FAT_MAGIC) + big(0xffffffff));
  Directory.write("e.o", Fat(28, 0));
  Directory.write("f.o", big(FAT_MAGIC_64) + Fat(28, 100).substr(4) + Own);
  Directory.write("g.o", big(FAT_MAGIC));
  Directory.write("h.o",
                  Fat(28, static_cast<uint32_t>(Own.size()), 9999) + Own);
  for (const char *Name :
       {"a.o", "b.o", "c.o", "d.o", "e.o", "f.o", "g.o", "h.o"})
    EXPECT_THAT(scan({Name}), IsEmpty()) << Name;
}

TEST(MachOScanTest, ScansThinArchives) {
  if (os::test::OnWindows)
    GTEST_SKIP() << "absolute paths have a drive on this system";
  CurrentTestDirectory Directory;
  std::string Table = "a.o/\n/abs/b.o/\nsub/c.o/\n";
  std::string Archive = "!<thin>\n" + member("/", "12345") +
                        member("//", Table) + memberHeader("/0", "1000000") +
                        memberHeader("/5", "7") + memberHeader("/15", "8") +
                        memberHeader("short.o/", "9");
  Directory.write("lib/thin.a", Archive);
  std::vector<FoundInput> Found = scan({"lib/thin.a"});
  EXPECT_THAT(namesOf(Found),
              ElementsAre("lib/a.o", "/abs/b.o", "lib/sub/c.o", "lib/short.o"));
  EXPECT_EQ(Found[0].Input.Reason, InputReason::ArchiveMember);
  EXPECT_TRUE(Found[0].Next);
  EXPECT_TRUE(Found[0].Input.Lazy);
  EXPECT_FALSE(scan({"-force_load", "lib/thin.a"})[0].Input.Lazy);
  // The scan ends at a truncation. An archive in an archive names nothing.
  Directory.write("lib/cut.a", Archive.substr(0, Archive.size() - 100));
  EXPECT_THAT(namesOf(scan({"lib/cut.a"})), ElementsAre("lib/a.o", "/abs/b.o"));
  Directory.write("lib/self.a", "!<thin>\n" + memberHeader("//", "16") +
                                    "../lib/self.a/\n\n" +
                                    memberHeader("self.a/", "1") +
                                    memberHeader("/0", "1"));
  EXPECT_THAT(existing(parseMachO({"lib/self.a"})),
              ElementsAre("lib/self.a", "lib/../lib/self.a"));
}

TEST(MachOScanTest, SurvivesMalformedThinArchives) {
  CurrentTestDirectory Directory;
  Directory.write("a.a", "!<thin>\n" + memberHeader("/99999999", "1") +
                             memberHeader("/x", "1") + memberHeader("", "1"));
  Directory.write("b.a",
                  "!<thin>\n" + memberHeader("//", "99999999999") + "x/\n");
  Directory.write("c.a", "!<thin>\n" + memberHeader("//", "-1") + "x/\n");
  Directory.write("d.a", "!<thin>\n" + memberHeader("a.o/", "1").substr(0, 59));
  for (const char *Name : {"a.a", "b.a", "c.a", "d.a"})
    EXPECT_THAT(scan({Name}), IsEmpty()) << Name;
  // Many members with one long name use little memory.
  std::string Name(3000, 'x');
  std::string Many = "!<thin>\n" + memberHeader("//", "3002") + Name + "/\n";
  for (int I = 0; I < 100000; ++I)
    Many += memberHeader("/0", "1");
  Directory.write("e.a", Many);
  EXPECT_LT(scan({"e.a"}).size(), 30000U);
}

constexpr const char *Stub = R"(--- !tapi-tbd
tbd-version:     4
targets:         [ arm64-macos, arm64-ios ]
install-name:    '/usr/lib/top.dylib'
reexported-libraries:
  - targets:         [ arm64-macos ]
    libraries:       [ '/z/z.dylib', '/z/inside.dylib', '/z/a.dylib' ]
  - targets:         [ arm64-ios ]
    libraries:       [ '/z/ios.dylib' ]
  - targets:         [ arm64e-macos ]
    libraries:       [ '/z/e.dylib' ]
  - targets:         [ x86_64-macos ]
    libraries:       [ '/usr/lib/system/libsystem_kernel.dylib', '/z/x.dylib' ]
--- !tapi-tbd
tbd-version:     4
targets:         [ arm64-macos ]
install-name:    '/z/inside.dylib'
reexported-libraries:
  - targets:         [ arm64-macos ]
    libraries:       [ '/z/inside.dylib', '/z/m.dylib' ]
...
)";

TEST(MachOScanTest, ScansStubs) {
  CurrentTestDirectory Directory;
  Directory.write("top.tbd", Stub);
  // The names are sorted, and documents of the file are in their place.
  EXPECT_THAT(
      namesOf(scan({"top.tbd", "-platform_version", "macos", "13", "13"})),
      ElementsAre("/usr/lib/system/libsystem_kernel.dylib", "/z/a.dylib",
                  "/z/e.dylib", "/z/m.dylib", "/z/z.dylib"));
  EXPECT_THAT(
      namesOf(scan({"top.tbd", "-platform_version", "ios", "1", "1"})),
      ElementsAre("/usr/lib/system/libsystem_kernel.dylib", "/z/ios.dylib"));
  // A file takes precedence over a document.
  Directory.write("lib/inside.tbd", Stub);
  EXPECT_THAT(
      namesOf(
          scan({"top.tbd", "-Llib", "-platform_version", "macos", "13", "13"})),
      ElementsAre("/usr/lib/system/libsystem_kernel.dylib", "/z/a.dylib",
                  "/z/e.dylib", "/z/inside.dylib", "/z/z.dylib"));
}

TEST(MachOScanTest, SurvivesCyclicStubs) {
  CurrentTestDirectory Directory;
  std::string Text;
  for (int I = 0; I < 100000; ++I)
    Text += "--- !tapi-tbd\ninstall-name: d" + std::to_string(I) +
            "\nreexported-libraries:\n  - libraries: [ d" +
            std::to_string(I + 1) + " ]\n";
  Directory.write("chain.tbd", Text);
  EXPECT_THAT(scan({"chain.tbd"}), IsEmpty());
}

TEST(MachOScanTest, SurvivesRandomBytes) {
  CurrentTestDirectory Directory;
  std::mt19937 Random(22); // NOLINT: the same bytes every time
  Strings Samples = {
      objectFile({linkerOption({"-lz"}), linkerOption({"-framework", "F"})}),
      dylibFile("a", {dylibCommand(LC_REEXPORT_DYLIB, "b"), runPath("c")}),
      universal(objectFile({}), objectFile({linkerOption({"-lz"})}), 128),
      "!<thin>\n" + memberHeader("//", "4") + "a/\n\n" +
          memberHeader("/0", "1"),
      Stub};
  for (const std::string &Sample : Samples)
    for (int I = 0; I < 150; ++I) {
      std::string Bad = Sample;
      for (int Changes = 1 + Random() % 6; Changes; --Changes)
        Bad[4 + Random() % (Bad.size() - 4)] =
            static_cast<char>(Random() % 3 ? Random() : 0xff);
      Bad.resize(Random() % 4 ? Bad.size() : Random() % Bad.size());
      Directory.write("bad", Bad);
      for (const FoundInput &F : scan({"bad"}))
        EXPECT_LE(F.Input.Name.size(), Bad.size() + 8);
    }
}

} // namespace
