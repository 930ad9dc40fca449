//===- TestFiles.h - Directories and files for tests ------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_TESTFILES_H
#define HEADSTART_UNITTESTS_OS_TESTFILES_H

#include "headstart/OS/MappedFile.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

namespace headstart::os::test {

/// Converts \p Name, in UTF-8 on Windows whatever the code page, to a path.
inline std::filesystem::path toPath(std::string_view Name) {
  return std::filesystem::path(std::u8string(Name.begin(), Name.end()));
}
inline std::string fromPath(const std::filesystem::path &Path) {
  const std::u8string Text = Path.u8string();
  return {Text.begin(), Text.end()};
}

/// Whether this is Windows or Wine.
inline constexpr bool OnWindows =
#ifdef _WIN32
    true;
#else
    false;
#endif

/// Removes \p Name from the environment of this process.
inline void removeVariable(const char *Name) {
#ifdef _WIN32
  ::_putenv_s(Name, "");
#else
  ::unsetenv(Name);
#endif
}

/// The running test's own directory, removed with its contents.
class TestDirectory {
public:
  explicit TestDirectory(
      const std::filesystem::path &Parent = testing::TempDir()) {
    const testing::TestInfo *Test =
        testing::UnitTest::GetInstance()->current_test_info();
    std::string Name = std::string("headstart-") + Test->test_suite_name() +
                       "." + Test->name() + "-" +
                       std::to_string(std::random_device()());
    // The names of parameterized tests contain slashes.
    for (char &C : Name)
      if (C == '/')
        C = '_';
    Directory = Parent / Name;
    std::filesystem::create_directories(Directory);
  }
  TestDirectory(const TestDirectory &) = delete;
  TestDirectory &operator=(const TestDirectory &) = delete;
  ~TestDirectory() {
    std::error_code Ignored;
    std::filesystem::remove_all(Directory, Ignored);
  }

  std::string path(std::string_view Name = "") const {
    return fromPath(Name.empty() ? Directory : Directory / toPath(Name));
  }

  /// Writes \p Text into the file \p Name and makes its directories as needed.
  std::string write(std::string_view Name, std::string_view Text = "x") const {
    const std::filesystem::path File = Directory / toPath(Name);
    std::filesystem::create_directories(File.parent_path());
    std::ofstream(File, std::ios::binary) << Text;
    return fromPath(File);
  }

private:
  std::filesystem::path Directory;
};

/// Whether no process can shrink, delete or replace a mapped file.
inline constexpr bool MappingsHoldFiles = OnWindows;

/// Replaces \p To, which a process may have open, with the file \p From.
inline void replaceFile(const std::string &From, const std::string &To) {
  // Windows can rename an open file but not replace it (except for programs
  // that request Windows 10's POSIX semantics), so this
  // function renames the old file first, like LLVM's sys::fs::rename.
  if constexpr (MappingsHoldFiles)
    std::filesystem::rename(To, To + ".old");
  std::filesystem::rename(From, To);
}

/// \p Size bytes in which no two pages are equal.
inline std::string pattern(size_t Size) {
  std::string Text(Size, '\0');
  for (size_t I = 0; I < Size; ++I)
    Text[I] = static_cast<char>((I * 31) ^ (I >> 12) ^ (I >> 8));
  return Text;
}

inline FileStatus statOf(const std::string &Path) {
  std::error_code Error;
  const FileStatus Status = statFile(Path, Error);
  EXPECT_FALSE(Error) << Path << ": " << Error.message();
  return Status;
}

inline OpenFile openOrFail(const std::string &Path) {
  OpenFile File;
  const std::error_code Error = OpenFile::open(Path, File);
  EXPECT_FALSE(Error) << Path << ": " << Error.message();
  return File;
}

inline MappedFile mapOrFail(const OpenFile &File) {
  MappedFile Mapping;
  const std::error_code Error = MappedFile::map(File, Mapping);
  EXPECT_FALSE(Error) << Error.message();
  return Mapping;
}

inline std::string_view text(const MappedFile &Mapping) {
  return {Mapping.data(), Mapping.size()};
}

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_TESTFILES_H
