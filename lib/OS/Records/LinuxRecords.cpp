//===- LinuxRecords.cpp - Parse what getdents64 gives ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "headstart/OS/DirectoryRecords.h"

namespace headstart::os {

using namespace detail;

namespace {
// `struct linux_dirent64`, in bytes (getdents64(2), include/linux/dirent.h).
constexpr size_t InodeAt = 0;
constexpr size_t LengthAt = 16;
constexpr size_t TypeAt = 18;
constexpr size_t NameAt = 19;
} // namespace

EntryType detail::typeOfEntry(unsigned Type) {
  switch (Type) {
  case 1:
    return EntryType::Fifo;
  case 2:
    return EntryType::CharacterDevice;
  case 4:
    return EntryType::Directory;
  case 6:
    return EntryType::BlockDevice;
  case 8:
    return EntryType::Regular;
  case 10:
    return EntryType::Link;
  case 12:
    return EntryType::Socket;
  default:
    return EntryType::Unknown;
  }
}

size_t parseLinuxEntries(std::span<const char> &Bytes,
                         std::span<DirectoryEntry> Into, bool &Malformed) {
  Malformed = false;
  size_t Count = 0;
  while (Count != Into.size() && !Bytes.empty()) {
    const char *Record = Bytes.data();
    const size_t Length =
        Bytes.size() > NameAt ? fieldAt<uint16_t>(Record, LengthAt) : 0;
    const std::string_view Name = Length <= Bytes.size()
                                      ? textAt(Bytes.first(Length), NameAt)
                                      : std::string_view();
    if (Name.empty()) {
      Malformed = true;
      Bytes = {};
      break;
    }
    Bytes = Bytes.subspan(Length);
    if (isDots(Name))
      continue;
    DirectoryEntry &Entry = Into[Count++];
    Entry.Name = Name;
    Entry.Identity = {};
    Entry.Identity.Inode = fieldAt<uint64_t>(Record, InodeAt);
    Entry.Type = typeOfEntry(static_cast<unsigned char>(Record[TypeAt]));
    Entry.HasStatus = false;
    Entry.StatusIsHint = false;
  }
  return Count;
}

} // namespace headstart::os
