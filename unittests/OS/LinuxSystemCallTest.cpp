//===- LinuxSystemCallTest.cpp - Kernels that know less -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One system call fails in a child process, as on an older kernel or in a
// sandbox. The tests check what probing reports and what a PageCache does that
// was created with other capabilities.
//
//===----------------------------------------------------------------------===//

#include "LinuxTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/PageCache.h"

#include "gtest/gtest.h"

#include <cerrno>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::test;

namespace {

#ifdef SYS_cachestat
constexpr unsigned CachestatNumber = SYS_cachestat;
#else
constexpr unsigned CachestatNumber = 451;
#endif

class LinuxSystemCallTest : public testing::Test {
protected:
  static constexpr uint64_t FileBytes = 300'001;
  static constexpr ByteRange All{0, FileBytes};

  /// The capabilities of a kernel that supports every call.
  static PageCacheCapabilities everything() {
    PageCacheCapabilities Capabilities;
    Capabilities.Hint = Capabilities.PopulateRead = Capabilities.Cachestat =
        true;
    Capabilities.Mincore = Capabilities.Evict = true;
    return Capabilities;
  }

  const TestDirectory Directory;
  const std::string Path = Directory.write("file", pattern(FileBytes));
  OpenFile File = openOrFail(Path);
  const MappedFile Mapping = mapOrFail(File);
  const PageCache Cache{everything()};
};

TEST_F(LinuxSystemCallTest, LargePagesNeedMadvise) {
  for (const unsigned Error : {EINVAL, EAGAIN, EINTR})
    EXPECT_EQ(runWithout(SYS_madvise, Error,
                         [&] {
                           if (Error == EINVAL &&
                               PageCache::probe().PopulateRead)
                             return 1;
                           return Cache.fetchInLargePages(File, All).Outcome ==
                                          HintOutcome::Unsupported
                                      ? 0
                                      : 2;
                         }),
              0);
}

TEST_F(LinuxSystemCallTest, FallsBackToMincoreWithoutCachestat) {
  for (const unsigned Error : {ENOSYS, EPERM, EOPNOTSUPP})
    EXPECT_EQ(runWithout(CachestatNumber, Error,
                         [&] {
                           if (PageCache::probe().Cachestat)
                             return 1;
                           const auto Found = Cache.residency(File, All);
                           if (!Found || Found->TotalPages == 0)
                             return 2;
                           return Cache.evict(File) ? 3 : 0;
                         }),
              0);
}

TEST_F(LinuxSystemCallTest, ReportsNoResidencyWithoutMincore) {
  EXPECT_EQ(runWithout(SYS_mincore, ENOSYS,
                       [&] {
                         if (PageCache::probe().Mincore)
                           return 1;
                         return Cache.residency(Mapping.bytes()) ? 2 : 0;
                       }),
            0);
}

TEST_F(LinuxSystemCallTest, HintsNeedFadvise) {
  EXPECT_EQ(runWithout(SYS_fadvise64, ENOSYS,
                       [&] {
                         const PageCacheCapabilities Found = PageCache::probe();
                         if (Found.Hint || Found.Evict)
                           return 1;
                         const HintResult Result = Cache.hint(File, {&All, 1});
                         if (Result.Outcome != HintOutcome::Unsupported ||
                             Result.AcceptedBytes != 0 || Result.Calls != 1)
                           return 2;
                         return Cache.evict(File) ? 0 : 3;
                       }),
            0);
}

TEST_F(LinuxSystemCallTest, ReportsFailedHint) {
  EXPECT_EQ(runWithout(SYS_fadvise64, EIO,
                       [&] {
                         const HintResult Result = Cache.hint(File, {&All, 1});
                         return Result.Outcome == HintOutcome::Failed &&
                                        Result.Error == std::errc::io_error
                                    ? 0
                                    : 1;
                       }),
            0);
}

TEST_F(LinuxSystemCallTest, ProbesWithoutMemfd) {
  const PageCacheCapabilities Before = PageCache::probe();
  EXPECT_EQ(runWithout(SYS_memfd_create, EPERM,
                       [&] {
                         const PageCacheCapabilities Found = PageCache::probe();
                         // Cachestat refuses to answer for another user's
                         // program.
                         struct stat Program;
                         const bool IsOurs =
                             ::geteuid() == 0 ||
                             (::stat("/proc/self/exe", &Program) == 0 &&
                              Program.st_uid == ::geteuid());
                         return Found.Hint == Before.Hint &&
                                        Found.Evict == Before.Evict &&
                                        Found.Mincore == Before.Mincore &&
                                        (Found.Cachestat == Before.Cachestat ||
                                         !IsOurs) &&
                                        Found.PopulateRead ==
                                            Before.PopulateRead
                                    ? 0
                                    : 1;
                       }),
            0);
}

TEST_F(LinuxSystemCallTest, RefusedMappingFails) {
  EXPECT_EQ(runWithout(SYS_mmap, ENOMEM,
                       [&] {
                         MappedFile Refused;
                         if (MappedFile::map(File, Refused) !=
                             std::errc::not_enough_memory)
                           return 1;
                         return Refused.isMapped() ? 2 : 0;
                       }),
            0);
}

} // namespace
