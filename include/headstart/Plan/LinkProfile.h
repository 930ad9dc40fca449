//===- LinkProfile.h - What the last link of an output touched --*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The profile of one link, kept for the next: which bytes of which files it
/// touched. Advice, never trusted: a file that is not the same any more is
/// planned from its layout, and a profile that cannot be read is none.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_LINKPROFILE_H
#define HEADSTART_PLAN_LINKPROFILE_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace headstart {

/// What was touched of one file.
struct RecordedFile {
  std::string Path;          ///< as the linker asked for it
  os::FileIdentity Identity; ///< of the file that was linked
  /// In order, disjoint, within the file.
  std::vector<ByteRange> Touched;
  /// Of a file that was planned by its layout: what of the plan was touched.
  /// The page tables alone tell too much, since a fault enters what lies around
  /// it as well.
  std::vector<PlannedRange> Plan;

  uint64_t touchedBytes() const;
};

struct LinkProfile {
  std::string Tool;   ///< "lld-link"
  std::string Output; ///< the link's own words for it; for people
  /// What kinds of bytes the link read, in the recorder's own words: a profile
  /// is of use only to a link that reads the same kinds.
  std::string Settings;
  int64_t Recorded = 0;   ///< seconds since the epoch
  uint64_t PeakBytes = 0; ///< of memory that it needed at once; 0: not known
  /// Of namesOf the command line: tells this link from another one with the
  /// same output.
  std::vector<uint64_t> Names;
  /// In the order in which the linker asked for them.
  std::vector<RecordedFile> Files;

  uint64_t touchedBytes() const;
};

/// No profile is larger, in bytes; what is, is not read.
inline constexpr uint64_t MaxProfileBytes = 64 * 1024 * 1024;

/// No profile names more files.
inline constexpr uint64_t MaxProfileFiles = 200000;

/// The bytes of \p Profile, with a checksum.
std::string serializeProfile(const LinkProfile &Profile);

/// Reads what serializeProfile wrote. Anything else (truncated, foreign, of
/// another version, with impossible ranges) is an error that says what is
/// wrong and at which byte; memory is bounded by the size of \p Bytes.
llvm::Expected<LinkProfile> parseProfile(llvm::StringRef Bytes);

/// Which recorded files a command line names.
class NamedFiles {
public:
  explicit NamedFiles(const LinkCommand &Command);
  /// What is searched for goes by its file name, with what lld may add to it.
  bool has(llvm::StringRef RecordedPath) const;

private:
  llvm::StringSet<> Names;
};

/// Hashes of the names of \p Command's inputs, in order: all, or a sample of
/// 256 that is the same wherever they are the same.
std::vector<uint64_t> namesOf(const LinkCommand &Command);

/// Whether \p Profile is of an earlier link like \p Command's, and not of
/// another link with the same output (a.out): whether the command line still
/// names more than half of what was named then.
bool isRecordOf(const LinkProfile &Profile, const LinkCommand &Command);

} // namespace headstart

#endif // HEADSTART_PLAN_LINKPROFILE_H
