//===- TestLinks.h - Symbolic links for tests -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_TESTLINKS_H
#define HEADSTART_UNITTESTS_OS_TESTLINKS_H

#include "TestFiles.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <string>
#include <system_error>

#ifdef _WIN32
#include <windows.h>
#endif

namespace headstart::os::test {

/// The kind of a link's target, which Windows distinguishes.
enum class LinkTo { File, Directory };

#ifdef _WIN32

inline constexpr const char *NoLinks =
    "cannot create symbolic links (Wine 8 has none; Windows requires developer "
    "mode or an administrator)";

/// Returns false if no link was made; Wine's call reports success regardless.
inline bool tryLink(const std::string &Target, const std::string &Path,
                    LinkTo Kind) {
  std::filesystem::path To = toPath(Target);
  const std::filesystem::path Link = toPath(Path);
  const DWORD Flags =
      (Kind == LinkTo::Directory ? SYMBOLIC_LINK_FLAG_DIRECTORY : 0) |
      0x2; // SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE
  static_cast<void>(
      ::CreateSymbolicLinkW(Link.c_str(), To.make_preferred().c_str(), Flags));
  const DWORD Attributes = ::GetFileAttributesW(Link.c_str());
  return Attributes != INVALID_FILE_ATTRIBUTES &&
         (Attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

#else

inline constexpr const char *NoLinks = "the file system has no symbolic links";

inline bool tryLink(const std::string &Target, const std::string &Path,
                    LinkTo /*Kind*/) {
  std::error_code Error;
  std::filesystem::create_symlink(Target, Path, Error);
  return !Error;
}

#endif

/// Whether links can be made. If not, tests that need them skip with NoLinks.
inline bool canMakeLinks() {
  static const bool Can = [] {
    const TestDirectory Directory;
    return tryLink("file", Directory.path("link"), LinkTo::File);
  }();
  return Can;
}

inline void makeLink(const std::string &Target, const std::string &Path,
                     LinkTo Kind = LinkTo::File) {
  EXPECT_TRUE(tryLink(Target, Path, Kind)) << Path;
}

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_TESTLINKS_H
