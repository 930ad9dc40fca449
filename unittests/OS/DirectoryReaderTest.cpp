//===- DirectoryReaderTest.cpp - Directory listings -----------------------===//
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

#include "headstart/OS/DirectoryReader.h"
#include "DirectoryTestSupport.h"
#include "TestFiles.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>

using namespace headstart::os;
using namespace headstart::os::test;
namespace fs = std::filesystem;

namespace {

/// Makes \p Count empty files in \p Directory; returns their names, sorted.
Names fill(const TestDirectory &Directory, size_t Count) {
  Names Made;
  for (size_t I = 0; I < Count; ++I) {
    Made.push_back("entry-" + std::to_string(I) + std::string(I % 40, 'x'));
    Directory.write(Made.back(), "");
  }
  std::sort(Made.begin(), Made.end());
  return Made;
}

TEST(DirectoryReaderTest, ReturnsEachEntryOnce) {
  const TestDirectory Directory;
  const Names Made = fill(Directory, 1200);
  for (const size_t Room : {1, 7, 128, 5000})
    for (const size_t BufferBytes :
         {size_t(0), size_t(5000), DirectoryReader::DefaultBufferBytes}) {
      SCOPED_TRACE(testing::Message() << Room << " of " << BufferBytes);
      DirectoryHandle Handle = openDirectory(Directory.path());
      DirectoryReader Reader(BufferBytes);
      unsigned Batches = 0;
      EXPECT_EQ(listRest(Reader, Handle, Room, &Batches), Made);
      // Small buffers must need several calls, or this tests no batches.
      if (BufferBytes <= 5000) {
        EXPECT_GT(Batches, 5u);
      }
      // A read after the end finds the end again.
      std::array<DirectoryEntry, 4> Entries;
      std::error_code Error;
      EXPECT_EQ(Reader.read(Entries, Error), 0u);
      EXPECT_FALSE(Error);
      Reader.start(Handle);
      EXPECT_EQ(Reader.read(Entries, Error), 0u);
      EXPECT_FALSE(Error);
    }
}

TEST(DirectoryReaderTest, EmptyDirectoryHasNoEntries) {
  const TestDirectory Directory;
  EXPECT_EQ(listAll(Directory.path()), Names{});
}

TEST(DirectoryReaderTest, RestartsWithAnotherDirectory) {
  const TestDirectory Directory;
  Directory.write("a/one", "");
  Directory.write("a/two", "");
  Directory.write("a/three", "");
  Directory.write("b/four", "");
  DirectoryHandle A = openDirectory(Directory.path("a"));
  DirectoryHandle B = openDirectory(Directory.path("b"));
  DirectoryReader Reader;
  std::array<DirectoryEntry, 1> Entries;
  std::error_code Error;
  Reader.start(A);
  EXPECT_EQ(Reader.read(Entries, Error), 1u);
  EXPECT_EQ(listRest(Reader, B), Names{"four"}); // nothing left of A
}

TEST(DirectoryReaderTest, ReadsNothingWithoutDirectoryOrRoom) {
  const TestDirectory Directory;
  Directory.write("file", "");
  DirectoryReader Reader;
  std::array<DirectoryEntry, 1> Entries;
  std::error_code Error;
  EXPECT_EQ(Reader.read(Entries, Error), 0u);
  EXPECT_FALSE(Error);
  DirectoryHandle Handle = openDirectory(Directory.path());
  Reader.start(Handle);
  EXPECT_EQ(Reader.read({}, Error), 0u);
  EXPECT_EQ(Reader.read(Entries, Error), 1u);
}

TEST(DirectoryReaderTest, ReturnsNamesByteForByte) {
  const TestDirectory Directory;
  Names Tried = {"..x", ".hidden", "a.O", "a-o", "a b", "a;b", "x' #$%",
                 std::string(255, 'n'),
                 // One letter, composed and decomposed; one beyond 16 bits.
                 "\xc3\xa4", "a\xcc\x88", "\xf0\x9f\x9a\x80"};
  if (NamesAreAnyBytes)
    Tried.insert(Tried.end(),
                 {"\xff\xfe\x80", "a\nb", " ", "...", "\\", "a.o"});
  // A file system may treat two of these names as one, or refuse one.
  Names Made;
  for (const std::string &Name : Tried) {
    const fs::path Path = toPath(Directory.path(Name));
    if (fs::exists(Path))
      continue;
    ASSERT_FALSE(Directory.write(Name, "").empty());
    if (fs::exists(Path))
      Made.push_back(Name);
  }
  std::sort(Made.begin(), Made.end());
  ASSERT_GE(Made.size(), 8u) << "the file system refuses most names";
  EXPECT_EQ(listAll(Directory.path()), Made);
}

TEST(DirectoryReaderTest, ReportsTypesWithoutFollowingLinks) {
  const TestDirectory Directory;
  Directory.write("file", "x");
  fs::create_directory(Directory.path("directory"));
  std::map<std::string, EntryType> Expected = {
      {"file", EntryType::Regular}, {"directory", EntryType::Directory}};
  if (canMakeLinks()) {
    makeLink("file", Directory.path("to-file"));
    makeLink("directory", Directory.path("to-directory"), LinkTo::Directory);
    makeLink("absent", Directory.path("to-nothing"));
    makeLink("loop", Directory.path("loop"));
    for (const char *Name : {"to-file", "to-directory", "to-nothing", "loop"})
      Expected[Name] = EntryType::Link;
  }
  if (makeFifo(Directory.path("fifo")))
    Expected["fifo"] = EntryType::Fifo;
  EXPECT_EQ(typesIn(Directory.path()), Expected);
}

TEST(DirectoryReaderTest, DeletingDirectoryEndsListing) {
  const TestDirectory Directory;
  for (int I = 0; I < 300; ++I)
    Directory.write("gone/f" + std::to_string(I), "");
  DirectoryHandle Handle = openDirectory(Directory.path("gone"));
  DirectoryReader Reader(0);
  Reader.start(Handle);
  std::array<DirectoryEntry, 4> Entries;
  std::error_code Error;
  EXPECT_EQ(Reader.read(Entries, Error), Entries.size());
  std::error_code Ignored;
  fs::remove_all(Directory.path("gone"), Ignored);
  size_t More = 0;
  while (const size_t Count = Reader.read(Entries, Error))
    More += Count;
  EXPECT_FALSE(Error) << Error.message();
  EXPECT_LE(More, 296u);
}

TEST(DirectoryReaderTest, ReturnsStableEntriesOnceDespiteChanges) {
  const TestDirectory Directory;
  const Names Stay = fill(Directory, 600);
  for (int I = 0; I < 600; ++I)
    Directory.write("leaves-" + std::to_string(I), "");
  DirectoryHandle Handle = openDirectory(Directory.path());
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
      Directory.write("comes-" + std::to_string(Turn), "");
      fs::remove(Directory.path("leaves-" + std::to_string(Turn)));
    }
  }
  EXPECT_FALSE(Error) << Error.message();
  EXPECT_GT(Turn, 100);
  for (const std::string &Name : Stay)
    EXPECT_EQ(Seen[Name], 1) << Name;
}

/// A walk reads ahead to the boundary before it looks at the names.
TEST(DirectoryReaderTest, NamesStayUntilBoundary) {
  const TestDirectory Directory;
  const Names Made = fill(Directory, 500);
  DirectoryHandle Handle = openDirectory(Directory.path());
  DirectoryReader Reader;
  Reader.start(Handle);
  std::vector<DirectoryEntry> Entries(50);
  std::vector<std::string_view> Kept;
  std::error_code Error;
  do {
    const size_t Count = Reader.read(Entries, Error);
    for (const DirectoryEntry &E : std::span(Entries).first(Count))
      Kept.push_back(E.Name);
  } while (!Reader.isAtBoundary());
  EXPECT_GT(Kept.size(), Entries.size());
  Names Found(Kept.begin(), Kept.end());
  std::sort(Found.begin(), Found.end());
  EXPECT_TRUE(
      std::includes(Made.begin(), Made.end(), Found.begin(), Found.end()));
  EXPECT_EQ(std::adjacent_find(Found.begin(), Found.end()), Found.end());
}

} // namespace
