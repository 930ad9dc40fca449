//===- DirectoryHandleTest.cpp - Opening by handles -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The promises that hold on every system. PosixDirectoryTest.cpp has the tests
// for POSIX systems.
//
//===----------------------------------------------------------------------===//

#include "DirectoryTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/DirectoryReader.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

TEST(DirectoryHandleTest, OpensThroughLinks) {
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  const TestDirectory Directory;
  Directory.write("directory/file", "");
  makeLink("directory", Directory.path("link"), LinkTo::Directory);
  EXPECT_EQ(listAll(Directory.path("link")), Names{"file"});
  EXPECT_EQ(listAll(Directory.path("link/")), Names{"file"});
}

TEST(DirectoryHandleTest, EmptyPathIsCurrentDirectory) {
  DirectoryHandle Here = openDirectory("");
  FileIdentity Expected;
  FileIdentity Got;
  EXPECT_FALSE(openDirectory(".").identity(Expected));
  EXPECT_FALSE(Here.identity(Got));
  EXPECT_EQ(Got.Inode, Expected.Inode);
}

TEST(DirectoryHandleTest, OpensOnlyDirectories) {
  const TestDirectory Directory;
  Directory.write("file", "x");
  const DirectoryHandle Base = openDirectory(Directory.path());
  std::map<std::string, std::errc> Cases = {
      {"file", std::errc::not_a_directory},
      {"absent", std::errc::no_such_file_or_directory}};
  if (makeFifo(Directory.path("fifo")))
    Cases["fifo"] = std::errc::not_a_directory;
  if (canMakeLinks()) {
    makeLink("file", Directory.path("to-file"));
    makeLink("absent", Directory.path("to-nothing"));
    makeLink("loop", Directory.path("loop"));
    Cases["to-file"] = std::errc::not_a_directory;
    Cases["to-nothing"] = std::errc::no_such_file_or_directory;
    Cases["loop"] = std::errc::too_many_symbolic_link_levels;
  }
  for (const auto &[Name, Error] : Cases) {
    SCOPED_TRACE(Name);
    DirectoryHandle Opened = openDirectory(Directory.path());
    EXPECT_EQ(DirectoryHandle::open(Directory.path(Name), Opened), Error);
    EXPECT_FALSE(Opened.isOpen());
    Opened = openDirectory(Directory.path());
    EXPECT_EQ(openChild(Base, Name.c_str(), LinkRule::Follow, Opened), Error);
    EXPECT_FALSE(Opened.isOpen());
    EXPECT_TRUE(openChild(Base, Name.c_str(), LinkRule::Refuse, Opened));
    EXPECT_FALSE(Opened.isOpen());
  }
  DirectoryHandle Opened;
  EXPECT_EQ(DirectoryHandle::open(Directory.path("file/x"), Opened),
            BelowAFile);
  EXPECT_EQ(DirectoryHandle::open(Directory.path("absent/x"), Opened),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(DirectoryHandle::open(Directory.path() + std::string(1, '\0') + "x",
                                  Opened),
            std::errc::invalid_argument);
  for (const LinkRule Links : {LinkRule::Refuse, LinkRule::Follow})
    EXPECT_EQ(openChild(Base, "", Links, Opened),
              std::errc::no_such_file_or_directory);
}

TEST(DirectoryHandleTest, OpensChildren) {
  const TestDirectory Directory;
  Directory.write("a/b/file", "");
  DirectoryHandle At = openDirectory(Directory.path());
  // Each directory replaces its parent in the same handle.
  EXPECT_FALSE(openChild(At, "a", LinkRule::Refuse, At));
  EXPECT_FALSE(openChild(At, "b", LinkRule::Follow, At));
  DirectoryReader Reader;
  EXPECT_EQ(listRest(Reader, At), Names{"file"});
  EXPECT_TRUE(openChild(At, "absent", LinkRule::Refuse, At));
  EXPECT_FALSE(At.isOpen());
}

TEST(DirectoryHandleTest, RefusesChildrenThatEscape) {
  const TestDirectory Directory;
  Directory.write("a/b/file", "");
  const DirectoryHandle Base = openDirectory(Directory.path());
  DirectoryHandle Child;
  for (const std::string &Name :
       {std::string(".."), std::string("../"), std::string("../a"),
        std::string("a/.."), std::string("a/b"), std::string("/"),
        Directory.path("a")}) {
    EXPECT_EQ(openChild(Base, Name.c_str(), LinkRule::Refuse, Child),
              std::errc::cross_device_link)
        << Name;
    EXPECT_FALSE(Child.isOpen());
  }
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  makeLink("a", Directory.path("link"), LinkTo::Directory);
  const std::error_code Error =
      openChild(Base, "link", LinkRule::Refuse, Child);
  EXPECT_TRUE(Error == std::errc::too_many_symbolic_link_levels ||
              Error == std::errc::not_a_directory)
      << Error.message();
  EXPECT_FALSE(Child.isOpen());
  EXPECT_FALSE(openChild(Base, "link", LinkRule::Follow, Child));
}

TEST(DirectoryHandleTest, StatusMatchesStatFile) {
  const TestDirectory Directory;
  Directory.write("file", "hello");
  fs::create_directory(Directory.path("directory"));
  std::map<std::string, EntryType> Others = {
      {"directory", EntryType::Directory}};
  if (makeFifo(Directory.path("fifo")))
    Others["fifo"] = EntryType::Fifo;
  const DirectoryHandle Base = openDirectory(Directory.path());
  const FileIdentity File = statOf(Directory.path("file")).Identity;
  ASSERT_EQ(File.Size, 5u);

  for (const LinkRule Links : {LinkRule::Refuse, LinkRule::Follow}) {
    DirectoryEntry Entry;
    Entry.Name = "file";
    Entry.StatusIsHint = true; // replaced by the real status
    EXPECT_FALSE(Base.addStatus(Entry, Links));
    EXPECT_EQ(Entry.Type, EntryType::Regular);
    EXPECT_TRUE(Entry.HasStatus);
    EXPECT_FALSE(Entry.StatusIsHint);
    EXPECT_EQ(Entry.Identity, File);
  }
  for (const auto &[Name, Type] : Others) {
    DirectoryEntry Entry;
    Entry.Name = Name;
    EXPECT_FALSE(Base.addStatus(Entry));
    EXPECT_EQ(Entry.Type, Type);
    EXPECT_TRUE(Entry.HasStatus);
    EXPECT_NE(Entry.Identity.ModifiedNs, 0);
  }
}

TEST(DirectoryHandleTest, StatusFollowsLinksOnRequest) {
  if (!canMakeLinks())
    GTEST_SKIP() << NoLinks;
  const TestDirectory Directory;
  Directory.write("file", "hello");
  makeLink("file", Directory.path("link"));
  const DirectoryHandle Base = openDirectory(Directory.path());
  const FileIdentity File = statOf(Directory.path("file")).Identity;
  DirectoryEntry Entry;
  Entry.Name = "link";
  EXPECT_FALSE(Base.addStatus(Entry));
  EXPECT_EQ(Entry.Type, EntryType::Link);
  EXPECT_NE(Entry.Identity, File);
  EXPECT_FALSE(Base.addStatus(Entry, LinkRule::Follow));
  EXPECT_EQ(Entry.Type, EntryType::Regular);
  EXPECT_TRUE(Entry.HasStatus);
  EXPECT_EQ(Entry.Identity, File);
}

TEST(DirectoryHandleTest, FailedStatusKeepsEntry) {
  const TestDirectory Directory;
  Directory.write("file", "hello");
  const DirectoryHandle Base = openDirectory(Directory.path());
  DirectoryEntry Entry;
  Entry.Name = "file";
  EXPECT_FALSE(Base.addStatus(Entry));
  const FileIdentity Before = Entry.Identity;
  fs::remove(Directory.path("file"));
  EXPECT_EQ(Base.addStatus(Entry), std::errc::no_such_file_or_directory);
  EXPECT_EQ(Entry.Name, "file");
  EXPECT_EQ(Entry.Identity, Before);
  EXPECT_EQ(Entry.Type, EntryType::Regular);
  EXPECT_TRUE(Entry.HasStatus);

  if (!canMakeLinks())
    return;
  makeLink("file", Directory.path("link"));
  Entry = {};
  Entry.Name = "link"; // its target is gone
  Entry.Type = EntryType::Link;
  EXPECT_EQ(Base.addStatus(Entry, LinkRule::Follow),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(Entry.Type, EntryType::Link);
  EXPECT_FALSE(Entry.HasStatus);
}

TEST(DirectoryHandleTest, ReadsStartOfFile) {
  const TestDirectory Directory;
  const std::string Text = pattern(10'000);
  Directory.write("file", Text);
  Directory.write("empty", "");
  Names Paths = {"file"};
  if (canMakeLinks()) {
    makeLink("file", Directory.path("link"));
    Paths.emplace_back("link");
  }
  const DirectoryHandle Base = openDirectory(Directory.path());
  std::string Read;
  for (const std::string &Name : Paths) {
    SCOPED_TRACE(Name);
    EXPECT_FALSE(readFile(Base, Name.c_str(), Read));
    EXPECT_EQ(Read, Text);
  }
  EXPECT_FALSE(readFile(Base, "empty", Read));
  EXPECT_EQ(Read, "");
}

TEST(DirectoryHandleTest, ReadsOnlyRegularFiles) {
  const TestDirectory Directory;
  fs::create_directory(Directory.path("directory"));
  Names Refused = {"directory"};
  Names Absent = {"absent"};
  if (makeFifo(Directory.path("fifo")))
    Refused.emplace_back("fifo");
  if (canMakeLinks()) {
    makeLink("directory", Directory.path("to-directory"), LinkTo::Directory);
    makeLink("absent", Directory.path("to-nothing"));
    Refused.emplace_back("to-directory");
    Absent.emplace_back("to-nothing");
    if (fs::exists(Directory.path("fifo"))) {
      makeLink("fifo", Directory.path("to-fifo"));
      Refused.emplace_back("to-fifo");
    }
  }
  const DirectoryHandle Base = openDirectory(Directory.path());
  headstart::os::OpenFile File;
  for (const std::string &Name : Refused) {
    EXPECT_EQ(Base.openFile(Name.c_str(), File),
              std::errc::operation_not_supported)
        << Name;
    EXPECT_FALSE(File.isOpen());
  }
  for (const std::string &Name : Absent) {
    EXPECT_EQ(Base.openFile(Name.c_str(), File),
              std::errc::no_such_file_or_directory)
        << Name;
    EXPECT_FALSE(File.isOpen());
  }
}

TEST(DirectoryHandleTest, IdentityDistinguishesDirectoriesAndChanges) {
  const TestDirectory Directory;
  fs::create_directory(Directory.path("a"));
  fs::create_directory(Directory.path("b"));
  const DirectoryHandle A = openDirectory(Directory.path("a"));
  FileIdentity First;
  FileIdentity Again;
  FileIdentity B;
  EXPECT_FALSE(A.identity(First));
  const bool HasLinks = canMakeLinks();
  if (HasLinks)
    makeLink("a", Directory.path("link"), LinkTo::Directory);
  EXPECT_FALSE(
      openDirectory(Directory.path(HasLinks ? "link" : "a")).identity(Again));
  EXPECT_FALSE(openDirectory(Directory.path("b")).identity(B));
  EXPECT_EQ(First, Again);
  EXPECT_NE(First.Inode, B.Inode);

  ASSERT_TRUE(makeOlder(Directory.path("a"), 5));
  FileIdentity Second;
  EXPECT_FALSE(A.identity(Second));
  EXPECT_EQ(Second.Inode, First.Inode);
  EXPECT_EQ(First.ModifiedNs - Second.ModifiedNs, 5'000'000'000);
}

TEST(DirectoryHandleTest, ClosedHandleFails) {
  DirectoryHandle Closed;
  EXPECT_FALSE(Closed.isOpen());
  DirectoryHandle Below;
  DirectoryEntry Entry;
  Entry.Name = "x";
  headstart::os::OpenFile File;
  FileIdentity Identity;
  const auto Expected = std::errc::bad_file_descriptor;
  EXPECT_EQ(openChild(Closed, "x", LinkRule::Refuse, Below), Expected);
  EXPECT_EQ(openChild(Closed, "x", LinkRule::Follow, Below), Expected);
  EXPECT_EQ(Closed.addStatus(Entry), Expected);
  EXPECT_EQ(Closed.openFile("x", File), Expected);
  EXPECT_EQ(Closed.identity(Identity), Expected);
  DirectoryReader Reader;
  Reader.start(Closed);
  std::array<DirectoryEntry, 1> Entries;
  std::error_code Error;
  EXPECT_EQ(Reader.read(Entries, Error), 0u);
  EXPECT_EQ(Error, Expected);
  EXPECT_EQ(Reader.read(Entries, Error), 0u); // that was the last call
  EXPECT_FALSE(Error);
}

TEST(DirectoryHandleTest, MovesWithoutLeakingDescriptors) {
  const TestDirectory Directory;
  Directory.write("a/b/file", "");
  Directory.write("other", "");
  Names Listed = {"a", "other"};
  if (makeFifo(Directory.path("fifo")))
    Listed.emplace_back("fifo");
  if (canMakeLinks()) {
    makeLink("a", Directory.path("link"), LinkTo::Directory);
    Listed.emplace_back("link");
  }
  std::sort(Listed.begin(), Listed.end());
  openDirectory(Directory.path()).close(); // the first open may open more
  const int64_t Before = openHandles();
  {
    DirectoryHandle First = openDirectory(Directory.path());
    DirectoryHandle Second = std::move(First);
    EXPECT_FALSE(First.isOpen()); // NOLINT: closed by the move
    First = openDirectory(Directory.path("a"));
    First = std::move(Second);
    DirectoryReader Reader;
    EXPECT_EQ(listRest(Reader, First), Listed);
    for (const char *Name :
         {"a", "absent", "link", "other", "..", "fifo", "a/b"}) {
      static_cast<void>(openChild(First, Name, LinkRule::Refuse, Second));
      static_cast<void>(openChild(First, Name, LinkRule::Follow, Second));
    }
    headstart::os::OpenFile File;
    for (const char *Name : {"other", "a", "absent", "fifo"})
      static_cast<void>(First.openFile(Name, File));
    File.close();
    Second.close(); // NOLINT: opened again above
    Second.close();
    EXPECT_FALSE(Second.isOpen());
  }
  EXPECT_EQ(openHandles(), Before);
}

} // namespace
