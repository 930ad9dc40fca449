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

#include "../Shared.h"
#include "Support.h"
#include "headstart/OS/DirectoryReader.h"
#include "headstart/OS/DirectoryRecords.h"
#include "headstart/OS/WideText.h"
#include <algorithm>
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

std::error_code notOpen() { return makeError(std::errc::bad_file_descriptor); }

} // namespace

void DirectoryHandle::close() {
  if (isOpen())
    ::CloseHandle(std::bit_cast<HANDLE>(std::exchange(Handle, InvalidHandle)));
}

/// Sets \p Result to the current path of \p Handle, absolute and with `\\?\` in
/// front. Returns an error of Windows, or 0.
static DWORD pathOf(HANDLE Handle, std::wstring &Result) {
  // A volume without a drive letter or directory has only a GUID name.
  for (const DWORD Kind : {VOLUME_NAME_DOS, VOLUME_NAME_GUID}) {
    DWORD Length = MAX_PATH;
    do {
      Result.resize(Length);
      Length = ::GetFinalPathNameByHandleW(
          Handle, Result.data(), static_cast<DWORD>(Result.size()), Kind);
    } while (Length > Result.size());
    Result.resize(Length);
    if (Length != 0)
      return ERROR_SUCCESS;
  }
  return ::GetLastError();
}

static std::error_code errorOfStatus(NTSTATUS Status) {
  // A deleted file that is still open is missing, as on other systems.
  if (Status == DeletePending || Status == FileDeleted)
    return makeError(std::errc::no_such_file_or_directory);
  if (Status == FileIsADirectory)
    return makeError(std::errc::is_a_directory);
  return errorOf(codeOfStatus(Status));
}

