//===- WindowsRecords.cpp - Parse what Windows lists ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FILE_FULL_DIR_INFO (winbase.h; [MS-FSCC] 2.4, FileFullDirectoryInformation).
// The offsets follow from the natural alignment of its members.
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "headstart/OS/DirectoryRecords.h"
#include <limits>

namespace headstart::os {

using namespace detail;

namespace {

constexpr size_t NextAt = 0;
constexpr size_t ModifiedAt = 24;
constexpr size_t ChangedAt = 32;
constexpr size_t SizeAt = 40;
constexpr size_t AttributesAt = 56;
constexpr size_t NameLengthAt = 60; // in bytes
// The tag of a reparse point ([MS-FSA] 2.1.5.6.3); otherwise not used.
constexpr size_t EaSizeAt = 64;
constexpr size_t NameAt = 68;
// "each MUST be aligned on an 8-byte boundary" ([MS-FSCC] 2.4).
constexpr size_t Alignment = 8;

// [MS-FSCC] 2.6, File Attributes.
constexpr uint32_t DirectoryAttribute = 0x10;
constexpr uint32_t ReparseAttribute = 0x400;

} // namespace

/// A tag that stands for another name makes a link: symbolic links (0xA000000C,
/// of WSL 0xA000001D) and junctions (0xA0000003) have that bit
/// (IsReparseTagNameSurrogate, winnt.h). Others do not: a compressed file or
/// one in the cloud is a file ([MS-FSCC] 2.1.2.1, Reparse Tags).
EntryType typeOfWindowsFile(uint32_t Attributes, uint32_t Tag) {
  if ((Attributes & ReparseAttribute) != 0) {
    constexpr uint32_t NameSurrogate = 0x20000000;
    if ((Tag & NameSurrogate) != 0)
      return EntryType::Link;
    switch (Tag) {
    case 0x80000023: // IO_REPARSE_TAG_AF_UNIX
      return EntryType::Socket;
    case 0x80000024: // IO_REPARSE_TAG_LX_FIFO
      return EntryType::Fifo;
    case 0x80000025: // IO_REPARSE_TAG_LX_CHR
      return EntryType::CharacterDevice;
    case 0x80000026: // IO_REPARSE_TAG_LX_BLK
      return EntryType::BlockDevice;
    default:
      break;
    }
  }
  return (Attributes & DirectoryAttribute) != 0 ? EntryType::Directory
                                                : EntryType::Regular;
}

static bool isWideDots(std::string_view Name) {
  constexpr char16_t Dots[] = {u'.', u'.'};
  return (Name.size() == 2 || Name.size() == 4) &&
         std::memcmp(Name.data(), Dots, Name.size()) == 0;
}

int64_t nanosecondsFromFileTime(int64_t FileTime) {
  // 1601 to 1970 in units of 100 ns (FILETIME, minwinbase.h).
  constexpr int64_t Epoch = INT64_C(116'444'736'000'000'000);
  constexpr int64_t Last = std::numeric_limits<int64_t>::max() / 100;
  if (FileTime <= 0)
    return 0;
  const int64_t Since = FileTime - Epoch;
  return Since > Last    ? std::numeric_limits<int64_t>::max()
         : Since < -Last ? std::numeric_limits<int64_t>::min()
                         : Since * 100;
}

size_t parseWindowsEntries(std::span<const char> &Bytes,
                           std::span<DirectoryEntry> Into, bool &Malformed) {
  Malformed = false;
  size_t Count = 0;
  while (Count != Into.size() && !Bytes.empty()) {
    const char *Record = Bytes.data();
    const bool HasHead = Bytes.size() >= NameAt;
    const size_t Next = HasHead ? fieldAt<uint32_t>(Record, NextAt) : 0;
    const size_t NameLength =
        HasHead ? fieldAt<uint32_t>(Record, NameLengthAt) : 0;
    // The last record has no length of its own.
    const size_t End = Next == 0 ? Bytes.size() : Next;
    if (NameLength == 0 || NameLength % 2 != 0 || Next % Alignment != 0 ||
        End > Bytes.size() || End < NameAt || End - NameAt < NameLength) {
      Malformed = true;
      Bytes = {};
      break;
    }
    Bytes = Next == 0 ? std::span<const char>() : Bytes.subspan(Next);
    const std::string_view Name(Record + NameAt, NameLength);
    if (isWideDots(Name))
      continue;
    DirectoryEntry &Entry = Into[Count++];
    Entry.Name = Name;
    Entry.Identity = {};
    Entry.Identity.Size = fieldAt<uint64_t>(Record, SizeAt);
    Entry.Identity.ModifiedNs =
        nanosecondsFromFileTime(fieldAt<int64_t>(Record, ModifiedAt));
    Entry.Identity.ChangedNs =
        nanosecondsFromFileTime(fieldAt<int64_t>(Record, ChangedAt));
    Entry.Type = typeOfWindowsFile(fieldAt<uint32_t>(Record, AttributesAt),
                                   fieldAt<uint32_t>(Record, EaSizeAt));
    Entry.HasStatus = true;
    Entry.StatusIsHint = true;
  }
  return Count;
}

} // namespace headstart::os
