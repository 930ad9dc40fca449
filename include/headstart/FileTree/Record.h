//===- Record.h - The form of the files that Headstart keeps ----*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format of records, which are profiles of links and manifests of trees: a
/// line with kind and version, numbers in ULEB128 and strings with their length
/// first, and eight bytes of XXH3 over everything before them. Reading is safe
/// for any bytes; writing replaces a file atomically.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FILETREE_RECORD_H
#define HEADSTART_FILETREE_RECORD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace headstart {

/// Maps signed numbers to unsigned ones (0, -1, 1, -2, ...), because LLVM's
/// decodeSLEB128 shifts by more than 63 on a malformed number.
inline void writeSigned(int64_t Value, llvm::raw_ostream &OS) {
  auto Bits = static_cast<uint64_t>(Value);
  llvm::encodeULEB128((Bits << 1) ^ (Value < 0 ? UINT64_MAX : 0), OS);
}

inline void writeString(llvm::StringRef S, llvm::raw_ostream &OS) {
  llvm::encodeULEB128(S.size(), OS);
  OS << S;
}

/// Ends a record: appends the checksum of \p Bytes to them.
void addChecksum(std::string &Bytes);

/// Returns the bytes between \p Magic and the checksum of \p Bytes. The error
/// says why they are not a sound record, which it calls a \p Kind.
llvm::Expected<llvm::StringRef> recordContent(llvm::StringRef Bytes,
                                              llvm::StringRef Magic,
                                              llvm::StringRef Kind);

/// Reads numbers and strings from the front of some bytes. After the first
/// error, every number reads as 0 and every string as "".
class RecordReader {
public:
  explicit RecordReader(llvm::StringRef Bytes)
      : All(Bytes), At(Bytes.bytes_begin()) {}

  uint64_t number() {
    if (At != All.bytes_end() && *At < 0x80)
      return *At++;
    return longNumber();
  }
  int64_t signedNumber() {
    uint64_t Bits = number();
    return static_cast<int64_t>((Bits >> 1) ^ (Bits & 1 ? UINT64_MAX : 0));
  }
  /// Returns a string that points into the bytes.
  llvm::StringRef string() {
    uint64_t Length = number();
    if (Length > remaining()) {
      fail("a string ends past the end");
      return {};
    }
    llvm::StringRef S(reinterpret_cast<const char *>(At), Length);
    At += Length;
    return S;
  }
  /// Reads a count of items of at least \p MinBytes each. Fails with \p Problem
  /// if the remaining bytes cannot hold them, so that a caller never allocates
  /// more than a multiple of the record's size.
  uint64_t count(uint64_t MinBytes, llvm::StringRef Problem) {
    uint64_t Count = number();
    if (Count > remaining() / MinBytes) {
      fail(Problem);
      return 0;
    }
    return Count;
  }

  void fail(llvm::StringRef What) {
    if (Problem.empty())
      Problem =
          (What + " (at byte " + llvm::Twine(All.size() - remaining()) + ")")
              .str();
    At = All.bytes_end();
  }
  bool failed() const { return !Problem.empty(); }
  const std::string &problem() const { return Problem; }
  uint64_t remaining() const {
    return static_cast<uint64_t>(All.bytes_end() - At);
  }

private:
  static constexpr uint64_t MaxNumberBytes = 10; // 7 bits each, 64 in all

  uint64_t longNumber() {
    unsigned Length = 0;
    const char *Message = nullptr;
    // LLVM's decoder would keep shifting through a number that is too long.
    const unsigned char *End =
        At + std::min<uint64_t>(remaining(), MaxNumberBytes);
    uint64_t Value = llvm::decodeULEB128(At, &Length, End, &Message);
    if (Message) {
      fail("a number is malformed");
      return 0;
    }
    At += Length;
    return Value;
  }

  llvm::StringRef All;
  const unsigned char *At;
  std::string Problem;
};

/// Reads the record at \p Path, a regular file of at most \p MaxBytes. Files of
/// another type are not opened. The error does not name the path. Blocks.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readRecordFile(const std::string &Path, uint64_t MaxBytes,
               llvm::StringRef Kind);

/// Whether \p Path is a regular file that begins with \p Start. Blocks.
bool startsLikeRecord(const std::string &Path, llvm::StringRef Start);

/// Whether a record that begins with \p Start may be written to \p Path: the
/// path does not exist, or is an empty file, or such a record, damaged or not.
/// This protects a user's own file that was named by mistake. Blocks.
bool mayReplaceRecord(const std::string &Path, llvm::StringRef Start);

/// Returns a path that begins with \p Begin and ends with six random digits.
/// LLVM's functions would replace each '%' of \p Begin as well.
std::string withUniqueEnd(const llvm::Twine &Begin);

/// Replaces the file \p Path by the output of \p Write atomically: a process
/// that is killed leaves the old file (unless the system refuses another file
/// at the name: then the contents are copied). If \p Path is a link, its target
/// is replaced. \p MayReplace, unless it is null, gets the path of the new
/// file; if it returns false, nothing is replaced
/// (errc::operation_not_permitted). The error does not name the path. Blocks.
llvm::Error
replaceFile(const std::string &Path,
            llvm::function_ref<void(llvm::raw_ostream &)> Write,
            llvm::function_ref<bool(llvm::StringRef)> MayReplace = nullptr);
inline llvm::Error replaceFile(const std::string &Path, llvm::StringRef Bytes) {
  return replaceFile(Path, [&](llvm::raw_ostream &OS) { OS << Bytes; });
}

} // namespace headstart

#endif // HEADSTART_FILETREE_RECORD_H
