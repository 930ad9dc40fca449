//===- MappedFileTest.cpp - Tests of MappedFile.h -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Promises of every implementation.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/MappedFile.h"
#include "TestLinks.h"

#include "gtest/gtest.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

using headstart::os::OpenFile; // windows.h has a function of this name

TEST(StatFileTest, KnownIdentityHoldsUntilFileChanges) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  std::error_code Error;
  const FileIdentity Known = statFile(Path, Error).Identity;
  EXPECT_EQ(statFile(Path, Error, &Known).Identity, Known);
  Directory.write("file", "hello, world");
  EXPECT_EQ(statFile(Path, Error, &Known).Identity.Size, 12U);
  FileIdentity Older = statFile(Path, Error).Identity;
  Older.ModifiedNs -= 100; // the unit of NTFS
  EXPECT_NE(statFile(Path, Error, &Older).Identity, Older);
  EXPECT_EQ(statFile(Directory.path("none"), Error, &Known).Kind,
            FileKind::Missing);
}

TEST(StatFileTest, ReportsKindOfPath) {
  const TestDirectory Directory;
  const std::string File = Directory.write("file", "hello");
  EXPECT_EQ(statOf(File).Kind, FileKind::Regular);
  EXPECT_EQ(statOf(File).Identity.Size, 5U);
  EXPECT_EQ(statOf(Directory.path()).Kind, FileKind::Directory);
  EXPECT_EQ(statOf(Directory.path("absent")).Kind, FileKind::Missing);
  EXPECT_EQ(statOf("").Kind, FileKind::Missing);
  // The error is ENOTDIR rather than ENOENT; the file is missing either way.
  EXPECT_EQ(statOf(File + "/below").Kind, FileKind::Missing);
}

TEST(StatFileTest, RefusesPathWithNul) {
  const TestDirectory Directory;
  const std::string File = Directory.write("file", "hello");
  std::error_code Error;
  EXPECT_EQ(statFile(File + '\0' + "x", Error).Kind, FileKind::Missing);
  EXPECT_EQ(Error, std::errc::invalid_argument);
  OpenFile Opened;
  EXPECT_EQ(OpenFile::open(File + '\0', Opened), std::errc::invalid_argument);
}

TEST(StatFileTest, ClearsError) {
  const TestDirectory Directory;
  std::error_code Error = std::make_error_code(std::errc::io_error);
  statFile(Directory.write("file", "hello"), Error);
  EXPECT_FALSE(Error);
}

TEST(StatFileTest, FollowsLinks) {
  const TestDirectory Directory;
  const std::string File = Directory.write("file", "hello");
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  makeLink(File, Directory.path("link"));
  makeLink(Directory.path("absent"), Directory.path("dangling"));
  makeLink(Directory.path("loop"), Directory.path("loop"));

  EXPECT_EQ(statOf(Directory.path("link")).Kind, FileKind::Regular);
  EXPECT_EQ(statOf(Directory.path("link")).Identity, statOf(File).Identity);
  EXPECT_EQ(statOf(Directory.path("dangling")).Kind, FileKind::Missing);
  std::error_code Error;
  EXPECT_EQ(statFile(Directory.path("loop"), Error).Kind, FileKind::Missing);
  EXPECT_EQ(Error, std::errc::too_many_symbolic_link_levels);
}

TEST(FileIdentityTest, IsStableWhileFileIsUnchanged) {
  const TestDirectory Directory;
  const std::string File = Directory.write("file", "hello");
  const FileIdentity Before = statOf(File).Identity;
  std::array<char, 5> Text;
  std::error_code Error;
  openOrFail(File).readAt(0, Text, Error);
  EXPECT_EQ(statOf(File).Identity, Before);
  EXPECT_EQ(openOrFail(File).identity(), Before);
}

