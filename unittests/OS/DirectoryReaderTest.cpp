//===- DirectoryReaderTest.cpp - What a listing gives ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What holds on every POSIX system, whatever lists the folders. Compiled into
// OSTests and OSGenericTests.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"
#include "DirectoryTestSupport.h"
#include "PosixTestSupport.h"
#include "TestFiles.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

std::map<std::string, EntryType> typesIn(const std::string &Path) {
  DirectoryHandle Folder = openFolder(Path);
  DirectoryReader Reader;
  Reader.start(Folder);
  std::map<std::string, EntryType> Types;
  std::array<DirectoryEntry, 16> Entries;
  std::error_code Error;
  while (const size_t Count = Reader.read(Entries, Error))
    for (const DirectoryEntry &E : std::span(Entries).first(Count))
      EXPECT_TRUE(Types.emplace(E.Name, E.Type).second) << E.Name;
  EXPECT_FALSE(Error) << Error.message();
  return Types;
}

/// \p Count empty files in \p Folder; their names, sorted.
Names fill(const TestFolder &Folder, size_t Count) {
  Names Made;
  for (size_t I = 0; I < Count; ++I) {
    Made.push_back("entry-" + std::to_string(I) + std::string(I % 40, 'x'));
    Folder.write(Made.back(), "");
  }
  std::sort(Made.begin(), Made.end());
  return Made;
}

void makeSocket(const std::string &Path) {
  const int Socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_GE(Socket, 0);
  struct sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  ASSERT_LT(Path.size(), sizeof(Address.sun_path));
  std::memcpy(Address.sun_path, Path.c_str(), Path.size() + 1);
  ASSERT_EQ(::bind(Socket, reinterpret_cast<const sockaddr *>(&Address),
                   sizeof(Address)),
            0);
  ::close(Socket);
}

TEST(DirectoryReaderTest, GivesEveryEntryOnce) {
  const TestFolder Folder;
  const Names Made = fill(Folder, 1200);
  for (const size_t Room : {1, 7, 128, 5000})
    for (const size_t BufferBytes :
         {size_t(0), size_t(5000), DirectoryReader::DefaultBufferBytes}) {
      SCOPED_TRACE(testing::Message() << Room << " of " << BufferBytes);
      DirectoryHandle Handle = openFolder(Folder.path());
      DirectoryReader Reader(BufferBytes);
      EXPECT_EQ(listRest(Reader, Handle, Room), Made);
      // Several batches, or this would not test what it says.
      if (BufferBytes <= 5000 && !ListsAtOnce) {
        EXPECT_GT(Reader.calls(), 5u);
      }
      // The end stays the end.
      std::array<DirectoryEntry, 4> Entries;
      std::error_code Error;
      EXPECT_EQ(Reader.read(Entries, Error), 0u);
      EXPECT_FALSE(Error);
      Reader.start(Handle);
      EXPECT_EQ(Reader.read(Entries, Error), 0u);
      EXPECT_FALSE(Error);
    }
}

TEST(DirectoryReaderTest, AnEmptyFolderHasNoEntries) {
  const TestFolder Folder;
  EXPECT_EQ(listAll(Folder.path()), Names{});
}

TEST(DirectoryReaderTest, ReadsOneFolderAfterAnother) {
  const TestFolder Folder;
  Folder.write("a/one", "");
  Folder.write("a/two", "");
  Folder.write("a/three", "");
  Folder.write("b/four", "");
  DirectoryHandle A = openFolder(Folder.path("a"));
  DirectoryHandle B = openFolder(Folder.path("b"));
  DirectoryReader Reader;
  std::array<DirectoryEntry, 1> Entries;
  std::error_code Error;
  Reader.start(A);
  EXPECT_EQ(Reader.read(Entries, Error), 1u);
  EXPECT_EQ(listRest(Reader, B), Names{"four"}); // nothing left of A
}

TEST(DirectoryReaderTest, ReadsNothingWithoutAFolderOrRoom) {
  const TestFolder Folder;
  Folder.write("file", "");
  DirectoryReader Reader;
  std::array<DirectoryEntry, 1> Entries;
  std::error_code Error;
  EXPECT_EQ(Reader.read(Entries, Error), 0u);
  EXPECT_FALSE(Error);
  DirectoryHandle Handle = openFolder(Folder.path());
  Reader.start(Handle);
  EXPECT_EQ(Reader.read({}, Error), 0u);
  EXPECT_EQ(Reader.read(Entries, Error), 1u);
}

