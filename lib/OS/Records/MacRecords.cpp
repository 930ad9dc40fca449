//===- MacRecords.cpp - Parse what getattrlistbulk gives ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout is that of getattrlist(2) and getattrlistbulk(2), with the numbers
// of bsd/sys/attr.h, as XNU's bsd/vfs/vfs_attrlist.c packs it
// (attr_pack_common, attr_pack_dir, attr_pack_file, get_error_attributes): a
// record is its length, the set of attributes that it has, and these, in the
// order of their bits, each on a boundary of 4 bytes, also those of 8; the
// directory's or the file's come last. ATTR_CMN_ERROR stands out of order,
// before the name. What varies in length is a reference: how far behind the
// reference the text begins, and its length with the zero; between the fields
// and the text may be a gap, where the file system lacks an attribute. A record
// is as long as a multiple of 8, but the last one may be one of 4 that fills
// the buffer.
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "headstart/OS/DirectoryRecords.h"
#include <algorithm>
#include <limits>

namespace headstart::os {

using namespace detail;

namespace {

constexpr size_t LengthBytes = 4;
/// `attribute_set_t`: common, volume, directory, file and fork attributes.
constexpr size_t SetBytes = 20;
constexpr size_t CommonAt = LengthBytes;
constexpr size_t VolumeAt = LengthBytes + 4;
constexpr size_t DirectoryAt = LengthBytes + 8;
constexpr size_t FileAt = LengthBytes + 12;
constexpr size_t ForkAt = LengthBytes + 16;
constexpr size_t MinRecordBytes = LengthBytes + SetBytes;

// bsd/sys/attr.h.
constexpr uint32_t Name = 0x1;              // ATTR_CMN_NAME
constexpr uint32_t ObjectType = 0x8;        // ATTR_CMN_OBJTYPE
constexpr uint32_t Modified = 0x400;        // ATTR_CMN_MODTIME
constexpr uint32_t Changed = 0x800;         // ATTR_CMN_CHGTIME
constexpr uint32_t Flags = 0x40000;         // ATTR_CMN_FLAGS
constexpr uint32_t FileId = 0x2000000;      // ATTR_CMN_FILEID
constexpr uint32_t EntryError = 0x20000000; // ATTR_CMN_ERROR
constexpr uint32_t Returned = 0x80000000;   // ATTR_CMN_RETURNED_ATTRS
constexpr uint32_t MountStatus = 0x4;       // ATTR_DIR_MOUNTSTATUS
constexpr uint32_t DataLength = 0x200;      // ATTR_FILE_DATALENGTH
// bsd/sys/stat.h: a directory that leads to another volume (macOS 10.15).
constexpr uint32_t Firmlink = 0x800000; // SF_FIRMLINK

/// All that macOS is asked for: where others stood, nobody knows what is where.
constexpr uint32_t KnownCommon = Name | ObjectType | Modified | Changed |
                                 Flags | FileId | EntryError | Returned;
constexpr uint32_t Stamp = ObjectType | Modified | Changed | FileId;

/// Takes one field after another from a record.
class Cursor {
public:
  explicit Cursor(std::span<const char> Record) : Record(Record) {}

  /// 0 where the record is over, whereupon `isSound` is false.
  template <typename T> T take() {
    if (Record.size() - At < sizeof(T)) {
      Sound = false;
      return 0;
    }
    const T Value = fieldAt<T>(Record.data(), At);
    At += sizeof(T);
    return Value;
  }

  std::string_view takeName() {
    const size_t Reference = At;
    const auto Offset = take<int32_t>();
    const auto Length = take<uint32_t>();
    // A name before its reference would be one that the fields overlap.
    if (!Sound || Offset < 0)
      return {};
    const size_t Begin = Reference + static_cast<size_t>(Offset);
    return textAt(Record.first(std::min<uint64_t>(Record.size(),
                                                  uint64_t(Begin) + Length)),
                  Begin);
  }

  /// `struct timespec` of a process of 64 bits, as nanoseconds.
  int64_t takeTime() {
    const auto Seconds = take<int64_t>();
    const auto Rest = take<int64_t>();
    constexpr int64_t Second = 1'000'000'000;
    constexpr int64_t Last = std::numeric_limits<int64_t>::max() / Second - 1;
    return std::clamp(Seconds, -Last, Last) * Second +
           std::clamp<int64_t>(Rest, 0, Second - 1);
  }

