//===- ByteRange.h - A run of bytes in a file -------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_OS_BYTERANGE_H
#define HEADSTART_OS_BYTERANGE_H

#include <algorithm>
#include <cstdint>

namespace headstart {

/// A run of bytes in a file: `Length` bytes from byte `Offset` on.
struct ByteRange {
  uint64_t Offset = 0; ///< bytes from the start of the file
  uint64_t Length = 0; ///< bytes

  uint64_t end() const { return Offset + Length; }
  bool empty() const { return Length == 0; }

  /// Returns the part that lies inside a file of \p FileSize bytes, or an empty
  /// range. Works for any Offset and Length, even if end() would wrap around.
  ByteRange clippedTo(uint64_t FileSize) const {
    if (Offset >= FileSize)
      return {FileSize, 0};
    return {Offset, Length < FileSize - Offset ? Length : FileSize - Offset};
  }

  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};

/// Appends \p Next to \p Ranges, which is sorted. Extends the last range
/// instead if at most \p Gap bytes are between the two.
template <class Container>
void addJoined(Container &Ranges, ByteRange Next, uint64_t Gap = 0) {
  if (Ranges.empty() || Next.Offset > Ranges.back().end() + Gap) {
    Ranges.push_back(Next);
    return;
  }
  ByteRange &Last = Ranges.back();
  Last.Length = std::max(Last.end(), Next.end()) - Last.Offset;
}

} // namespace headstart

#endif // HEADSTART_OS_BYTERANGE_H
