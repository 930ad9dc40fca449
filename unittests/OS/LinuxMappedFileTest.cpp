//===- LinuxMappedFileTest.cpp - Mapped files on Linux --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/MappedFile.h"

#include "gtest/gtest.h"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

TEST(LinuxMappedFileTest, IdentityDetectsReplacementOfSameSizeAndTime) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  const FileIdentity Before = openOrFail(Path).identity();
  const std::string New = Directory.write("new", "HELLO");
  fs::last_write_time(New, fs::last_write_time(Path));
  fs::rename(New, Path);
  const FileIdentity After = openOrFail(Path).identity();
  EXPECT_EQ(After.Size, Before.Size);
  EXPECT_EQ(After.ModifiedNs, Before.ModifiedNs);
  EXPECT_NE(After.Inode, Before.Inode);
  EXPECT_NE(After, Before);
}

TEST(LinuxMappedFileTest, IdentityDetectsChangeWithRestoredTime) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  // Repeats past the clock's current tick, within which ctime does not change.
  const FileIdentity Before = openOrFail(Path).identity();
  FileIdentity After = Before;
  for (unsigned Try = 0; Try < 100'000 && After.ChangedNs == Before.ChangedNs;
       ++Try) {
    const fs::file_time_type Time = fs::last_write_time(Path);
    Directory.write("file", "HELLO");
    fs::last_write_time(Path, Time);
    After = openOrFail(Path).identity();
  }
  EXPECT_EQ(After.ModifiedNs, Before.ModifiedNs);
  EXPECT_NE(After.ChangedNs, Before.ChangedNs);
  EXPECT_NE(After, Before);
}

TEST(LinuxMappedFileTest, HardLinksShareIdentity) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  fs::create_hard_link(Path, Directory.path("link"));
  EXPECT_EQ(openOrFail(Path).identity(),
            openOrFail(Directory.path("link")).identity());
}

/// The modification time of \p Path by its name and as an entry of its
/// directory.
std::pair<int64_t, int64_t> modificationTimes(const fs::path &Path) {
  const int64_t ByName = statOf(Path).Identity.ModifiedNs;
  DirectoryHandle Directory;
  EXPECT_FALSE(DirectoryHandle::open(Path.parent_path(), Directory));
  const std::string Name = Path.filename();
  DirectoryEntry Entry;
  Entry.Name = Name;
  EXPECT_FALSE(Directory.addStatus(Entry, LinkRule::Refuse));
  return {ByName, Entry.Identity.ModifiedNs};
}

TEST(LinuxMappedFileTest, ClampsTimesToNanosecondRange) {
  using Limits = std::numeric_limits<int64_t>;
  constexpr int64_t PerSecond = 1'000'000'000;
  const std::string Path =
      "/dev/shm/headstart-times-" + std::to_string(::getpid());
  const int Descriptor =
      ::open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (Descriptor < 0)
    GTEST_SKIP() << "needs a tmpfs at /dev/shm";
  ::close(Descriptor);
  const auto Expect = [&](timespec Time, int64_t Wanted) {
    const std::array<timespec, 2> Times = {Time, Time};
    ASSERT_EQ(::utimensat(AT_FDCWD, Path.c_str(), Times.data(), 0), 0);
    struct stat S;
    ASSERT_EQ(::stat(Path.c_str(), &S), 0);
    if (S.st_mtim.tv_sec != Time.tv_sec)
      return; // not every system stores this time
    EXPECT_EQ(modificationTimes(Path), std::pair(Wanted, Wanted))
        << Time.tv_sec;
  };
  Expect({.tv_sec = 9223372035, .tv_nsec = 999999999},
         9223372035 * PerSecond + 999999999);
  Expect({.tv_sec = 9223372036, .tv_nsec = 999999999}, Limits::max());
  Expect({.tv_sec = 9223372037, .tv_nsec = 0}, Limits::max());
  Expect({.tv_sec = 13569465600, .tv_nsec = 1}, Limits::max()); // the year 2400
  Expect({.tv_sec = -1, .tv_nsec = 999999999}, -1);
  Expect({.tv_sec = -9223372037, .tv_nsec = 1}, Limits::min());
  ::unlink(Path.c_str());
}

TEST(LinuxMappedFileTest, DescriptorsAreNotInherited) {
  const TestDirectory Directory;
  const OpenFile File = openOrFail(Directory.write("file", "hello"));
  const int Flags = ::fcntl(static_cast<int>(File.nativeHandle()), F_GETFD);
  ASSERT_GE(Flags, 0);
  EXPECT_NE(Flags & FD_CLOEXEC, 0);
}

TEST(LinuxMappedFileTest, MapsSparseFileLargerThanMemory) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "");
  constexpr uintmax_t Size = (uintmax_t(1) << 40) + 1;
  std::error_code Error;
  fs::resize_file(Path, Size, Error);
  if (Error)
    GTEST_SKIP() << "cannot create a file of 1 TiB: " << Error.message();
  const MappedFile Mapping = mapOrFail(openOrFail(Path));
  ASSERT_EQ(Mapping.size(), Size);
  EXPECT_EQ(Mapping.data()[Size - 1], '\0');
}

} // namespace
