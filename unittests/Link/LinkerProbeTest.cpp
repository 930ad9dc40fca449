//===- LinkerProbeTest.cpp - Queries of a linker program ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OS/TestFiles.h"
#include "headstart/Link/ForeignCommand.h"
#include "gtest/gtest.h"
#include <filesystem>

using namespace headstart;
using headstart::os::test::TestDirectory;

namespace {

class LinkerProbeTest : public testing::Test {
protected:
  /// Writes a program that runs the shell commands \p Script.
  std::string program(const std::string &Name, const std::string &Script) {
    std::string Path = Directory.write(Name, "#!/bin/sh\n" + Script);
    std::filesystem::permissions(Path, std::filesystem::perms::owner_all);
    return Path;
  }

  TestDirectory Directory;
};

TEST_F(LinkerProbeTest, FirstLineIsVersion) {
  EXPECT_EQ(versionOf(program("one", "echo 'ld 1.0'; echo more")).Line,
            "ld 1.0");
  EXPECT_EQ(versionOf(program("none", "echo 'no version' >&2; exit 1")).Line,
            "");
  EXPECT_EQ(versionOf(Directory.path("missing")).Line, "");
}

TEST_F(LinkerProbeTest, RecognizesHeadstartBySecondLine) {
  EXPECT_TRUE(
      versionOf(program("ours", "echo LLD 22.1.8; echo 'Headstart 0.1.0'"))
          .IsHeadstart);
  EXPECT_FALSE(versionOf(program("stock", "echo LLD 22.1.8")).IsHeadstart);
  EXPECT_FALSE(versionOf(program("other", "echo Headstart")).IsHeadstart);
  EXPECT_FALSE(versionOf(Directory.path("missing")).IsHeadstart);
}

TEST_F(LinkerProbeTest, FindsLinkerOfDriver) {
  const std::string Linker = program("my-ld", "");
  const std::string Clang = program(
      "clang", "case \"$*\" in\n"
               "*-fuse-ld=bad*) echo 'error: invalid linker name' >&2;;\n"
               "*) echo ' \"" +
                   Linker +
                   "\" \"-o\" \"a.out\"' >&2;;\n"
                   "esac\n");
  EXPECT_EQ(linkerOf({Clang, "x.o"}), Linker);
  EXPECT_EQ(linkerOf({Clang, "x.o", "-fuse-ld=mine"}), Linker);
  EXPECT_EQ(linkerOf({Clang, "x.o", "-fuse-ld=bad"}), "");
  EXPECT_EQ(linkerOf({Directory.path("missing"), "x.o"}), "");
}

TEST_F(LinkerProbeTest, FindsLinkerBehindCollect2) {
  const std::string Linker = program("my-ld", "");
  const std::string GCC =
      program("gcc", "case \"$*\" in\n"
                     "*-print-prog-name=ld*) echo " +
                         Linker +
                         ";;\n"
                         "*) echo ' /usr/lib/gcc/collect2 -o a.out x.o' >&2;;\n"
                         "esac\n");
  EXPECT_EQ(linkerOf({GCC, "x.o"}), Linker);
}

} // namespace