/// Opens \p Name, of parts with `\` between them, in the directory \p Base;
/// reopens \p Base if \p Name is empty.
static std::error_code openIn(HANDLE Base, std::wstring_view Name,
                              ACCESS_MASK Access, ULONG Options,
                              UniqueHandle &Result) {
  static auto *const Open =
      findFunction<decltype(::NtOpenFile)>(L"ntdll.dll", "NtOpenFile");
  constexpr size_t MaxUnits = 32767; // a length is in bytes and has 16 bits
  if (Name.size() > MaxUnits)
    return makeError(std::errc::filename_too_long);
  UNICODE_STRING Text;
  Text.Buffer = const_cast<wchar_t *>(Name.data());
  Text.Length = static_cast<USHORT>(Name.size() * sizeof(wchar_t));
  Text.MaximumLength = Text.Length;
  OBJECT_ATTRIBUTES Attributes = {};
  Attributes.Length = sizeof(Attributes);
  Attributes.RootDirectory = Base;
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

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static constexpr std::string_view Separators = "/\\";

/// Whether \p Path begins with a root or drive: `/`, `C:`.
static bool hasRoot(std::string_view Path) {
  const bool HasDrive = Path.size() >= 2 && Path[1] == ':' &&
                        ((Path[0] >= 'a' && Path[0] <= 'z') ||
                         (Path[0] >= 'A' && Path[0] <= 'Z'));
  return HasDrive || Path.find_first_of(Separators) == 0;
}

/// Adds \p Part to \p Wide. A colon is an error, since it would name a stream
/// (`file:stream`, `directory::$INDEX_ALLOCATION`), which no listing returns.
static std::error_code addPart(std::string_view Part, std::wstring &Wide) {
  if (Part.find(':') != std::string_view::npos)
    return makeError(std::errc::invalid_argument);
  if (!Wide.empty())
    Wide += L'\\';
  return appendWide(Part, Wide) ? std::error_code()
                                : makeError(std::errc::illegal_byte_sequence);
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

/// Opens \p Path part by part, each without following a link. An open directory
/// can no longer become a link.
static std::error_code openWithoutLinks(HANDLE Base, std::string_view Path,
                                        UniqueHandle &Result) {
  if (hasRoot(Path) || hasDotDot(Path, Separators))
    return makeError(std::errc::cross_device_link);
  constexpr ULONG Options =
      DirectoryFile | OpenReparsePoint | OpenForBackupIntent;
  UniqueHandle At;
  thread_local std::wstring Wide;
  while (!Path.empty()) {
    const std::string_view Part = takePart(Path, Separators);
    if (Part.empty() || Part == ".")
      continue;
    const bool IsLast = Path.find_first_not_of(Separators) == Path.npos;
    Wide.clear();
    if (const std::error_code Error = addPart(Part, Wide))
      return Error;
    UniqueHandle Next;
    if (const std::error_code Error =
            openIn(At.isOpen() ? At.get() : Base, Wide,
                   IsLast ? DirectoryAccess : StatAccess, Options, Next))
      return Error;
    FILE_ATTRIBUTE_TAG_INFO Info;
    if (const std::error_code Error = attributesOf(Next.get(), Info))
      return Error;
    if (typeOfWindowsFile(Info.FileAttributes, Info.ReparseTag) ==
        EntryType::Link)
      return makeError(std::errc::too_many_symbolic_link_levels);
    At = std::move(Next);
    if (IsLast) {
      Result = std::move(At);
      return {};
    }
  }
  // A path that ends in a dot, or has only dots: reopen the directory to list.
  return openIn(At.isOpen() ? At.get() : Base, {}, DirectoryAccess, Options,
                Result);
}

/// Opens the parent of the directory \p Handle, or itself if it is a root, by
/// its path; there is no other method.
static std::error_code openParent(HANDLE Handle, UniqueHandle &Result) {
  std::wstring Path;
  if (const DWORD Error = pathOf(Handle, Path))
    return errorOf(Error);
  // `\\?\C:\`, `\\?\Volume{...}\`, `\\?\UNC\server\share`.
  constexpr std::wstring_view Network = L"\\\\?\\UNC\\";
  size_t Root = 0;
  if (Path.starts_with(Network)) {
    Root = std::min(Path.find(L'\\', Network.size()), Path.size());
    Root = std::min(Path.find(L'\\', Root + 1), Path.size());
  } else {
    Root = std::min(Path.find(L'\\', 4), Path.size()) + 1;
  }
  while (Path.size() > Root && Path.back() == L'\\')
    Path.pop_back();
  const size_t Last = Path.rfind(L'\\');
  if (Path.size() > Root && Last != std::wstring::npos)
    Path.resize(std::max(Last, Root));
  const HANDLE Opened =
      ::CreateFileW(Path.c_str(), DirectoryAccess, ShareAll, nullptr,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (Opened == INVALID_HANDLE_VALUE)
    return lastError();
  Result = UniqueHandle(Opened);
  return {};
}

/// Opens \p Path and follows links: all parts at once except `..`, which the
/// system does not support here.
static std::error_code openThroughLinks(HANDLE Base, std::string_view Path,
                                        ACCESS_MASK Access, ULONG Options,
                                        UniqueHandle &Result) {
  UniqueHandle At;
  thread_local std::wstring Wide;
  Wide.clear();
  const auto Here = [&] { return At.isOpen() ? At.get() : Base; };
  while (!Path.empty()) {
    const std::string_view Part = takePart(Path, Separators);
    if (Part.empty() || Part == ".")
      continue;
    if (Part != "..") {
      if (const std::error_code Error = addPart(Part, Wide))
        return Error;
      continue;
    }
    UniqueHandle Next;
    if (!Wide.empty()) {
      if (const std::error_code Error =
              openIn(Here(), Wide, StatAccess,
                     DirectoryFile | OpenForBackupIntent, Next))
        return Error;
      At = std::move(Next);
      Wide.clear();
    }
    UniqueHandle Above;
    if (const std::error_code Error = openParent(Here(), Above))
      return Error;
    At = std::move(Above);
  }
  return openIn(Here(), Wide, Access, Options, Result);
}

//===----------------------------------------------------------------------===//
// Directories
//===----------------------------------------------------------------------===//

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

std::error_code DirectoryHandle::openBelow(const char *Path, LinkRule Links,
                                           DirectoryHandle &Result) const {
  std::error_code Error;
  UniqueHandle Opened;
  if (!isOpen())
    Error = notOpen();
  else if (*Path == '\0')
    Error = makeError(std::errc::no_such_file_or_directory);
  else if (Links == LinkRule::Refuse)
    Error = openWithoutLinks(handleOf(*this), Path, Opened);
  else if (hasRoot(Path)) {
    DirectoryHandle Absolute;
    Error = open(Path, Absolute);
    Result.close(); // only now, since it may be *this
    Result = std::move(Absolute);
    return Error;
  } else
    Error = openThroughLinks(handleOf(*this), Path, DirectoryAccess,
                             DirectoryFile | OpenForBackupIntent, Opened);
  Result.close(); // only now, since it may be *this
  if (!Error)
    Result.Handle = std::bit_cast<intptr_t>(Opened.release());
  return Error;
}

// A mounted volume is a reparse point like a junction, and refused like one.
std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  MayBeMount = Links == LinkRule::Follow || isWine();
  return openBelow(Name, Links, Result);
}

std::error_code DirectoryHandle::identity(FileIdentity &Result) const {
  if (!isOpen())
    return notOpen();
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
  if (!isOpen())
    return notOpen();
  UniqueHandle File;
  std::error_code Error = openThroughLinks(
      handleOf(*this), Entry.Name, StatAccess,
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
  if (!isOpen())
    return notOpen();
  UniqueHandle File;
  std::error_code Error =
      openThroughLinks(handleOf(*this), Name,
                       FILE_READ_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE,
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
