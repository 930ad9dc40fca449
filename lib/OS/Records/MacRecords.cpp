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
// (attr_pack_common, attr_pack_dir, attr_pack_file, get_error_attributes). A
// record is its length, the set of its attributes, and the attributes in the
// order of their bits, each on a boundary of 4 bytes, even if it has 8; the
// directory's or the file's come last. Only ATTR_CMN_ERROR is out of order,
// before the name. An attribute of variable length is a reference: the distance
// from the reference to the text, and the text's length with the zero. If the
// file system lacks an attribute, a gap may separate the fields from the text.
// A record's length is a multiple of 8; the last record may instead fill the
// buffer with a multiple of 4.
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "headstart/OS/DirectoryRecords.h"
#include <algorithm>
#include <iterator>
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

/// All requested attributes. Any other would move the fields after it.
constexpr uint32_t KnownCommon = Name | ObjectType | Modified | Changed |
                                 Flags | FileId | EntryError | Returned;
constexpr uint32_t Stamp = ObjectType | Modified | Changed | FileId;

/// Reads one field of a record after another.
class Cursor {
public:
  explicit Cursor(std::span<const char> Record) : Record(Record) {}

  /// Returns 0 after the end of the record, and makes `isSound` false.
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
    // A name before its reference would overlap the fields.
    if (!Sound || Offset < 0)
      return {};
    const size_t Begin = Reference + static_cast<size_t>(Offset);
    return textAt(Record.first(std::min<uint64_t>(Record.size(),
                                                  uint64_t(Begin) + Length)),
                  Begin);
  }

  /// Reads the `struct timespec` of a 64-bit process, as nanoseconds.
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

/// \p Type is an `enum vtype` (bsd/sys/vnode.h).
static EntryType typeOf(uint32_t Type) {
  constexpr EntryType Types[] = {
      EntryType::Unknown,         EntryType::Regular,
      EntryType::Directory,       EntryType::BlockDevice,
      EntryType::CharacterDevice, EntryType::Link,
      EntryType::Socket,          EntryType::Fifo};
  return Type < std::size(Types) ? Types[Type] : EntryType::Unknown;
}

/// Returns the length of the record at the front of \p Bytes, or 0 if invalid.
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

  // An entry that macOS could not stat is still an entry.
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
      return Buffer; // parseMacEntries finds the error
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
