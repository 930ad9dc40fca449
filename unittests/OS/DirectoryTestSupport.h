//===- DirectoryTestSupport.h - Directories opened and listed ---*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_DIRECTORYTESTSUPPORT_H
#define HEADSTART_UNITTESTS_OS_DIRECTORYTESTSUPPORT_H

#include "TestLinks.h"
#include "headstart/OS/DirectoryReader.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include "PosixTestSupport.h"
#include <sys/stat.h>
#endif

namespace headstart::os::test {

using Names = std::vector<std::string>;

inline DirectoryHandle openDirectory(const std::string &Path) {
  DirectoryHandle Directory;
  const std::error_code Error = DirectoryHandle::open(Path, Directory);
  EXPECT_FALSE(Error) << Path << ": " << Error.message();
  return Directory;
}

inline std::error_code openChild(const DirectoryHandle &Parent,
                                 const char *Name, LinkRule Links,
                                 DirectoryHandle &Result) {
  bool MayBeMount = false;
  return Parent.openChild(Name, Links, Result, MayBeMount);
}

/// Reads the file \p Name in \p Directory.
inline std::error_code readFile(const DirectoryHandle &Directory,
                                const char *Name, std::string &Text) {
  OpenFile File;
  std::error_code Error = Directory.openFile(Name, File);
  Text.resize(static_cast<size_t>(File.size()));
  if (!Error)
    Text.resize(File.readAt(0, Text, Error));
  return Error;
}

/// Lists the remaining names in \p Directory, sorted. Counts in \p Batches,
/// which may be null, how many system calls returned entries.
inline Names listRest(DirectoryReader &Reader, DirectoryHandle &Directory,
                      size_t Room = 128, unsigned *Batches = nullptr) {
  std::vector<DirectoryEntry> Entries(Room);
  Names Found;
  std::error_code Error;
  Reader.start(Directory);
  while (const size_t Count = Reader.read(Entries, Error)) {
    EXPECT_LE(Count, Room);
    if (Batches != nullptr && Reader.isAtBoundary())
      ++*Batches;
    for (const DirectoryEntry &E : std::span(Entries).first(Count)) {
      Found.emplace_back(E.Name);
      EXPECT_EQ(E.Name.data()[E.Name.size()], '\0');
    }
    if (Error)
      break;
  }
  EXPECT_FALSE(Error) << Error.message();
  std::sort(Found.begin(), Found.end());
  return Found;
}

inline std::map<std::string, EntryType> typesIn(const std::string &Path) {
  DirectoryHandle Directory = openDirectory(Path);
  DirectoryReader Reader;
  Reader.start(Directory);
  std::map<std::string, EntryType> Types;
  std::array<DirectoryEntry, 16> Entries;
  std::error_code Error;
  while (const size_t Count = Reader.read(Entries, Error))
    for (const DirectoryEntry &E : std::span(Entries).first(Count))
      EXPECT_TRUE(Types.emplace(E.Name, E.Type).second) << E.Name;
  EXPECT_FALSE(Error) << Error.message();
  return Types;
}

inline Names listAll(const std::string &Path) {
  DirectoryHandle Directory = openDirectory(Path);
  DirectoryReader Reader;
  return listRest(Reader, Directory);
}

#ifdef _WIN32

/// Windows' names are UTF-16, without `\\`, and lose trailing dots and spaces.
inline constexpr bool NamesAreAnyBytes = false;
/// The error for a path through a file, which Windows reports like one through
/// a missing directory.
inline constexpr std::errc BelowAFile = std::errc::no_such_file_or_directory;

inline bool makeFifo(const std::string & /*Path*/) { return false; }

/// Returns the number of this process's handles. Where GetProcessHandleCount
/// reports none (Wine 8 gives 0), returns the next handle, the lowest free one.
inline int64_t openHandles() {
  DWORD Count = 0;
  ::GetProcessHandleCount(::GetCurrentProcess(), &Count);
  if (Count != 0)
    return Count;
  const HANDLE Next = ::CreateEventW(nullptr, FALSE, FALSE, nullptr);
  ::CloseHandle(Next);
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(Next));
}

/// Moves the time of the last write \p Seconds into the past.
inline bool makeOlder(const std::string &Path, int64_t Seconds) {
  const HANDLE File = ::CreateFileW(
      toPath(Path).c_str(), FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES,
      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  FILETIME Time;
  bool Done = ::GetFileTime(File, nullptr, nullptr, &Time) != 0;
  const int64_t Then =
      (static_cast<int64_t>(Time.dwHighDateTime) << 32 | Time.dwLowDateTime) -
      Seconds * 10'000'000;
  Time.dwHighDateTime = static_cast<DWORD>(Then >> 32);
  Time.dwLowDateTime = static_cast<DWORD>(Then);
  Done = Done && ::SetFileTime(File, nullptr, nullptr, &Time) != 0;
  ::CloseHandle(File);
  return Done;
}

#else

inline constexpr bool NamesAreAnyBytes = true;
inline constexpr std::errc BelowAFile = std::errc::not_a_directory;

inline bool makeFifo(const std::string &Path) {
  EXPECT_EQ(::mkfifo(Path.c_str(), 0600), 0) << Path;
  return true;
}

/// Returns the lowest free descriptor.
inline int64_t openHandles() { return nextDescriptor(); }

inline bool makeOlder(const std::string &Path, int64_t Seconds) {
  const auto Then = std::filesystem::last_write_time(Path);
  std::filesystem::last_write_time(Path, Then - std::chrono::seconds(Seconds));
  return true;
}

#endif

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_DIRECTORYTESTSUPPORT_H
