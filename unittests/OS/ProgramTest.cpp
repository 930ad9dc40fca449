//===- ProgramTest.cpp - Mappings of this program -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/Program.h"
#include "PosixTestSupport.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/SystemMemory.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

TEST(ProgramTest, PartsMatchFile) {
  const std::vector<ProgramPart> Parts = programParts();
  ASSERT_FALSE(Parts.empty());
  OpenFile File;
  ASSERT_FALSE(OpenFile::open(programPath(), File));
  for (const ProgramPart &Part : Parts) {
    ASSERT_LE(Part.Offset + Part.Memory.size(), File.size());
    // Compares the first page only: a debugger may write a breakpoint after it.
    std::vector<char> Bytes(std::min<size_t>(Part.Memory.size(), 4096));
    std::error_code Error;
    ASSERT_EQ(File.readAt(Part.Offset, Bytes, Error), Bytes.size());
    EXPECT_EQ(std::memcmp(Bytes.data(), Part.Memory.data(), Bytes.size()), 0);
  }
}

TEST(ProgramTest, PartsIncludeRunningCode) {
  const auto *Code = reinterpret_cast<const char *>(
      static_cast<std::vector<ProgramPart> (*)()>(&programParts));
  bool Found = false;
  for (const ProgramPart &Part : programParts())
    Found |= Code >= Part.Memory.data() &&
             Code < Part.Memory.data() + Part.Memory.size();
  EXPECT_TRUE(Found);
}

TEST(ProgramTest, FilesDoNotTakeStandardDescriptors) {
  EXPECT_EQ(exitStatus(startChild([] {
              ::close(STDIN_FILENO);
              ::close(STDOUT_FILENO);
              holdStandardDescriptors();
              const int FD = ::open("/", O_RDONLY | O_CLOEXEC);
              const bool CanWrite = ::write(STDOUT_FILENO, "x", 1) == 1;
              char Byte = 0;
              const bool CanRead = ::read(STDIN_FILENO, &Byte, 1) >= 0;
              return FD > STDERR_FILENO && !CanWrite && !CanRead ? 0 : 1;
            })),
            0);
}

TEST(ProgramTest, CountsFreeDescriptorsAboveAThousand) {
  rlimit Most = {};
  if (::getrlimit(RLIMIT_NOFILE, &Most) != 0 || Most.rlim_max < 1500)
    GTEST_SKIP() << "needs 1500 descriptors";
  EXPECT_EQ(exitStatus(startChild([] {
              rlimit Limit = {};
              ::getrlimit(RLIMIT_NOFILE, &Limit);
              Limit.rlim_cur = 1500;
              if (::setrlimit(RLIMIT_NOFILE, &Limit) != 0)
                return 1;
              for (int Last = 0; Last < 1399;) {
                Last = ::dup(STDERR_FILENO);
                if (Last < 0)
                  return 2;
              }
              return freeDescriptors() == 100 ? 0 : 3;
            })),
            0);
}

/// The "FDSize" of this process; 0 if the system does not report it.
uint64_t descriptorTableSize() {
  std::ifstream Status("/proc/self/status");
  for (std::string Line; std::getline(Status, Line);)
    if (Line.starts_with("FDSize:"))
      return std::stoull(Line.substr(std::strlen("FDSize:")));
  return 0;
}

TEST(ProgramTest, ReserveGrowsTableAndKeepsDescriptorsFree) {
  if (descriptorTableSize() == 0)
    GTEST_SKIP() << "needs FDSize in /proc/self/status";
  EXPECT_EQ(exitStatus(startChild([] {
              const uint64_t Free = freeDescriptors();
              reserveDescriptors();
              return freeDescriptors() != Free ? 1
                     : descriptorTableSize() <
                             std::min<uint64_t>(maxOpenFiles(), 1024)
                         ? 2
                         : 0;
            })),
            0);
}

} // namespace
