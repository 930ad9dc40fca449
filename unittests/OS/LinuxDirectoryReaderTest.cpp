//===- LinuxDirectoryReaderTest.cpp - Linux directory listings ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountAllocations.h"
#include "DirectoryTestSupport.h"
#include "LinuxTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/DirectoryReader.h"

#include "gtest/gtest.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

void makeFiles(const TestDirectory &Directory, size_t Count) {
  for (size_t I = 0; I < Count; ++I)
    Directory.write("entry-" + std::to_string(I), "");
}

struct Listing {
  size_t Entries = 0;
  size_t Allocated = 0;
  unsigned Batches = 0;
  std::error_code Error;
};

Listing list(const std::string &Path) {
  Listing Result;
  const size_t Before = Allocations;
  {
    DirectoryHandle Directory;
    Result.Error = DirectoryHandle::open(Path, Directory);
    DirectoryReader Reader;
    Reader.start(Directory);
    std::array<DirectoryEntry, 128> Entries;
    std::error_code Error;
    while (const size_t Count = Reader.read(Entries, Error)) {
      Result.Entries += Count;
      Result.Batches += Reader.isAtBoundary();
    }
    if (Error)
      Result.Error = Error;
  }
  Result.Allocated = Allocations - Before;
  return Result;
}

TEST(LinuxDirectoryReaderTest, AllocatesNothingPerEntry) {
  if (!CountsAllocations)
    GTEST_SKIP() << "allocations are not counted under a sanitizer";
  // A disk takes long to remove so many files.
  const fs::path Memory = "/dev/shm";
  const TestDirectory Small(fs::exists(Memory) ? Memory
                                               : fs::path(testing::TempDir()));
  const TestDirectory Large(Small.path());
  makeFiles(Small, 10);
  makeFiles(Large, 10'000);
  const Listing Few = list(Small.path());
  const Listing Many = list(Large.path());
  EXPECT_EQ(Few.Entries, 11u); // includes the large directory
  EXPECT_EQ(Many.Entries, 10'000u);
  EXPECT_EQ(Few.Allocated, 1u) << "the buffer";
  EXPECT_EQ(Many.Allocated, 1u);
}

TEST(LinuxDirectoryReaderTest, Lists400EntriesInOneBatch) {
  const TestDirectory Directory;
  makeFiles(Directory, 400);
  const Listing L = list(Directory.path());
  EXPECT_EQ(L.Entries, 400u);
  EXPECT_EQ(L.Batches, 1u);
}

TEST(LinuxDirectoryReaderTest, ReturnsInodesWithoutStatus) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  DirectoryHandle Handle;
  ASSERT_FALSE(DirectoryHandle::open(Directory.path(), Handle));
  DirectoryReader Reader;
  Reader.start(Handle);
  std::array<DirectoryEntry, 4> Entries;
  std::error_code Error;
  ASSERT_EQ(Reader.read(Entries, Error), 1u);
  struct stat Stat;
  ASSERT_EQ(::stat(Path.c_str(), &Stat), 0);
  EXPECT_EQ(Entries[0].Identity.Inode, Stat.st_ino);
  EXPECT_EQ(Entries[0].Identity.Size, 0u);
  EXPECT_FALSE(Entries[0].HasStatus);
}

TEST(LinuxDirectoryReaderTest, ErrorEndsListing) {
  const TestDirectory Directory;
  makeFiles(Directory, 1000);
  DirectoryHandle Handle;
  ASSERT_FALSE(DirectoryHandle::open(Directory.path(), Handle));
  EXPECT_EQ(exitStatus(startChild([&] {
              DirectoryReader Reader(0);
              Reader.start(Handle);
              std::array<DirectoryEntry, 16> Entries;
              std::error_code Error;
              if (Reader.read(Entries, Error) != 16 || Error)
                return 1;
              if (!deny(SYS_getdents64, EIO))
                return 99;
              // The rest of the batch is valid.
              size_t Rest = 0;
              while (const size_t Count = Reader.read(Entries, Error)) {
                if (Error)
                  return 2;
                Rest += Count;
              }
              if (Rest == 0 || Rest > 400)
                return 3;
              if (Error != std::errc::io_error)
                return 4;
              // The reader makes no further call, which would fail.
              return Reader.read(Entries, Error) != 0 || Error ? 5 : 0;
            })),
            0);
}

TEST(LinuxDirectoryReaderTest, DeletedDirectoryEndsListing) {
  const TestDirectory Directory;
  fs::create_directory(Directory.path("gone"));
  for (int I = 0; I < 1000; ++I)
    Directory.write("gone/entry-" + std::to_string(I), "");
  DirectoryHandle Handle;
  ASSERT_FALSE(DirectoryHandle::open(Directory.path("gone"), Handle));
  DirectoryReader Reader(0);
  Reader.start(Handle);
  std::array<DirectoryEntry, 16> Entries;
  std::error_code Error;
  ASSERT_EQ(Reader.read(Entries, Error), 16u);
  fs::remove_all(Directory.path("gone"));
  size_t Rest = 0;
  while (const size_t Count = Reader.read(Entries, Error))
    Rest += Count;
  EXPECT_FALSE(Error) << Error.message();
  EXPECT_LT(Rest, 400u); // only the entries in the buffer
  // Nothing below the directory can be opened or statted any more.
  DirectoryEntry Entry;
  Entry.Name = "entry-0";
  EXPECT_EQ(Handle.addStatus(Entry), std::errc::no_such_file_or_directory);
}

TEST(LinuxDirectoryReaderTest, HandleFollowsRenamedDirectory) {
  const TestDirectory Directory;
  Directory.write("before/inner/file", "old");
  Directory.write("other/inner/wrong", "new");
  DirectoryHandle Handle;
  ASSERT_FALSE(DirectoryHandle::open(Directory.path("before"), Handle));
  fs::rename(Directory.path("before"), Directory.path("after"));
  fs::rename(Directory.path("other"), Directory.path("before"));
  DirectoryHandle Inner;
  ASSERT_FALSE(openChild(Handle, "inner", LinkRule::Refuse, Inner));
  std::string Text;
  EXPECT_FALSE(readFile(Inner, "file", Text));
  EXPECT_EQ(Text, "old");
}

/// Checks openChild with or without openat2(2). Returns 0, or the number of the
/// broken promise.
int checkOpenChild(const DirectoryHandle &Base) {
  DirectoryHandle Below;
  std::string Text;
  if (openChild(Base, "a", LinkRule::Refuse, Below))
    return 1;
  if (readFile(Below, "file", Text) || Text.size() != 5)
    return 2;
  // The result must also be readable: not every directory descriptor is.
  DirectoryReader Reader;
  if (listRest(Reader, Below) != Names{"file"})
    return 3;
  const std::error_code Error =
      openChild(Base, "link", LinkRule::Refuse, Below);
  if (Error != std::errc::too_many_symbolic_link_levels &&
      Error != std::errc::not_a_directory)
    return 4;
  for (const char *Name : {"..", "a/b", "/"})
    if (openChild(Base, Name, LinkRule::Refuse, Below) !=
        std::errc::cross_device_link)
      return 5;
  if (openChild(Base, "absent", LinkRule::Refuse, Below) !=
      std::errc::no_such_file_or_directory)
    return 6;
  if (openChild(Base, "fifo", LinkRule::Refuse, Below) !=
      std::errc::not_a_directory)
    return 7;
  return Below.isOpen() ? 8 : 0;
}

TEST(LinuxDirectoryReaderTest, OpensChildrenWithoutOpenat2) {
  const TestDirectory Directory;
  Directory.write("a/file", "hello");
  fs::create_directory_symlink("a", Directory.path("link"));
  ASSERT_EQ(::mkfifo(Directory.path("fifo").c_str(), 0600), 0);
  const DirectoryHandle Base = openDirectory(Directory.path());
  EXPECT_EQ(checkOpenChild(Base), 0);
  for (const unsigned Error : {ENOSYS, EPERM})
    EXPECT_EQ(runWithout(SYS_openat2, Error,
                         [&] {
                           const int Before = nextDescriptor();
                           const int Broken = checkOpenChild(Base);
                           if (Broken != 0)
                             return Broken;
                           return nextDescriptor() == Before ? 0 : 50;
                         }),
              0);
}

TEST(LinuxDirectoryReaderTest, ReportsThatDirectoryIsNoMountPoint) {
  const TestDirectory Directory;
  Directory.write("a/file", "");
  DirectoryHandle Base;
  ASSERT_FALSE(DirectoryHandle::open(Directory.path(), Base));
  // Returns 1 if it may be a mount point, 0 if it is none, 2 if the open fails.
  const auto MayBeMountPoint = [&] {
    DirectoryHandle Child;
    bool MayBeMount = true;
    if (Base.openChild("a", LinkRule::Refuse, Child, MayBeMount) ||
        !Child.isOpen())
      return 2;
    return MayBeMount ? 1 : 0;
  };
  EXPECT_EQ(runWithout(SYS_openat2, ENOSYS, MayBeMountPoint), 1);
  EXPECT_EQ(runWithout(SYS_openat2, EPERM, MayBeMountPoint), 1);
  if (::syscall(SYS_openat2, -1, "", nullptr, 0) < 0 &&
      (errno == ENOSYS || errno == EPERM))
    GTEST_SKIP() << "needs openat2";
  EXPECT_EQ(MayBeMountPoint(), 0);
}

} // namespace
