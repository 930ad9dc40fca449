//===- COFFSearchPathTest.cpp - lld-link's search paths -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "gmock/gmock.h"

using namespace llvm;
using namespace headstart;
using namespace headstart::test;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

namespace {

/// LLVM also searches a toolchain by these variables of the process.
class WithoutToolchain : public testing::Environment {
  void SetUp() override {
    for (const char *Name : {"VCToolsInstallDir", "VCINSTALLDIR", "PATH"})
      os::test::removeVariable(Name);
  }
};
[[maybe_unused]] const testing::Environment *const Without =
    testing::AddGlobalTestEnvironment(new WithoutToolchain);

Strings searchPaths(const Strings &Args,
                    const CommandLineContext &Context = contextWith()) {
  return parse(Args, Context).SearchPaths;
}

/// Returns the header of an object for \p Machine without sections.
std::string object(uint16_t Machine) {
  std::string Bytes(20, '\0');
  Bytes[0] = char(Machine);
  Bytes[1] = char(Machine >> 8);
  return Bytes;
}
constexpr uint16_t X86 = 0x14c;
constexpr uint16_t X64 = 0x8664;
constexpr uint16_t ARM64 = 0xaa64;

/// Creates a tree as `/winsysroot:` expects it.
void makeSysRoot(const CurrentTestDirectory &Directory) {
  for (const char *Version : {"14.9.1", "14.40.33807"})
    Directory.write("root/VC/Tools/MSVC/" + std::string(Version) +
                    "/lib/x64/libcmt.lib");
  for (const char *Version : {"10.0.9.0", "10.0.22621.0"})
    for (const char *Part : {"Include/", "Lib/"})
      Directory.write("root/Windows Kits/10/" + std::string(Part) + Version +
                      "/um/x64/kernel32.lib");
}

TEST(COFFSearchPathTest, OrdersDirectories) {
  std::string Clang =
      "/opt/llvm/lib/clang/" + std::to_string(LLVM_VERSION_MAJOR) + "/lib";
  EXPECT_THAT(
      searchPaths({"a.obj", "/libpath:p1", "-LIBPATH:p2"},
                  contextWith({{"LIB", "e1;;e2;"}}, "/opt/llvm/bin/lld-link")),
      ElementsAre("", "p1", "p2", Clang + "/windows", Clang, "/opt/llvm/lib",
                  "e1", "", "e2"));
}

TEST(COFFSearchPathTest, OmitsToolDirectoriesWithoutToolPath) {
  EXPECT_THAT(searchPaths({"a.obj"}), ElementsAre(""));
  EXPECT_THAT(searchPaths({"a.obj"}, contextWith({}, "lld-link")),
              ElementsAre(""));
}

TEST(COFFSearchPathTest, OptionsDisableLIB) {
  CommandLineContext Context = contextWith({{"LIB", "e1"}});
  EXPECT_THAT(searchPaths({"a.obj", "/lldignoreenv"}, Context),
              ElementsAre(""));
  for (const char *Arg :
       {"/winsysroot:none", "/vctoolsdir:none", "/vctoolsversion:14",
        "/winsdkdir:none", "/winsdkversion:10"})
    EXPECT_THAT(searchPaths({"a.obj", Arg}, Context), Not(Contains("e1")))
        << Arg;
  EXPECT_THAT(searchPaths({"a.obj", "/diasdkdir:none"}, Context),
              ElementsAre("", "e1"));
}

TEST(COFFSearchPathTest, MinGWUsesOnlyLibpath) {
  EXPECT_THAT(searchPaths({"a.obj", "/lldmingw", "/libpath:p",
                           "/winsysroot:root", "/vctoolsdir:x"},
                          contextWith({{"LIB", "e1"}}, "/opt/bin/lld-link")),
              ElementsAre("", "p"));
}

TEST(COFFSearchPathTest, SearchesWinsysroot) {
  CurrentTestDirectory Directory;
  makeSysRoot(Directory);
  // The newest version of each, compared by number.
  std::string VC = "root/VC/Tools/MSVC/14.40.33807/";
  std::string SDK = "root/Windows Kits/10/Lib/10.0.22621.0/";
  EXPECT_THAT(
      searchPaths({"a.obj", "/winsysroot:root", "/machine:x64", "/libpath:p"}),
      ElementsAre("", "p", "root/DIA SDK/lib/amd64", VC + "lib/x64",
                  VC + "atlmfc/lib/x64", SDK + "ucrt/x64", SDK + "um/x64"));
  EXPECT_THAT(searchPaths({"a.obj", "/winsysroot:root", "/machine:arm64"}),
              ElementsAre("", "root/DIA SDK/lib/arm64", VC + "lib/arm64",
                          VC + "atlmfc/lib/arm64", SDK + "ucrt/arm64",
                          SDK + "um/arm64"));
  EXPECT_THAT(
      searchPaths({"a.obj", "/winsysroot:root", "/machine:x86",
                   "/vctoolsversion:14.9.1", "/winsdkversion:10.0.9.0"}),
      ElementsAre("", "root/DIA SDK/lib", "root/VC/Tools/MSVC/14.9.1/lib/x86",
                  "root/VC/Tools/MSVC/14.9.1/atlmfc/lib/x86",
                  "root/Windows Kits/10/Lib/10.0.9.0/ucrt/x86",
                  "root/Windows Kits/10/Lib/10.0.9.0/um/x86"));
}

TEST(COFFSearchPathTest, ToolchainWithOwnCRTNeedsNoUCRT) {
  CurrentTestDirectory Directory;
  makeSysRoot(Directory);
  Directory.write("root/VC/Tools/MSVC/14.40.33807/include/stdlib.h");
  for (const std::string &Path :
       searchPaths({"a.obj", "/winsysroot:root", "/machine:x64"}))
    EXPECT_EQ(Path.find("ucrt"), std::string::npos) << Path;
}

TEST(COFFSearchPathTest, SearchesVctoolsdirAndWinsdkdir) {
  CurrentTestDirectory Directory;
  Directory.write("sdk/Include/10.0.5.0/um/windows.h");
  EXPECT_THAT(searchPaths({"a.obj", "/vctoolsdir:vc", "/machine:x64",
                           "/winsdkdir:sdk", "/diasdkdir:dia"},
                          contextWith({{"LIB", "e1"}})),
              ElementsAre("", "dia/lib/amd64", "vc/lib/x64",
                          "vc/atlmfc/lib/x64", "sdk/Lib/10.0.5.0/ucrt/x64",
                          "sdk/Lib/10.0.5.0/um/x64"));
  // If LIB is set, no SDK is added implicitly.
  EXPECT_THAT(searchPaths({"a.obj", "/vctoolsdir:vc", "/machine:x64"},
                          contextWith({{"LIB", "e1"}})),
              ElementsAre("", "vc/lib/x64", "vc/atlmfc/lib/x64"));
}

TEST(COFFSearchPathTest, InfersMachine) {
  CurrentTestDirectory Directory;
  Directory.write("arm64.obj", object(ARM64));
  Directory.write("x86.obj", object(X86));
  Directory.write("x64.obj", object(X64));
  Directory.write("any.obj", object(0));
  Directory.write("text.obj", "not an object, but long enough to be one");
  Directory.write("short.obj", "\x4c\x01");
  std::string Big("\0\0\xff\xff\2\0\x64\xaa", 8);
  Big.resize(12);
  Big += "\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf8\x1d\xaf\x70\x4d";
  Big.resize(56);
  // The id of /bigobj, from llvm/BinaryFormat/COFF.h.
  const unsigned char ID[] = {0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b,
                              0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8};
  std::copy(std::begin(ID), std::end(ID), Big.begin() + 12);
  Directory.write("big.obj", Big);
  auto ToolsLib = [](Strings Args) {
    Args.emplace_back("/vctoolsdir:vc");
    return searchPaths(Args)[1];
  };
  EXPECT_EQ(ToolsLib({"arm64.obj", "x86.obj"}), "vc/lib/arm64");
  EXPECT_EQ(ToolsLib({"x86", "arm64.obj"}), "vc/lib/x86");
  EXPECT_EQ(ToolsLib({"big.obj"}), "vc/lib/arm64");
  EXPECT_EQ(ToolsLib({"missing.obj", "any.obj", "text.obj", "short.obj",
                      "/stub:x86.obj", "arm64.obj"}),
            "vc/lib/arm64");
  EXPECT_EQ(ToolsLib({"arm64.obj", "/machine:x64"}), "vc/lib/x64");
  EXPECT_EQ(ToolsLib({"missing.obj", "text.obj"}), "vc/lib/x64");
}

TEST(COFFSearchPathTest, InfersMachineOfBitcode) {
  CurrentTestDirectory Directory;
  auto ToolsLib = [&](const char *Target) {
    LLVMContext Context;
    Module M("a", Context);
    // Newer versions of LLVM take a Triple, older ones a string.
    using Name = std::remove_cvref_t<decltype(M.getTargetTriple())>;
    M.setTargetTriple(Name(Target));
    std::string Bytes;
    raw_string_ostream OS(Bytes);
    WriteBitcodeToFile(M, OS);
    Directory.write("a.obj", OS.str());
    return searchPaths({"a.obj", "/vctoolsdir:vc"})[1];
  };
  EXPECT_EQ(ToolsLib("aarch64-pc-windows-msvc"), "vc/lib/arm64");
  EXPECT_EQ(ToolsLib("i686-pc-windows-msvc"), "vc/lib/x86");
  EXPECT_EQ(ToolsLib("thumbv7-pc-windows-msvc"), "vc/lib/arm");
  EXPECT_EQ(ToolsLib("x86_64-pc-windows-msvc"), "vc/lib/x64");
  EXPECT_EQ(ToolsLib("riscv64-unknown-linux"), "vc/lib/x64");
  std::string Broken = "BC\xc0\xde";
  Broken.resize(100, 'x');
  Directory.write("broken.obj", Broken);
  EXPECT_EQ(searchPaths({"broken.obj", "/vctoolsdir:vc"})[1], "vc/lib/x64");
}

} // namespace
