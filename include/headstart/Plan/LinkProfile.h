//===- LinkProfile.h - The profile of an output -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The profile of a link, stored for the next one: which bytes of which files
/// the linker touched. It is advice and never trusted.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_LINKPROFILE_H
#define HEADSTART_PLAN_LINKPROFILE_H

#include "headstart/Inputs/LinkCommand.h"
#include "headstart/OS/ByteRange.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace headstart {

/// The touched bytes of one file.
struct RecordedFile {
  std::string Path;        ///< as the linker requested it
  os::FileVersion Version; ///< of the file that was linked
  /// The touched ranges, sorted, disjoint and within the file.
  std::vector<ByteRange> Touched;
  /// For a file that was planned by its layout, the touched part of the plan.
  /// The page tables alone report too much, since a page fault also maps the
  /// pages around it.
  std::vector<PlannedRange> Plan;

  uint64_t touchedBytes() const { return bytesOf(Touched); }
};

struct LinkProfile {
  std::string Tool;   ///< "lld-link"
  std::string Output; ///< as the link names it, for messages
  /// The kinds of bytes that the link read, in the caller's notation. Only a
  /// link that reads the same kinds can use the profile.
  std::string Settings;
  int64_t Recorded = 0; ///< seconds since the epoch
  /// The most memory that the linker's process used, with the pages of its
  /// inputs and of the output; 0: unknown.
  uint64_t PeakBytes = 0;
  /// The namesOf the command line, which distinguish this link from another one
  /// with the same output.
  std::vector<uint64_t> Names;
  /// The files, in the order in which the linker requested them.
  std::vector<RecordedFile> Files;

  uint64_t touchedBytes() const;
};

/// The largest size of a profile in bytes. Larger files are not read.
inline constexpr uint64_t MaxProfileBytes = 64 * 1024 * 1024;

/// Returns the bytes of \p Profile, with a checksum.
std::string serializeProfile(const LinkProfile &Profile);

/// Reads what serializeProfile wrote. For any other input the error says what
/// is wrong and at which byte. The memory is bounded by the size of \p Bytes.
llvm::Expected<LinkProfile> parseProfile(llvm::StringRef Bytes);

/// Returns hashes of the names of \p Command's inputs, sorted: all, or a sample
/// of 256 that depends only on the names.
std::vector<uint64_t> namesOf(const LinkCommand &Command);

/// Whether \p Profile is of an earlier link like \p Command's, rather than of
/// another link with the same output (a.out): whether the command line still
/// names more than half of the profile's names.
bool isRecordOf(const LinkProfile &Profile, const LinkCommand &Command);

} // namespace headstart

#endif // HEADSTART_PLAN_LINKPROFILE_H
