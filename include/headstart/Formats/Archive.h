//===- Archive.h - Archives, thin and not -----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks the members of an archive of System V, of BSD and Darwin, or of
/// Windows, thin or not.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_ARCHIVE_H
#define HEADSTART_FORMATS_ARCHIVE_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

struct ArchiveMember {
  enum MemberKind : uint8_t { File, SymbolIndex, LongNames } Kind = File;
  /// The header's column, without blanks, or the first bytes of a name after
  /// the header; valid until the source is read again.
  llvm::StringRef Name;
  ByteRange Header;   ///< including the name, if that follows it
  ByteRange Contents; ///< empty if the member is a file of its own
};

/// Accepts any file: an invalid header ends the archive, and so does a member
/// that ends past it.
class ArchiveReader {
public:
  /// Whether \p File begins like a thin archive. May block.
  static bool isThin(ByteSource &File);

  /// \p Archive must outlive the reader.
  explicit ArchiveReader(ByteSource &Archive);

  /// Returns the next member; nullopt at the end, and for files of other kinds.
  /// May block for the disk.
  std::optional<ArchiveMember> next();

  /// Skips the symbol indexes and long names at the beginning of the archive,
  /// and returns the parts of them that a linker reads to find the other
  /// members. Call it before `next`. May block.
  std::vector<LayoutPart> readIndex();

private:
  ByteSource &Archive;
  bool Thin = false;
  uint64_t At; ///< of the next header
};

/// Returns the offsets of the members that a symbol index of System V names, in
/// order, each once; empty if \p Index, of \p Archive, is none. May block.
std::vector<uint32_t> readIndexedMembers(ByteSource &Archive, ByteRange Index);

/// Returns the paths of the members of the thin archive \p Archive at \p Path,
/// in their order, spelled as LLVM spells them. Ends at the first invalid
/// header; files of other kinds have none. May block.
std::vector<std::string> readThinMembers(ByteSource &Archive,
                                         llvm::StringRef Path);

} // namespace headstart

#endif // HEADSTART_FORMATS_ARCHIVE_H
