//===- TextStubTest.cpp - Re-exports of a text-based stub -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/TextStub.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TextAPI/InterfaceFile.h"
#include "llvm/TextAPI/TextAPIReader.h"
#include "gmock/gmock.h"
#include <random>
#include <set>

using namespace llvm;
using namespace headstart;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

constexpr StringLiteral Version4 = R"(--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
uuids:
  - target:          x86_64-macos
    value:           00000000-0000-0000-0000-000000000000
install-name:    '/usr/lib/lib''q.dylib'
current-version: 1.2
parent-umbrella:
  - targets:         [ x86_64-macos ]
    umbrella:        System
allowable-clients:
  - targets:         [ arm64-macos ]
    clients:         [ Client ]
reexported-libraries:
  - targets:         [ x86_64-macos, arm64-macos ]
    libraries:       [ '/usr/lib/a.dylib', "/usr/lib/b.dylib",
                       /usr/lib/c.dylib ]
  - targets:         [ x86_64-macos ] # only there
    libraries:       [ '/usr/lib/d, [e].dylib' ]
exports:
  - targets:         [ x86_64-macos, arm64-macos ]
    symbols:         [ _one, '$ld$hide$os10.4$_x', '_quo''ted]',
                       _two ]
    objc-classes:    [ libraries ]
reexports:
  - targets:         [ arm64-macos ]
    symbols:         [ _libraries ]
--- !tapi-tbd
tbd-version:     4
targets:         [ arm64-macos ]
install-name:    /usr/lib/inside.dylib
reexported-libraries:
  - targets:         [ arm64-macos ]
    libraries:
      - '/usr/lib/f.dylib'
      - /usr/lib/g.dylib
...
)";

constexpr StringLiteral Version3 = R"(--- !tapi-tbd-v3
archs:           [ i386, arm64 ]
uuids:           [ 'i386: 00000000-0000-0000-0000-000000000000' ]
platform:        macosx
install-name:    "/usr/lib/three.dylib"
current-version: 0
exports:
  - archs:           [ i386 ]
    allowable-clients: [ One ]
    re-exports:      [ /usr/lib/a.dylib ]
    symbols:         [ _a ]
  - archs:           [ i386, arm64 ]
    re-exports:      [ /usr/lib/b.dylib, '/usr/lib/c.dylib' ]
undefineds:
  - archs:           [ i386 ]
    symbols:         [ _u ]
...
)";

constexpr StringLiteral Version5 = R"({
"tapi_tbd_version": 5,
"main_library": {
  "target_info": [{"target": "arm64-macos", "min_deployment": "13"},
                  {"target": "x86_64-macos", "min_deployment": "13"}],
  "install_names": [{"name": "/usr/lib/five.dylib"}],
  "allowable_clients": [{"clients": ["X"]}],
  "reexported_libraries": [
    {"targets": ["arm64-macos"], "names": ["/usr/lib/b.dylib"]},
    {"names": ["/usr/lib/a.dylib"]}]},
"libraries": [{
  "target_info": [{"target": "arm64-macos", "min_deployment": "13"}],
  "install_names": [{"name": "/usr/lib/inside.dylib"}],
  "reexported_libraries": [{"names": ["/usr/lib/c.dylib"]}]}]
})";

TEST(TextStubTest, ReadsVersion4) {
  std::vector<StubDocument> Documents = readTextStub(Version4);
  ASSERT_THAT(Documents, SizeIs(2));
  EXPECT_EQ(Documents[0].InstallName, "/usr/lib/lib'q.dylib");
  EXPECT_TRUE(Documents[0].HasClients);
  ASSERT_THAT(Documents[0].ReExports, SizeIs(2));
  EXPECT_THAT(Documents[0].ReExports[0].Targets,
              ElementsAre("x86_64-macos", "arm64-macos"));
  EXPECT_THAT(
      Documents[0].ReExports[0].Names,
      ElementsAre("/usr/lib/a.dylib", "/usr/lib/b.dylib", "/usr/lib/c.dylib"));
  EXPECT_THAT(Documents[0].ReExports[1].Targets, ElementsAre("x86_64-macos"));
  EXPECT_THAT(Documents[0].ReExports[1].Names,
              ElementsAre("/usr/lib/d, [e].dylib"));
  EXPECT_EQ(Documents[1].InstallName, "/usr/lib/inside.dylib");
  EXPECT_FALSE(Documents[1].HasClients);
  ASSERT_THAT(Documents[1].ReExports, SizeIs(1));
  EXPECT_THAT(Documents[1].ReExports[0].Names,
              ElementsAre("/usr/lib/f.dylib", "/usr/lib/g.dylib"));
}

TEST(TextStubTest, ReadsNestedQuotes) {
  std::vector<StubDocument> Documents = readTextStub(R"(--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos ]
install-name:    '/usr/lib/a.dylib'
reexported-libraries:
  - targets:     [ x86_64-macos ]
    libraries:   [ "/usr/lib/\"b, c\".dylib", '/usr/lib/d''s, e.dylib', /f ]
...
)");
  ASSERT_THAT(Documents, SizeIs(1));
  ASSERT_THAT(Documents[0].ReExports, SizeIs(1));
  EXPECT_THAT(
      Documents[0].ReExports[0].Names,
      ElementsAre("/usr/lib/\"b, c\".dylib", "/usr/lib/d's, e.dylib", "/f"));
}

