//===- EvictionBlockersTest.cpp - Why pages stay cached -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/EvictionBlockers.h"
#include "TestFiles.h"
#include "headstart/OS/PageCache.h"

#include "gtest/gtest.h"

#include <array>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

OpenFile opened(const std::string &Path) {
  OpenFile File;
  EXPECT_FALSE(OpenFile::open(Path, File)) << Path;
  return File;
}

TEST(EvictionBlockersTest, ProcFilesHaveNoBacking) {
  EXPECT_EQ(backingOf(opened("/proc/self/status")), FileBacking::None);
  EXPECT_EQ(backingOf(opened("/proc/cpuinfo")), FileBacking::None);
}

TEST(EvictionBlockersTest, TmpfsFileIsBackedByMemory) {
  if (!std::filesystem::is_directory("/dev/shm"))
    GTEST_SKIP() << "needs a tmpfs at /dev/shm";
  const TestDirectory Directory("/dev/shm");
  EXPECT_EQ(backingOf(opened(Directory.write("a", "text"))),
            FileBacking::Memory);
}

TEST(EvictionBlockersTest, FindsMappedAndLockedFiles) {
  const TestDirectory Directory;
  const std::string Text(10000, 'x');
  const std::string Free = Directory.write("free", Text);
  const std::string MappedPath = Directory.write("mapped", Text);
  const std::string LockedPath = Directory.write("locked", Text);
  MappedFile Mapped;
  MappedFile Locked;
  ASSERT_FALSE(MappedFile::map(opened(MappedPath), Mapped));
  ASSERT_FALSE(MappedFile::map(opened(LockedPath), Locked));
  // AddressSanitizer's mlock does nothing, so the test makes the system call.
  ASSERT_EQ(::syscall(SYS_mlock, Locked.data(), Locked.size()), 0);
  const std::array<std::string, 6> Requested = {LockedPath, Free, MappedPath,
                                                // A second time.
                                                LockedPath,
                                                // No process can map these.
                                                Directory.write("empty", ""),
                                                Free + ".gone"};
  const std::vector<FileUse> Uses = findUses(Requested);
  ASSERT_EQ(Uses.size(), 6U);
  EXPECT_TRUE(Uses[0].IsMapped && Uses[0].IsLocked);
  EXPECT_FALSE(Uses[1].IsMapped || Uses[1].IsLocked);
  EXPECT_TRUE(Uses[2].IsMapped && !Uses[2].IsLocked);
  EXPECT_TRUE(Uses[3].IsMapped && Uses[3].IsLocked);
  EXPECT_FALSE(Uses[4].IsMapped || Uses[4].IsLocked);
  EXPECT_FALSE(Uses[5].IsMapped || Uses[5].IsLocked);
  ::munlock(Locked.data(), Locked.size());
}

TEST(EvictionBlockersTest, FindsLastOfManyFiles) {
  const TestDirectory Directory;
  std::vector<std::string> Paths;
  for (int I = 0; I != 2100; ++I)
    Paths.push_back(Directory.write(std::to_string(I), "x"));
  MappedFile Mapped;
  ASSERT_FALSE(MappedFile::map(opened(Paths.back()), Mapped));
  const std::vector<FileUse> Uses = findUses(Paths);
  ASSERT_EQ(Uses.size(), Paths.size());
  for (size_t I = 0; I != Uses.size(); ++I)
    EXPECT_EQ(Uses[I].IsMapped, I + 1 == Uses.size()) << I;
}

TEST(EvictionBlockersTest, ReportsUnwrittenPages) {
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

TEST(EvictionBlockersTest, EmptyQueryHasNoUses) {
  EXPECT_TRUE(findUses({}).empty());
}

} // namespace
