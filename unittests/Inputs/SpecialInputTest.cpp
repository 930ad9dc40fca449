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

#include "TestSupport.h"
#include "gmock/gmock.h"
#include <cstdlib>
#include <sys/stat.h>

using namespace headstart;
using namespace headstart::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(SpecialInputTest, neitherReadsNorWaitsForAFIFO) {
  CurrentTestDirectory Directory;
  ASSERT_EQ(::mkfifo("fifo", 0600), 0);
  ExpandedCommandLine Line =
      expandCommandLine(Flavour::COFF, {"@fifo"}, contextWith());
  EXPECT_THAT(texts(Line), ElementsAre("@fifo"));
  EXPECT_THAT(Line.Notes, ElementsAre(HasSubstr("not a regular file")));
}

TEST(SpecialInputTest, readsTheProcessEnvironment) {
  CommandLineContext Context = CommandLineContext::fromProcess();
  ASSERT_EQ(::setenv("HEADSTART_TEST_VARIABLE", "value", 1), 0);
  EXPECT_EQ(Context.GetEnv("HEADSTART_TEST_VARIABLE"), "value");
  ASSERT_EQ(::unsetenv("HEADSTART_TEST_VARIABLE"), 0);
  EXPECT_EQ(Context.GetEnv("HEADSTART_TEST_VARIABLE"), std::nullopt);
  EXPECT_EQ(Context.ToolPath, "");
}

TEST(SpecialInputTest, infersNoMachineFromAFIFO) {
  CurrentTestDirectory Directory;
  ASSERT_EQ(::mkfifo("fifo.obj", 0600), 0);
  Directory.write("arm64.obj", std::string("\x64\xaa") + std::string(18, '\0'));
  EXPECT_THAT(parse({"fifo.obj", "arm64.obj", "/vctoolsdir:vc"}).SearchPaths,
              Contains("vc/lib/arm64"));
}

TEST(SpecialInputTest, looksIntoNoFIFO) {
  CurrentTestDirectory Directory;
  ASSERT_EQ(::mkfifo("fifo", 0600), 0);
  EXPECT_THAT(listed({"fifo", "-T", "fifo", "-l:fifo", "-L.", "a.o",
                      "--remap-inputs-file=fifo", "--version-script=fifo"}),
              ElementsAre("fifo", "./fifo", "a.o"));
}

TEST(SpecialInputTest, aLoopOfLinksLeadsNowhere) {
  CurrentTestDirectory Directory;
  std::filesystem::create_symlink("loop", "loop");
  Directory.write("x.ld", "INPUT(loop) SEARCH_DIR(loop) INPUT(-lx)");
  EXPECT_THAT(listed({"x.ld", "-Lloop", "-ly", "--sysroot=loop"}),
              ElementsAre("x.ld", "loop", "-lx", "-ly"));
}

} // namespace
