//===- ObjectLayout.h - Where the parts of an object file lie ---*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layout of an input: which bytes are headers, symbols, contents, debug
/// information. Read from the first bytes of a file; pure, no I/O.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_PLAN_OBJECTLAYOUT_H
#define HEADSTART_PLAN_OBJECTLAYOUT_H

#include "headstart/OS/ByteRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace headstart {

/// What a run of bytes in an input is.
enum class PartKind : uint8_t {
  Whole,        ///< all of a file whose layout is not known
  Headers,      ///< file header, section headers
  Symbols,      ///< symbol and string tables, an archive's symbol index
  CompilerInfo, ///< CodeView that is read while parsing: see COFFLayout.cpp
  Contents,     ///< contents of sections that go into the image
  /// The same where the linker reads them while it parses: unwind tables,
  /// strings, what addends stand in. Mach-O: see MachOLayout.cpp.
  ParsedContents,
  Relocations,  ///< relocations of those sections
  Types,        ///< CodeView type records: .debug$T, .debug$P
  DebugSymbols, ///< CodeView symbols and lines: .debug$S
  DebugRelocs,  ///< relocations of CodeView sections
  TypeHashes,   ///< .debug$H
  DWARF,        ///< .debug_*
  DebugStrings, ///< ELF: .debug_str and its kin, which are merged
  NeverRead,    ///< sections marked to be removed, padding
};

/// The kind in words, as `headstart plan` prints it.
llvm::StringRef partName(PartKind K);

struct LayoutPart {
  ByteRange Range;
  PartKind Kind = PartKind::Whole;
  uint32_t Section = 0; ///< whose it is, from 1; 0: no section's
  /// The lazy input that it belongs to (ExtractionTable.h): read only when that
  /// is linked; 0: read in any case.
  uint32_t Member = 0;
};

struct ObjectLayout {
  /// In the order of the file; may leave gaps, never overlap.
  std::vector<LayoutPart> Parts;

  /// \name COFF objects only: what ComdatTable.h needs to know
  /// @{
  ByteRange SymbolTable;   ///< with the string table behind it
  uint32_t NumSymbols = 0; ///< auxiliary records counted
  bool BigObject = false;
  llvm::BitVector Comdats; ///< by section: whether it is a COMDAT
  /// @}
};

/// What came of a look at the first bytes of a file.
struct LayoutReading {
  enum Outcome : uint8_t {
    Read,     ///< Layout holds
    NeedMore, ///< more of the file's head is needed: BytesNeeded in all
    Unknown,  ///< not a format with a layout here, or not a sane one
  } Result = Unknown;
  uint64_t BytesNeeded = 0;
  ObjectLayout Layout;
};

/// Reads the layout of a COFF object (also with more than 65,279 sections, the
/// "big object" form) from \p Head, its first bytes. Anything in the file is
/// possible: impossible offsets and counts give `Unknown`, never a range past
/// \p FileSize.
LayoutReading readCOFFLayout(llvm::ArrayRef<char> Head, uint64_t FileSize);

/// Goes from member to member of an archive. Anything in the file is possible:
/// a header that is none ends the walk, and no range goes past the end. Pure:
/// the caller reads.
class ArchiveWalk {
public:
  static constexpr uint64_t MagicBytes = 8;

  struct Member {
    enum MemberKind : uint8_t { File, SymbolIndex, LongNames } Kind = File;
    ByteRange Contents;
  };

  explicit ArchiveWalk(uint64_t FileSize) : FileSize(FileSize) {}

  /// The bytes of the next header; empty at the end.
  ByteRange needs() const;
  /// Takes the bytes that it needs, and goes on to the next header.
  std::optional<Member> give(llvm::ArrayRef<char> Header);

private:
  uint64_t FileSize;
  uint64_t At = MagicBytes; ///< of the next header
};

/// Reads the layout of an archive (`!<arch>`, `!<thin>`): its symbol indexes
/// and long names, which a linker reads at once. The members are no part of it:
/// which of them a link will read, nobody knows before it has resolved its
/// symbols. Goes from header to header, so that an index of many megabytes
/// need not be read to learn where it ends. Pure: the caller reads.
class ArchiveIndexReader {
public:
  static bool isArchive(llvm::ArrayRef<char> Head);

  explicit ArchiveIndexReader(uint64_t FileSize) : FileSize(FileSize) {}

  /// The bytes that decide what comes next: a member's header, or the name
  /// behind it; empty when all is known.
  ByteRange needs() const;
  /// Takes the bytes that it needs.
  void give(llvm::ArrayRef<char> Bytes);

  /// Where the members begin that are no index, when nothing more is needed.
  uint64_t membersBegin() const { return At; }

  /// What is known when nothing more is needed.
  ObjectLayout layout() const;

private:
  void addIndex(llvm::StringRef Name, uint64_t Bytes);

  uint64_t FileSize;
  uint64_t At = 8; ///< of the next header, behind the magic
  bool Done = false;
  /// Where the name of the member at At stands, when behind its header.
  ByteRange LongNamed;
  uint64_t MemberBytes = 0; ///< how long that member is, header included
  /// The first of two symbol indexes: lld reads the second, which is sorted.
  ByteRange FirstIndex;
  std::vector<ByteRange> Indexes;
};

/// The same from \p Head, an archive's first bytes.
LayoutReading readArchiveLayout(llvm::ArrayRef<char> Head, uint64_t FileSize);

/// Reads the layout of a file of any kind that has one.
LayoutReading readLayout(llvm::ArrayRef<char> Head, uint64_t FileSize);

} // namespace headstart

#endif // HEADSTART_PLAN_OBJECTLAYOUT_H
