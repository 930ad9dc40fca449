//===- LinuxMappedFileTest.cpp - What Linux adds to MappedFile ------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "headstart/OS/MappedFile.h"

#include "gtest/gtest.h"

#include <fcntl.h>
#include <filesystem>
#include <string>

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

TEST(LinuxMappedFileTest, TellsAReplacementOfTheSameSizeAndTime) {
  const TestFolder Folder;
  const std::string Path = Folder.write("file", "hello");
  const FileIdentity Before = openOrFail(Path).identity();
  const std::string New = Folder.write("new", "HELLO");
  fs::last_write_time(New, fs::last_write_time(Path));
  fs::rename(New, Path);
  const FileIdentity After = openOrFail(Path).identity();
  EXPECT_EQ(After.Size, Before.Size);
  EXPECT_EQ(After.ModifiedNs, Before.ModifiedNs);
  EXPECT_NE(After.Inode, Before.Inode);
  EXPECT_NE(After, Before);
}

TEST(LinuxMappedFileTest, TellsAChangeWhoseTimeWasPutBack) {
  const TestFolder Folder;
  const std::string Path = Folder.write("file", "hello");
  // Away from the clock's current tick, in which ctime would stand still.
  const FileIdentity Before = openOrFail(Path).identity();
  FileIdentity After = Before;
  for (unsigned Try = 0; Try < 100'000 && After.ChangedNs == Before.ChangedNs;
       ++Try) {
    const fs::file_time_type Time = fs::last_write_time(Path);
    Folder.write("file", "HELLO");
    fs::last_write_time(Path, Time);
    After = openOrFail(Path).identity();
  }
  EXPECT_EQ(After.ModifiedNs, Before.ModifiedNs);
  EXPECT_NE(After.ChangedNs, Before.ChangedNs);
  EXPECT_NE(After, Before);
}

TEST(LinuxMappedFileTest, HardLinksAreOneFile) {
  const TestFolder Folder;
  const std::string Path = Folder.write("file", "hello");
  fs::create_hard_link(Path, Folder.path("link"));
  EXPECT_EQ(openOrFail(Path).identity(),
            openOrFail(Folder.path("link")).identity());
}

TEST(LinuxMappedFileTest, DescriptorsAreNotInherited) {
  const TestFolder Folder;
  const OpenFile File = openOrFail(Folder.write("file", "hello"));
  const int Flags = ::fcntl(static_cast<int>(File.nativeHandle()), F_GETFD);
  ASSERT_GE(Flags, 0);
  EXPECT_NE(Flags & FD_CLOEXEC, 0);
}

TEST(LinuxMappedFileTest, MapsAHoleLargerThanMemoryMayBe) {
  const TestFolder Folder;
  const std::string Path = Folder.write("file", "");
  constexpr uintmax_t Size = (uintmax_t(1) << 40) + 1;
  std::error_code Error;
  fs::resize_file(Path, Size, Error);
  if (Error)
    GTEST_SKIP() << "file of 1 TiB: " << Error.message();
  const MappedFile Mapping = mapOrFail(openOrFail(Path));
  ASSERT_EQ(Mapping.size(), Size);
  EXPECT_EQ(Mapping.data()[Size - 1], '\0');
}

} // namespace
