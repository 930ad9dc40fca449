//===- ELF.h - ELF objects and shared libraries -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the section headers of an ELF object or shared library, and the data
/// to which they point.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_ELF_H
#define HEADSTART_FORMATS_ELF_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

struct ELFSymbols {
  /// The names that the object defines and lacks, in the order of its symbols.
  std::vector<SymbolUse> Uses;
  std::vector<SectionRule> Rules; ///< by section; empty if there are no groups
};

/// Accepts any file: one with impossible offsets or counts is no object, and no
/// range goes past the end.
class ELFObject {
public:
  /// Reads the headers of \p Object; nullopt if it has none, or if they are too
  /// long. May block.
  static std::optional<ELFObject> read(ByteSource &Object);

  /// Reads of \p Object what lld reads before the symbols of any input: the
  /// section headers, and whether the names end with a zero. Keeps none of it.
  /// May block.
  static void readAhead(ByteSource &Object);

  std::vector<LayoutPart> Parts; ///< in the order of the file, disjoint
  ByteRange Symbols, Strings;    ///< .symtab and its .strtab; empty if missing
  /// .deplibs: together at most the size of the file, and at most 1 MiB.
  std::vector<ByteRange> Dependents;

  /// \name Data of \p Object, from which the headers were read. May block.
  /// @{
  /// Empty if they cannot be read, or are too long. Without \p WithUses, only
  /// the rules.
  ELFSymbols readSymbols(ByteSource &Object, SymbolBuffers &Buffers,
                         bool WithUses = true) const;
  /// The libraries that the object names, in order, each once.
  std::vector<std::string> readDependents(ByteSource &Object) const;
  /// @}

private:
  friend class ELFHeaderReader;

  struct Group {
    ByteRange Members;      ///< a word of flags, then section numbers
    uint32_t Signature = 0; ///< the number of the symbol that names it
  };

  bool Is64 = true;
  bool IsLittle = true;
  uint32_t NumSections = 0;
  uint32_t FirstGlobal = 0; ///< symbols before it are the file's own
  std::vector<Group> Groups;
};

/// The headers that lld reads of an input first: those of an object, or of all
/// members of an archive.
struct ELFFile {
  struct Object {
    ByteRange Header; ///< the archive's header before the member
    ByteRange Within;
    std::optional<ELFObject> Headers;     ///< offsets are within Within
    PartKind Otherwise = PartKind::Whole; ///< its kind without headers
  };

  /// Reads no objects of other files and of thin archives. May block.
  static ELFFile read(ByteSource &File);

  llvm::file_magic Kind;
  bool IsArchive = false;
  std::vector<Object> Objects; ///< the file, or the archive's members, in order
};

} // namespace headstart

#endif // HEADSTART_FORMATS_ELF_H
