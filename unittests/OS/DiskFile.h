//===- DiskFile.h - A file whose residency is known -------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Support for tests of Linux's page cache. The files must be on a disk,
/// because the kernel cannot drop pages of a tmpfs.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_DISKFILE_H
#define HEADSTART_UNITTESTS_OS_DISKFILE_H

#include "PosixTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/PageCache.h"
#include "gtest/gtest.h"
#include <chrono>
#include <filesystem>
#include <linux/magic.h>
#include <string>
#include <sys/vfs.h>
#include <thread>

namespace headstart::os::test {

/// The directory for temporary files if it is on a disk, else the current one.
inline std::filesystem::path diskDirectory() {
  for (const std::filesystem::path &Directory :
       {std::filesystem::path(testing::TempDir()),
        std::filesystem::current_path()}) {
    struct statfs Stat;
    if (::statfs(Directory.c_str(), &Stat) == 0 && Stat.f_type != TMPFS_MAGIC &&
        Stat.f_type != RAMFS_MAGIC)
      return Directory;
  }
  ADD_FAILURE()
      << "neither the temporary nor the current directory is on a disk";
  return testing::TempDir();
}

inline PageCacheCapabilities withoutPopulateRead() {
  PageCacheCapabilities Capabilities = PageCache::probe();
  Capabilities.PopulateRead = false;
  return Capabilities;
}
inline PageCacheCapabilities withoutCachestat() {
  PageCacheCapabilities Capabilities = PageCache::probe();
  Capabilities.Cachestat = false;
  return Capabilities;
}
inline PageCacheCapabilities withoutMincore() {
  PageCacheCapabilities Capabilities = PageCache::probe();
  Capabilities.Mincore = false;
  return Capabilities;
}
/// A file on a disk, with queries of its cached pages.
template <class TestBase> class DiskFile : public TestBase {
protected:
  static constexpr uint64_t FileBytes = 3'000'001;

  void SetUp() override { create(FileBytes); }

  void create(uint64_t Size) {
    Contents = pattern(Size);
    writeSynced(Path, Contents);
    File = openOrFail(Path);
  }

  uint64_t pages() const {
    return (File.size() + Real.pageSize() - 1) / Real.pageSize();
  }

  /// Evicts the file and verifies it. A page that the disk is still reading
  /// stays until it has arrived.
  void evictFile() {
    for (int Try = 0; Try != 1000; ++Try) {
      ASSERT_FALSE(Real.evict(File));
      if (resident() == 0)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << "pages stay resident after eviction";
  }

  /// Whether all pages arrive: if the disk completes reads out of order, some
  /// may arrive just after fetch has returned.
  bool allPagesArrive() const {
    for (int Try = 0; resident() != pages(); ++Try) {
      if (Try == 1000)
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  /// The number of cached pages that have arrived.
  uint64_t resident(ByteRange Range) const {
    const auto Found = Arrived.residency(File, Range);
    EXPECT_TRUE(Found);
    return Found ? Found->ResidentPages : 0;
  }
  uint64_t resident() const { return resident({0, File.size()}); }

  /// Queries up to 2,000 times whether all of \p Range has arrived.
  bool arrives(ByteRange Range) const {
    for (unsigned Try = 0; Try < 2000; ++Try) {
      const auto Found = Arrived.residency(File, Range);
      if (Found && Found->complete())
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  const TestDirectory Directory{diskDirectory()};
  const std::string Path = Directory.path("file");
  std::string Contents;
  OpenFile File;
  const PageCache Real;
  const PageCache Arrived{withoutCachestat()};
};

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_DISKFILE_H
