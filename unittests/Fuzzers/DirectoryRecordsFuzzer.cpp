//===- DirectoryRecordsFuzzer.cpp - Any bytes as a directory's records ----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost.h"
#include "headstart/OS/DirectoryRecords.h"
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace headstart::os;

namespace {

/// The result of a parser, read in steps of \p Room entries.
struct Listing {
  std::vector<DirectoryEntry> Entries;
  bool Malformed = false;
};

enum class NameKind { Bytes, Units };

} // namespace

static void require(bool Holds) {
  if (!Holds)
    abort();
}

static bool isDots(std::string_view Name, NameKind Kind) {
  std::string_view Two(".\0.\0", 4);
  return Kind == NameKind::Bytes ? Name == "." || Name == ".."
                                 : Name == Two || Name == Two.substr(0, 2);
}

template <class Function>
static Listing list(Function Parser, std::span<const char> Bytes, size_t Room,
                    NameKind Kind) {
  const std::span<const char> All = Bytes;
  std::vector<DirectoryEntry> Into(Room);
  Listing Result;
  while (!Bytes.empty()) {
    const size_t Before = Bytes.size();
    const size_t Count = Parser(Bytes, std::span(Into), Result.Malformed);
    require(Count <= Room);
    require(Bytes.size() < Before); // otherwise it would never end
    require(Bytes.empty() || Count == Room);
    require(!Result.Malformed || Bytes.empty());
    Result.Entries.insert(Result.Entries.end(), Into.begin(),
                          Into.begin() + static_cast<ptrdiff_t>(Count));
  }
  for (const DirectoryEntry &E : Result.Entries) {
    const char *End = E.Name.data() + E.Name.size();
    require(!E.Name.empty() && !isDots(E.Name, Kind));
    require(E.Name.data() >= All.data() && End <= All.data() + All.size());
    if (Kind == NameKind::Units)
      require(E.Name.size() % 2 == 0);
    else
      require(End < All.data() + All.size() && *End == '\0' &&
              E.Name.find('\0') == std::string_view::npos);
    // Without a status, an identity has at most a hint of the inode.
    FileIdentity Hint;
    Hint.Inode = E.Identity.Inode;
    require(E.HasStatus || E.Identity == Hint);
    require(E.HasStatus || !E.StatusIsHint);
  }
  return Result;
}

/// Requires the same result for any room.
template <class Function>
static void check(Function Parser, std::span<const char> Bytes, NameKind Kind) {
  const Listing One = list(Parser, Bytes, 1, Kind);
  const Listing Many = list(Parser, Bytes, 7, Kind);
  require(One.Malformed == Many.Malformed);
  require(One.Entries.size() == Many.Entries.size());
  for (size_t I = 0; I < One.Entries.size(); ++I) {
    const DirectoryEntry &A = One.Entries[I];
    const DirectoryEntry &B = Many.Entries[I];
    require(A.Name.data() == B.Name.data() && A.Name.size() == B.Name.size());
    require(A.Identity == B.Identity && A.Type == B.Type &&
            A.HasStatus == B.HasStatus && A.StatusIsHint == B.StatusIsHint);
  }
}

static constexpr headstart::fuzz::CostLimits Limits = {
    .Read = {0, 0},
    .Allocated = {64, 16 << 10},
    .Steps = {256, 5000},
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  headstart::fuzz::Cost Cost(Size, Limits);
  if (Size < 2)
    return 0;
  const std::span<const char> Bytes(reinterpret_cast<const char *>(Data) + 2,
                                    Size - 2);
  switch (Data[0] % 3) {
  case 0:
    check(parseLinuxEntries, Bytes, NameKind::Bytes);
    break;
  case 1: {
    const std::span<const char> Taken = takeMacRecords(Bytes, Data[1]);
    require(Taken.data() == Bytes.data() && Taken.size() <= Bytes.size());
    check(
        [](std::span<const char> &B, std::span<DirectoryEntry> Into,
           bool &Malformed) { return parseMacEntries(B, 7, Into, Malformed); },
        Taken, NameKind::Bytes);
    break;
  }
  default:
    check(parseWindowsEntries, Bytes, NameKind::Units);
    break;
  }
  return 0;
}
