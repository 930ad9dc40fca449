//===- WindowsDirectoryTest.cpp - Directories on Windows ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectoryTestSupport.h"
#include "TestFiles.h"
#include "Windows/Support.h"
#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryTraits.h"
#include "headstart/OS/WideText.h"

#include "gtest/gtest.h"

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>
#include <winioctl.h>

using namespace headstart::os;
using namespace headstart::os::test;
using detail::UniqueHandle;
namespace fs = std::filesystem;

namespace {

/// \p Path in the form that keeps Win32 from changing a name in it.
std::wstring verbatim(const std::string &Path) {
  std::wstring Wide;
  const std::error_code Error = detail::toSystemPath(Path, Wide);
  EXPECT_FALSE(Error) << Path;
  return Wide;
}

/// Makes an empty file of exactly that name. Returns false if it is not valid.
bool makeFile(const TestDirectory &Directory, const std::wstring &Name) {
  const std::wstring Path = verbatim(Directory.path()) + L"\\" + Name;
  UniqueHandle File(::CreateFileW(Path.c_str(), GENERIC_WRITE, 0, nullptr,
                                  CREATE_NEW, 0, nullptr));
  return File.isOpen();
}

std::string utf8(std::wstring_view Wide) { return detail::toUtf8(Wide); }

/// The entry that a listing gives for each name.
std::map<std::string, DirectoryEntry> entriesOf(DirectoryHandle &Directory,
                                                size_t BufferBytes = 0) {
  std::map<std::string, DirectoryEntry> Found;
  DirectoryReader Reader(BufferBytes);
  Reader.start(Directory);
  std::array<DirectoryEntry, 50> Entries;
  std::error_code Error;
  while (const size_t Count = Reader.read(Entries, Error))
    for (const DirectoryEntry &E : std::span(Entries).first(Count))
      EXPECT_TRUE(Found.emplace(E.Name, E).second) << E.Name;
  EXPECT_FALSE(Error) << Error.message();
  return Found;
}

TEST(WindowsDirectoryTest, ListingMatchesStatus) {
  const TestDirectory Directory;
  for (size_t I = 0; I < 400; ++I)
    Directory.write("file-" + std::to_string(I) + std::string(I % 40, 'x'),
                    std::string(I, 'c'));
  fs::create_directory(Directory.path("directory"));
  ASSERT_TRUE(makeOlder(Directory.path("file-0"), 12345));
  DirectoryHandle Handle = openDirectory(Directory.path());
  std::map<std::string, DirectoryEntry> Found = entriesOf(Handle);
  EXPECT_EQ(Found.size(), 401u);
  EXPECT_EQ(Found["directory"].Type, EntryType::Directory);
  for (auto &[Name, Listed] : Found) {
    SCOPED_TRACE(Name);
    EXPECT_TRUE(Listed.HasStatus);
    EXPECT_TRUE(Listed.StatusIsHint);
    DirectoryEntry Statted;
    Statted.Name = Name;
    ASSERT_FALSE(Handle.addStatus(Statted));
    EXPECT_TRUE(Statted.hasOwnStatus());
    EXPECT_EQ(Listed.Type, Statted.Type);
    EXPECT_EQ(Listed.Identity.ModifiedNs, Statted.Identity.ModifiedNs);
    if (Statted.Type == EntryType::Regular) {
      EXPECT_EQ(Listed.Identity.Size, Statted.Identity.Size);
    }
    EXPECT_EQ(Listed.Identity.Inode, 0u);
    EXPECT_EQ(Listed.Identity.Device, 0u);
    EXPECT_EQ(Listed.Identity.ChangedNs, Statted.Identity.ChangedNs);
  }
}

// The names exceed one buffer and take one and a half times the records' size
// in WTF-8.
TEST(WindowsDirectoryTest, ReadsNamesLongInEveryEncoding) {
  const TestDirectory Directory;
  Names Made;
  for (wchar_t I = 0; I < 200; ++I) {
    // The Linux below Wine limits a name to 255 bytes.
    std::wstring Name(84, L'\u20ac');
    Name[40] = static_cast<wchar_t>(L'\u4e00' + I);
    ASSERT_TRUE(makeFile(Directory, Name));
    Made.push_back(utf8(Name));
  }
  const std::wstring Longest(255, L'n');
  ASSERT_TRUE(makeFile(Directory, Longest));
  Made.push_back(utf8(Longest));
  std::sort(Made.begin(), Made.end());
  for (const size_t BufferBytes :
       {size_t(0), DirectoryReader::DefaultBufferBytes, size_t(1) << 20}) {
    DirectoryHandle Handle = openDirectory(Directory.path());
    DirectoryReader Reader(BufferBytes);
    unsigned Batches = 0;
    EXPECT_EQ(listRest(Reader, Handle, 1000, &Batches), Made);
    if (BufferBytes == 0) {
      EXPECT_GT(Batches, 5u);
    }
  }
}

/// Whether this is Wine, which finds an open directory by the path of its open,
/// except to list it and to open entries in it.
bool isWine() {
  return detail::findFunction<void()>(L"ntdll.dll", "wine_get_version") !=
         nullptr;
}

/// Makes `old/inner/file`, opens `old`, renames it and makes another `old`.
DirectoryHandle openRenamed(const TestDirectory &Directory) {
  Directory.write("old/inner/file", "text");
  DirectoryHandle Outer = openDirectory(Directory.path("old"));
  EXPECT_NE(::MoveFileW(verbatim(Directory.path("old")).c_str(),
                        verbatim(Directory.path("new")).c_str()),
            0)
      << ::GetLastError();
  Directory.write("old/inner/other", ""); // the wrong file
  return Outer;
}

TEST(WindowsDirectoryTest, FollowsRenamedDirectory) {
  const TestDirectory Directory;
  DirectoryHandle Outer = openRenamed(Directory);
  DirectoryHandle Inner;
  EXPECT_FALSE(openChild(Outer, "inner", LinkRule::Refuse, Inner));
  EXPECT_EQ(entriesOf(Inner).count("file"), 1u);
  EXPECT_EQ(entriesOf(Outer).count("inner"), 1u);
}

TEST(WindowsDirectoryTest, FindsFileAfterDirectoryRename) {
  if (isWine())
    GTEST_SKIP() << "Wine stats a file by the path by which its directory was "
                    "opened";
  const TestDirectory Directory;
  const DirectoryHandle Outer = openRenamed(Directory);
  DirectoryHandle Inner;
  EXPECT_FALSE(openChild(Outer, "inner", LinkRule::Refuse, Inner));
  DirectoryEntry Entry;
  Entry.Name = "file";
  EXPECT_FALSE(Inner.addStatus(Entry));
  EXPECT_EQ(Entry.Identity.Size, 4u);
  std::string Text;
  EXPECT_FALSE(readFile(Inner, "file", Text));
  EXPECT_EQ(Text, "text");
}

TEST(WindowsDirectoryTest, DeletedDirectoryIsEmpty) {
  const TestDirectory Directory;
  fs::create_directory(Directory.path("gone"));
  DirectoryHandle Handle = openDirectory(Directory.path("gone"));
  ASSERT_NE(::RemoveDirectoryW(verbatim(Directory.path("gone")).c_str()), 0);
  EXPECT_EQ(entriesOf(Handle).size(), 0u);
}

TEST(WindowsDirectoryTest, AcceptsReservedNames) {
  const TestDirectory Directory;
  fs::create_directory(Directory.path("in"));
  Names Made;
  for (const wchar_t *Name :
       {L"con", L"NUL.txt", L"aux", L"dot.", L"space ", L"dots..", L"com1"})
    if (makeFile(Directory, std::wstring(L"in\\") + Name))
      Made.push_back(utf8(Name));
  ASSERT_GE(Made.size(), 4u) << "the file system refuses most names";
  std::sort(Made.begin(), Made.end());
  DirectoryHandle Handle = openDirectory(Directory.path("in"));
  Names Found;
  for (const auto &[Name, Entry] : entriesOf(Handle))
    Found.push_back(Name);
  EXPECT_EQ(Found, Made);
  for (const std::string &Name : Made) {
    SCOPED_TRACE(Name);
    DirectoryEntry Entry;
    Entry.Name = Name;
    EXPECT_FALSE(Handle.addStatus(Entry));
    EXPECT_EQ(Entry.Type, EntryType::Regular);
    std::string Text;
    EXPECT_FALSE(readFile(Handle, Name.c_str(), Text));
    DirectoryHandle Below;
    EXPECT_EQ(openChild(Handle, Name.c_str(), LinkRule::Refuse, Below),
              std::errc::not_a_directory);
  }
  for (const std::string &Name : Made)
    ::DeleteFileW(
        (verbatim(Directory.path("in")) + L"\\" + fs::path(Name).wstring())
            .c_str());
}

TEST(WindowsDirectoryTest, RoundTripsIllFormedNames) {
  const TestDirectory Directory;
  const std::wstring Name = L"a\xd800z";
  if (!makeFile(Directory, Name))
    GTEST_SKIP() << "the system refuses names with unpaired surrogates (Wine "
                    "stores names in UTF-8)";
  DirectoryHandle Handle = openDirectory(Directory.path());
  const std::map<std::string, DirectoryEntry> Found = entriesOf(Handle);
  if (Found.size() == 1 && Found.begin()->first != utf8(Name)) {
    ::DeleteFileW((verbatim(Directory.path()) + L"\\" + Name).c_str());
    GTEST_SKIP() << "the system replaces unpaired surrogates";
  }
  ASSERT_EQ(Found.count(utf8(Name)), 1u);
  DirectoryEntry Entry;
  const std::string Bytes = utf8(Name);
  Entry.Name = Bytes;
  EXPECT_FALSE(Handle.addStatus(Entry));
  EXPECT_EQ(Entry.Type, EntryType::Regular);
}

TEST(WindowsDirectoryTest, AcceptsPathsLongerThanMaxPath) {
  const TestDirectory Directory;
  const std::string Part(60, 'p');
  std::string Deep = Directory.path();
  for (int I = 0; I < 8; ++I) {
    Deep += "\\" + Part;
    ASSERT_NE(::CreateDirectoryW(verbatim(Deep).c_str(), nullptr), 0);
  }
  UniqueHandle(::CreateFileW(verbatim(Deep + "\\file").c_str(), GENERIC_WRITE,
                             0, nullptr, CREATE_NEW, 0, nullptr));
  EXPECT_EQ(listAll(Deep), Names{"file"});
  DirectoryHandle At = openDirectory(Directory.path());
  for (int I = 0; I < 8; ++I)
    ASSERT_FALSE(openChild(At, Part.c_str(), LinkRule::Refuse, At));
  DirectoryReader Reader;
  EXPECT_EQ(listRest(Reader, At), Names{"file"});
  // std::filesystem cannot remove a path of this length.
  At.close();
  ::DeleteFileW(verbatim(Deep + "\\file").c_str());
  for (; Deep != Directory.path(); Deep.resize(Deep.rfind('\\')))
    ::RemoveDirectoryW(verbatim(Deep).c_str());
}

TEST(WindowsDirectoryTest, RefusesStreamsAndDrives) {
  const TestDirectory Directory;
  Directory.write("file", "x");
  Directory.write("directory/in", "x");
  const DirectoryHandle Base = openDirectory(Directory.path());
  DirectoryHandle Below;
  for (const LinkRule Links : {LinkRule::Refuse, LinkRule::Follow})
    for (const char *Name :
         {"directory::$INDEX_ALLOCATION", "directory:in",
          "file:", "C:", "C:directory", "directory:$I30:$INDEX_ALLOCATION"})
      EXPECT_EQ(openChild(Base, Name, Links, Below),
                std::errc::invalid_argument)
          << Name;
  for (const char *Name : {"c:\\", "\\", "\\\\?\\C:\\", "\\??\\C:\\",
                           "directory\\..", "..\\", "directory\\x:y"})
    EXPECT_EQ(openChild(Base, Name, LinkRule::Refuse, Below),
              std::errc::cross_device_link)
        << Name;
  DirectoryEntry Entry;
  Entry.Name = "file:stream";
  EXPECT_EQ(Base.addStatus(Entry), std::errc::invalid_argument);
  EXPECT_TRUE(openChild(Base, "no*wildcards?", LinkRule::Refuse, Below));
}

TEST(WindowsDirectoryTest, DoesNotOpenPipes) {
  const std::wstring Name =
      L"\\\\.\\pipe\\headstart-" + std::to_wstring(::GetCurrentProcessId());
  UniqueHandle Pipe(::CreateNamedPipeW(Name.c_str(), PIPE_ACCESS_DUPLEX,
                                       PIPE_NOWAIT, 1, 0, 0, 0, nullptr));
  ASSERT_TRUE(Pipe.isOpen());
  DirectoryHandle Opened;
  EXPECT_EQ(DirectoryHandle::open(utf8(Name), Opened),
            std::errc::not_a_directory);
  EXPECT_TRUE(DirectoryHandle::open("NUL", Opened));
  // If the tests had opened the pipe, it would be connected.
  EXPECT_EQ(::ConnectNamedPipe(Pipe.get(), nullptr), 0);
  EXPECT_EQ(::GetLastError(), DWORD(ERROR_PIPE_LISTENING));
}

/// Makes a junction: a reparse point that leads to another directory, which
/// every user may make. The buffer is REPARSE_DATA_BUFFER's
/// MountPointReparseBuffer (ntifs.h).
bool makeJunction(const std::string &Target, const std::string &Path) {
  if (::CreateDirectoryW(verbatim(Path).c_str(), nullptr) == 0)
    return false;
  UniqueHandle Directory(::CreateFileW(
      verbatim(Path).c_str(), GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
      FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  const std::wstring Name = L"\\??\\" + verbatim(Target).substr(4);
  const auto Bytes = static_cast<USHORT>(Name.size() * sizeof(wchar_t));
  std::vector<char> Buffer(8 + 8 + Bytes + 4);
  const auto Put = [&Buffer](size_t At, auto Value) {
    std::memcpy(Buffer.data() + At, &Value, sizeof(Value));
  };
  Put(0, ULONG(IO_REPARSE_TAG_MOUNT_POINT));
  Put(4, static_cast<USHORT>(Buffer.size() - 8));
  Put(10, Bytes);                          // SubstituteNameLength
  Put(12, static_cast<USHORT>(Bytes + 2)); // PrintNameOffset
  std::memcpy(Buffer.data() + 16, Name.data(), Bytes);
  DWORD Ignored = 0;
  return ::DeviceIoControl(Directory.get(), FSCTL_SET_REPARSE_POINT,
                           Buffer.data(), static_cast<DWORD>(Buffer.size()),
                           nullptr, 0, &Ignored, nullptr) != 0;
}

TEST(WindowsDirectoryTest, JunctionIsLink) {
  const TestDirectory Directory;
  Directory.write("target/in/file", "");
  if (!makeJunction(Directory.path("target"), Directory.path("junction")))
    GTEST_SKIP() << "cannot create junctions (Wine 8 has none)";
  DirectoryHandle Base = openDirectory(Directory.path());
  EXPECT_EQ(entriesOf(Base)["junction"].Type, EntryType::Link);
  DirectoryHandle Below;
  EXPECT_EQ(openChild(Base, "junction", LinkRule::Refuse, Below),
            std::errc::too_many_symbolic_link_levels);
  DirectoryReader Reader;
  EXPECT_FALSE(openChild(Base, "junction", LinkRule::Follow, Below));
  EXPECT_FALSE(openChild(Below, "in", LinkRule::Refuse, Below));
  EXPECT_EQ(listRest(Reader, Below), Names{"file"});
  DirectoryEntry Entry;
  Entry.Name = "junction";
  EXPECT_FALSE(Base.addStatus(Entry));
  EXPECT_EQ(Entry.Type, EntryType::Link);
  EXPECT_FALSE(Base.addStatus(Entry, LinkRule::Follow));
  EXPECT_EQ(Entry.Type, EntryType::Directory);
}

TEST(WindowsDirectoryTest, GuaranteesNothingUndocumented) {
  const TestDirectory Directory;
  const DirectoryTraits Traits = traitsOf(openDirectory(Directory.path()));
  EXPECT_FALSE(Traits.ReportsChanges);
  EXPECT_FALSE(Traits.ReportsEveryChange);
  EXPECT_TRUE(traitsOf(DirectoryHandle()).MayIgnoreCase);
}

} // namespace
