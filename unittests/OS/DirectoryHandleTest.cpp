//===- DirectoryHandleTest.cpp - What is opened, and what is not ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What holds on every POSIX system, whatever opens the folders. Compiled into
// OSTests and OSGenericTests.
//
//===----------------------------------------------------------------------===//

#include "DirectoryTestSupport.h"
#include "PosixTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/DirectoryReader.h"

#include "gtest/gtest.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#ifdef __linux__
#include <sys/inotify.h>
#endif

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

TEST(DirectoryHandleTest, AFolderIsOpenedThroughLinks) {
  const TestFolder Folder;
  Folder.write("folder/file", "");
  fs::create_symlink("folder", Folder.path("link"));
  EXPECT_EQ(listAll(Folder.path("link")), Names{"file"});
  EXPECT_EQ(listAll(Folder.path("link/")), Names{"file"});

  DirectoryHandle Here = openFolder("");
  FileIdentity Expected;
  FileIdentity Got;
  EXPECT_FALSE(openFolder(".").identity(Expected));
  EXPECT_FALSE(Here.identity(Got));
  EXPECT_EQ(Got.Inode, Expected.Inode);
}

TEST(DirectoryHandleTest, OnlyFoldersAreOpened) {
  const TestFolder Folder;
  Folder.write("file", "x");
  ASSERT_EQ(::mkfifo(Folder.path("fifo").c_str(), 0600), 0);
  fs::create_symlink("file", Folder.path("to-file"));
  fs::create_symlink("absent", Folder.path("to-nothing"));
  fs::create_symlink("loop", Folder.path("loop"));
  const DirectoryHandle Base = openFolder(Folder.path());
  const std::map<std::string, std::errc> Cases = {
      {"file", std::errc::not_a_directory},
      {"fifo", std::errc::not_a_directory},
      {"to-file", std::errc::not_a_directory},
      {"file/x", std::errc::not_a_directory},
      {"absent", std::errc::no_such_file_or_directory},
      {"absent/x", std::errc::no_such_file_or_directory},
      {"to-nothing", std::errc::no_such_file_or_directory},
      {"loop", std::errc::too_many_symbolic_link_levels}};
  for (const auto &[Name, Error] : Cases) {
    SCOPED_TRACE(Name);
    DirectoryHandle Opened = openFolder(Folder.path());
    EXPECT_EQ(DirectoryHandle::open(Folder.path(Name), Opened), Error);
    EXPECT_FALSE(Opened.isOpen());
    Opened = openFolder(Folder.path());
    EXPECT_EQ(Base.openBelow(Name.c_str(), LinkRule::Follow, Opened), Error);
    EXPECT_FALSE(Opened.isOpen());
    EXPECT_TRUE(Base.openBelow(Name.c_str(), LinkRule::Refuse, Opened));
    EXPECT_FALSE(Opened.isOpen());
  }
  DirectoryHandle Opened;
  EXPECT_EQ(
      DirectoryHandle::open(Folder.path() + std::string(1, '\0') + "x", Opened),
      std::errc::invalid_argument);
  EXPECT_EQ(Base.openBelow("", LinkRule::Refuse, Opened),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(Base.openBelow("", LinkRule::Follow, Opened),
            std::errc::no_such_file_or_directory);
}

TEST(DirectoryHandleTest, OpensFoldersBelow) {
  const TestFolder Folder;
  Folder.write("a/b/c/file", "");
  const DirectoryHandle Base = openFolder(Folder.path());
  DirectoryReader Reader;
  for (const LinkRule Links : {LinkRule::Refuse, LinkRule::Follow})
    for (const char *Path :
         {"a/b/c", "a//b/c", "a/b/c/", "a/b/c//", "./a/b/c", "a/./b/c/."}) {
      SCOPED_TRACE(Path);
      DirectoryHandle Below;
      EXPECT_FALSE(Base.openBelow(Path, Links, Below));
      EXPECT_EQ(listRest(Reader, Below), Names{"file"});
    }
  // One after another, in the place of the one before.
  DirectoryHandle Down = openFolder(Folder.path());
  for (const char *Name : {"a", "b", "c"})
    EXPECT_FALSE(Down.openBelow(Name, LinkRule::Refuse, Down));
  EXPECT_EQ(listRest(Reader, Down), Names{"file"});
  EXPECT_TRUE(Down.openBelow("absent", LinkRule::Refuse, Down));
  EXPECT_FALSE(Down.isOpen());
}

TEST(DirectoryHandleTest, RefusesLinksAndTheWayOut) {
  const TestFolder Folder;
  Folder.write("base/a/b/file", "");
  Folder.write("base/..x/.../file", "");
  Folder.write("outside/file", "");
  fs::create_directory_symlink("a", Folder.path("base/link"));
  fs::create_directory_symlink("b", Folder.path("base/a/link"));
  fs::create_directory_symlink("../outside", Folder.path("base/out"));
  const DirectoryHandle Base = openFolder(Folder.path("base"));
  for (const char *Path :
       {"link", "link/b", "a/link", "out", "link/", "a/link/", "link/."}) {
    SCOPED_TRACE(Path);
    DirectoryHandle Below;
    const std::error_code Error = Base.openBelow(Path, LinkRule::Refuse, Below);
    EXPECT_TRUE(Error == std::errc::too_many_symbolic_link_levels ||
                Error == std::errc::not_a_directory)
        << Error.message();
    EXPECT_FALSE(Below.isOpen());
    EXPECT_FALSE(Base.openBelow(Path, LinkRule::Follow, Below));
  }
  const std::string Absolute = Folder.path("base/a");
  for (const char *Path : {"..", "../", "../outside", "a/..", "a/../..",
                           "a/b/../../..", "./..", Absolute.c_str(), "/"}) {
    SCOPED_TRACE(Path);
    DirectoryHandle Below;
    EXPECT_EQ(Base.openBelow(Path, LinkRule::Refuse, Below),
              std::errc::cross_device_link);
    EXPECT_FALSE(Below.isOpen());
  }
  DirectoryHandle Below;
  EXPECT_FALSE(Base.openBelow("..x/...", LinkRule::Refuse, Below));
  EXPECT_FALSE(Base.openBelow("../outside", LinkRule::Follow, Below));
}

TEST(DirectoryHandleTest, OpensChildrenLikeWhatIsBelow) {
  const TestFolder Folder;
  Folder.write("a/b/file", "");
  fs::create_directory_symlink("a", Folder.path("link"));
  ASSERT_EQ(::mkfifo(Folder.path("fifo").c_str(), 0600), 0);
  DirectoryHandle At = openFolder(Folder.path());
  DirectoryHandle Child;
  bool MayBeMount = false;
  EXPECT_EQ(At.openChild("fifo", LinkRule::Refuse, Child, MayBeMount),
            std::errc::not_a_directory);
  EXPECT_EQ(At.openChild("absent", LinkRule::Follow, Child, MayBeMount),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(At.openChild("..", LinkRule::Refuse, Child, MayBeMount),
            std::errc::cross_device_link);
  EXPECT_TRUE(At.openChild("link", LinkRule::Refuse, Child, MayBeMount));
  EXPECT_FALSE(Child.isOpen());
  EXPECT_FALSE(At.openChild("link", LinkRule::Follow, Child, MayBeMount));
  EXPECT_TRUE(Child.isOpen());
  EXPECT_FALSE(At.openChild("a", LinkRule::Refuse, At, MayBeMount));
  EXPECT_FALSE(At.openChild("b", LinkRule::Refuse, At, MayBeMount));
  DirectoryReader Reader;
  EXPECT_EQ(listRest(Reader, At), Names{"file"});
  EXPECT_TRUE(At.openChild("absent", LinkRule::Refuse, At, MayBeMount));
  EXPECT_FALSE(At.isOpen());
}

TEST(DirectoryHandleTest, TellsAMountPoint) {
  struct stat Root;
  struct stat Proc;
  ASSERT_EQ(::stat("/", &Root), 0);
  if (::stat("/proc", &Proc) != 0 || Proc.st_dev == Root.st_dev)
    GTEST_SKIP() << "nothing is mounted at /proc";
  const DirectoryHandle Folder = openFolder("/");
  DirectoryHandle Child;
  bool MayBeMount = false;
  EXPECT_FALSE(Folder.openChild("proc", LinkRule::Refuse, Child, MayBeMount));
  EXPECT_TRUE(MayBeMount);
}

TEST(DirectoryHandleTest, StatusIsWhatALookAtThePathGives) {
  const TestFolder Folder;
  Folder.write("file", "hello");
  fs::create_symlink("file", Folder.path("link"));
  fs::create_symlink("absent", Folder.path("to-nothing"));
  fs::create_directory(Folder.path("folder"));
  ASSERT_EQ(::mkfifo(Folder.path("fifo").c_str(), 0600), 0);
  const DirectoryHandle Base = openFolder(Folder.path());
  std::error_code Error;
  const FileIdentity File = lookAt(Folder.path("file"), Error).Identity;
  ASSERT_EQ(File.Size, 5u);

  DirectoryEntry Entry;
  Entry.Name = "file";
  EXPECT_FALSE(Base.addStatus(Entry));
  EXPECT_EQ(Entry.Type, EntryType::Regular);
  EXPECT_TRUE(Entry.HasStatus);
  EXPECT_EQ(Entry.Identity, File);

  Entry = {};
  Entry.Name = "link";
  EXPECT_FALSE(Base.addStatus(Entry));
  EXPECT_EQ(Entry.Type, EntryType::Link);
  EXPECT_NE(Entry.Identity, File);
  EXPECT_FALSE(Base.addStatus(Entry, LinkRule::Follow));
  EXPECT_EQ(Entry.Type, EntryType::Regular);
  EXPECT_TRUE(Entry.HasStatus);
  EXPECT_EQ(Entry.Identity, File);

  for (const auto &[Name, Type] : {std::pair("folder", EntryType::Directory),
                                   std::pair("fifo", EntryType::Fifo)}) {
    Entry = {};
    Entry.Name = Name;
    EXPECT_FALSE(Base.addStatus(Entry));
    EXPECT_EQ(Entry.Type, Type);
    EXPECT_TRUE(Entry.HasStatus);
    EXPECT_NE(Entry.Identity.ModifiedNs, 0);
  }
}

TEST(DirectoryHandleTest, StatusOfWhatIsGoneLeavesTheEntryAlone) {
  const TestFolder Folder;
  Folder.write("file", "hello");
  fs::create_symlink("file", Folder.path("link"));
  const DirectoryHandle Base = openFolder(Folder.path());
  DirectoryEntry Entry;
  Entry.Name = "file";
  EXPECT_FALSE(Base.addStatus(Entry));
  const FileIdentity Before = Entry.Identity;
  fs::remove(Folder.path("file"));
  EXPECT_EQ(Base.addStatus(Entry), std::errc::no_such_file_or_directory);
  EXPECT_EQ(Entry.Name, "file");
  EXPECT_EQ(Entry.Identity, Before);
  EXPECT_EQ(Entry.Type, EntryType::Regular);
  EXPECT_TRUE(Entry.HasStatus);

  Entry = {};
  Entry.Name = "link"; // to the file that is gone
  Entry.Type = EntryType::Link;
  EXPECT_EQ(Base.addStatus(Entry, LinkRule::Follow),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(Entry.Type, EntryType::Link);
  EXPECT_FALSE(Entry.HasStatus);
}

TEST(DirectoryHandleTest, ReadsTheBeginningOfAFile) {
  const TestFolder Folder;
  const std::string Text = pattern(10'000);
  Folder.write("file", Text);
  Folder.write("empty", "");
  fs::create_symlink("file", Folder.path("link"));
  const DirectoryHandle Base = openFolder(Folder.path());
  for (const size_t Room : {0, 1, 4096, 9999, 10'000, 10'001, 20'000})
    for (const char *Name : {"file", "link"}) {
      SCOPED_TRACE(testing::Message() << Room << " of " << Name);
      std::vector<char> Into(Room, '!');
      size_t Filled = 99;
      uint64_t Size = 99;
      EXPECT_FALSE(Base.readFile(Name, Into, Filled, Size));
      EXPECT_EQ(Size, Text.size());
      ASSERT_EQ(Filled, std::min(Room, Text.size()));
      EXPECT_EQ(std::string(Into.data(), Filled), Text.substr(0, Filled));
    }
  std::array<char, 8> Into;
  size_t Filled = 99;
  uint64_t Size = 99;
  EXPECT_FALSE(Base.readFile("empty", Into, Filled, Size));
  EXPECT_EQ(Filled, 0u);
  EXPECT_EQ(Size, 0u);
}

TEST(DirectoryHandleTest, ReadsRegularFilesOnly) {
  const TestFolder Folder;
  fs::create_directory(Folder.path("folder"));
  fs::create_symlink("folder", Folder.path("to-folder"));
  ASSERT_EQ(::mkfifo(Folder.path("fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", Folder.path("to-fifo"));
  fs::create_symlink("absent", Folder.path("to-nothing"));
  const DirectoryHandle Base = openFolder(Folder.path());
  std::array<char, 8> Into;
  for (const char *Name : {"folder", "to-folder", "fifo", "to-fifo"}) {
    size_t Filled = 99;
    uint64_t Size = 99;
    EXPECT_EQ(Base.readFile(Name, Into, Filled, Size),
              std::errc::operation_not_supported)
        << Name;
    EXPECT_EQ(Filled, 0u);
    EXPECT_EQ(Size, 0u);
  }
  for (const char *Name : {"absent", "to-nothing"}) {
    size_t Filled = 99;
    uint64_t Size = 99;
    EXPECT_EQ(Base.readFile(Name, Into, Filled, Size),
              std::errc::no_such_file_or_directory)
        << Name;
    EXPECT_EQ(Filled, 0u);
  }
}

TEST(DirectoryHandleTest, IdentityTellsFoldersAndTheirStatesApart) {
  const TestFolder Folder;
  fs::create_directory(Folder.path("a"));
  fs::create_directory(Folder.path("b"));
  fs::create_symlink("a", Folder.path("link"));
  const DirectoryHandle A = openFolder(Folder.path("a"));
  FileIdentity First;
  FileIdentity Link;
  FileIdentity B;
  EXPECT_FALSE(A.identity(First));
  EXPECT_FALSE(openFolder(Folder.path("link")).identity(Link));
  EXPECT_FALSE(openFolder(Folder.path("b")).identity(B));
  EXPECT_EQ(First, Link);
  EXPECT_NE(First.Inode, B.Inode);

  const auto Then = fs::last_write_time(Folder.path("a"));
  fs::last_write_time(Folder.path("a"), Then - std::chrono::seconds(5));
  FileIdentity Second;
  EXPECT_FALSE(A.identity(Second));
  EXPECT_EQ(Second.Inode, First.Inode);
  EXPECT_EQ(First.ModifiedNs - Second.ModifiedNs, 5'000'000'000);
}

TEST(DirectoryHandleTest, AHandleThatIsNotOpenSaysSo) {
  DirectoryHandle Closed;
  EXPECT_FALSE(Closed.isOpen());
  DirectoryHandle Below;
  DirectoryEntry Entry;
  Entry.Name = "x";
  std::array<char, 8> Into;
  size_t Filled;
  uint64_t Size;
  FileIdentity Identity;
  const auto Expected = std::errc::bad_file_descriptor;
  EXPECT_EQ(Closed.openBelow("x", LinkRule::Refuse, Below), Expected);
  EXPECT_EQ(Closed.openBelow("x/y", LinkRule::Refuse, Below), Expected);
  EXPECT_EQ(Closed.openBelow("x", LinkRule::Follow, Below), Expected);
  EXPECT_EQ(Closed.addStatus(Entry), Expected);
  EXPECT_EQ(Closed.readFile("x", Into, Filled, Size), Expected);
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

TEST(DirectoryHandleTest, MovesAndLeaksNoDescriptor) {
  const TestFolder Folder;
  Folder.write("a/b/file", "");
  Folder.write("other", "");
  fs::create_symlink("a", Folder.path("link"));
  ASSERT_EQ(::mkfifo(Folder.path("fifo").c_str(), 0600), 0);
  const int Before = nextDescriptor();
  {
    DirectoryHandle First = openFolder(Folder.path());
    DirectoryHandle Second = std::move(First);
    EXPECT_FALSE(First.isOpen()); // NOLINT(bugprone-use-after-move)
    First = openFolder(Folder.path("a"));
    First = std::move(Second);
    DirectoryReader Reader;
    EXPECT_EQ(listRest(Reader, First), (Names{"a", "fifo", "link", "other"}));
    for (const char *Path : {"a", "a/b", "absent", "link", "link/b", "a/absent",
                             "other", "a/b/file", "..", "fifo", "a/b/"}) {
      static_cast<void>(First.openBelow(Path, LinkRule::Refuse, Second));
      static_cast<void>(First.openBelow(Path, LinkRule::Follow, Second));
    }
    std::array<char, 8> Into;
    size_t Filled;
    uint64_t Size;
    for (const char *Name : {"other", "a", "absent", "fifo"})
      static_cast<void>(First.readFile(Name, Into, Filled, Size));
    Second.close();
    Second.close();
    EXPECT_FALSE(Second.isOpen());
  }
  EXPECT_EQ(nextDescriptor(), Before);
}

#ifdef __linux__ // others have nobody who tells who opens a file
TEST(DirectoryHandleTest, LeavesAFifoAlone) {
  const TestFolder Folder;
  const std::string Path = Folder.path("fifo");
  ASSERT_EQ(::mkfifo(Path.c_str(), 0600), 0);
  fs::create_symlink("fifo", Folder.path("link"));
  const int Watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(Watch, 0);
  ASSERT_GE(::inotify_add_watch(Watch, Path.c_str(), IN_OPEN | IN_ACCESS), 0);

  const DirectoryHandle Base = openFolder(Folder.path());
  EXPECT_EQ(listAll(Folder.path()), (Names{"fifo", "link"}));
  for (const char *Name : {"fifo", "link"}) {
    DirectoryHandle Other;
    EXPECT_TRUE(DirectoryHandle::open(Folder.path(Name), Other));
    EXPECT_TRUE(Base.openBelow(Name, LinkRule::Refuse, Other));
    EXPECT_TRUE(Base.openBelow(Name, LinkRule::Follow, Other));
    DirectoryEntry Entry;
    Entry.Name = Name;
    EXPECT_FALSE(Base.addStatus(Entry, LinkRule::Follow));
    EXPECT_EQ(Entry.Type, EntryType::Fifo);
    std::array<char, 8> Into;
    size_t Filled;
    uint64_t Size;
    EXPECT_TRUE(Base.readFile(Name, Into, Filled, Size));
  }
  alignas(struct inotify_event) std::array<char, 4096> Events;
  EXPECT_LT(::read(Watch, Events.data(), Events.size()), 0)
      << "the FIFO was opened";
  EXPECT_EQ(errno, EAGAIN);

  // Or the watch would prove nothing.
  const int Fifo = ::open(Path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(Fifo, 0);
  EXPECT_GT(::read(Watch, Events.data(), Events.size()), 0);
  ::close(Fifo);
  ::close(Watch);
}
#endif

TEST(DirectoryHandleTest, AFolderThatMayNotBeReadMayBePassed) {
  const TestFolder Folder;
  Folder.write("closed/inner/file", "secret");
  ASSERT_EQ(::chmod(Folder.path("closed").c_str(), 0711), 0);
  const DirectoryHandle Base = openFolder(Folder.path());
  EXPECT_EQ(runUnprivileged([&] {
              DirectoryHandle Opened;
              if (DirectoryHandle::open(Folder.path("closed"), Opened) !=
                  std::errc::permission_denied)
                return 1;
              for (const LinkRule Links : {LinkRule::Refuse, LinkRule::Follow})
                if (Base.openBelow("closed", Links, Opened) !=
                        std::errc::permission_denied ||
                    Base.openBelow("closed/inner", Links, Opened) ||
                    !Opened.isOpen())
                  return 2;
              return 0;
            }),
            0);
  ASSERT_EQ(::chmod(Folder.path("closed").c_str(), 0700), 0);
}

} // namespace
