//===- DirectoryRecordsTest.cpp - Records built by hand -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/DirectoryRecords.h"

#include "gtest/gtest.h"

#include <array>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace headstart;
using namespace headstart::os;

namespace {

template <typename T> void append(std::string &Bytes, T Value) {
  Bytes.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

template <typename T> void put(std::string &Bytes, size_t At, T Value) {
  std::memcpy(Bytes.data() + At, &Value, sizeof(Value));
}

std::string bytesOf(std::u16string_view Text) {
  return {reinterpret_cast<const char *>(Text.data()), Text.size() * 2};
}

/// What a parser made of some bytes. The bytes are copied into a block of their
/// own size, so that AddressSanitizer sees a read past them.
struct Parsed {
  std::vector<DirectoryEntry> Entries;
  std::vector<std::string> Names;
  bool Malformed = false;
  bool TookAll = false;
};

template <class Function>
Parsed parse(Function Parser, const std::string &Text, size_t Room = 64) {
  const std::vector<char> Block(Text.begin(), Text.end());
  std::span<const char> Bytes = Block;
  Parsed Result;
  Result.Entries.resize(Room);
  const size_t Count =
      Parser(Bytes, std::span(Result.Entries), Result.Malformed);
  EXPECT_LE(Count, Room);
  Result.Entries.resize(std::min(Count, Room));
  for (DirectoryEntry &E : Result.Entries) {
    EXPECT_GE(E.Name.data(), Block.data());
    EXPECT_LE(E.Name.data() + E.Name.size(), Block.data() + Block.size());
    Result.Names.emplace_back(E.Name);
    E.Name = {}; // the block ends with this function
  }
  Result.TookAll = Bytes.empty();
  return Result;
}

using Names = std::vector<std::string>;

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
  // What the kernel leaves behind the name's zero is anything.
  Record += '\0';
  Record.resize(Bytes, 'x');
  return Record;
}

Parsed parseLinux(const std::string &Text, size_t Room = 64) {
  return parse(parseLinuxEntries, Text, Room);
}

TEST(LinuxRecordsTest, ReadsNamesTypesAndInodes) {
  const Parsed P = parseLinux(linuxRecord(7, 8, "a.o") +
                              linuxRecord(~uint64_t(0), 4, "folder") +
                              linuxRecord(9, 10, "link"));
  EXPECT_FALSE(P.Malformed);
  EXPECT_TRUE(P.TookAll);
  ASSERT_EQ(P.Names, (Names{"a.o", "folder", "link"}));
  EXPECT_EQ(P.Entries[0].Type, EntryType::Regular);
  EXPECT_EQ(P.Entries[1].Type, EntryType::Directory);
  EXPECT_EQ(P.Entries[2].Type, EntryType::Link);
  EXPECT_EQ(P.Entries[0].Identity, (FileIdentity{0, 7, 0, 0, 0}));
  EXPECT_EQ(P.Entries[1].Identity.Inode, ~uint64_t(0));
  for (const DirectoryEntry &E : P.Entries)
    EXPECT_FALSE(E.HasStatus);
}

TEST(LinuxRecordsTest, KnowsEveryType) {
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

TEST(LinuxRecordsTest, LeavesOutDotsAndNothingElse) {
  std::string Text;
  for (const char *Name : {".", "..", "...", ".x", "..x", "x.", "x.."})
    Text += linuxRecord(1, 4, Name);
  EXPECT_EQ(parseLinux(Text).Names, (Names{"...", ".x", "..x", "x.", "x.."}));
}

TEST(LinuxRecordsTest, NamesAreAnyBytes) {
  const std::string Long(255, '\xfe');
  const Parsed P =
      parseLinux(linuxRecord(1, 8, "\xff\xc0\x80") + linuxRecord(1, 8, "a\nb") +
                 linuxRecord(1, 8, Long));
  EXPECT_EQ(P.Names, (Names{"\xff\xc0\x80", "a\nb", Long}));
}

TEST(LinuxRecordsTest, GoesOnWhereTheRoomEnded) {
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

TEST(LinuxRecordsTest, RefusesImpossibleRecordsAndKeepsThoseBefore) {
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
  // What has a record behind it must not lend it a zero.
  EXPECT_TRUE(parseLinux(Unterminated + Good).Malformed);
  EXPECT_EQ(parseLinux(Unterminated + Good).Names, Names{});
}

TEST(LinuxRecordsTest, NeedsNoAlignmentAndMakesNothingOfNothing) {
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
  uint32_t Folder = 0;
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
  for (const uint32_t Set : {E.Common, 0u, E.Folder, E.File, 0u})
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
  if ((E.Folder & MacMounted) != 0)
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

TEST(MacRecordsTest, ReadsWholeEntries) {
  const Parsed P = parseMac(
      macRecord({.Name = "a.o"}) +
      macRecord({.Name = "b", .Folder = MacMounted, .File = 0, .Type = 2}));
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
  EXPECT_TRUE(P.Entries[1].HasStatus) << "a folder has no length";
  EXPECT_EQ(P.Entries[1].Identity, (FileIdentity{0xfedcba98, 0x1234567890abcdef,
                                                 0, 1'700'000'000'123'456'789,
                                                 1'700'000'001'123'456'789}));
}

TEST(MacRecordsTest, AFolderThatLeadsElsewhereHasNoStatus) {
  const std::string Text = macRecord({.Name = "mount",
                                      .Folder = MacMounted,
                                      .File = 0,
                                      .Type = 2,
                                      .Mounted = 1}) +
                           macRecord({.Name = "trigger",
                                      .Folder = MacMounted,
                                      .File = 0,
                                      .Type = 2,
                                      .Mounted = 2}) +
                           macRecord({.Name = "firmlink",
                                      .Folder = MacMounted,
                                      .File = 0,
                                      .Type = 2,
                                      .Flags = 0x800000}) +
                           macRecord({.Name = "unsaid", .File = 0, .Type = 2}) +
                           macRecord({.Name = "unflagged",
                                      .Common = MacAll & ~MacFlags,
                                      .Folder = MacMounted,
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

TEST(MacRecordsTest, KnowsEveryType) {
  const std::initializer_list<std::pair<uint32_t, EntryType>> Types = {
      {0, EntryType::Unknown},         {1, EntryType::Regular},
      {2, EntryType::Directory},       {3, EntryType::BlockDevice},
      {4, EntryType::CharacterDevice}, {5, EntryType::Link},
      {6, EntryType::Socket},          {7, EntryType::Fifo},
      {8, EntryType::Unknown},         {~0u, EntryType::Unknown}};
  for (const auto &[Number, Type] : Types) {
    const bool IsFolder = Type == EntryType::Directory;
    const Parsed P = parseMac(macRecord({.Folder = IsFolder ? MacMounted : 0,
                                         .File = IsFolder ? 0 : MacLength,
                                         .Type = Number}));
    ASSERT_EQ(P.Entries.size(), 1u);
    EXPECT_EQ(P.Entries[0].Type, Type) << Number;
    EXPECT_EQ(P.Entries[0].HasStatus, Type != EntryType::Unknown);
  }
}

TEST(MacRecordsTest, AnEntryThatLacksSomethingHasNoStatus) {
  for (const uint32_t Missing : {MacType, MacModified, MacChanged, MacFileId}) {
    const Parsed P = parseMac(macRecord({.Common = MacAll & ~Missing}));
    ASSERT_EQ(P.Names, Names{"name"}) << Missing;
    EXPECT_FALSE(P.Entries[0].HasStatus) << Missing;
    // Of the identity, a hint at most.
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

TEST(MacRecordsTest, AnEntryWithAnErrorIsAName) {
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

TEST(MacRecordsTest, LeavesOutDotsAndKeepsAnyBytes) {
  const Parsed P =
      parseMac(macRecord({.Name = "."}) + macRecord({.Name = "..", .Type = 2}) +
               macRecord({.Name = "..."}) + macRecord({.Name = "\xff\xfe"}));
  EXPECT_EQ(P.Names, (Names{"...", "\xff\xfe"}));
  EXPECT_FALSE(P.Malformed);
}

TEST(MacRecordsTest, TimesThatNanosecondsCannotSayAreTheNearest) {
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

TEST(MacRecordsTest, RefusesImpossibleRecordsAndKeepsThoseBefore) {
  const std::string Good = macRecord({.Name = "good"});
  const auto Size = static_cast<uint32_t>(macRecord({}).size());
  const std::initializer_list<MacEntry> Bad = {
      {.Length = 0},
      {.Length = 4},
      {.Length = 23},
      {.Length = 24},        // room for no name
      {.Length = 32},        // room for the reference alone
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
      {.NameLength = 4},               // without its zero
      {.Common = MacAll & ~1u},        // no name
      {.Common = MacAll | 0x4},        // ATTR_CMN_FSID was not asked for
      {.Common = MacAll | 0x10000000}, // ATTR_CMN_ADDEDTIME neither
      {.Common = MacAll | 0x2},        // nor ATTR_CMN_DEVID
      {.Folder = MacMounted | 0x1},    // nor ATTR_DIR_LINKCOUNT
      {.File = MacLength | 0x1},       // nor ATTR_FILE_LINKCOUNT
  };
  for (const MacEntry &B : Bad) {
    const Parsed P = parseMac(Good + macRecord(B));
    EXPECT_TRUE(P.Malformed) << testing::PrintToString(macRecord(B));
    EXPECT_TRUE(P.TookAll);
    EXPECT_EQ(P.Names, Names{"good"});
  }
  for (const size_t Group : {8, 12, 20}) { // volume, folder, fork
    std::string Text = macRecord({});
    put(Text, Group, uint32_t(1));
    EXPECT_TRUE(parseMac(Text).Malformed) << Group;
  }
  for (const size_t Cut : {1, 3, 4, 23, 24, 31})
    EXPECT_TRUE(parseMac(macRecord({}).substr(0, Cut)).Malformed) << Cut;
  EXPECT_TRUE(parseMac(macRecord({.Length = 8}).substr(0, 24)).Malformed);
  // A name as long as it claims to be, which begins inside and ends outside.
  std::string Text = macRecord({.Name = "unended", .NameLength = ~uint32_t(0)});
  std::replace(Text.end() - 8, Text.end(), '\0', 'x');
  EXPECT_TRUE(parseMac(Text + Good).Malformed);
}

TEST(MacRecordsTest, TakesSoManyRecords) {
  const std::string A = macRecord({.Name = "a"});
  const std::string B = macRecord({.Name = "a longer name"});
  const std::string Left(100, '\xab'); // of the call before
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

//===----------------------------------------------------------------------===//
// FILE_ID_BOTH_DIR_INFO
//===----------------------------------------------------------------------===//

/// 2023-11-14 22:13:20.1234567 as Windows has it.
constexpr int64_t FileTime = 116'444'736'000'000'000 + 17'000'000'001'234'567;

struct WindowsEntry {
  std::u16string Name = u"name";
  uint32_t Attributes = 0x20; // FILE_ATTRIBUTE_ARCHIVE
  uint32_t Tag = 0;
  uint64_t Id = 0x1234567890abcdef;
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
  append(R, uint8_t(6)); // ShortNameLength
  R.resize(96, 'x');
  append(R, E.Id);
  R += Name;
  if (!E.Last)
    R.resize((R.size() + 7) / 8 * 8, 'x');
  put(R, 0, E.Next.value_or(E.Last ? 0 : static_cast<uint32_t>(R.size())));
  return R;
}

constexpr uint64_t Volume = 0xfeed;

Parsed parseWindows(const std::string &Text, size_t Room = 64) {
  return parse(
      [](std::span<const char> &Bytes, std::span<DirectoryEntry> Into,
         bool &Malformed) {
        return parseWindowsEntries(Bytes, Volume, Into, Malformed);
      },
      Text, Room);
}

TEST(WindowsRecordsTest, ReadsWholeEntries) {
  const Parsed P = parseWindows(
      windowsRecord({.Name = u"a.obj"}) +
      windowsRecord({.Name = u"\u00e4\u20ac\xd800", .Attributes = 0x10}) +
      windowsRecord({.Name = u"last", .Last = true}) + std::string(99, 'x'));
  EXPECT_FALSE(P.Malformed);
  EXPECT_TRUE(P.TookAll);
  ASSERT_EQ(P.Names, (Names{bytesOf(u"a.obj"), bytesOf(u"\u00e4\u20ac\xd800"),
                            bytesOf(u"last")}));
  EXPECT_EQ(P.Entries[0].Type, EntryType::Regular);
  EXPECT_EQ(P.Entries[1].Type, EntryType::Directory);
  for (const DirectoryEntry &E : P.Entries) {
    EXPECT_TRUE(E.HasStatus);
    EXPECT_EQ(E.Identity, (FileIdentity{Volume, 0x1234567890abcdef, 0x500000001,
                                        1'700'000'000'123'456'700,
                                        1'700'000'000'123'457'700}));
  }
}

TEST(WindowsRecordsTest, TellsLinksFromFilesWithATag) {
  struct Case {
    uint32_t Attributes;
    uint32_t Tag;
    EntryType Type;
  };
  for (const Case &C : std::initializer_list<Case>{
           {0x400, 0xA000000C, EntryType::Link}, // symbolic link
           {0x410, 0xA000000C, EntryType::Link}, // ... to a folder
           {0x410, 0xA0000003, EntryType::Link}, // junction
           {0x400, 0xA000001D, EntryType::Link}, // of WSL
           {0x400, 0x80000023, EntryType::Socket},
           {0x400, 0x80000024, EntryType::Fifo},
           {0x400, 0x80000025, EntryType::CharacterDevice},
           {0x400, 0x80000026, EntryType::BlockDevice},
           {0x400, 0x80000017, EntryType::Regular},   // WOF: compressed
           {0x410, 0x9000001A, EntryType::Directory}, // in the cloud
           {0x20, 0xA000000C, EntryType::Regular},    // a size of EAs
           {0x10, 0xA0000003, EntryType::Directory}}) {
    const WindowsEntry E{.Attributes = C.Attributes, .Tag = C.Tag};
    const Parsed P = parseWindows(windowsRecord(E));
    ASSERT_EQ(P.Entries.size(), 1u);
    EXPECT_EQ(P.Entries[0].Type, C.Type) << std::hex << C.Tag;
  }
}

TEST(WindowsRecordsTest, SaysWhereThereIsNoId) {
  for (const uint64_t Id : {uint64_t(0), ~uint64_t(0)}) {
    const Parsed P = parseWindows(windowsRecord({.Id = Id}));
    ASSERT_EQ(P.Entries.size(), 1u);
    EXPECT_TRUE(P.Entries[0].HasStatus);
    EXPECT_EQ(P.Entries[0].Identity.Device, 0u);
    EXPECT_EQ(P.Entries[0].Identity.Inode, 0u);
    EXPECT_EQ(P.Entries[0].Identity.Size, 0x500000001u);
  }
}

TEST(WindowsRecordsTest, LeavesOutDotsAndNothingElse) {
  const Parsed P = parseWindows(
      windowsRecord({.Name = u"."}) + windowsRecord({.Name = u".."}) +
      windowsRecord({.Name = u"..."}) + windowsRecord({.Name = u".a"}) +
      windowsRecord({.Name = u"\u2e2e"}));
  EXPECT_EQ(P.Names,
            (Names{bytesOf(u"..."), bytesOf(u".a"), bytesOf(u"\u2e2e")}));
}

TEST(WindowsRecordsTest, RefusesImpossibleRecordsAndKeepsThoseBefore) {
  const std::string Good = windowsRecord({.Name = u"good"});
  const auto Size = static_cast<uint32_t>(windowsRecord({}).size());
  const std::initializer_list<WindowsEntry> Bad = {
      {.Next = 8},        // into its own head
      {.Next = 104},      // over its own name
      {.Next = Size + 8}, // beyond the end
      {.Next = Size - 4}, // between boundaries
      {.Name = u"na", .Next = 108},
      {.Next = 0xfffffff8},
      {.Next = 0x80000000},
      {.NameLength = 0},
      {.NameLength = 7},
      {.NameLength = 10}, // longer than the record
      {.NameLength = 0xfffffffe},
      {.Last = true, .NameLength = 10},
      {.Name = u"", .Last = true},
  };
  for (const WindowsEntry &B : Bad) {
    const Parsed P = parseWindows(Good + windowsRecord(B));
    EXPECT_TRUE(P.Malformed) << testing::PrintToString(windowsRecord(B));
    EXPECT_TRUE(P.TookAll);
    EXPECT_EQ(P.Names, Names{bytesOf(u"good")});
  }
  for (const size_t Cut : {1, 4, 63, 103, 104, 105})
    EXPECT_TRUE(
        parseWindows(windowsRecord({.Last = true}).substr(0, Cut)).Malformed)
        << Cut;
}

TEST(WindowsRecordsTest, TurnsTimesIntoNanoseconds) {
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

//===----------------------------------------------------------------------===//
// WIN32_FIND_DATAW
//===----------------------------------------------------------------------===//

std::string findData(std::u16string_view Name, uint32_t Attributes = 0x20,
                     uint32_t Tag = 0) {
  std::string R;
  append(R, Attributes);
  append(R, int64_t(-1)); // ftCreationTime
  append(R, int64_t(-1)); // ftLastAccessTime
  append(R, FileTime);    // ftLastWriteTime
  append(R, uint32_t(5)); // nFileSizeHigh
  append(R, uint32_t(1)); // nFileSizeLow
  append(R, Tag);         // dwReserved0
  append(R, uint32_t(-1));
  R += bytesOf(Name);
  if (Name.size() < 260)
    append(R, char16_t(0));
  R.resize(592, 'x');
  return R;
}

Parsed parseFind(const std::string &Text, size_t Room = 64) {
  return parse(parseFindData, Text, Room);
}

TEST(FindDataTest, ReadsSizeAndTimeButNoId) {
  const std::u16string Long(259, u'\u00e4');
  const Parsed P =
      parseFind(findData(u".") + findData(u"a.obj") + findData(u"..") +
                findData(Long, 0x10) + findData(u"l", 0x400, 0xA000000C));
  EXPECT_FALSE(P.Malformed);
  ASSERT_EQ(P.Names, (Names{bytesOf(u"a.obj"), bytesOf(Long), bytesOf(u"l")}));
  EXPECT_EQ(P.Entries[0].Type, EntryType::Regular);
  EXPECT_EQ(P.Entries[1].Type, EntryType::Directory);
  EXPECT_EQ(P.Entries[2].Type, EntryType::Link);
  for (const DirectoryEntry &E : P.Entries) {
    EXPECT_TRUE(E.HasStatus);
    EXPECT_EQ(E.Identity,
              (FileIdentity{0, 0, 0x500000001, 1'700'000'000'123'456'700, 0}));
  }
}

TEST(FindDataTest, RefusesImpossibleRecordsAndKeepsThoseBefore) {
  const std::string Good = findData(u"good");
  const std::initializer_list<std::string> Bad = {
      findData(u""), findData(std::u16string(260, u'x')),
      findData(u"cut").substr(0, 591), findData(u"cut").substr(0, 44), "x"};
  for (const std::string &B : Bad) {
    const Parsed P = parseFind(Good + B);
    EXPECT_TRUE(P.Malformed) << B.size();
    EXPECT_TRUE(P.TookAll);
    EXPECT_EQ(P.Names, Names{bytesOf(u"good")});
  }
}

} // namespace