TEST(TextStubTest, ReadsVersion3) {
  std::vector<StubDocument> Documents = readTextStub(Version3);
  ASSERT_THAT(Documents, SizeIs(1));
  EXPECT_EQ(Documents[0].InstallName, "/usr/lib/three.dylib");
  EXPECT_TRUE(Documents[0].HasClients);
  ASSERT_THAT(Documents[0].ReExports, SizeIs(2));
  EXPECT_THAT(Documents[0].ReExports[0].Targets, ElementsAre("i386"));
  EXPECT_THAT(Documents[0].ReExports[0].Names, ElementsAre("/usr/lib/a.dylib"));
  EXPECT_THAT(Documents[0].ReExports[1].Names,
              ElementsAre("/usr/lib/b.dylib", "/usr/lib/c.dylib"));
}

TEST(TextStubTest, ReadsVersion5) {
  std::vector<StubDocument> Documents = readTextStub(Version5);
  ASSERT_THAT(Documents, SizeIs(2));
  EXPECT_EQ(Documents[0].InstallName, "/usr/lib/five.dylib");
  EXPECT_TRUE(Documents[0].HasClients);
  ASSERT_THAT(Documents[0].ReExports, SizeIs(2));
  EXPECT_THAT(Documents[0].ReExports[0].Targets, ElementsAre("arm64-macos"));
  EXPECT_THAT(Documents[0].ReExports[1].Targets, IsEmpty());
  EXPECT_EQ(Documents[1].InstallName, "/usr/lib/inside.dylib");
  EXPECT_THAT(Documents[1].ReExports.at(0).Names,
              ElementsAre("/usr/lib/c.dylib"));
}

/// The result of LLVM's own reader for \p Text: the names that each document
/// re-exports for any client, by install name.
std::multiset<std::string> readByLLVM(StringRef Text) {
  std::multiset<std::string> Result;
  auto File = MachO::TextAPIReader::get(MemoryBufferRef(Text, "x.tbd"));
  EXPECT_TRUE(bool(File)) << toString(File.takeError());
  if (!File)
    return Result;
  auto Add = [&](const MachO::InterfaceFile &Document) {
    for (const MachO::InterfaceFileRef &Ref : Document.reexportedLibraries())
      Result.insert(
          (Document.getInstallName() + " " + Ref.getInstallName()).str());
  };
  Add(**File);
  for (const auto &Document : (*File)->documents())
    Add(*Document);
  return Result;
}

TEST(TextStubTest, AgreesWithLLVM) {
  for (StringRef Text :
       {StringRef(Version3), StringRef(Version4), StringRef(Version5)}) {
    std::multiset<std::string> Ours;
    for (const StubDocument &Document : readTextStub(Text))
      for (const StubReExports &ReExports : Document.ReExports)
        for (const std::string &Name : ReExports.Names)
          Ours.insert(Document.InstallName + " " + Name);
    EXPECT_EQ(Ours, readByLLVM(Text));
  }
}

TEST(TextStubTest, SurvivesRandomText) {
  std::mt19937 Random(22); // NOLINT: always the same texts
  constexpr StringLiteral Alphabet("[]{}'\":,-#\n \\x");
  for (StringRef Text :
       {StringRef(Version3), StringRef(Version4), StringRef(Version5)})
    for (int I = 0; I < 3000; ++I) {
      std::string Bad = Text.str();
      for (int Changes = 1 + Random() % 8; Changes; --Changes)
        Bad[Random() % Bad.size()] = Alphabet[Random() % Alphabet.size()];
      Bad.resize(Random() % (Bad.size() + 1));
      for (const StubDocument &Document : readTextStub(Bad))
        EXPECT_LE(Document.InstallName.size(), Bad.size());
    }
}

TEST(TextStubTest, SurvivesDeeplyNestedText) {
  constexpr size_t Many = 4 << 20;
  EXPECT_THAT(readTextStub(std::string(Many, '{')), IsEmpty());
  EXPECT_THAT(readTextStub("{\"a\":" + std::string(Many, '[')), IsEmpty());
  // A bracket in a string does not close anything.
  std::string Hidden = "{\"a\":[";
  for (int I = 0; I < 100000; ++I)
    Hidden += "\"]\",[";
  EXPECT_THAT(readTextStub(Hidden), IsEmpty());
  std::string YAML = "--- !tapi-tbd\nreexported-libraries:\n";
  EXPECT_THAT(readTextStub(YAML + std::string(Many, '[')), SizeIs(1));
  EXPECT_THAT(readTextStub(YAML + " " + std::string(Many, '-')), SizeIs(1));
  EXPECT_THAT(readTextStub(YAML + "  - libraries: [ 'a"), SizeIs(1));
  std::string Indented = YAML;
  for (int I = 0; I < 2000; ++I)
    Indented += std::string(I, ' ') + "a:\n";
  EXPECT_THAT(readTextStub(Indented), SizeIs(1));
}

} // namespace
