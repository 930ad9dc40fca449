//===- ByteSource.cpp - Bytes that a reader asks for ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/ByteSource.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

void FileBytes::open(const os::OpenFile &NewFile) {
  File = &NewFile;
  setSize(NewFile.size());
  Begin = 0;
  Bytes.clear();
}

/// Fewer bytes than \p Into has room for are none: the file has shrunk.
bool FileBytes::readAt(uint64_t Offset, SmallVectorImpl<char> &Into) const {
  std::error_code Error;
  size_t Read = File->readAt(Offset, {Into.data(), Into.size()}, Error);
  if (Error || Read != Into.size())
    Into.clear();
  return !Into.empty();
}

std::optional<ArrayRef<char>>
FileBytes::readInside(ByteRange Range, SmallVectorImpl<char> *Into) {
  constexpr uint64_t PageBytes = 4096;
  constexpr uint64_t NextHeaderBytes = 128;
  constexpr uint64_t MaxAheadBytes = 64 * 1024;
  if (Range.empty())
    return ArrayRef<char>();
  uint64_t End = Begin + Bytes.size();
  bool IsHere = Range.Offset >= Begin && Range.end() <= End;
  if (Into && !IsHere) {
    Into->resize_for_overwrite(Range.Length);
    if (!readAt(Range.Offset, *Into))
      return std::nullopt;
    return ArrayRef<char>(*Into);
  }
  if (!IsHere) {
    // The rest of the last page comes at no price; what follows a table is
    // mostly the next header. Headers that lie side by side, as in a thin
    // archive, are read ahead, twice as many each time.
    bool GoesOn = Range.Offset >= Begin && Range.Offset <= End &&
                  Range.Length < PageBytes && !Bytes.empty();
    uint64_t Ahead = GoesOn
                         ? std::min<uint64_t>(2 * Bytes.size(), MaxAheadBytes)
                         : NextHeaderBytes;
    uint64_t NewEnd = std::min(alignTo(Range.end() + Ahead, PageBytes), size());
    Begin = Range.Offset;
    Bytes.resize_for_overwrite(NewEnd - Begin);
    if (!readAt(Begin, Bytes))
      return std::nullopt;
  }
  ArrayRef<char> Found =
      ArrayRef(Bytes).slice(Range.Offset - Begin, Range.Length);
  if (!Into)
    return Found;
  Into->assign(Found.begin(), Found.end());
  return ArrayRef<char>(*Into);
}

} // namespace headstart
