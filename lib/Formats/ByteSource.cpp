//===- ByteSource.cpp - Bytes that a reader asks for ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/ByteSource.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

file_magic kindOf(ByteSource &Bytes) {
  // Enough for the magic numbers of all formats.
  constexpr size_t HeadBytes = 64;
  return identify_magic(Bytes.head(HeadBytes).value_or(""));
}

void PartBytes::willRead(ArrayRef<ByteRange> Ranges) {
  SmallVector<ByteRange, 8> Moved(Ranges);
  for (ByteRange &Range : Moved)
    Range.Offset += Begin;
  Whole.willRead(Moved);
}

void FileBytes::open(const os::OpenFile &NewFile, ReadGate *NewGate) {
  File = &NewFile;
  Gate = NewGate;
  Size = NewFile.size();
  Begin = 0;
  Bytes.clear();
}

void FileBytes::willRead(ArrayRef<ByteRange> Ranges) {
  if (Gate)
    Gate->hint(*File, Ranges);
}

/// Returns no bytes if it reads fewer than requested: the file has shrunk.
bool FileBytes::readAt(uint64_t Offset, uint64_t Length, uint64_t Kept,
                       SmallVectorImpl<char> &Into) {
  if (Gate && !Gate->begin()) {
    Into.clear();
    return false;
  }
  // Without readahead, a system may request one piece of a long read after the
  // other (Linux, POSIX_FADV_RANDOM: of the device's readahead).
  constexpr uint64_t MinHintBytes = 128 * 1024;
  if (Length - Kept > MinHintBytes)
    willRead({{Offset + Kept, Length - Kept}});
  Into.resize_for_overwrite(Length);
  std::error_code Error;
  size_t Read = File->readAt(Offset + Kept,
                             {Into.data() + Kept, Into.size() - Kept}, Error);
  if (Gate)
    Gate->end(Read);
  if (Error || Read != Length - Kept)
    Into.clear();
  return !Into.empty();
}

std::optional<StringRef> FileBytes::readInside(ByteRange Range,
                                               SmallVectorImpl<char> *Into) {
  // On systems with larger pages, too: the rest of a page is cached after a
  // read, and copying 64 KiB for each header costs more than the next read.
  constexpr uint64_t BlockBytes = 4096;
  constexpr uint64_t NextHeaderBytes = 128;
  constexpr uint64_t MaxAheadBytes = 64 * 1024;
  if (Range.empty())
    return StringRef();
  uint64_t End = Begin + Bytes.size();
  bool BeginsHere =
      !Bytes.empty() && Range.Offset >= Begin && Range.Offset <= End;
  bool IsHere = BeginsHere && Range.end() <= End;
  if (Into && !IsHere) {
    if (!readAt(Range.Offset, Range.Length, 0, *Into))
      return std::nullopt;
    return toStringRef(*Into);
  }
  if (!IsHere) {
    // The rest of the last block costs nothing, and the next header mostly
    // follows a table. Adjacent headers, as in a thin archive, are read ahead,
    // twice as many each time.
    uint64_t Ahead = BeginsHere && Range.Length < BlockBytes
                         ? std::min<uint64_t>(2 * Bytes.size(), MaxAheadBytes)
                         : NextHeaderBytes;
    uint64_t NewEnd =
        std::min(alignTo(Range.end() + Ahead, BlockBytes), size());
    // Bytes that are here already are not read again.
    if (BeginsHere)
      Bytes.erase(Bytes.begin(), Bytes.begin() + (Range.Offset - Begin));
    else
      Bytes.clear();
    Begin = Range.Offset;
    if (!readAt(Begin, NewEnd - Begin, Bytes.size(), Bytes))
      return std::nullopt;
  }
  StringRef Found =
      toStringRef(Bytes).substr(Range.Offset - Begin, Range.Length);
  if (!Into)
    return Found;
  Into->assign(Found.begin(), Found.end());
  return toStringRef(*Into);
}

} // namespace headstart
