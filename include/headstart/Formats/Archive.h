//===- Archive.h - Archives, thin and not -----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Goes from member to member of an archive: of System V, of BSD and Darwin, of
/// Windows, thin or not.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_ARCHIVE_H
#define HEADSTART_FORMATS_ARCHIVE_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

struct ArchiveMember {
  enum MemberKind : uint8_t { File, SymbolIndex, LongNames } Kind = File;
  /// The header's column, without blanks, or the first bytes of a name behind
  /// the header; valid until the source is read again.
  llvm::StringRef Name;
  ByteRange Header;   ///< with the name, where that stands behind it
  ByteRange Contents; ///< empty where the member is a file of its own
};

/// Whatever is in the file: a header that is none ends the archive, and so does
/// a member that ends behind it.
class ArchiveReader {
public:
  /// Whether \p File begins like an archive, or a thin one. May block.
  static bool isArchive(ByteSource &File);
  static bool isThin(ByteSource &File);

  /// \p Archive must outlive the reader.
  explicit ArchiveReader(ByteSource &Archive);

  /// The next member; nothing at the end, and of a file of another kind. May
  /// block for the disk.
  std::optional<ArchiveMember> next();

  /// Goes behind the members that a linker reads to know the others, at the
  /// beginning of the archive, and returns what of them it reads: symbol
  /// indexes and long names. To be called before `next`. May block.
  std::vector<LayoutPart> readIndex();

private:
  ByteSource &Archive;
  bool Thin = false;
  uint64_t At; ///< of the next header
};

/// Where the members begin that a symbol index of System V names, in order,
/// each once; nothing where \p Index, of \p Archive, is none. May block.
std::vector<uint32_t> readIndexedMembers(ByteSource &Archive, ByteRange Index);

/// The paths of the members of the thin archive \p Archive, found at \p Path,
/// in their order, spelled as LLVM spells them. Ends at the first header that
/// is not sane; a file of any other kind has none. May block.
std::vector<std::string> readThinMembers(ByteSource &Archive,
                                         llvm::StringRef Path);

} // namespace headstart

#endif // HEADSTART_FORMATS_ARCHIVE_H
