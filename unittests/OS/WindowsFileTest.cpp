//===- WindowsFileTest.cpp - Windows paths, sharing modes and large files -===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"
#include "Windows/Support.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/WideText.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <shellapi.h>
#include <winioctl.h>

using namespace headstart::os::test;
namespace fs = std::filesystem;
namespace os = headstart::os;

namespace {

std::string utf8(const std::wstring &Wide) {
  std::string Result;
  os::appendUtf8(std::wstring_view(Wide), Result);
  return Result;
}

std::wstring wide(const std::string &Text) {
  std::wstring Result;
  EXPECT_TRUE(os::appendWide(Text, Result)) << Text;
  return Result;
}

// Wine enforces no locks and knows no privileges.
TEST(WindowsFileTest, RecognizesErrorsThatWineLacks) {
  EXPECT_EQ(os::detail::errorOf(ERROR_LOCK_VIOLATION),
            std::errc::no_lock_available);
  EXPECT_EQ(os::detail::errorOf(ERROR_PRIVILEGE_NOT_HELD),
            std::errc::permission_denied);
}

/// Writes a file by its wide name.
bool writeWide(const std::wstring &Path, const std::string &Text) {
  const HANDLE File = ::CreateFileW(Path.c_str(), GENERIC_WRITE, 0, nullptr,
                                    CREATE_NEW, 0, nullptr);
  if (File == INVALID_HANDLE_VALUE)
    return false;
  DWORD Written = 0;
  ::WriteFile(File, Text.data(), static_cast<DWORD>(Text.size()), &Written,
              nullptr);
  ::CloseHandle(File);
  return Written == Text.size();
}

std::string contents(const os::OpenFile &File) {
  std::string Text(100, '\0');
  std::error_code Error;
  Text.resize(File.readAt(0, Text, Error));
  EXPECT_FALSE(Error) << Error.message();
  return Text;
}

TEST(WindowsSharingTest, OpenFileCanBeChanged) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "before");
  const os::OpenFile File = openOrFail(Path);
  // Another handle writes the file, as a compiler does.
  const HANDLE Writer =
      ::CreateFileW(wide(Path).c_str(), GENERIC_READ | GENERIC_WRITE,
                    FILE_SHARE_READ, nullptr, OPEN_EXISTING, 0, nullptr);
  if (Writer == INVALID_HANDLE_VALUE) {
    // The writer shares reading, so File must not block it.
    FAIL() << ::GetLastError();
  }
  DWORD Written = 0;
  EXPECT_NE(::WriteFile(Writer, "AFTER!", 6, &Written, nullptr), 0);
  ::CloseHandle(Writer);
  EXPECT_EQ(contents(File), "AFTER!");
  // The file is truncated by name.
  const HANDLE Truncated = ::CreateFileW(wide(Path).c_str(), GENERIC_WRITE,
                                         FILE_SHARE_READ | FILE_SHARE_WRITE,
                                         nullptr, CREATE_ALWAYS, 0, nullptr);
  ASSERT_NE(Truncated, INVALID_HANDLE_VALUE) << ::GetLastError();
  ::CloseHandle(Truncated);
  EXPECT_EQ(contents(File), "");
}

TEST(WindowsSharingTest, OpenFileCanBeRenamedAndDeleted) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  const os::OpenFile File = openOrFail(Path);
  const std::string Other = Directory.path("other");
  EXPECT_NE(::MoveFileExW(wide(Path).c_str(), wide(Other).c_str(), 0), 0)
      << ::GetLastError();
  EXPECT_EQ(statOf(Path).Kind, os::FileKind::Missing);
  EXPECT_EQ(contents(File), "hello");
  EXPECT_NE(::DeleteFileW(wide(Other).c_str()), 0) << ::GetLastError();
  EXPECT_EQ(contents(File), "hello");
}

