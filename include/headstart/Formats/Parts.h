//===- Parts.h - The parts of an input --------------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a linker reads of an input, in parts: headers, symbols, contents, debug
/// information.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_PARTS_H
#define HEADSTART_FORMATS_PARTS_H

#include "headstart/OS/ByteRange.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace headstart {

/// What a run of bytes in an input is.
enum class PartKind : uint8_t {
  Whole,        ///< all of a file whose layout is not known
  Headers,      ///< file header, section headers
  Symbols,      ///< symbol and string tables, an archive's symbol index
  CompilerInfo, ///< CodeView that is read while parsing: see COFF.cpp
  Contents,     ///< contents of sections that go into the image
  /// The same where the linker reads them while it parses: unwind tables,
  /// strings, what addends stand in. Mach-O: see MachO.cpp.
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
inline constexpr unsigned NumPartKinds = 14;

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

/// Sorts \p Parts, cuts overlaps off, the part that starts first winning, and
/// joins what lies together and is alike: what a sane compiler writes does not
/// overlap, what a hostile file says may.
void settleParts(std::vector<LayoutPart> &Parts);

/// Adds what of \p Range lies inside \p Size bytes, unless that is nothing.
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

} // namespace headstart

#endif // HEADSTART_FORMATS_PARTS_H
