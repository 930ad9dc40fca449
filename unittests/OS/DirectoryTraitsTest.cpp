//===- DirectoryTraitsTest.cpp - Guarantees of file systems ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryTraits.h"
#include "TestFiles.h"

#include <chrono>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

TEST(DirectoryTraitsTest, FileTimesAreNotBeforeFileClock) {
  const TestDirectory Directory;
  for (int I = 0; I < 20; ++I) {
    const int64_t Before = fileClockNs();
    const std::string Path = Directory.write("file" + std::to_string(I), "x");
    EXPECT_GE(statOf(Path).Identity.ModifiedNs, Before);
  }
}

TEST(DirectoryTraitsTest, FileClockIsWallClock) {
  using namespace std::chrono;
  const int64_t Wall =
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch())
          .count();
  EXPECT_NEAR(static_cast<double>(fileClockNs()), static_cast<double>(Wall),
              60e9);
}

} // namespace
