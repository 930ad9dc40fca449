//===- ELF.h - ELF objects and shared libraries -----------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the section headers of an ELF object or shared library, and by them
/// what else is asked for.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_FORMATS_ELF_H
#define HEADSTART_FORMATS_ELF_H

#include "headstart/Formats/ByteSource.h"
#include "headstart/Formats/Parts.h"
#include "headstart/Formats/Symbols.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstart {

struct ELFSymbols {
  /// What the object defines and lacks, in the order of its symbols.
  std::vector<SymbolUse> Uses;
  std::vector<SectionRule>
      Rules; ///< by section; empty when there are no groups
};

/// Whatever is in the file: impossible offsets and counts make it no object,
/// and no range goes past the end.
class ELFObject {
public:
  /// Reads the headers of \p Object; nothing where they are none, or too long.
  /// May block.
  static std::optional<ELFObject> read(ByteSource &Object);

  std::vector<LayoutPart> Parts; ///< in the order of the file, disjoint
  ByteRange Symbols, Strings; ///< .symtab and its .strtab; empty when missing
  /// .deplibs: together no more than the file has bytes, and 1 MiB.
  std::vector<ByteRange> Dependents;

  /// \name What stands in these places of \p Object, from which the headers
  /// were read. May block.
  /// @{
  /// Empty when they cannot be read, or are too long.
  ELFSymbols readSymbols(ByteSource &Object, SymbolBuffers &Buffers) const;
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

/// What lld needs of an input before anything else: the headers of an object,
/// or of all members of an archive.
struct ELFFile {
  struct Object {
    ByteRange Header; ///< an archive's, before the member
    ByteRange Within;
    std::optional<ELFObject> Headers;     ///< offsets are within Within
    PartKind Otherwise = PartKind::Whole; ///< what it is without headers
  };

  /// Nothing of a file of another kind, and of a thin archive. May block.
  static ELFFile read(ByteSource &File);

  llvm::file_magic Kind;
  bool IsArchive = false;
  std::vector<Object> Objects; ///< the file, or the archive's members, in order
};

} // namespace headstart

#endif // HEADSTART_FORMATS_ELF_H
