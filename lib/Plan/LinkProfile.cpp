//===- LinkProfile.cpp - What the last link of an output touched ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format: the magic, then numbers as ULEB128 and strings with their length
/// before them, then eight bytes of XXH3 over all that. Ranges are stored as
/// the gap before them and their length.
///
//===----------------------------------------------------------------------===//

#include "headstart/Plan/LinkProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

static constexpr StringRef Magic = "headstart profile 1\n";
static constexpr uint64_t ChecksumBytes = 8;

uint64_t RecordedFile::touchedBytes() const {
  uint64_t Bytes = 0;
  for (const ByteRange &R : Touched)
    Bytes += R.Length;
  return Bytes;
}

uint64_t LinkProfile::touchedBytes() const {
  uint64_t Bytes = 0;
  for (const RecordedFile &F : Files)
    Bytes += F.touchedBytes();
  return Bytes;
}

/// Signed numbers are folded into unsigned ones (0, -1, 1, -2, ...): LLVM's
/// decodeSLEB128 shifts by more than 63 on a malformed number.
static void writeSigned(int64_t Value, raw_ostream &OS) {
  auto Bits = static_cast<uint64_t>(Value);
  encodeULEB128((Bits << 1) ^ (Value < 0 ? UINT64_MAX : 0), OS);
}

static void writeString(StringRef S, raw_ostream &OS) {
  encodeULEB128(S.size(), OS);
  OS << S;
}

std::string serializeProfile(const LinkProfile &Profile) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  OS << Magic;
  writeString(Profile.Tool, OS);
  writeString(Profile.Output, OS);
  writeString(Profile.Settings, OS);
  writeSigned(Profile.Recorded, OS);
  encodeULEB128(Profile.Files.size(), OS);
  for (const RecordedFile &F : Profile.Files) {
    writeString(F.Path, OS);
    encodeULEB128(F.Identity.Device, OS);
    encodeULEB128(F.Identity.Inode, OS);
    encodeULEB128(F.Identity.Size, OS);
    writeSigned(F.Identity.ModifiedNs, OS);
    writeSigned(F.Identity.ChangedNs, OS);
    encodeULEB128(F.Touched.size(), OS);
    uint64_t At = 0;
    for (const ByteRange &R : F.Touched) {
      encodeULEB128(R.Offset - At, OS);
      encodeULEB128(R.Length, OS);
      At = R.end();
    }
  }
  char Checksum[ChecksumBytes];
  support::endian::write64le(Checksum, xxh3_64bits(Bytes));
  OS.write(Checksum, sizeof(Checksum));
  return Bytes;
}

namespace {

/// Reads numbers and strings from the front of some bytes; once something is
/// wrong, everything after it reads as nothing.
class Reader {
public:
  explicit Reader(StringRef Bytes) : All(Bytes), At(Bytes.bytes_begin()) {}

  uint64_t number() {
    unsigned Length = 0;
    const char *Message = nullptr;
    // LLVM's decoder goes on shifting through a number that is too long.
    const unsigned char *End =
        At + std::min<uint64_t>(remaining(), MaxNumberBytes);
    uint64_t Value = decodeULEB128(At, &Length, End, &Message);
    if (Message) {
      fail("a number is malformed");
      return 0;
    }
    At += Length;
    return Value;
  }
  int64_t signedNumber() {
    uint64_t Bits = number();
    return static_cast<int64_t>((Bits >> 1) ^ (Bits & 1 ? UINT64_MAX : 0));
  }
  std::string string() {
    uint64_t Length = number();
    if (Length > remaining()) {
      fail("a string ends past the end");
      return {};
    }
    StringRef S(reinterpret_cast<const char *>(At), Length);
    At += Length;
    return S.str();
  }

  void fail(StringRef What) {
    if (Problem.empty())
      Problem = (What + " (at byte " + Twine(position()) + ")").str();
    At = All.bytes_end();
  }
  bool failed() const { return !Problem.empty(); }
  const std::string &problem() const { return Problem; }
  uint64_t remaining() const {
    return static_cast<uint64_t>(All.bytes_end() - At);
  }

private:
  static constexpr uint64_t MaxNumberBytes = 10; // of 7 bits, for 64

  uint64_t position() const {
    return static_cast<uint64_t>(At - All.bytes_begin());
  }

  StringRef All;
  const unsigned char *At;
  std::string Problem;
};

} // namespace

/// Reads the ranges of one file, which must be in order and within it.
static void readRanges(Reader &R, RecordedFile &F) {
  uint64_t Count = R.number();
  // Each takes two bytes at least, so that a large count cannot make us
  // allocate more than the file's own size.
  if (Count > R.remaining() / 2)
    return R.fail("more ranges than bytes");
  F.Touched.reserve(Count);
  uint64_t At = 0;
  for (uint64_t I = 0; I != Count && !R.failed(); ++I) {
    uint64_t Gap = R.number();
    uint64_t Length = R.number();
    if (Gap > F.Identity.Size - At || Length > F.Identity.Size - At - Gap ||
        Length == 0)
      return R.fail("a range outside of its file");
    F.Touched.push_back({At + Gap, Length});
    At += Gap + Length;
  }
}

Expected<LinkProfile> parseProfile(StringRef Bytes) {
  auto Bad = [](const Twine &What) {
    return createStringError(inconvertibleErrorCode(), What);
  };
  if (!Bytes.starts_with(Magic))
    return Bad("not a profile of this version");
  if (Bytes.size() < Magic.size() + ChecksumBytes)
    return Bad("truncated at byte " + Twine(Bytes.size()));
  StringRef Content = Bytes.drop_back(ChecksumBytes);
  if (support::endian::read64le(Content.end()) != xxh3_64bits(Content))
    return Bad("the checksum is wrong: truncated, or changed");

  Reader R(Content.drop_front(Magic.size()));
  LinkProfile Profile;
  Profile.Tool = R.string();
  Profile.Output = R.string();
  Profile.Settings = R.string();
  Profile.Recorded = R.signedNumber();
  uint64_t Count = R.number();
  // A file takes seven bytes at least.
  if (Count > R.remaining() / 7 || Count > MaxProfileFiles)
    R.fail("more files than there can be");
  else
    Profile.Files.reserve(Count);
  for (uint64_t I = 0; I != Count && !R.failed(); ++I) {
    RecordedFile F;
    F.Path = R.string();
    F.Identity.Device = R.number();
    F.Identity.Inode = R.number();
    F.Identity.Size = R.number();
    F.Identity.ModifiedNs = R.signedNumber();
    F.Identity.ChangedNs = R.signedNumber();
    readRanges(R, F);
    Profile.Files.push_back(std::move(F));
  }
  if (!R.failed() && R.remaining() != 0)
    R.fail("something follows the last file");
  if (R.failed())
    return Bad(R.problem());
  return Profile;
}

} // namespace headstart