TEST(DirectoryReaderTest, NamesAreTheBytesOfTheFileSystem) {
  const TestFolder Folder;
  Names Made = {"\xff\xfe\x80", "a\nb", " ", "...", "..x", ".hidden", "\\",
                "a.O", "a.o", std::string(255, 'n'),
                // One letter, composed and decomposed.
                "\xc3\xa4", "a\xcc\x88"};
  for (const std::string &Name : Made)
    ASSERT_FALSE(Folder.write(Name, "").empty());
  std::sort(Made.begin(), Made.end());
  Made.erase(std::remove_if(Made.begin(), Made.end(),
                            [&](const std::string &Name) {
                              return !fs::exists(Folder.path(Name));
                            }),
             Made.end());
  ASSERT_GE(Made.size(), 8u) << "a file system that takes few names";
  EXPECT_EQ(listAll(Folder.path()), Made);
}

TEST(DirectoryReaderTest, TellsTypesWithoutFollowingLinks) {
  const TestFolder Folder;
  Folder.write("file", "x");
  fs::create_directory(Folder.path("folder"));
  fs::create_symlink("file", Folder.path("to-file"));
  fs::create_symlink("folder", Folder.path("to-folder"));
  fs::create_symlink("absent", Folder.path("to-nothing"));
  fs::create_symlink("loop", Folder.path("loop"));
  ASSERT_EQ(::mkfifo(Folder.path("fifo").c_str(), 0600), 0);
  makeSocket(Folder.path("s"));
  EXPECT_EQ(typesIn(Folder.path()),
            (std::map<std::string, EntryType>{{"file", EntryType::Regular},
                                              {"folder", EntryType::Directory},
                                              {"to-file", EntryType::Link},
                                              {"to-folder", EntryType::Link},
                                              {"to-nothing", EntryType::Link},
                                              {"loop", EntryType::Link},
                                              {"fifo", EntryType::Fifo},
                                              {"s", EntryType::Socket}}));
  EXPECT_EQ(typesIn("/dev")["null"], EntryType::CharacterDevice);
}

TEST(DirectoryReaderTest, WhatStaysIsGivenOnceWhateverElseComesAndGoes) {
  const TestFolder Folder;
  const Names Stay = fill(Folder, 600);
  for (int I = 0; I < 600; ++I)
    Folder.write("leaves-" + std::to_string(I), "");
  DirectoryHandle Handle = openFolder(Folder.path());
  DirectoryReader Reader(0);
  Reader.start(Handle);
  std::map<std::string, int> Seen;
  std::array<DirectoryEntry, 64> Entries;
  std::error_code Error;
  int Turn = 0;
  while (const size_t Count = Reader.read(Entries, Error)) {
    for (const DirectoryEntry &E : std::span(Entries).first(Count))
      ++Seen[std::string(E.Name)];
    for (int I = 0; I < 20 && Turn < 600; ++I, ++Turn) {
      Folder.write("comes-" + std::to_string(Turn), "");
      fs::remove(Folder.path("leaves-" + std::to_string(Turn)));
    }
  }
  EXPECT_FALSE(Error) << Error.message();
  EXPECT_GT(Turn, 100);
  for (const std::string &Name : Stay)
    EXPECT_EQ(Seen[Name], 1) << Name;
}

TEST(DirectoryReaderTest, AnotherReaderGoesOnAtABoundary) {
  const TestFolder Folder;
  const Names Made = fill(Folder, 1200);
  DirectoryHandle Handle = openFolder(Folder.path());
  Names Found;
  std::array<DirectoryEntry, 50> Entries;
  std::error_code Error;
  unsigned Readers = 0;
  for (bool AtEnd = false; !AtEnd && Readers < 2000; ++Readers) {
    DirectoryReader Reader(0);
    Reader.start(Handle);
    do {
      const size_t Count = Reader.read(Entries, Error);
      AtEnd = Count == 0;
      for (const DirectoryEntry &E : std::span(Entries).first(Count))
        Found.emplace_back(E.Name);
    } while (!AtEnd && !Reader.isAtBoundary());
  }
  EXPECT_FALSE(Error) << Error.message();
  EXPECT_GT(Readers, ListsAtOnce ? 1u : 5u);
  std::sort(Found.begin(), Found.end());
  EXPECT_EQ(Found, Made);
}

TEST(DirectoryReaderTest, AFolderThatMayNotBeSearchedMayBeListed) {
  const TestFolder Folder;
  Folder.write("closed/file", "secret");
  ASSERT_EQ(::chmod(Folder.path("closed").c_str(), 0744), 0);
  EXPECT_EQ(runUnprivileged([&] {
              DirectoryHandle Closed;
              if (DirectoryHandle::open(Folder.path("closed"), Closed))
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
  ASSERT_EQ(::chmod(Folder.path("closed").c_str(), 0700), 0);
}

} // namespace