  bool isSound() const { return Sound; }

private:
  std::span<const char> Record;
  size_t At = MinRecordBytes;
  bool Sound = true;
};

} // namespace

/// `enum vtype` (bsd/sys/vnode.h).
static EntryType typeOf(uint32_t Type) {
  switch (Type) {
  case 1:
    return EntryType::Regular;
  case 2:
    return EntryType::Directory;
  case 3:
    return EntryType::BlockDevice;
  case 4:
    return EntryType::CharacterDevice;
  case 5:
    return EntryType::Link;
  case 6:
    return EntryType::Socket;
  case 7:
    return EntryType::Fifo;
  default:
    return EntryType::Unknown;
  }
}

/// The length of the record at the front of \p Bytes, or 0.
static size_t lengthOf(std::span<const char> Bytes) {
  if (Bytes.size() < MinRecordBytes)
    return 0;
  const auto Length = fieldAt<uint32_t>(Bytes.data(), 0);
  return Length >= MinRecordBytes && Length <= Bytes.size() && Length % 4 == 0
             ? Length
             : 0;
}

static bool readRecord(std::span<const char> Record, uint64_t Device,
                       DirectoryEntry &Entry) {
  const auto Common = fieldAt<uint32_t>(Record.data(), CommonAt);
  const auto Directory = fieldAt<uint32_t>(Record.data(), DirectoryAt);
  const auto File = fieldAt<uint32_t>(Record.data(), FileAt);
  const bool OthersAreEmpty = fieldAt<uint32_t>(Record.data(), VolumeAt) == 0 &&
                              fieldAt<uint32_t>(Record.data(), ForkAt) == 0;
  if ((Common & ~KnownCommon) != 0 || (Directory & ~MountStatus) != 0 ||
      (File & ~DataLength) != 0 || !OthersAreEmpty || (Common & Name) == 0)
    return false;

  Cursor Fields(Record);
  const bool Failed =
      (Common & EntryError) != 0 && Fields.take<uint32_t>() != 0;
  Entry = {};
  Entry.Name = Fields.takeName();
  FileIdentity Identity;
  Identity.Device = Device;
  if ((Common & ObjectType) != 0)
    Entry.Type = typeOf(Fields.take<uint32_t>());
  if ((Common & Modified) != 0)
    Identity.ModifiedNs = Fields.takeTime();
  if ((Common & Changed) != 0)
    Identity.ChangedNs = Fields.takeTime();
  const bool LeadsElsewhere =
      (Common & Flags) != 0 && (Fields.take<uint32_t>() & Firmlink) != 0;
  if ((Common & FileId) != 0)
    Identity.Inode = Fields.take<uint64_t>();
  const bool IsMountPoint =
      (Directory & MountStatus) != 0 && Fields.take<uint32_t>() != 0;
  if ((File & DataLength) != 0)
    Identity.Size = Fields.take<uint64_t>();
  if (!Fields.isSound() || Entry.Name.empty())
    return false;

  // An entry that could not be looked at is still an entry.
  if (Failed)
    Entry.Type = EntryType::Unknown;
  const bool IsWhole =
      Entry.Type == EntryType::Directory
          ? (Directory & MountStatus) != 0 && !IsMountPoint && !LeadsElsewhere
          : (File & DataLength) != 0;
  Entry.HasStatus = !Failed && (Common & Stamp) == Stamp && IsWhole &&
                    Entry.Type != EntryType::Unknown;
  Entry.StatusIsHint = false;
  if (Entry.HasStatus)
    Entry.Identity = Identity;
  else
    Entry.Identity.Inode = Failed ? 0 : Identity.Inode;
  return true;
}

std::span<const char> takeMacRecords(std::span<const char> Buffer,
                                     size_t Records) {
  size_t End = 0;
  for (; Records != 0; --Records) {
    const size_t Length = lengthOf(Buffer.subspan(End));
    if (Length == 0)
      return Buffer; // parsing comes to the same place, and says so
    End += Length;
  }
  return Buffer.first(End);
}

size_t parseMacEntries(std::span<const char> &Bytes, uint64_t Device,
                       std::span<DirectoryEntry> Into, bool &Malformed) {
  Malformed = false;
  size_t Count = 0;
  while (Count != Into.size() && !Bytes.empty()) {
    const size_t Length = lengthOf(Bytes);
    if (Length == 0 || !readRecord(Bytes.first(Length), Device, Into[Count])) {
      Malformed = true;
      Bytes = {};
      break;
    }
    Bytes = Bytes.subspan(Length);
    if (!isDots(Into[Count].Name))
      ++Count;
  }
  return Count;
}

} // namespace headstart::os