TEST(WindowsSharingTest, ReportsExclusivelyOpenFileAsBusy) {
  const TestDirectory Directory;
  const std::string Path = Directory.write("file", "hello");
  const HANDLE Holder = ::CreateFileW(wide(Path).c_str(), GENERIC_READ, 0,
                                      nullptr, OPEN_EXISTING, 0, nullptr);
  ASSERT_NE(Holder, INVALID_HANDLE_VALUE);
  os::OpenFile File;
  EXPECT_EQ(os::OpenFile::open(Path, File), std::errc::device_or_resource_busy);
  // A stat works although the file is in use.
  EXPECT_EQ(statOf(Path).Kind, os::FileKind::Regular);
  ::CloseHandle(Holder);
  EXPECT_FALSE(os::OpenFile::open(Path, File));
}

TEST(WindowsLargeFileTest, AcceptsOffsetsOver32Bits) {
  const TestDirectory Directory;
  const std::string Path = Directory.path("file");
  constexpr uint64_t At = (uint64_t(5) << 30) + 7;
  const HANDLE Writer = ::CreateFileW(wide(Path).c_str(), GENERIC_WRITE, 0,
                                      nullptr, CREATE_NEW, 0, nullptr);
  ASSERT_NE(Writer, INVALID_HANDLE_VALUE);
  DWORD Count = 0;
  ::DeviceIoControl(Writer, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &Count,
                    nullptr);
  OVERLAPPED Where = {};
  Where.Offset = static_cast<DWORD>(At);
  Where.OffsetHigh = static_cast<DWORD>(At >> 32);
  EXPECT_NE(::WriteFile(Writer, "end", 3, &Count, &Where), 0);
  ::CloseHandle(Writer);

  const os::OpenFile File = openOrFail(Path);
  EXPECT_EQ(File.size(), At + 3);
  std::string Text(10, 'x');
  std::error_code Error;
  EXPECT_EQ(File.readAt(At - 2, Text, Error), 5U);
  EXPECT_EQ(Text.substr(0, 5), std::string("\0\0end", 5));
  const os::MappedFile Mapping = mapOrFail(File);
  EXPECT_EQ(text(Mapping).substr(At), "end");
  const os::PageCache Cache;
  const std::array<headstart::ByteRange, 2> Ranges = {{{0, 1}, {At, 100}}};
  EXPECT_EQ(Cache.hint(File, Ranges).AcceptedBytes, 4U);
  EXPECT_EQ(Cache.fetch(File, Ranges[1]).AcceptedBytes, 3U);
}

