//===- FormatsTestSupport.h - Sources and parts for tests -------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A file of which only the head exists, and comparisons of parts.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FORMATS_FORMATSTESTSUPPORT_H
#define HEADSTART_UNITTESTS_FORMATS_FORMATSTESTSUPPORT_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace headstart {
// Argument-dependent lookup finds this when a comparison fails.
inline void PrintTo(const LayoutPart &P, std::ostream *OS) {
  *OS << partName(P.Kind).str() << " [" << P.Range.Offset << ", "
      << P.Range.end() << ")";
}
inline bool operator==(const LayoutPart &A, const LayoutPart &B) {
  return A.Range == B.Range && A.Kind == B.Kind;
}
} // namespace headstart

namespace headstart::test {

/// Claims to have more bytes than its head, of which a read fails. Records the
/// requested ranges.
class HeadOnly final : public ByteSource {
public:
  explicit HeadOnly(std::string Head, uint64_t FileSize = 0)
      : ByteSource(std::max<uint64_t>(FileSize, FileSize ? 0 : Head.size())),
        Head(std::move(Head)) {}

  std::vector<ByteRange> Requested, Announced;

  void willRead(llvm::ArrayRef<ByteRange> Ranges) override {
    Announced.insert(Announced.end(), Ranges.begin(), Ranges.end());
  }

private:
  std::optional<llvm::StringRef>
  readInside(ByteRange Range, llvm::SmallVectorImpl<char> *) override {
    Requested.push_back(Range);
    if (Range.end() > Head.size())
      return std::nullopt;
    // A block of exactly that size, so that a sanitizer reports a read past it.
    Last.assign(Head.begin() + Range.Offset, Head.begin() + Range.end());
    return llvm::StringRef(Last.data(), Last.size());
  }

  std::string Head;
  std::vector<char> Last;
};

/// Expects that the parts are in order, within the file and disjoint.
inline void expectSane(const std::vector<LayoutPart> &Parts,
                       uint64_t FileSize) {
  uint64_t End = 0;
  for (const LayoutPart &P : Parts) {
    EXPECT_GE(P.Range.Offset, End);
    EXPECT_GT(P.Range.Length, 0U);
    ASSERT_LE(P.Range.Length, FileSize);
    EXPECT_LE(P.Range.Offset, FileSize - P.Range.Length);
    End = P.Range.end();
  }
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FORMATS_FORMATSTESTSUPPORT_H