TEST(FileIdentityTest, ChangesWithSizeTimeAndFile) {
  const TestDirectory Directory;
  const std::string File = Directory.write("file", "hello");
  const fs::file_time_type Time = fs::last_write_time(File);
  const FileIdentity Before = statOf(File).Identity;

  Directory.write("file", "hello, world");
  fs::last_write_time(File, Time);
  EXPECT_NE(statOf(File).Identity, Before);

  Directory.write("file", "HELLO");
  fs::last_write_time(File, Time + std::chrono::seconds(1));
  EXPECT_NE(statOf(File).Identity, Before);

  const std::string Other = Directory.write("other", "OTHER");
  fs::last_write_time(Other, Time);
  EXPECT_NE(statOf(Other).Identity, Before);
}

TEST(FileIdentityTest, IdentifiesOpenFileNotPath) {
  const TestDirectory Directory;
  const std::string File = Directory.write("file", "hello");
  const OpenFile Opened = openOrFail(File);
  const FileIdentity Before = Opened.identity();
  replaceFile(Directory.write("new", "other contents"), File);
  EXPECT_EQ(Opened.identity(), Before);
  EXPECT_EQ(Opened.size(), 5U);
  EXPECT_NE(statOf(File).Identity, Before);
  std::array<char, 5> Text;
  std::error_code Error;
  ASSERT_EQ(Opened.readAt(0, Text, Error), 5U);
  EXPECT_EQ(std::string(Text.begin(), Text.end()), "hello");
}

TEST(OpenFileTest, OpensRegularFile) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  OpenFile File;
  EXPECT_FALSE(File.isOpen());
  ASSERT_FALSE(OpenFile::open(Path, File));
  EXPECT_TRUE(File.isOpen());
  EXPECT_EQ(File.size(), 5U);
  File.close();
  EXPECT_FALSE(File.isOpen());
  EXPECT_EQ(File.size(), 0U);
  File.close();
}

TEST(OpenFileTest, IdentityIsOfOpenedFile) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  const FileStatus Now = statOf(Path);
  FileStatus Seen = Now;
  const auto Open = [&] {
    OpenFile File;
    EXPECT_FALSE(OpenFile::open(Path, Seen, File));
    return File.identity();
  };
  EXPECT_EQ(Open(), Now.Identity);
  // Another file had the name when it was seen.
  Seen.Identity.Inode += 1;
  for (const auto &[Field, Other] :
       {std::pair(&FileIdentity::ModifiedNs, Now.Identity.ModifiedNs - 100),
        std::pair(&FileIdentity::ChangedNs, Now.Identity.ChangedNs - 100),
        std::pair(&FileIdentity::ChangedNs, int64_t(0))}) {
    const int64_t Before = std::exchange(Seen.Identity.*Field, Other);
    EXPECT_EQ(Open(), Now.Identity);
    Seen.Identity.*Field = Before;
  }
  Seen.Identity.Size += 1;
  EXPECT_EQ(Open(), Now.Identity);
}

TEST(OpenFileTest, OpensThroughLink) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  makeLink(Path, Directory.path("link"));
  EXPECT_EQ(openOrFail(Directory.path("link")).identity(),
            statOf(Path).Identity);
}

