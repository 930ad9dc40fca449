//===- Parts.h - The parts of an input --------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of an input that a linker reads: headers, symbols, contents, debug
/// information. The symbols decide which sections are linked; their names are
/// hashes here.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_PARTS_H
#define HEADSTART_FORMATS_PARTS_H

#include "headstart/OS/ByteRange.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace headstart {

/// The kind of a run of bytes in an input. Profiles store its number, so that
/// no number may change without a new version of theirs (LinkProfile.cpp,
/// Magic).
enum class PartKind : uint8_t {
  Whole = 0,        ///< all of a file whose layout is not known
  Headers = 1,      ///< file header, section headers
  Symbols = 2,      ///< symbol and string tables, an archive's symbol index
  CompilerInfo = 3, ///< debug info read while parsing: COFF.cpp, MachO.cpp
  Contents = 4,     ///< contents of sections that go into the image
  /// Contents that the linker reads before it copies any, for Mach-O while it
  /// parses: unwind tables, strings, sections with addends (ELF.cpp,
  /// MachO.cpp).
  ParsedContents = 5,
  Relocations = 6,   ///< relocations of those sections
  Types = 7,         ///< CodeView type records: .debug$T, .debug$P
  DebugSymbols = 8,  ///< CodeView symbols and lines: .debug$S
  DebugRelocs = 9,   ///< relocations of CodeView sections
  TypeHashes = 10,   ///< .debug$H
  DWARF = 11,        ///< .debug_*
  DebugStrings = 12, ///< ELF: .debug_str and its kin, which are merged
  NeverRead = 13,    ///< sections marked to be removed, padding
  /// ELF: contents that lld compares if it folds identical sections (--icf).
  FoldableContents = 14,
  /// A module's bitcode, which the linker reads when it has resolved all
  /// symbols, without its metadata.
  Bitcode = 15,
  /// Its metadata, mostly debug information, which the linker reads only if it
  /// compiles the module.
  BitcodeMetadata = 16,
};
inline constexpr unsigned NumPartKinds = 17;

/// The name of the kind, as `headstart plan` prints it.
llvm::StringRef partName(PartKind K);

struct LayoutPart {
  ByteRange Range;
  PartKind Kind = PartKind::Whole;
  uint32_t Section = 0; ///< the number of its section, from 1; 0: none
  /// The lazy input to which it belongs (SymbolTables.h). The linker reads
  /// it only if that input is linked; 0: in any case.
  uint32_t Member = 0;
};

/// Sorts \p Parts, removes overlaps in favour of the part that starts first,
/// and joins adjacent parts that are alike. Compilers write no overlaps, but a
/// hostile file may have some.
void settleParts(std::vector<LayoutPart> &Parts);

/// Adds the part of \p Range inside \p Size bytes, unless it is empty.
inline void addPart(std::vector<LayoutPart> &Parts, ByteRange Range,
                    uint64_t Size, PartKind Kind, uint32_t Section = 0) {
  if (Range = Range.clippedTo(Size); !Range.empty())
    Parts.push_back({Range, Kind, Section});
}

/// Adds the parts \p Of a file that lies at \p Offset of this one.
inline void addParts(std::vector<LayoutPart> &Parts,
                     const std::vector<LayoutPart> &Of, uint64_t Offset) {
  for (LayoutPart Part : Of) {
    Part.Range.Offset += Offset;
    Parts.push_back(Part);
  }
}

/// The hash alone distinguishes symbols. Two names with the same hash, which
/// are rare, may cause a range to be fetched, or not.
uint64_t hashOfSymbol(llvm::StringRef Name);

struct SymbolUse {
  uint64_t Name = 0;    ///< hashOfSymbol
  bool Defines = false; ///< else the input lacks it, and not weakly
};

/// The memory into which a thread reads one symbol table after the other. Fresh
/// memory of that size would cost a page fault for every page.
struct SymbolBuffers {
  llvm::SmallVector<char, 0> Symbols, Strings;
};

/// When the linker reads a section.
struct SectionRule {
  enum Kind : uint8_t {
    Always,   ///< it is always read
    Leader,   ///< a COMDAT: the first of its name is read
    Follower, ///< associated with another section: read when that one is
  } Kind = Always;
  uint32_t Parent = 0; ///< Follower: the other section's number, from 1
  uint64_t Name = 0;   ///< Leader: a hash of the name
};

} // namespace headstart

#endif // HEADSTART_FORMATS_PARTS_H
