//===- FileBackingTest.cpp - Where pages come from ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"

#include "gtest/gtest.h"

#include <optional>
#include <string>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

OpenFile opened(const std::string &Path) {
  OpenFile File;
  EXPECT_FALSE(OpenFile::open(Path, File)) << Path;
  return File;
}

TEST(FileBackingTest, ProcFilesHaveNoBacking) {
  EXPECT_EQ(backingOf(opened("/proc/self/status")), FileBacking::None);
  EXPECT_EQ(backingOf(opened("/proc/cpuinfo")), FileBacking::None);
}

TEST(FileBackingTest, TmpfsFileIsBackedByMemory) {
  if (!std::filesystem::is_directory("/dev/shm"))
    GTEST_SKIP() << "needs a tmpfs at /dev/shm";
  const TestDirectory Directory("/dev/shm");
  EXPECT_EQ(backingOf(opened(Directory.write("a", "text"))),
            FileBacking::Memory);
}

TEST(FileBackingTest, ReportsUnwrittenPages) {
  const PageCache Cache;
  if (!Cache.capabilities().Cachestat)
    GTEST_SKIP() << "needs cachestat (Linux 6.5)";
  const TestDirectory Directory(std::filesystem::current_path());
  const std::string Text(100000, 'x');
  // The kernel may write the file early, but hardly in each of 100 tries.
  bool IsReported = false;
  for (int Try = 0; Try != 100 && !IsReported; ++Try) {
    OpenFile File = opened(Directory.write("file", Text));
    if (backingOf(File) == FileBacking::Memory)
      GTEST_SKIP() << "needs the current directory on a disk";
    const std::optional<Residency> Before =
        Cache.residency(File, {0, File.size()});
    ASSERT_TRUE(Before.has_value());
    IsReported = Before->UnwrittenPages != 0;
    EXPECT_LE(Before->UnwrittenPages, Before->ResidentPages);
    ASSERT_FALSE(Cache.evict(File));
    const std::optional<Residency> After =
        Cache.residency(File, {0, File.size()});
    ASSERT_TRUE(After.has_value());
    EXPECT_EQ(After->UnwrittenPages, 0U);
  }
  EXPECT_TRUE(IsReported);
}

} // namespace
