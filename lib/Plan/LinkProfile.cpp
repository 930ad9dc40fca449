//===- LinkProfile.cpp - The profile of an output -------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// FileTree/Record.h describes the format of every record. A range is stored as
/// the gap before it and its length.
///
//===----------------------------------------------------------------------===//

#include "headstart/Plan/LinkProfile.h"
#include "headstart/FileTree/Record.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

static constexpr StringRef Magic = "headstart profile 7\n";

uint64_t LinkProfile::touchedBytes() const {
  uint64_t Bytes = 0;
  for (const RecordedFile &F : Files)
    Bytes += F.touchedBytes();
  return Bytes;
}

std::string serializeProfile(const LinkProfile &Profile) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  OS << Magic;
  writeString(Profile.Tool, OS);
  writeString(Profile.Output, OS);
  writeString(Profile.Settings, OS);
  writeSigned(Profile.Recorded, OS);
  encodeULEB128(Profile.PeakBytes, OS);
  encodeULEB128(Profile.Names.size(), OS);
  for (uint64_t Name : Profile.Names)
    encodeULEB128(Name, OS);
  encodeULEB128(Profile.Files.size(), OS);
  for (const RecordedFile &F : Profile.Files) {
    writeString(F.Path, OS);
    encodeULEB128(F.Version.Size, OS);
    writeSigned(F.Version.ModifiedNs, OS);
    // The touched ranges of a file with a plan are those of the plan.
    encodeULEB128(F.Plan.size(), OS);
    for (const PlannedRange &P : F.Plan) {
      encodeULEB128(P.Range.Offset, OS);
      encodeULEB128(P.Range.Length, OS);
      encodeULEB128(static_cast<unsigned>(P.Stage), OS);
      encodeULEB128(static_cast<unsigned>(P.Why), OS);
    }
    if (!F.Plan.empty())
      continue;
    encodeULEB128(F.Touched.size(), OS);
    uint64_t At = 0;
    for (const ByteRange &R : F.Touched) {
      encodeULEB128(R.Offset - At, OS);
      encodeULEB128(R.Length, OS);
      At = R.end();
    }
  }
  addChecksum(Bytes);
  return Bytes;
}

/// Reads the ranges of one file, which must be sorted and within it.
static void readRanges(RecordReader &R, RecordedFile &F) {
  uint64_t Count = R.count(2, "more ranges than bytes");
  F.Touched.reserve(Count);
  uint64_t At = 0;
  for (uint64_t I = 0; I != Count && !R.failed(); ++I) {
    uint64_t Gap = R.number();
    uint64_t Length = R.number();
    if (Gap > F.Version.Size - At || Length > F.Version.Size - At - Gap ||
        Length == 0)
      return R.fail("a range outside of its file");
    F.Touched.push_back({At + Gap, Length});
    At += Gap + Length;
  }
}

/// Reads the plan of one file, which must be sorted by stage and offset.
static void readPlan(RecordReader &R, RecordedFile &F) {
  uint64_t Count = R.count(4, "more ranges than bytes");
  F.Plan.reserve(Count);
  for (uint64_t I = 0; I != Count && !R.failed(); ++I) {
    ByteRange Range;
    Range.Offset = R.number();
    Range.Length = R.number();
    uint64_t Stage = R.number();
    uint64_t Why = R.number();
    if (Range.Offset > F.Version.Size ||
        Range.Length > F.Version.Size - Range.Offset || Range.Length == 0)
      return R.fail("a range outside of its file");
    if (Stage >= NumFirstStages || Why >= NumPartKinds)
      return R.fail("an unknown stage or kind");
    PlannedRange P{Range, static_cast<LinkStage>(Stage),
                   static_cast<PartKind>(Why)};
    if (!F.Plan.empty() && (P.Stage < F.Plan.back().Stage ||
                            (P.Stage == F.Plan.back().Stage &&
                             Range.Offset < F.Plan.back().Range.end())))
      return R.fail("ranges out of order");
    F.Plan.push_back(P);
  }
  F.Touched = rangesOf(F.Plan);
}

Expected<LinkProfile> parseProfile(StringRef Bytes) {
  Expected<StringRef> Content = recordContent(Bytes, Magic, "profile");
  if (!Content)
    return Content.takeError();
  RecordReader R(*Content);
  LinkProfile Profile;
  Profile.Tool = R.string().str();
  Profile.Output = R.string().str();
  Profile.Settings = R.string().str();
  Profile.Recorded = R.signedNumber();
  Profile.PeakBytes = R.number();
  Profile.Names.resize(R.count(1, "more names than bytes"));
  for (uint64_t &Name : Profile.Names)
    Name = R.number();
  // A file takes at least five bytes.
  uint64_t Count = R.count(5, "more files than possible");
  Profile.Files.reserve(Count);
  for (uint64_t I = 0; I != Count && !R.failed(); ++I) {
    RecordedFile F;
    F.Path = R.string().str();
    F.Version.Size = R.number();
    F.Version.ModifiedNs = R.signedNumber();
    readPlan(R, F);
    if (F.Plan.empty())
      readRanges(R, F);
    Profile.Files.push_back(std::move(F));
  }
  if (!R.failed() && R.remaining() != 0)
    R.fail("bytes after the last file");
  if (R.failed())
    return createStringError(inconvertibleErrorCode(), R.problem());
  return Profile;
}

/// If there are more names, the smallest hashes are stored. The share that two
/// sets of names have in common can be estimated from them.
static constexpr size_t MaxNames = 256;

static std::vector<uint64_t> hashesOf(const LinkCommand &Command) {
  std::vector<uint64_t> Hashes;
  Hashes.reserve(Command.Inputs.size());
  for (const NamedInput &Input : Command.Inputs)
    Hashes.push_back(xxh3_64bits(Input.Name));
  llvm::sort(Hashes);
  Hashes.erase(llvm::unique(Hashes), Hashes.end());
  return Hashes;
}

std::vector<uint64_t> namesOf(const LinkCommand &Command) {
  std::vector<uint64_t> Hashes = hashesOf(Command);
  Hashes.resize(std::min(Hashes.size(), MaxNames));
  return Hashes;
}

bool isRecordOf(const LinkProfile &Profile, const LinkCommand &Command) {
  std::vector<uint64_t> Now = hashesOf(Command);
  auto Kept = llvm::count_if(Profile.Names, [&](uint64_t Name) {
    return llvm::binary_search(Now, Name);
  });
  return 2 * static_cast<size_t>(Kept) > Profile.Names.size() ||
         (Profile.Names.empty() && Now.empty());
}

} // namespace headstart
