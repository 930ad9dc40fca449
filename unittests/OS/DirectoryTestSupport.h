//===- DirectoryTestSupport.h - Folders opened and listed -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The check derives the names of headers outside of include/ from the checkout.
#ifndef HEADSTART_UNITTESTS_OS_DIRECTORYTESTSUPPORT_H // NOLINT(llvm-header-guard)
#define HEADSTART_UNITTESTS_OS_DIRECTORYTESTSUPPORT_H

#include "headstart/OS/DirectoryReader.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace headstart::os::test {

using Names = std::vector<std::string>;

/// Whether the reader brings a folder in one piece, as that by readdir does.
#ifdef HEADSTART_TEST_LISTS_AT_ONCE
inline constexpr bool ListsAtOnce = true;
#else
inline constexpr bool ListsAtOnce = false;
#endif

inline DirectoryHandle openFolder(const std::string &Path) {
  DirectoryHandle Folder;
  const std::error_code Error = DirectoryHandle::open(Path, Folder);
  EXPECT_FALSE(Error) << Path << ": " << Error.message();
  return Folder;
}

/// The names that are left in \p Folder, sorted.
inline Names listRest(DirectoryReader &Reader, DirectoryHandle &Folder,
                      size_t Room = 128) {
  std::vector<DirectoryEntry> Entries(Room);
  Names Found;
  std::error_code Error;
  Reader.start(Folder);
  while (const size_t Count = Reader.read(Entries, Error)) {
    EXPECT_LE(Count, Room);
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

inline Names listAll(const std::string &Path) {
  DirectoryHandle Folder = openFolder(Path);
  DirectoryReader Reader;
  return listRest(Reader, Folder);
}

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_DIRECTORYTESTSUPPORT_H
