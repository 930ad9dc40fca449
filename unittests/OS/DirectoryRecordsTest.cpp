//===- DirectoryRecordsTest.cpp - Records built by hand -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryRecords.h"
#include "RecordTestSupport.h"

#include "gtest/gtest.h"

#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace headstart;
using namespace headstart::os;
using namespace headstart::os::test;

namespace {

//===----------------------------------------------------------------------===//
// getdents64
//===----------------------------------------------------------------------===//

std::string linuxRecord(uint64_t Inode, uint8_t Type, std::string_view Name,
                        std::optional<uint16_t> Length = {}) {
  std::string Record;
  append(Record, Inode);
  append(Record, int64_t(0x1122334455667788)); // d_off
  const size_t Bytes = (19 + Name.size() + 1 + 7) / 8 * 8;
  append(Record, Length.value_or(static_cast<uint16_t>(Bytes)));
  append(Record, Type);
  Record += Name;
  // The kernel may leave any bytes after the name's zero.
  Record += '\0';
  Record.resize(Bytes, 'x');
  return Record;
}

Parsed parseLinux(const std::string &Text, size_t Room = 64) {
  return parse(parseLinuxEntries, Text, Room);
}

TEST(LinuxRecordsTest, ReadsNamesTypesAndInodes) {
  const Parsed P = parseLinux(linuxRecord(7, 8, "a.o") +
                              linuxRecord(~uint64_t(0), 4, "directory") +
                              linuxRecord(9, 10, "link"));
  EXPECT_FALSE(P.Malformed);
  EXPECT_TRUE(P.TookAll);
  ASSERT_EQ(P.Names, (Names{"a.o", "directory", "link"}));
  EXPECT_EQ(P.Entries[0].Type, EntryType::Regular);
  EXPECT_EQ(P.Entries[1].Type, EntryType::Directory);
  EXPECT_EQ(P.Entries[2].Type, EntryType::Link);
  EXPECT_EQ(P.Entries[0].Identity, (FileIdentity{0, 7, 0, 0, 0}));
  EXPECT_EQ(P.Entries[1].Identity.Inode, ~uint64_t(0));
  for (const DirectoryEntry &E : P.Entries)
    EXPECT_FALSE(E.HasStatus);
}

TEST(LinuxRecordsTest, MapsEveryType) {
  const std::initializer_list<std::pair<uint8_t, EntryType>> Types = {
      {0, EntryType::Unknown},         {1, EntryType::Fifo},
      {2, EntryType::CharacterDevice}, {4, EntryType::Directory},
      {6, EntryType::BlockDevice},     {8, EntryType::Regular},
      {10, EntryType::Link},           {12, EntryType::Socket},
      {14, EntryType::Unknown},        {255, EntryType::Unknown}};
  for (const auto &[Number, Type] : Types) {
    const Parsed P = parseLinux(linuxRecord(1, Number, "x"));
    ASSERT_EQ(P.Entries.size(), 1u);
    EXPECT_EQ(P.Entries[0].Type, Type) << unsigned(Number);
  }
}

TEST(LinuxRecordsTest, SkipsOnlyDotEntries) {
  std::string Text;
  for (const char *Name : {".", "..", "...", ".x", "..x", "x.", "x.."})
    Text += linuxRecord(1, 4, Name);
  EXPECT_EQ(parseLinux(Text).Names, (Names{"...", ".x", "..x", "x.", "x.."}));
}

TEST(LinuxRecordsTest, AcceptsAnyBytesInNames) {
  const std::string Long(255, '\xfe');
  const Parsed P =
      parseLinux(linuxRecord(1, 8, "\xff\xc0\x80") + linuxRecord(1, 8, "a\nb") +
                 linuxRecord(1, 8, Long));
  EXPECT_EQ(P.Names, (Names{"\xff\xc0\x80", "a\nb", Long}));
}

TEST(LinuxRecordsTest, ContinuesAfterFullOutput) {
  std::string Text = linuxRecord(1, 4, ".");
  for (int I = 0; I < 5; ++I)
    Text += linuxRecord(1, 8, std::string(size_t(I) + 1, 'n'));
  std::span<const char> Bytes = Text;
  std::array<DirectoryEntry, 2> Room;
  std::vector<size_t> Counts;
  Names Found;
  bool Malformed = false;
  do {
    Counts.push_back(parseLinuxEntries(Bytes, Room, Malformed));
    for (size_t I = 0; I < Counts.back(); ++I)
      Found.emplace_back(Room[I].Name);
  } while (Counts.back() != 0 && Counts.size() < 9);
  EXPECT_EQ(Counts, (std::vector<size_t>{2, 2, 1, 0}));
  EXPECT_EQ(Found, (Names{"n", "nn", "nnn", "nnnn", "nnnnn"}));
  EXPECT_FALSE(Malformed);
}

TEST(LinuxRecordsTest, KeepsRecordsBeforeMalformedOne) {
  const std::string Good = linuxRecord(1, 8, "good");
  const auto Size = static_cast<uint16_t>(linuxRecord(1, 8, "bad").size());
  const std::string Unterminated =
      linuxRecord(1, 8, "bad").replace(19, 5, "xxxxx");
  const std::initializer_list<std::string> Bad = {
      linuxRecord(1, 8, "bad", 0),
      linuxRecord(1, 8, "bad", 1),
      linuxRecord(1, 8, "bad", 19),
      linuxRecord(1, 8, "bad", 22), // ends before the name's zero
      linuxRecord(1, 8, "bad", Size + 1),
      linuxRecord(1, 8, "bad", 65535),
      linuxRecord(1, 8, ""),
      Unterminated,
      std::string(1, '\0'),
      std::string(18, '\0'),
      std::string(19, '\0'),
      std::string(64, '\0'),
  };
  for (const std::string &B : Bad) {
    const Parsed P = parseLinux(Good + B);
    EXPECT_TRUE(P.Malformed) << testing::PrintToString(B);
    EXPECT_TRUE(P.TookAll);
    EXPECT_EQ(P.Names, Names{"good"});
  }
  // A following record must not supply the missing zero.
  EXPECT_TRUE(parseLinux(Unterminated + Good).Malformed);
  EXPECT_EQ(parseLinux(Unterminated + Good).Names, Names{});
}

TEST(LinuxRecordsTest, AcceptsUnalignedAndEmptyInput) {
  const std::string Text = "?" + linuxRecord(7, 8, "odd");
  std::span<const char> Bytes = std::span(Text).subspan(1);
  std::array<DirectoryEntry, 4> Room;
  bool Malformed = true;
  ASSERT_EQ(parseLinuxEntries(Bytes, Room, Malformed), 1u);
  EXPECT_EQ(Room[0].Name, "odd");
  EXPECT_EQ(Room[0].Identity.Inode, 7u);
  EXPECT_EQ(parseLinuxEntries(Bytes, Room, Malformed), 0u);
  EXPECT_FALSE(Malformed);
}

//===----------------------------------------------------------------------===//
// getattrlistbulk
//===----------------------------------------------------------------------===//

constexpr uint32_t MacName = 0x80000001;
constexpr uint32_t MacError = 0x20000000;
constexpr uint32_t MacType = 0x8;
constexpr uint32_t MacModified = 0x400;
constexpr uint32_t MacChanged = 0x800;
constexpr uint32_t MacFlags = 0x40000;
constexpr uint32_t MacFileId = 0x2000000;
constexpr uint32_t MacAll =
    MacName | MacType | MacModified | MacChanged | MacFlags | MacFileId;
constexpr uint32_t MacMounted = 0x4;
constexpr uint32_t MacLength = 0x200;

struct MacEntry {
  std::string Name = "name";
  uint32_t Common = MacAll;
  uint32_t Directory = 0;
  uint32_t File = MacLength;
  uint32_t Type = 1;
  uint32_t Error = 0;
  uint32_t Flags = 0x20;
  uint32_t Mounted = 0;
  int64_t Seconds = 1'700'000'000;
  int64_t Nanoseconds = 123'456'789;
  std::optional<uint32_t> Length = {};
  int32_t NameShift = 0;
  std::optional<uint32_t> NameLength = {};
};

std::string macRecord(const MacEntry &E) {
  std::string R;
  append(R, uint32_t(0));
  for (const uint32_t Set : {E.Common, 0u, E.Directory, E.File, 0u})
    append(R, Set);
  if ((E.Common & MacError) != 0)
    append(R, E.Error);
  const size_t Reference = R.size();
  append(R, int32_t(0));
  append(R, uint32_t(0));
  if ((E.Common & MacType) != 0)
    append(R, E.Type);
  for (const uint32_t Time : {MacModified, MacChanged})
    if ((E.Common & Time) != 0) {
      append(R, E.Seconds + (Time == MacChanged ? 1 : 0));
      append(R, E.Nanoseconds);
    }
  if ((E.Common & MacFlags) != 0)
    append(R, E.Flags);
  if ((E.Common & MacFileId) != 0)
    append(R, uint64_t(0x1234567890abcdef));
  if ((E.Directory & MacMounted) != 0)
    append(R, E.Mounted);
  if ((E.File & MacLength) != 0)
    append(R, uint64_t(0x500000001));
  put(R, Reference, static_cast<int32_t>(R.size() - Reference) + E.NameShift);
  put(R, Reference + 4,
      E.NameLength.value_or(static_cast<uint32_t>(E.Name.size() + 1)));
  R += E.Name;
  R += '\0';
  R.resize((R.size() + 7) / 8 * 8, 'x');
  put(R, 0, E.Length.value_or(static_cast<uint32_t>(R.size())));
  return R;
}

Parsed parseMac(const std::string &Text, size_t Room = 64) {
  return parse(
      [](std::span<const char> &B, std::span<DirectoryEntry> Into,
         bool &Malformed) {
        return parseMacEntries(B, 0xfedcba98, Into, Malformed);
      },
      Text, Room);
}

TEST(MacRecordsTest, ReadsCompleteEntries) {
  const Parsed P = parseMac(
      macRecord({.Name = "a.o"}) +
      macRecord({.Name = "b", .Directory = MacMounted, .File = 0, .Type = 2}));
  EXPECT_FALSE(P.Malformed);
  EXPECT_TRUE(P.TookAll);
  ASSERT_EQ(P.Names, (Names{"a.o", "b"}));
  EXPECT_EQ(P.Entries[0].Type, EntryType::Regular);
  EXPECT_TRUE(P.Entries[0].HasStatus);
  EXPECT_EQ(
      P.Entries[0].Identity,
      (FileIdentity{0xfedcba98, 0x1234567890abcdef, 0x500000001,
                    1'700'000'000'123'456'789, 1'700'000'001'123'456'789}));
  EXPECT_EQ(P.Entries[1].Type, EntryType::Directory);
  EXPECT_TRUE(P.Entries[1].HasStatus) << "a directory has no length";
  EXPECT_EQ(P.Entries[1].Identity, (FileIdentity{0xfedcba98, 0x1234567890abcdef,
                                                 0, 1'700'000'000'123'456'789,
                                                 1'700'000'001'123'456'789}));
}

TEST(MacRecordsTest, MountPointsAndFirmlinksHaveNoStatus) {
  const std::string Text = macRecord({.Name = "mount",
                                      .Directory = MacMounted,
                                      .File = 0,
                                      .Type = 2,
                                      .Mounted = 1}) +
                           macRecord({.Name = "trigger",
                                      .Directory = MacMounted,
                                      .File = 0,
                                      .Type = 2,
                                      .Mounted = 2}) +
                           macRecord({.Name = "firmlink",
                                      .Directory = MacMounted,
                                      .File = 0,
                                      .Type = 2,
                                      .Flags = 0x800000}) +
                           macRecord({.Name = "unsaid", .File = 0, .Type = 2}) +
                           macRecord({.Name = "unflagged",
                                      .Common = MacAll & ~MacFlags,
                                      .Directory = MacMounted,
                                      .File = 0,
                                      .Type = 2});
  const Parsed P = parseMac(Text);
  EXPECT_FALSE(P.Malformed);
  ASSERT_EQ(P.Names,
            (Names{"mount", "trigger", "firmlink", "unsaid", "unflagged"}));
  FileIdentity Hint;
  Hint.Inode = 0x1234567890abcdef;
  for (const size_t I : {0, 1, 2, 3}) {
    EXPECT_EQ(P.Entries[I].Type, EntryType::Directory);
    EXPECT_FALSE(P.Entries[I].HasStatus) << P.Names[I];
    EXPECT_EQ(P.Entries[I].Identity, Hint);
  }
  EXPECT_TRUE(P.Entries[4].HasStatus);
}

TEST(MacRecordsTest, MapsEveryType) {
  const std::initializer_list<std::pair<uint32_t, EntryType>> Types = {
      {0, EntryType::Unknown},         {1, EntryType::Regular},
      {2, EntryType::Directory},       {3, EntryType::BlockDevice},
      {4, EntryType::CharacterDevice}, {5, EntryType::Link},
      {6, EntryType::Socket},          {7, EntryType::Fifo},
      {8, EntryType::Unknown},         {~0u, EntryType::Unknown}};
  for (const auto &[Number, Type] : Types) {
    const bool IsDirectory = Type == EntryType::Directory;
    const Parsed P =
        parseMac(macRecord({.Directory = IsDirectory ? MacMounted : 0,
                            .File = IsDirectory ? 0 : MacLength,
                            .Type = Number}));
    ASSERT_EQ(P.Entries.size(), 1u);
    EXPECT_EQ(P.Entries[0].Type, Type) << Number;
    EXPECT_EQ(P.Entries[0].HasStatus, Type != EntryType::Unknown);
  }
}

TEST(MacRecordsTest, IncompleteEntryHasNoStatus) {
  for (const uint32_t Missing : {MacType, MacModified, MacChanged, MacFileId}) {
    const Parsed P = parseMac(macRecord({.Common = MacAll & ~Missing}));
    ASSERT_EQ(P.Names, Names{"name"}) << Missing;
    EXPECT_FALSE(P.Entries[0].HasStatus) << Missing;
    // At most, the identity has a hint of the inode.
    FileIdentity Hint;
    Hint.Inode = Missing == MacFileId ? 0 : 0x1234567890abcdef;
    EXPECT_EQ(P.Entries[0].Identity, Hint);
    EXPECT_EQ(P.Entries[0].Type,
              Missing == MacType ? EntryType::Unknown : EntryType::Regular);
  }
  EXPECT_FALSE(parseMac(macRecord({.File = 0})).Entries[0].HasStatus);
  const Parsed NameOnly = parseMac(macRecord({.Common = MacName, .File = 0}));
  ASSERT_EQ(NameOnly.Names, Names{"name"});
  EXPECT_EQ(NameOnly.Entries[0].Type, EntryType::Unknown);
}

TEST(MacRecordsTest, EntryWithErrorHasOnlyName) {
  const Parsed P = parseMac(
      macRecord({.Name = "short",
                 .Common = MacName | MacError,
                 .File = 0,
                 .Error = 1}) +
      macRecord({.Name = "full", .Common = MacAll | MacError, .Error = 13}) +
      macRecord({.Name = "fine", .Common = MacAll | MacError, .Error = 0}));
  EXPECT_FALSE(P.Malformed);
  ASSERT_EQ(P.Names, (Names{"short", "full", "fine"}));
  for (size_t I : {0, 1}) {
    EXPECT_FALSE(P.Entries[I].HasStatus);
    EXPECT_EQ(P.Entries[I].Type, EntryType::Unknown);
    EXPECT_EQ(P.Entries[I].Identity, FileIdentity());
  }
  EXPECT_TRUE(P.Entries[2].HasStatus);
  EXPECT_EQ(P.Entries[2].Type, EntryType::Regular);
}

TEST(MacRecordsTest, SkipsDotEntriesAndKeepsAnyBytes) {
  const Parsed P =
      parseMac(macRecord({.Name = "."}) + macRecord({.Name = "..", .Type = 2}) +
               macRecord({.Name = "..."}) + macRecord({.Name = "\xff\xfe"}));
  EXPECT_EQ(P.Names, (Names{"...", "\xff\xfe"}));
  EXPECT_FALSE(P.Malformed);
}

TEST(MacRecordsTest, ClampsTimesToNanosecondRange) {
  constexpr int64_t Most = std::numeric_limits<int64_t>::max();
  const Parsed P = parseMac(macRecord({.Seconds = Most - 1}) +
                            macRecord({.Seconds = -Most}) +
                            macRecord({.Seconds = 5, .Nanoseconds = -7}) +
                            macRecord({.Seconds = -5, .Nanoseconds = 7}));
  ASSERT_EQ(P.Entries.size(), 4u);
  EXPECT_GT(P.Entries[0].Identity.ModifiedNs, Most / 100 * 99);
  EXPECT_LT(P.Entries[1].Identity.ModifiedNs, -(Most / 100 * 99));
  EXPECT_EQ(P.Entries[2].Identity.ModifiedNs, 5'000'000'000);
  EXPECT_EQ(P.Entries[3].Identity.ModifiedNs, -4'999'999'993);
}

TEST(MacRecordsTest, KeepsRecordsBeforeMalformedOne) {
  const std::string Good = macRecord({.Name = "good"});
  const auto Size = static_cast<uint32_t>(macRecord({}).size());
  const std::initializer_list<MacEntry> Bad = {
      {.Length = 0},
      {.Length = 4},
      {.Length = 23},
      {.Length = 24},        // no room for a name
      {.Length = 32},        // room for the reference only
      {.Length = 30},        // not a multiple of 4
      {.Length = Size - 16}, // ends before the name does
      {.Length = Size - 2},  // after its name, not a multiple of 4
      {.Length = Size + 4},
      {.Length = ~uint32_t(0)},
      {.Name = ""},
      {.NameShift = -1000},
      {.NameShift = -71}, // into the set of attributes
      {.NameShift = 1000},
      {.NameShift = std::numeric_limits<int32_t>::min()},
      {.NameShift = 0x7fffff00},
      {.NameLength = 0},
      {.NameLength = 4},               // without the terminating zero
      {.Common = MacAll & ~1u},        // no name
      {.Common = MacAll | 0x4},        // ATTR_CMN_FSID was not requested
      {.Common = MacAll | 0x10000000}, // nor was ATTR_CMN_ADDEDTIME
      {.Common = MacAll | 0x2},        // nor was ATTR_CMN_DEVID
      {.Directory = MacMounted | 0x1}, // nor was ATTR_DIR_LINKCOUNT
      {.File = MacLength | 0x1},       // nor was ATTR_FILE_LINKCOUNT
  };
  for (const MacEntry &B : Bad) {
    const Parsed P = parseMac(Good + macRecord(B));
    EXPECT_TRUE(P.Malformed) << testing::PrintToString(macRecord(B));
    EXPECT_TRUE(P.TookAll);
    EXPECT_EQ(P.Names, Names{"good"});
  }
  for (const size_t Group : {8, 12, 20}) { // volume, directory, fork
    std::string Text = macRecord({});
    put(Text, Group, uint32_t(1));
    EXPECT_TRUE(parseMac(Text).Malformed) << Group;
  }
  for (const size_t Cut : {1, 3, 4, 23, 24, 31})
    EXPECT_TRUE(parseMac(macRecord({}).substr(0, Cut)).Malformed) << Cut;
  EXPECT_TRUE(parseMac(macRecord({.Length = 8}).substr(0, 24)).Malformed);
  // A name of the claimed length begins inside the record and ends outside it.
  std::string Text = macRecord({.Name = "unended", .NameLength = ~uint32_t(0)});
  std::replace(Text.end() - 8, Text.end(), '\0', 'x');
  EXPECT_TRUE(parseMac(Text + Good).Malformed);
}

TEST(MacRecordsTest, TakesRequestedNumberOfRecords) {
  const std::string A = macRecord({.Name = "a"});
  const std::string B = macRecord({.Name = "a longer name"});
  const std::string Left(100, '\xab'); // left by the previous call
  const std::string Text = A + B + Left;
  EXPECT_EQ(takeMacRecords(Text, 0).size(), 0u);
  EXPECT_EQ(takeMacRecords(Text, 1).size(), A.size());
  EXPECT_EQ(takeMacRecords(Text, 2).size(), A.size() + B.size());
  EXPECT_EQ(takeMacRecords(Text, 3).size(), Text.size());
  EXPECT_EQ(takeMacRecords(Text, ~size_t(0)).size(), Text.size());
  std::span<const char> Three = takeMacRecords(Text, 3);
  std::array<DirectoryEntry, 8> Room;
  bool Malformed = false;
  EXPECT_EQ(parseMacEntries(Three, 1, Room, Malformed), 2u);
  EXPECT_TRUE(Malformed);
}

} // namespace
