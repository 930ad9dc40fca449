//===- RecordTestSupport.h - Records made up, and parsed --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_OS_RECORDTESTSUPPORT_H
#define HEADSTART_UNITTESTS_OS_RECORDTESTSUPPORT_H

#include "headstart/OS/DirectoryRecords.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headstart::os::test {

template <typename T> void append(std::string &Bytes, T Value) {
  Bytes.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

template <typename T> void put(std::string &Bytes, size_t At, T Value) {
  std::memcpy(Bytes.data() + At, &Value, sizeof(Value));
}

inline std::string bytesOf(std::u16string_view Text) {
  return {reinterpret_cast<const char *>(Text.data()), Text.size() * 2};
}

/// The result of a parser. The bytes are parsed in a block of their own size,
/// so that AddressSanitizer reports a read past them.
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
    E.Name = {}; // the block is freed when this function returns
  }
  Result.TookAll = Bytes.empty();
  return Result;
}

using Names = std::vector<std::string>;

/// Expects that \p Parser refuses \p Bad, and returns the record \p Good before
/// it, whose name is "good".
template <class Function>
void expectRefused(Function Parser, const std::string &Good,
                   const std::string &Bad) {
  const Parsed P = Parser(Good + Bad, 64);
  EXPECT_TRUE(P.Malformed) << testing::PrintToString(Bad);
  EXPECT_TRUE(P.TookAll);
  EXPECT_EQ(P.Names, Names{bytesOf(u"good")});
}

} // namespace headstart::os::test

#endif // HEADSTART_UNITTESTS_OS_RECORDTESTSUPPORT_H