TEST(WindowsPathTest, AcceptsLongPaths) {
  const TestDirectory Directory;
  std::wstring Long = L"\\\\?\\" + wide(Directory.path());
  std::replace(Long.begin(), Long.end(), L'/', L'\\');
  for (const size_t Least : {300U, 1200U}) {
    while (Long.size() < Least) {
      Long += L"\\a-directory-with-a-name-that-is-long-\u00e9\u20ac";
      ASSERT_NE(::CreateDirectoryW(Long.c_str(), nullptr), 0)
          << ::GetLastError();
    }
    const std::wstring File = Long + L"\\file";
    ASSERT_TRUE(writeWide(File, "hello")) << ::GetLastError();
    // The path with the prefix, without it, and with the other separator.
    const std::string Path = utf8(File).substr(4);
    std::string Slashes = Path;
    std::replace(Slashes.begin(), Slashes.end(), '\\', '/');
    for (const std::string &Name : {utf8(File), Path, Slashes}) {
      EXPECT_EQ(statOf(Name).Kind, os::FileKind::Regular);
      EXPECT_EQ(contents(openOrFail(Name)), "hello");
    }
    EXPECT_EQ(statOf(Path + "x").Kind, os::FileKind::Missing);
  }
  os::OpenFile File;
  EXPECT_EQ(os::OpenFile::open("C:\\" + std::string(40'000, 'x'), File),
            std::errc::filename_too_long);
  // std::filesystem does not support long paths, so Win32 removes them.
  while (Long.size() > wide(Directory.path()).size() + 4) {
    ::DeleteFileW((Long + L"\\file").c_str());
    ::RemoveDirectoryW(Long.c_str());
    Long.resize(Long.rfind(L'\\'));
  }
}

/// Whether a file of that name can exist; if so, it is found and read.
bool findsFileNamed(const std::wstring &Name) {
  const TestDirectory Directory;
  std::wstring Path = L"\\\\?\\" + wide(Directory.path()) + L"\\" + Name;
  std::replace(Path.begin(), Path.end(), L'/', L'\\');
  if (!writeWide(Path, "hello"))
    return false;
  EXPECT_EQ(statOf(utf8(Path)).Kind, os::FileKind::Regular);
  EXPECT_EQ(statOf(utf8(Path)).Identity.Size, 5U);
  EXPECT_EQ(contents(openOrFail(utf8(Path.substr(4)))), "hello");
  ::DeleteFileW(Path.c_str());
  return true;
}

/// The form of \p Path for system calls.
std::string systemPath(const std::string &Path) {
  std::wstring Result;
  EXPECT_FALSE(os::detail::toSystemPath(Path, Result)) << Path;
  return utf8(Result);
}

TEST(WindowsPathTest, MakesAbsolutePaths) {
  const std::string Here = systemPath(".");
  EXPECT_TRUE(Here.starts_with("\\\\?\\")) << Here;
  const std::string Drive = Here.substr(4, 2);
  const std::pair<std::string, std::string> Cases[] = {
      {"C:\\a\\b", R"(\\?\C:\a\b)"},
      {"c:/a/b", R"(\\?\c:\a\b)"},
      {"C:\\", R"(\\?\C:\)"},
      {"a", Here + "\\a"},
      {"b\\..\\a", Here + "\\a"},
      {Drive + "a", Here + "\\a"},
      {"\\a", R"(\\?\)" + Drive + "\\a"},
      {"C:\\a\\.\\b\\..\\c", R"(\\?\C:\a\c)"},
      {"C:\\..\\..\\a", R"(\\?\C:\a)"},
      {"C:\\a\\\\b//c", R"(\\?\C:\a\b\c)"},
      {"C:\\a\\", R"(\\?\C:\a\)"},
      {"C:\\a.\\b. .", R"(\\?\C:\a\b)"},
      {"C:\\ a\\b", R"(\\?\C:\ a\b)"},
      {"//server/share/a", R"(\\?\UNC\server\share\a)"},
      {"\\\\server\\share\\a\\..\\..\\b", R"(\\?\UNC\server\share\b)"},
      {"\\\\?\\C:\\a\\..\\b", R"(\\?\C:\a\..\b)"},
      {"\\\\.\\pipe\\x", R"(\\.\pipe\x)"},
      {"nul", "nul"}};
  for (const auto &[Path, Expected] : Cases)
    EXPECT_EQ(systemPath(Path), Expected) << Path;
}

TEST(WindowsPathTest, AcceptsPrefixWithForwardSlashes) {
  const TestDirectory Directory;
  std::string Path = Directory.write("file", "hello");
  ASSERT_EQ(Path[1], ':');
  for (const char *const Prefix : {"//?/", "\\\\?/", "/\\?\\"}) {
    EXPECT_EQ(statOf(Prefix + Path).Identity.Size, 5U) << Prefix;
    os::OpenFile File;
    EXPECT_FALSE(os::OpenFile::open(Prefix + Path, File)) << Prefix;
  }
}

TEST(WindowsPathTest, AcceptsNonAsciiNames) {
  for (const wchar_t *const Name : {L"\u00e9\u20ac", L"\xD83D\xDE00"})
    EXPECT_TRUE(findsFileNamed(Name)) << ::GetLastError();
}

TEST(WindowsPathTest, AcceptsUnpairedSurrogates) {
  for (const wchar_t *const Name : {L"a\xD83D", L"\xDE00z", L"\xDE00\xD83D"})
    if (!findsFileNamed(Name))
      GTEST_SKIP()
          << "the system refuses names with unpaired surrogates (Wine 8)";
}

TEST(WindowsPathTest, RefusesInvalidUtf8) {
  os::OpenFile File;
  EXPECT_EQ(os::OpenFile::open("C:\\\xFF", File),
            std::errc::illegal_byte_sequence);
}

TEST(WindowsPathTest, InvalidNamesAreMissing) {
  const TestDirectory Directory;
  EXPECT_EQ(statOf(Directory.path("a<b")).Kind, os::FileKind::Missing);
  EXPECT_EQ(statOf(Directory.path("absent") + "\\file").Kind,
            os::FileKind::Missing);
  os::OpenFile File;
  EXPECT_EQ(os::OpenFile::open(Directory.path("absent") + "\\file", File),
            std::errc::no_such_file_or_directory);
}

TEST(WindowsPathTest, AcceptsTrailingSeparators) {
  const TestDirectory Directory;
  EXPECT_EQ(statOf(Directory.path() + "\\").Kind, os::FileKind::Directory);
  EXPECT_EQ(statOf(Directory.path() + "/").Kind, os::FileKind::Directory);
  EXPECT_EQ(statOf(".").Kind, os::FileKind::Directory);
}

TEST(WindowsPathTest, NeverOpensDevicesOrPipes) {
  const TestDirectory Directory;
  // One client may connect, so an open by the test would use it up.
  const wchar_t *const Name = L"\\\\.\\pipe\\headstart-test";
  const HANDLE Pipe =
      ::CreateNamedPipeW(Name, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE | PIPE_NOWAIT,
                         1, 512, 512, 0, nullptr);
  ASSERT_NE(Pipe, INVALID_HANDLE_VALUE) << ::GetLastError();
  for (const std::string &Path :
       {std::string("NUL"), std::string("con"), std::string("COM1"),
        std::string("aux.txt"), Directory.path("NUL"), utf8(Name),
        std::string("//./pipe/headstart-test"),
        std::string("\\\\?\\pipe\\headstart-test"),
        std::string("\\\\localhost\\pipe\\headstart-test"),
        std::string("\\\\.\\C:")}) {
    SCOPED_TRACE(Path);
    EXPECT_EQ(statOf(Path).Kind, os::FileKind::Other);
    os::OpenFile File;
    EXPECT_EQ(os::OpenFile::open(Path, File),
              std::errc::operation_not_supported);
  }
  // If a client had connected, the error would differ.
  EXPECT_EQ(::ConnectNamedPipe(Pipe, nullptr), 0);
  EXPECT_EQ(::GetLastError(), static_cast<DWORD>(ERROR_PIPE_LISTENING));
  ::CloseHandle(Pipe);
}

TEST(WindowsPathTest, FilesOnUnknownServerAreMissing) {
  std::error_code Error;
  const os::FileStatus Status =
      os::statFile("\\\\headstart.invalid\\share\\file", Error);
  EXPECT_EQ(Status.Kind, os::FileKind::Missing);
}

TEST(WindowsArgumentTest, SystemParsesQuotedArguments) {
  const std::array<std::wstring, 12> Args = {
      L"",    L"a",     L"a b",      L"\"",           L"a\"b",     L"\\",
      L"a\\", L"a b\\", L"a\\\\\"b", L"\\\\s\\x y\\", L"\u00e9 x", L"\t"};
  std::wstring Line = L"\"C:\\a program.exe\"";
  for (const std::wstring &Arg : Args)
    os::appendArgument(std::wstring_view(Arg), Line);
  int Count = 0;
  wchar_t **const Read = ::CommandLineToArgvW(Line.c_str(), &Count);
  ASSERT_EQ(Count, static_cast<int>(Args.size() + 1));
  for (size_t I = 0; I != Args.size(); ++I)
    EXPECT_EQ(std::wstring(Read[I + 1]), Args[I]) << I;
  ::LocalFree(Read);
}

} // namespace