TEST(OpenFileTest, RefusesDirectoriesAndMissingFiles) {
  const TestDirectory Directory;
  OpenFile File;
  EXPECT_EQ(OpenFile::open(Directory.path("absent"), File),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(OpenFile::open("", File), std::errc::no_such_file_or_directory);
  EXPECT_EQ(OpenFile::open(Directory.path(), File), std::errc::is_a_directory);
  EXPECT_FALSE(File.isOpen());
}

TEST(OpenFileTest, FailedOpenClosesPreviousFile) {
  const TestDirectory Directory;
  OpenFile File = openOrFail(Directory.write("file", "hello"));
  EXPECT_TRUE(OpenFile::open(Directory.path("absent"), File));
  EXPECT_FALSE(File.isOpen());
}

// The state of a moved-from object is part of the promise.
// NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
TEST(OpenFileTest, Moves) {
  const TestDirectory Directory;
  OpenFile First = openOrFail(Directory.write("first", "1"));
  OpenFile Second = openOrFail(Directory.write("second", "22"));

  OpenFile Constructed(std::move(First));
  EXPECT_TRUE(Constructed.isOpen());
  EXPECT_EQ(Constructed.size(), 1U);
  EXPECT_FALSE(First.isOpen());
  EXPECT_EQ(First.size(), 0U);

  Constructed = std::move(Second);
  EXPECT_EQ(Constructed.size(), 2U);
  EXPECT_FALSE(Second.isOpen());

  OpenFile &Same = Constructed;
  Constructed = std::move(Same);
  ASSERT_TRUE(Constructed.isOpen());
  std::array<char, 4> Text;
  std::error_code Error;
  EXPECT_EQ(Constructed.readAt(0, Text, Error), 2U);
  EXPECT_EQ(Text[0], '2');
}
// NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)

TEST(OpenFileTest, ReadsAtAnyOffset) {
  const TestDirectory Directory;
  const std::string Text = pattern(100'000);
  const OpenFile File = openOrFail(Directory.write("file", Text));
  const auto Read = [&](uint64_t Offset, size_t Size) {
    std::string Into(Size, '\0');
    std::error_code Error = std::make_error_code(std::errc::io_error);
    Into.resize(File.readAt(Offset, Into, Error));
    EXPECT_FALSE(Error) << Error.message();
    return Into;
  };
  EXPECT_EQ(Read(0, Text.size()), Text);
  EXPECT_EQ(Read(4097, 10'000), Text.substr(4097, 10'000));
  EXPECT_EQ(Read(99'999, 10), Text.substr(99'999));
  EXPECT_EQ(Read(100'000, 10), "");
  EXPECT_EQ(Read(uint64_t(1) << 40, 10), "");
  EXPECT_EQ(Read(std::numeric_limits<uint64_t>::max(), 10), "");
  EXPECT_EQ(Read(0, 0), "");
}

TEST(OpenFileTest, ReadsRestOfShrunkFile) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", pattern(100'000));
  const OpenFile File = openOrFail(Path);
  fs::resize_file(Path, 10);
  std::array<char, 100> Into;
  std::error_code Error;
  EXPECT_EQ(File.readAt(0, Into, Error), 10U);
  EXPECT_EQ(File.readAt(5000, Into, Error), 0U);
  EXPECT_FALSE(Error);
  EXPECT_EQ(File.size(), 100'000U);
}

TEST(OpenFileTest, ReadsNothingWhenClosed) {
  std::array<char, 4> Into;
  std::error_code Error;
  EXPECT_EQ(OpenFile().readAt(0, Into, Error), 0U);
  EXPECT_EQ(Error, std::errc::bad_file_descriptor);
}

TEST(OpenFileTest, ReadsOnManyThreads) {
  const TestDirectory Directory;
  const std::string Text = pattern(1 << 20);
  const OpenFile File = openOrFail(Directory.write("file", Text));
  std::vector<std::thread> Threads;
  std::array<bool, 4> Correct = {};
  Threads.reserve(Correct.size());
  for (size_t T = 0; T < Correct.size(); ++T)
    Threads.emplace_back([&, T] {
      bool AllCorrect = true;
      std::array<char, 1000> Into;
      for (size_t I = 0; I < 500; ++I) {
        const size_t Offset = (I * 7919 + T * 104'729) % (Text.size() - 1000);
        std::error_code Error;
        AllCorrect &= File.readAt(Offset, Into, Error) == Into.size() && !Error;
        AllCorrect &=
            Text.compare(Offset, Into.size(), Into.data(), Into.size()) == 0;
      }
      Correct[T] = AllCorrect;
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  for (const bool AllCorrect : Correct)
    EXPECT_TRUE(AllCorrect);
}

TEST(MappedFileTest, MapsContents) {
  const TestDirectory Directory;
  // Sizes around a page boundary, where a wrong mapping would show.
  for (const size_t Size : {1U, 4095U, 4096U, 4097U, 65536U, 300'000U}) {
    SCOPED_TRACE(Size);
    const std::string Text = pattern(Size);
    const MappedFile Mapping =
        mapOrFail(openOrFail(Directory.write("file", Text)));
    EXPECT_TRUE(Mapping.isMapped());
    EXPECT_EQ(text(Mapping), Text);
    EXPECT_EQ(Mapping.bytes().size(), Size);
    if (Size % 4096 != 0) {
      EXPECT_EQ(Mapping.data()[Size], '\0');
    }
  }
}

TEST(MappedFileTest, MapsEmptyFile) {
  const TestDirectory Directory;
  const OpenFile File = openOrFail(Directory.write("file", ""));
  MappedFile Mapping;
  EXPECT_FALSE(Mapping.isMapped());
  ASSERT_FALSE(MappedFile::map(File, Mapping));
  EXPECT_TRUE(Mapping.isMapped());
  EXPECT_TRUE(Mapping.bytes().empty());
}

TEST(MappedFileTest, DoesNotMapClosedFile) {
  MappedFile Mapping;
  EXPECT_EQ(MappedFile::map(OpenFile(), Mapping),
            std::errc::bad_file_descriptor);
  EXPECT_FALSE(Mapping.isMapped());
}

TEST(MappedFileTest, OutlivesOpenFileAndPath) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  OpenFile File = openOrFail(Path);
  const MappedFile Mapping = mapOrFail(File);
  File.close();
  std::error_code Error;
  fs::remove(Path, Error);
  if (!MappingsHoldFiles) {
    EXPECT_FALSE(Error) << Error.message();
  }
  EXPECT_EQ(text(Mapping), "hello");
}

TEST(MappedFileTest, MappingHoldsFileIfSystemDoes) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", pattern(100'000));
  MappedFile Mapping = mapOrFail(openOrFail(Path));
  std::error_code Error;
  fs::resize_file(Path, 10, Error);
  EXPECT_EQ(static_cast<bool>(Error), MappingsHoldFiles);
  EXPECT_EQ(statOf(Path).Identity.Size, MappingsHoldFiles ? 100'000U : 10U);
  Mapping = MappedFile();
  fs::resize_file(Path, 5, Error);
  EXPECT_FALSE(Error) << Error.message();
  EXPECT_EQ(statOf(Path).Identity.Size, 5U);
}

TEST(MappedFileTest, DoesNotMapShrunkFile) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", pattern(100'000));
  const OpenFile File = openOrFail(Path);
  fs::resize_file(Path, 10);
  MappedFile Mapping;
  // If the file is mapped, the lost part must not be read.
  const std::error_code Error = MappedFile::map(File, Mapping);
  EXPECT_EQ(Mapping.isMapped(), !Error);
  if (MappingsHoldFiles) {
    EXPECT_EQ(Error, std::errc::io_error);
  }
}

// NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
TEST(MappedFileTest, Moves) {
  const TestDirectory Directory;
  MappedFile First = mapOrFail(openOrFail(Directory.write("first", "1")));
  MappedFile Second = mapOrFail(openOrFail(Directory.write("second", "22")));

  MappedFile Constructed(std::move(First));
  EXPECT_EQ(text(Constructed), "1");
  EXPECT_FALSE(First.isMapped());
  EXPECT_EQ(First.size(), 0U);

  const char *const Address = Second.data();
  Constructed = std::move(Second);
  EXPECT_EQ(text(Constructed), "22");
  EXPECT_EQ(Constructed.data(), Address);
  EXPECT_FALSE(Second.isMapped());

  MappedFile &Same = Constructed;
  Constructed = std::move(Same);
  EXPECT_EQ(text(Constructed), "22");
}
// NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)

TEST(MappedFileTest, RemapsSameObject) {
  const TestDirectory Directory;
  MappedFile Mapping = mapOrFail(openOrFail(Directory.write("first", "1")));
  ASSERT_FALSE(
      MappedFile::map(openOrFail(Directory.write("second", "22")), Mapping));
  EXPECT_EQ(text(Mapping), "22");
}

} // namespace
