//===- WindowsRecordsTest.cpp - The records of Windows --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordTestSupport.h"
#include "headstart/OS/DirectoryRecords.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

using namespace headstart::os;
using namespace headstart::os::test;

namespace {

/// 2023-11-14 22:13:20.1234567 in Windows' units.
constexpr int64_t FileTime = 116'444'736'000'000'000 + 17'000'000'001'234'567;

struct WindowsEntry {
  std::u16string Name = u"name";
  uint32_t Attributes = 0x20; // FILE_ATTRIBUTE_ARCHIVE
  uint32_t Tag = 0;
  bool Last = false;
  std::optional<uint32_t> Next = {};
  std::optional<uint32_t> NameLength = {};
};

std::string windowsRecord(const WindowsEntry &E) {
  std::string R;
  append(R, uint32_t(0));
  append(R, uint32_t(0xaaaaaaaa));  // FileIndex
  append(R, int64_t(-1));           // CreationTime
  append(R, int64_t(-1));           // LastAccessTime
  append(R, FileTime);              // LastWriteTime
  append(R, FileTime + 10);         // ChangeTime
  append(R, uint64_t(0x500000001)); // EndOfFile
  append(R, uint64_t(0x600000000)); // AllocationSize
  append(R, E.Attributes);
  const std::string Name = bytesOf(E.Name);
  append(R, E.NameLength.value_or(static_cast<uint32_t>(Name.size())));
  append(R, E.Tag);
  EXPECT_EQ(R.size(), 68u);
  R += Name;
  if (!E.Last)
    R.resize((R.size() + 7) / 8 * 8, 'x');
  put(R, 0, E.Next.value_or(E.Last ? 0 : static_cast<uint32_t>(R.size())));
  return R;
}

Parsed parseWindows(const std::string &Text, size_t Room = 64) {
  return parse(parseWindowsEntries, Text, Room);
}

TEST(WindowsRecordsTest, ReadsAllExceptId) {
  const Parsed P = parseWindows(
      windowsRecord({.Name = u"."}) + windowsRecord({.Name = u"a.obj"}) +
      windowsRecord({.Name = u".."}) +
      windowsRecord({.Name = u"\u00e4\u20ac\xd800", .Attributes = 0x10}) +
      windowsRecord({.Name = u"l", .Attributes = 0x410, .Tag = 0xA0000003}) +
      windowsRecord({.Name = u"last", .Last = true}) + std::string(99, 'x'));
  EXPECT_FALSE(P.Malformed);
  EXPECT_TRUE(P.TookAll);
  ASSERT_EQ(P.Names, (Names{bytesOf(u"a.obj"), bytesOf(u"\u00e4\u20ac\xd800"),
                            bytesOf(u"l"), bytesOf(u"last")}));
  EXPECT_EQ(P.Entries[0].Type, EntryType::Regular);
  EXPECT_EQ(P.Entries[1].Type, EntryType::Directory);
  EXPECT_EQ(P.Entries[2].Type, EntryType::Link);
  for (const DirectoryEntry &E : P.Entries) {
    EXPECT_TRUE(E.HasStatus);
    EXPECT_TRUE(E.StatusIsHint);
    EXPECT_EQ(E.Identity,
              (FileIdentity{0, 0, 0x500000001, 1'700'000'000'123'456'700,
                            1'700'000'000'123'457'700}));
  }
}

TEST(WindowsRecordsTest, DistinguishesLinksFromOtherReparsePoints) {
  struct Case {
    uint32_t Attributes;
    uint32_t Tag;
    EntryType Type;
  };
  for (const Case &C : std::initializer_list<Case>{
           {0x400, 0xA000000C, EntryType::Link}, // symbolic link
           {0x410, 0xA000000C, EntryType::Link}, // ... to a directory
           {0x410, 0xA0000003, EntryType::Link}, // junction
           {0x400, 0xA000001D, EntryType::Link}, // WSL's symbolic link
           {0x400, 0x80000023, EntryType::Socket},
           {0x400, 0x80000024, EntryType::Fifo},
           {0x400, 0x80000025, EntryType::CharacterDevice},
           {0x400, 0x80000026, EntryType::BlockDevice},
           {0x400, 0x80000017, EntryType::Regular},   // compressed by WOF
           {0x410, 0x9000001A, EntryType::Directory}, // cloud placeholder
           {0x20, 0xA000000C, EntryType::Regular},    // a size of EAs
           {0x10, 0xA0000003, EntryType::Directory}}) {
    const WindowsEntry E{.Attributes = C.Attributes, .Tag = C.Tag};
    const Parsed P = parseWindows(windowsRecord(E));
    ASSERT_EQ(P.Entries.size(), 1u);
    EXPECT_EQ(P.Entries[0].Type, C.Type) << std::hex << C.Tag;
  }
}

TEST(WindowsRecordsTest, SkipsOnlyDotEntries) {
  const Parsed P = parseWindows(
      windowsRecord({.Name = u"."}) + windowsRecord({.Name = u".."}) +
      windowsRecord({.Name = u"..."}) + windowsRecord({.Name = u".a"}) +
      windowsRecord({.Name = u"\u2e2e"}));
  EXPECT_EQ(P.Names,
            (Names{bytesOf(u"..."), bytesOf(u".a"), bytesOf(u"\u2e2e")}));
}

TEST(WindowsRecordsTest, KeepsRecordsBeforeMalformedOne) {
  const std::string Good = windowsRecord({.Name = u"good"});
  const auto Size = static_cast<uint32_t>(windowsRecord({}).size());
  const std::initializer_list<WindowsEntry> Bad = {
      {.Next = 8},        // into its own header
      {.Next = 64},       // also into its own header
      {.Next = 72},       // over its own name
      {.Next = Size + 8}, // beyond the end
      {.Next = Size - 4}, // between boundaries
      {.Next = 0xfffffff8},
      {.Next = 0x80000000},
      {.NameLength = 0},
      {.NameLength = 7},
      {.NameLength = 18}, // longer than the record
      {.NameLength = 0xfffffffe},
      {.Last = true, .NameLength = 10},
      {.Name = u"", .Last = true},
  };
  for (const WindowsEntry &B : Bad)
    expectRefused(parseWindows, Good, windowsRecord(B));
  for (const size_t Cut : {1, 4, 63, 67, 68, 69})
    expectRefused(parseWindows, Good,
                  windowsRecord({.Last = true}).substr(0, Cut));
}

TEST(WindowsRecordsTest, ConvertsTimesToNanoseconds) {
  constexpr int64_t Epoch = 116'444'736'000'000'000;
  EXPECT_EQ(nanosecondsFromFileTime(Epoch), 0);
  EXPECT_EQ(nanosecondsFromFileTime(Epoch + 1), 100);
  EXPECT_EQ(nanosecondsFromFileTime(Epoch - 1), -100);
  EXPECT_EQ(nanosecondsFromFileTime(0), 0);
  EXPECT_EQ(nanosecondsFromFileTime(-1), 0);
  EXPECT_EQ(nanosecondsFromFileTime(1), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(nanosecondsFromFileTime(std::numeric_limits<int64_t>::max()),
            std::numeric_limits<int64_t>::max());
}

} // namespace
