//===- DirectoryReader.cpp - Read directories in batches ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For systems without a source of their own: uses only the C++ standard
// library. A directory is a path and an iterator, so it identifies a place and
// not a directory: a rename on the way there redirects it, and between the
// check of a part and its opening another process can replace it by a link.
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryReader.h"

#include "Support.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

namespace headstart::os {

using namespace detail;
namespace fs = std::filesystem;

namespace {

/// The object that a DirectoryHandle's handle points to.
struct Directory {
  fs::path Path;
  fs::directory_iterator Next;
};

} // namespace

static Directory *directoryOf(intptr_t Handle) {
  return std::bit_cast<Directory *>(Handle);
}

static std::error_code notOpen() {
  return std::make_error_code(std::errc::bad_file_descriptor);
}

static EntryType typeOf(fs::file_type Type) {
  switch (Type) {
  case fs::file_type::regular:
    return EntryType::Regular;
  case fs::file_type::directory:
    return EntryType::Directory;
  case fs::file_type::symlink:
    return EntryType::Link;
  case fs::file_type::fifo:
    return EntryType::Fifo;
  case fs::file_type::socket:
    return EntryType::Socket;
  case fs::file_type::block:
    return EntryType::BlockDevice;
  case fs::file_type::character:
    return EntryType::CharacterDevice;
  default:
    return EntryType::Unknown;
  }
}

/// Returns the status of \p Path. If nothing is there, this is an error.
static fs::file_status statOf(const fs::path &Path, LinkRule Links,
                              std::error_code &Error) {
  const fs::file_status Status = Links == LinkRule::Follow
                                     ? fs::status(Path, Error)
                                     : fs::symlink_status(Path, Error);
  // Not every library reports a missing file as an error.
  if (Status.type() == fs::file_type::not_found && !Error)
    Error = std::make_error_code(std::errc::no_such_file_or_directory);
  return Status;
}

static std::error_code openAt(const fs::path &Path, intptr_t &Handle) {
  // The check must come first, since a FIFO must not be opened.
  std::error_code Error;
  const fs::file_status Status = statOf(Path, LinkRule::Follow, Error);
  if (Error)
    return Error;
  if (Status.type() != fs::file_type::directory)
    return std::make_error_code(std::errc::not_a_directory);
  auto Opened = std::unique_ptr<Directory>(new (std::nothrow) Directory);
  if (!Opened)
    return std::make_error_code(std::errc::not_enough_memory);
  Opened->Path = Path;
  Opened->Next = fs::directory_iterator(Path, Error);
  if (!Error)
    Handle = std::bit_cast<intptr_t>(Opened.release());
  return Error;
}

void DirectoryHandle::close() {
  if (isOpen())
    delete directoryOf(std::exchange(Handle, InvalidHandle));
}

std::error_code DirectoryHandle::open(const std::string &Path,
                                      DirectoryHandle &Result) {
  Result.close();
  // The C functions beneath would silently open another directory.
  if (Path.find('\0') != std::string::npos)
    return std::make_error_code(std::errc::invalid_argument);
  return openAt(Path.empty() ? "." : Path, Result.Handle);
}

std::error_code DirectoryHandle::openBelow(const char *Path, LinkRule Links,
                                           DirectoryHandle &Result) const {
  std::error_code Error;
  fs::path Joined;
  const fs::path Below = Path;
  if (!isOpen()) {
    Error = notOpen();
  } else if (Below.empty()) {
    Error = std::make_error_code(std::errc::no_such_file_or_directory);
  } else if (Links == LinkRule::Follow) {
    Joined = directoryOf(Handle)->Path / Below;
  } else if (Below.has_root_path() ||
             std::find(Below.begin(), Below.end(), "..") != Below.end()) {
    Error = std::make_error_code(std::errc::cross_device_link);
  } else {
    Joined = directoryOf(Handle)->Path;
    for (const fs::path &Part : Below) {
      Joined /= Part;
      const fs::file_type Type = statOf(Joined, LinkRule::Refuse, Error).type();
      if (!Error && Type == fs::file_type::symlink)
        Error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
      else if (!Error && Type != fs::file_type::directory)
        Error = std::make_error_code(std::errc::not_a_directory);
      if (Error)
        break;
    }
  }
  intptr_t Opened = InvalidHandle;
  if (!Error)
    Error = openAt(Joined, Opened);
  Result.close(); // not earlier: it may be this
  Result.Handle = Opened;
  return Error;
}

std::error_code DirectoryHandle::openChild(const char *Name, LinkRule Links,
                                           DirectoryHandle &Result,
                                           bool &MayBeMount) const {
  MayBeMount = true; // the library does not report mounts
  return openBelow(Name, Links, Result);
}

/// Reads size and time of the file or directory \p Path of type \p Type.
static std::error_code identify(const fs::path &Path, fs::file_type Type,
                                FileIdentity &Result) {
  std::error_code Error;
  FileIdentity Identity;
  if (Type == fs::file_type::regular)
    Identity.Size = fs::file_size(Path, Error);
  fs::path Place;
  if (!Error)
    Identity.ModifiedNs = nanoseconds(fs::last_write_time(Path, Error));
  if (!Error)
    Place = fs::canonical(Path, Error);
  if (Error)
    return Error;
  Identity.Inode = idOf(Place);
  Result = Identity;
  return {};
}

std::error_code DirectoryHandle::addStatus(DirectoryEntry &Entry,
                                           LinkRule Links) const {
  if (!isOpen())
    return notOpen();
  fs::path::string_type Name(Entry.Name.size() / sizeof(fs::path::value_type),
                             0);
  std::memcpy(Name.data(), Entry.Name.data(), Entry.Name.size());
  const fs::path Path = directoryOf(Handle)->Path / Name;
  std::error_code Error;
  const fs::file_type Type = statOf(Path, Links, Error).type();
  if (Error)
    return Error;
  // The library follows links for everything except the type.
  FileIdentity Identity;
  const bool Knows = Type != fs::file_type::symlink;
  if (Knows)
    Error = identify(Path, Type, Identity);
  if (Error)
    return Error;
  Entry.Identity = Identity;
  Entry.Type = typeOf(Type);
  Entry.HasStatus = Knows;
  Entry.StatusIsHint = false;
  return {};
}

std::error_code DirectoryHandle::readFile(const char *Name,
                                          std::span<char> Into, size_t &Filled,
                                          uint64_t &Size) const {
  Filled = 0;
  Size = 0;
  if (!isOpen())
    return notOpen();
  OpenFile File;
  std::error_code Error =
      OpenFile::open((directoryOf(Handle)->Path / Name).string(), File);
  if (Error == std::errc::is_a_directory)
    return std::make_error_code(std::errc::operation_not_supported);
  if (Error)
    return Error;
  Size = File.size();
  Filled = File.readAt(0, Into, Error);
  return Error;
}

std::error_code DirectoryHandle::identity(FileIdentity &Result) const {
  return isOpen() ? identify(directoryOf(Handle)->Path,
                             fs::file_type::directory, Result)
                  : notOpen();
}

/// More than a name takes on any known file system.
static constexpr size_t MaxNameBytes = 4096;

DirectoryReader::DirectoryReader(size_t BufferBytes)
    : Buffer(std::make_unique_for_overwrite<char[]>(
          std::max(BufferBytes, MaxNameBytes))),
      Capacity(std::max(BufferBytes, MaxNameBytes)) {}

void DirectoryReader::start(DirectoryHandle &NewDirectory) {
  Directory = &NewDirectory;
}

size_t DirectoryReader::read(std::span<DirectoryEntry> Into,
                             std::error_code &Error) {
  Error = {};
  size_t Count = 0;
  size_t Used = 0;
  if (Directory == nullptr || Into.empty())
    return 0;
  if (!Directory->isOpen()) {
    Error = notOpen();
    Directory = nullptr;
    return 0;
  }
  ++Calls;
  fs::directory_iterator &Next = directoryOf(Directory->nativeHandle())->Next;
  while (Count != Into.size() && Next != fs::directory_iterator()) {
    // Copies the zero after the name, too.
    using Char = fs::path::value_type;
    const fs::path Name = Next->path().filename();
    const size_t NameBytes = Name.native().size() * sizeof(Char);
    if (Capacity - Used < NameBytes + sizeof(Char)) {
      if (Count == 0)
        Error = std::make_error_code(std::errc::filename_too_long);
      break;
    }
    std::memcpy(Buffer.get() + Used, Name.c_str(), NameBytes + sizeof(Char));
    DirectoryEntry &Entry = Into[Count++];
    Entry = {};
    Entry.Name = {Buffer.get() + Used, NameBytes};
    Used += NameBytes + sizeof(Char);
    // The entry may be gone; then its type stays unknown.
    std::error_code Ignored;
    Entry.Type = typeOf(Next->symlink_status(Ignored).type());
    Next.increment(Error);
    if (Error)
      break;
  }
  if (Error || Count == 0)
    Directory = nullptr;
  return Count;
}

} // namespace headstart::os
