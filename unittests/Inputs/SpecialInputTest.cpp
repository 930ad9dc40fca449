//===- SpecialInputTest.cpp - FIFOs, and the process's environment --------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These tests need Unix system calls, so CMake omits them on other systems.
//
//===----------------------------------------------------------------------===//

#include "../OS/PosixTestSupport.h"
#include "TestSupport.h"
#include "gmock/gmock.h"
#include <cstdlib>
#include <sys/stat.h>

using namespace headstart;
using namespace headstart::test;
using os::test::Variable;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(SpecialInputTest, DoesNotReadFifoAsResponseFile) {
  CurrentTestDirectory Directory;
  ASSERT_EQ(::mkfifo("fifo", 0600), 0);
  ExpandedCommandLine Line =
      expandCommandLine(Flavour::COFF, {"@fifo"}, contextWith());
  EXPECT_THAT(texts(Line), ElementsAre("@fifo"));
  EXPECT_THAT(Line.Notes, ElementsAre(HasSubstr("not a regular file")));
}

TEST(SpecialInputTest, ReadsProcessEnvironment) {
  CommandLineContext Context = CommandLineContext::fromProcess();
  ASSERT_EQ(::setenv("HEADSTART_TEST_VARIABLE", "value", 1), 0);
  EXPECT_EQ(Context.GetEnv("HEADSTART_TEST_VARIABLE"), "value");
  ASSERT_EQ(::unsetenv("HEADSTART_TEST_VARIABLE"), 0);
  EXPECT_EQ(Context.GetEnv("HEADSTART_TEST_VARIABLE"), std::nullopt);
  EXPECT_EQ(Context.ToolPath, "");
}

Strings searchPaths(Strings Args,
                    const CommandLineContext &Context = contextWith()) {
  Args.insert(Args.end(), {"a.obj", "/machine:x64"});
  return parse(Args, Context).SearchPaths;
}

TEST(SpecialInputTest, FindsToolchainByVariables) {
  CurrentTestDirectory Directory;
  {
    Variable Old("VCINSTALLDIR", "vc");
    EXPECT_THAT(searchPaths({}),
                ElementsAre("", "vc/lib/amd64", "vc/atlmfc/lib/amd64"));
  }
  Variable Tools("VCToolsInstallDir", "vc");
  EXPECT_THAT(searchPaths({}),
              ElementsAre("", "vc/lib/x64", "vc/atlmfc/lib/x64"));
  EXPECT_THAT(searchPaths({"/lldignoreenv"}), ElementsAre(""));
  // A developer's prompt also sets LIB, which then is the only source ...
  EXPECT_THAT(searchPaths({}, contextWith({{"LIB", "e1"}})),
              ElementsAre("", "e1"));
  // ... unless an option names a version. Both are as in lld-link 22.1.8.
  EXPECT_THAT(searchPaths({"/vctoolsversion:14"}, contextWith({{"LIB", "e1"}})),
              ElementsAre("", "vc/lib/x64", "vc/atlmfc/lib/x64"));
}

TEST(SpecialInputTest, FindsToolchainInPATH) {
  CurrentTestDirectory Directory;
  const std::string Bin = "VC/Tools/MSVC/14.1/bin/Hostx64/x64";
  Directory.write(Bin + "/cl.exe");
  Directory.write(Bin + "/link.exe");
  Variable Path("PATH", "/nowhere:" + Bin);
  EXPECT_THAT(searchPaths({}),
              ElementsAre("", "VC/Tools/MSVC/14.1/lib/x64",
                          "VC/Tools/MSVC/14.1/atlmfc/lib/x64"));
}

TEST(SpecialInputTest, DoesNotInferMachineFromFifo) {
  CurrentTestDirectory Directory;
  ASSERT_EQ(::mkfifo("fifo.obj", 0600), 0);
  Directory.write("arm64.obj", std::string("\x64\xaa") + std::string(18, '\0'));
  EXPECT_THAT(parse({"fifo.obj", "arm64.obj", "/vctoolsdir:vc"}).SearchPaths,
              Contains("vc/lib/arm64"));
}

TEST(SpecialInputTest, DoesNotScanFifo) {
  CurrentTestDirectory Directory;
  ASSERT_EQ(::mkfifo("fifo", 0600), 0);
  EXPECT_THAT(listed({"fifo", "-T", "fifo", "-l:fifo", "-L.", "a.o",
                      "--remap-inputs-file=fifo", "--version-script=fifo"}),
              ElementsAre("fifo", "./fifo", "a.o"));
}

TEST(SpecialInputTest, SurvivesLinkLoop) {
  CurrentTestDirectory Directory;
  std::filesystem::create_symlink("loop", "loop");
  Directory.write("x.ld", "INPUT(loop) SEARCH_DIR(loop) INPUT(-lx)");
  EXPECT_THAT(listed({"x.ld", "-Lloop", "-ly", "--sysroot=loop"}),
              ElementsAre("x.ld", "loop", "-lx", "-ly"));
}

} // namespace
