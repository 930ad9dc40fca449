//===- DirectoryHandle.cpp - Open directories (Windows) -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NtOpenFile opens the entries of a directory, relative to the directory's
// handle; Win32 has no such call. It is documented (winternl.h) and takes names
// as they are: `CON` and a dot or space at the end have no special meaning.
//
//===----------------------------------------------------------------------===//

#include "Support.h"
#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryRecords.h"
#include "headstart/OS/WideText.h"
#include <winternl.h>

namespace headstart::os {

using namespace detail;

namespace {

// From ntifs.h and [MS-ERREF] 2.3.1.
constexpr ULONG CaseInsensitive = 0x40;       // OBJ_CASE_INSENSITIVE
constexpr ULONG DirectoryFile = 0x1;          // FILE_DIRECTORY_FILE
constexpr ULONG SynchronousIO = 0x20;         // ..._IO_NONALERT
constexpr ULONG NonDirectoryFile = 0x40;      // FILE_NON_DIRECTORY_FILE
constexpr ULONG OpenForBackupIntent = 0x4000; // FILE_OPEN_FOR_...
constexpr ULONG OpenReparsePoint = 0x200000;  // FILE_OPEN_REPARSE_POINT
constexpr NTSTATUS DeletePending = static_cast<NTSTATUS>(0xC0000056);
constexpr NTSTATUS FileIsADirectory = static_cast<NTSTATUS>(0xC00000BA);
constexpr NTSTATUS FileDeleted = static_cast<NTSTATUS>(0xC0000123);

// Without FILE_TRAVERSE: the system itself checks whether a user may pass, by a
// right that most users have everywhere (SeChangeNotifyPrivilege), even if a
// directory's access list does not give it.
constexpr ACCESS_MASK StatAccess = FILE_READ_ATTRIBUTES | SYNCHRONIZE;
constexpr ACCESS_MASK DirectoryAccess = StatAccess | FILE_LIST_DIRECTORY;

std::error_code makeError(std::errc Error) {
  return std::make_error_code(Error);
}

} // namespace

void DirectoryHandle::close() {
  if (isOpen())
    ::CloseHandle(std::bit_cast<HANDLE>(std::exchange(Handle, InvalidHandle)));
}

static std::error_code errorOfStatus(NTSTATUS Status) {
  // A deleted file that is still open is missing, as on other systems.
  if (Status == DeletePending || Status == FileDeleted)
    return makeError(std::errc::no_such_file_or_directory);
  if (Status == FileIsADirectory)
    return makeError(std::errc::is_a_directory);
  return errorOf(codeOfStatus(Status));
}

/// Opens \p Name, a single part, in the directory \p In.
static std::error_code openIn(const DirectoryHandle &In, std::string_view Name,
                              ACCESS_MASK Access, ULONG Options,
                              UniqueHandle &Result) {
  static auto *const Open =
      findFunction<decltype(::NtOpenFile)>(L"ntdll.dll", "NtOpenFile");
  if (!In.isOpen())
    return makeError(std::errc::bad_file_descriptor);
  if (Name.empty())
    return makeError(std::errc::no_such_file_or_directory);
  if (Name == ".." || Name.find_first_of("/\\") != Name.npos)
    return makeError(std::errc::cross_device_link);
  // A colon would name a stream (`file:stream`,
  // `directory::$INDEX_ALLOCATION`), which no listing returns.
  if (Name.find(':') != Name.npos)
    return makeError(std::errc::invalid_argument);
  thread_local std::wstring Wide;
  Wide.clear();
  if (!appendWide(Name, Wide))
    return makeError(std::errc::illegal_byte_sequence);
  constexpr size_t MaxUnits = 32767; // a length is in bytes and has 16 bits
  if (Wide.size() > MaxUnits)
    return makeError(std::errc::filename_too_long);
  UNICODE_STRING Text;
  Text.Buffer = Wide.data();
  Text.Length = static_cast<USHORT>(Wide.size() * sizeof(wchar_t));
  Text.MaximumLength = Text.Length;
  OBJECT_ATTRIBUTES Attributes = {};
  Attributes.Length = sizeof(Attributes);
  Attributes.RootDirectory = handleOf(In);
  Attributes.ObjectName = &Text;
  // As in Win32; a case-sensitive directory still distinguishes cases.
  Attributes.Attributes = CaseInsensitive;
  IO_STATUS_BLOCK Block = {};
  HANDLE Opened = nullptr;
  const NTSTATUS Status = Open(&Opened, Access, &Attributes, &Block, ShareAll,
                               Options | SynchronousIO);
  if (Status < 0)
    return errorOfStatus(Status);
  Result = UniqueHandle(Opened);
  return {};
}

/// Reads the attributes and the tag of a reparse point, 0 if it is none.
static std::error_code attributesOf(HANDLE Handle,
                                    FILE_ATTRIBUTE_TAG_INFO &Result) {
  if (::GetFileInformationByHandleEx(Handle, FileAttributeTagInfo, &Result,
                                     sizeof(Result)) != 0)
    return {};
  // A file system without tags has no links.
  BY_HANDLE_FILE_INFORMATION Info;
  if (::GetFileInformationByHandle(Handle, &Info) == 0)
    return lastError();
  Result.FileAttributes = Info.dwFileAttributes;
  Result.ReparseTag = 0;
  return {};
}

std::error_code DirectoryHandle::open(const std::string &Path,
                                      DirectoryHandle &Result) {
  Result.close();
  std::wstring Wide;
  if (const std::error_code Error =
          toSystemPath(Path.empty() ? "." : std::string_view(Path), Wide))
    return Error;
  // Reading the attributes of a pipe would open it.
  if (mayBeDevice(std::wstring_view(Wide)))
    return makeError(std::errc::not_a_directory);
  const DWORD Attributes = ::GetFileAttributesW(Wide.c_str());
  constexpr DWORD MayLeadToOne =
      FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  if (Attributes == INVALID_FILE_ATTRIBUTES)
    return lastError();
  if ((Attributes & MayLeadToOne) == 0)
    return makeError(std::errc::not_a_directory);
  UniqueHandle Opened(::CreateFileW(Wide.c_str(), DirectoryAccess, ShareAll,
                                    nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (!Opened.isOpen())
    return lastError();
  FILE_ATTRIBUTE_TAG_INFO Info;
  if (const std::error_code Error = attributesOf(Opened.get(), Info))
    return Error;
  if ((Info.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0)
    return makeError(std::errc::not_a_directory);
  Result.Handle = std::bit_cast<intptr_t>(Opened.release());
  return {};
}

std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  // A mounted volume is a reparse point like a junction, and refused like one.
  const bool Refuses = Links == LinkRule::Refuse;
  MayBeMount = !Refuses || isWine();
  UniqueHandle Opened;
  std::error_code Error = openIn(*this, Name, DirectoryAccess,
                                 DirectoryFile | OpenForBackupIntent |
                                     (Refuses ? OpenReparsePoint : 0),
                                 Opened);
  FILE_ATTRIBUTE_TAG_INFO Info;
  if (!Error && Refuses) {
    // An open directory can no longer become a link.
    Error = attributesOf(Opened.get(), Info);
    if (!Error && typeOfWindowsFile(Info.FileAttributes, Info.ReparseTag) ==
                      EntryType::Link)
      Error = makeError(std::errc::too_many_symbolic_link_levels);
  }
  Result.close(); // only now, since it may be *this
  if (!Error)
    Result.Handle = std::bit_cast<intptr_t>(Opened.release());
  return Error;
}

std::error_code DirectoryHandle::identity(FileIdentity &Result) const {
  if (!isOpen())
    return makeError(std::errc::bad_file_descriptor);
  FileStatus Status;
  const std::error_code Error = statusOf(handleOf(*this), Status);
  if (!Error)
    Result = Status.Identity;
  return Error;
}

//===----------------------------------------------------------------------===//
// Entries of directories
//===----------------------------------------------------------------------===//

std::error_code DirectoryHandle::addStatus(DirectoryEntry &Entry,
                                           LinkRule Links) const {
  UniqueHandle File;
  std::error_code Error = openIn(
      *this, Entry.Name, StatAccess,
      OpenForBackupIntent | (Links == LinkRule::Refuse ? OpenReparsePoint : 0),
      File);
  FILE_ATTRIBUTE_TAG_INFO Info;
  FileStatus Status;
  if (!Error)
    Error = attributesOf(File.get(), Info);
  if (!Error)
    Error = statusOf(File.get(), Status);
  if (Error)
    return Error;
  Entry.Identity = Status.Identity;
  Entry.Type = Status.Kind == FileKind::Other
                   ? EntryType::CharacterDevice
                   : typeOfWindowsFile(Info.FileAttributes, Info.ReparseTag);
  Entry.HasStatus = true;
  Entry.StatusIsHint = false;
  return {};
}

std::error_code DirectoryHandle::openFile(const char *Name,
                                          OpenFile &Result) const {
  Result.close();
  UniqueHandle File;
  std::error_code Error =
      openIn(*this, Name, FILE_READ_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE,
             NonDirectoryFile | OpenForBackupIntent, File);
  if (Error == std::errc::is_a_directory)
    return makeError(std::errc::operation_not_supported);
  FileStatus Status;
  if (!Error)
    Error = statusOf(File.get(), Status);
  if (!Error && Status.Kind != FileKind::Regular)
    Error = makeError(std::errc::operation_not_supported);
  if (Error)
    return Error;
  Result.Handle = std::bit_cast<intptr_t>(File.release());
  Result.Identity = Status.Identity;
  return {};
}

} // namespace headstart::os
