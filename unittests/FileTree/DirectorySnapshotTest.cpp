//===- DirectorySnapshotTest.cpp - A directory, read once -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OS/TestFiles.h"
#include "headstart/FileTree/SnapshotCache.h"
#include "gtest/gtest.h"
#include <set>
#include <sys/stat.h>

using namespace headstart;
using os::test::TestDirectory;
namespace fs = std::filesystem;

namespace {

/// The traits of a trustworthy file system, whatever the tests run on.
os::DirectoryTraits exactTraits(const os::DirectoryHandle & /*Directory*/) {
  os::DirectoryTraits Traits;
  Traits.MayIgnoreCase = false;
  Traits.ReportsChanges = true;
  return Traits;
}

os::DirectoryTraits foldingTraits(const os::DirectoryHandle &Directory) {
  os::DirectoryTraits Traits = exactTraits(Directory);
  Traits.MayIgnoreCase = true;
  return Traits;
}

/// Sets the clock an hour ahead, so that no directory has changed recently.
SnapshotOptions settled() {
  SnapshotOptions Options;
  Options.Traits = exactTraits;
  Options.Clock = [] { return os::fileClockNs() + 3'600'000'000'000; };
  return Options;
}

std::error_code read(const std::string &Path, const SnapshotOptions &Options,
                     DirectorySnapshot::Ptr &Result) {
  os::DirectoryHandle Directory;
  if (std::error_code Error = os::DirectoryHandle::open(Path, Directory))
    return Error;
  return DirectorySnapshot::read(std::move(Directory), Options, Result);
}

DirectorySnapshot::Ptr readOrFail(const std::string &Path,
                                  const SnapshotOptions &Options = settled()) {
  DirectorySnapshot::Ptr Result;
  std::error_code Error = read(Path, Options, Result);
  EXPECT_FALSE(Error) << Path << ": " << Error.message();
  return Result;
}

std::error_code errorOf(const std::string &Path,
                        const SnapshotOptions &Options = settled()) {
  DirectorySnapshot::Ptr Result;
  std::error_code Error = read(Path, Options, Result);
  EXPECT_EQ(Result == nullptr, bool(Error));
  return Error;
}

bool lacks(const DirectorySnapshot &Snapshot, llvm::StringRef Name) {
  return Snapshot.lacks(SnapshotName(Name));
}

TEST(DirectorySnapshotTest, HasEntriesOfEveryType) {
  TestDirectory Directory;
  Directory.write("file", "x");
  fs::create_directory(Directory.path("directory"));
  fs::create_symlink("nowhere", Directory.path("link"));
  ASSERT_EQ(::mkfifo(Directory.path("fifo").c_str(), 0600), 0);
  DirectorySnapshot::Ptr Snapshot = readOrFail(Directory.path());
  EXPECT_EQ(Snapshot->size(), 4U);
  for (const char *Name : {"file", "directory", "link", "fifo"})
    EXPECT_FALSE(lacks(*Snapshot, Name)) << Name;
  EXPECT_TRUE(lacks(*Snapshot, "other"));
}

TEST(DirectorySnapshotTest, EmptyDirectoryLacksEverything) {
  TestDirectory Directory;
  DirectorySnapshot::Ptr Snapshot = readOrFail(Directory.path());
  EXPECT_EQ(Snapshot->size(), 0U);
  EXPECT_TRUE(lacks(*Snapshot, "a"));
}

TEST(DirectorySnapshotTest, FindsEachOfManyNames) {
  TestDirectory Directory;
  std::set<std::string> Names;
  for (int I = 0; I != 3000; ++I)
    Names.insert("lib" + std::to_string(I * 7919) + ".so");
  for (const std::string &Name : Names)
    Directory.write(Name, "");
  DirectorySnapshot::Ptr Snapshot = readOrFail(Directory.path());
  ASSERT_EQ(Snapshot->size(), Names.size());
  for (const std::string &Name : Names) {
    ASSERT_FALSE(lacks(*Snapshot, Name));
    ASSERT_TRUE(lacks(*Snapshot, Name + "x"));
  }
}

TEST(DirectorySnapshotTest, AcceptsAnyBytesInNames) {
  TestDirectory Directory;
  std::string Bytes = "\xff\xfe\x80 name\n";
  std::string Longest(255, 'x');
  Directory.write(Bytes, "");
  Directory.write(Longest, "");
  DirectorySnapshot::Ptr Snapshot = readOrFail(Directory.path());
  EXPECT_FALSE(lacks(*Snapshot, Bytes));
  EXPECT_FALSE(lacks(*Snapshot, Longest));
  // The name is too long for any entry (ENAMETOOLONG), but valid for a lookup.
  EXPECT_TRUE(lacks(*Snapshot, std::string(300, 'x')));
  EXPECT_TRUE(lacks(*Snapshot, llvm::StringRef("a\0b", 3)));
}

TEST(DirectorySnapshotTest, LooksUpFirstPathComponent) {
  TestDirectory Directory;
  Directory.write("sub/x", "");
  DirectorySnapshot::Ptr Snapshot = readOrFail(Directory.path());
  EXPECT_FALSE(lacks(*Snapshot, "sub/x"));
  EXPECT_FALSE(lacks(*Snapshot, "sub/y"))
      << "the snapshot does not list subdirectories";
  EXPECT_FALSE(lacks(*Snapshot, "sub/"));
  EXPECT_TRUE(lacks(*Snapshot, "other/../sub/x")) << "'other' does not exist";
  // These are no entries and can lead anywhere.
  for (const char *Name : {"", ".", "..", "./x", "../x", "/x", "//x"})
    EXPECT_FALSE(lacks(*Snapshot, Name)) << Name;
}

TEST(DirectorySnapshotTest, CaseFoldingMatchIsNotLacking) {
  TestDirectory Directory;
  Directory.write("Foo", "");
  SnapshotOptions Options = settled();
  DirectorySnapshot::Ptr Exact = readOrFail(Directory.path(), Options);
  EXPECT_TRUE(lacks(*Exact, "foo"));
  EXPECT_TRUE(lacks(*Exact, "\u00e4"));
  Options.Traits = foldingTraits;
  DirectorySnapshot::Ptr Folding = readOrFail(Directory.path(), Options);
  EXPECT_FALSE(lacks(*Folding, "foo"));
  EXPECT_TRUE(lacks(*Folding, "bar"));
  EXPECT_FALSE(lacks(*Folding, "\u00e4")) << "the file system may normalize it";
  // One name with unknown folding is enough.
  Directory.write("\u00e4", "");
  Folding = readOrFail(Directory.path(), Options);
  EXPECT_FALSE(lacks(*Folding, "bar"));
  EXPECT_TRUE(lacks(*readOrFail(Directory.path()), "bar"));
}

TEST(DirectorySnapshotTest, OneNameServesBothKindsOfDirectories) {
  TestDirectory Directory;
  Directory.write("Foo", "");
  SnapshotOptions Options = settled();
  DirectorySnapshot::Ptr Exact = readOrFail(Directory.path(), Options);
  Options.Traits = foldingTraits;
  DirectorySnapshot::Ptr Folding = readOrFail(Directory.path(), Options);
  SnapshotName Name("foo");
  for (int Again = 0; Again != 2; ++Again) {
    EXPECT_TRUE(Exact->lacks(Name));
    EXPECT_FALSE(Folding->lacks(Name));
  }
}

TEST(DirectorySnapshotTest, FileSystemWithoutChangeTimesIsError) {
  TestDirectory Directory;
  Directory.write("a", "");
  SnapshotOptions Options = settled();
  Options.Traits = [](const os::DirectoryHandle &) {
    return os::DirectoryTraits();
  };
  EXPECT_EQ(errorOf(Directory.path(), Options), std::errc::not_supported);
}

TEST(DirectorySnapshotTest, RecentlyChangedDirectoryIsNotVerified) {
  TestDirectory Directory;
  Directory.write("a", "");
  os::DirectoryHandle Handle;
  ASSERT_FALSE(os::DirectoryHandle::open(Directory.path(), Handle));
  os::FileIdentity Identity;
  ASSERT_FALSE(Handle.identity(Identity));
  auto VerifiedAfter = [&](int64_t Age, bool ReportsEveryChange = false) {
    SnapshotOptions Options;
    Options.Clock = [&] { return Identity.ChangedNs + Age; };
    Options.Traits = [=](const os::DirectoryHandle &Directory) {
      os::DirectoryTraits Traits = exactTraits(Directory);
      Traits.ReportsEveryChange = ReportsEveryChange;
      return Traits;
    };
    std::error_code Error = errorOf(Directory.path(), Options);
    EXPECT_TRUE(!Error || Error == std::errc::resource_unavailable_try_again);
    return !Error;
  };
  // The change time would not show a change in the same tick.
  EXPECT_FALSE(VerifiedAfter(0));
  EXPECT_FALSE(VerifiedAfter(5'000'000));
  EXPECT_FALSE(VerifiedAfter(-3'600'000'000'000)) << "the clock was set back";
  // The file system may keep only whole seconds: 3 s is always enough.
  EXPECT_TRUE(VerifiedAfter(3'000'000'000));
  EXPECT_TRUE(VerifiedAfter(0, /*ReportsEveryChange=*/true));
}

TEST(DirectorySnapshotTest, ChangingDirectoryIsNotVerified) {
  TestDirectory Directory;
  SnapshotOptions Options = settled();
  Options.Listed = [&] {
    Directory.write("file", "");
    // The change is visible even if the clock is coarse.
    fs::last_write_time(Directory.path(), fs::file_time_type::clock::now() -
                                              std::chrono::hours(1));
  };
  EXPECT_EQ(errorOf(Directory.path(), Options),
            std::errc::resource_unavailable_try_again);
}

TEST(DirectorySnapshotTest, TooLargeDirectoryIsError) {
  TestDirectory Directory;
  for (int I = 0; I != 300; ++I)
    Directory.write("name" + std::to_string(I), "");
  SnapshotOptions Options = settled();
  Options.MaxEntries = 299;
  EXPECT_EQ(errorOf(Directory.path(), Options), std::errc::file_too_large);
  Options.MaxEntries = 300;
  EXPECT_FALSE(errorOf(Directory.path(), Options));
}

TEST(DirectorySnapshotTest, ReportsWhyDirectoryCannotBeRead) {
  TestDirectory Directory;
  std::string File = Directory.write("file", "");
  ASSERT_EQ(::mkfifo(Directory.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(errorOf(Directory.path("none")),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(errorOf(File), std::errc::not_a_directory);
  EXPECT_EQ(errorOf(Directory.path("fifo")), std::errc::not_a_directory);
}

TEST(DirectorySnapshotTest, FollowsLinksToDirectories) {
  TestDirectory Directory;
  Directory.write("real/a", "");
  fs::create_directory_symlink("real", Directory.path("link"));
  for (const char *Path : {"link", "link/", "real/../link/."})
    EXPECT_FALSE(lacks(*readOrFail(Directory.path(Path)), "a")) << Path;
}

} // namespace
