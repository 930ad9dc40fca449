//===- PosixDirectoryTest.cpp - Directories on POSIX systems --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mount points, FIFOs, sockets and permissions.
//
//===----------------------------------------------------------------------===//

#include "DirectoryTestSupport.h"
#include "PosixTestSupport.h"
#include "TestFiles.h"
#include "headstart/OS/DirectoryReader.h"

#include "gtest/gtest.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/inotify.h>
#endif

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

TEST(DirectoryReaderTest, ReportsSocketsAndDevices) {
  const TestDirectory Directory;
  makeSocket(Directory.path("s"));
  EXPECT_EQ(typesIn(Directory.path())["s"], EntryType::Socket);
  EXPECT_EQ(typesIn("/dev")["null"], EntryType::CharacterDevice);
}

TEST(DirectoryHandleTest, OpensDirectoriesNamedWithDots) {
  const TestDirectory Directory;
  Directory.write("..x/.../file", "");
  DirectoryHandle At = openDirectory(Directory.path());
  for (const char *Name : {"..x", "..."})
    EXPECT_FALSE(openChild(At, Name, LinkRule::Refuse, At));
}

TEST(DirectoryHandleTest, ReportsMountPoint) {
  struct stat Root;
  struct stat Proc;
  ASSERT_EQ(::stat("/", &Root), 0);
  if (::stat("/proc", &Proc) != 0 || Proc.st_dev == Root.st_dev)
    GTEST_SKIP() << "needs a mount at /proc";
  const DirectoryHandle Directory = openDirectory("/");
  DirectoryHandle Child;
  bool MayBeMount = false;
  EXPECT_FALSE(
      Directory.openChild("proc", LinkRule::Refuse, Child, MayBeMount));
  EXPECT_TRUE(MayBeMount);
}

#ifdef __linux__ // other systems cannot report an open
TEST(DirectoryHandleTest, DoesNotOpenFifo) {
  const TestDirectory Directory;
  const std::string Path = Directory.path("fifo");
  ASSERT_EQ(::mkfifo(Path.c_str(), 0600), 0);
  fs::create_symlink("fifo", Directory.path("link"));
  const int Watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(Watch, 0);
  ASSERT_GE(::inotify_add_watch(Watch, Path.c_str(), IN_OPEN | IN_ACCESS), 0);

  const DirectoryHandle Base = openDirectory(Directory.path());
  EXPECT_EQ(listAll(Directory.path()), (Names{"fifo", "link"}));
  for (const char *Name : {"fifo", "link"}) {
    DirectoryHandle Other;
    EXPECT_TRUE(DirectoryHandle::open(Directory.path(Name), Other));
    EXPECT_TRUE(openChild(Base, Name, LinkRule::Refuse, Other));
    EXPECT_TRUE(openChild(Base, Name, LinkRule::Follow, Other));
    DirectoryEntry Entry;
    Entry.Name = Name;
    EXPECT_FALSE(Base.addStatus(Entry, LinkRule::Follow));
    EXPECT_EQ(Entry.Type, EntryType::Fifo);
    OpenFile File;
    EXPECT_TRUE(Base.openFile(Name, File));
  }
  alignas(struct inotify_event) std::array<char, 4096> Events;
  EXPECT_LT(::read(Watch, Events.data(), Events.size()), 0)
      << "the FIFO was opened";
  EXPECT_EQ(errno, EAGAIN);

  // Without this event, the watch would prove nothing.
  const int Fifo = ::open(Path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(Fifo, 0);
  EXPECT_GT(::read(Watch, Events.data(), Events.size()), 0);
  ::close(Fifo);
  ::close(Watch);
}
#endif

TEST(DirectoryHandleTest, TraversesUnreadableDirectory) {
  const TestDirectory Directory;
  Directory.write("closed/inner/file", "secret");
  ASSERT_EQ(::chmod(Directory.path("closed").c_str(), 0311), 0);
  const DirectoryHandle Base = openDirectory(Directory.path());
  EXPECT_EQ(runUnprivileged([&] {
              DirectoryHandle Opened;
              for (const LinkRule Links : {LinkRule::Refuse, LinkRule::Follow})
                if (openChild(Base, "closed", Links, Opened) !=
                    std::errc::permission_denied)
                  return 1;
              return DirectoryHandle::open(Directory.path("closed/inner"),
                                           Opened)
                         ? 2
                         : 0;
            }),
            0);
  ASSERT_EQ(::chmod(Directory.path("closed").c_str(), 0700), 0);
}

TEST(DirectoryReaderTest, ListsUnsearchableDirectory) {
  const TestDirectory Directory;
  Directory.write("closed/file", "secret");
  ASSERT_EQ(::chmod(Directory.path("closed").c_str(), 0444), 0);
  EXPECT_EQ(runUnprivileged([&] {
              DirectoryHandle Closed;
              if (DirectoryHandle::open(Directory.path("closed"), Closed))
                return 1;
              DirectoryReader Reader;
              Reader.start(Closed);
              std::array<DirectoryEntry, 4> Entries;
              std::error_code Error;
              if (Reader.read(Entries, Error) != 1 || Error ||
                  Entries[0].Name != "file")
                return 2;
              if (Closed.addStatus(Entries[0]) != std::errc::permission_denied)
                return 3;
              return Entries[0].HasStatus ? 4 : 0;
            }),
            0);
  ASSERT_EQ(::chmod(Directory.path("closed").c_str(), 0700), 0);
}

} // namespace
