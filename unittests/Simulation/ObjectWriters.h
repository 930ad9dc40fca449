//===- ObjectWriters.h - Headers of simulated objects --------- -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writers of objects with empty sections: the headers and symbols are real,
/// all other bytes are zero. They write drawn inputs (`simulate`) and recorded
/// inputs (`worlds`).
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_SIMULATION_OBJECTWRITERS_H
#define HEADSTART_UNITTESTS_SIMULATION_OBJECTWRITERS_H

#include "SimulatedOS.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Object/COFF.h"
#include <elf.h>
#include <string>
#include <vector>

namespace headstart::simulation {

template <class T> std::string bytesOf(const T &Object) {
  return {reinterpret_cast<const char *>(&Object), sizeof(Object)};
}

/// Places the parts of an object one after another or, with a gap, each at a
/// multiple of the gap with a gap before it.
struct PartPlacer {
  uint64_t At = 0;  ///< the offset of the next part
  uint64_t Gap = 0; ///< 0: none

  ByteRange place(uint64_t Length);
};

/// An ELF object that begins at Begin of its file. The section headers are at
/// its end.
class ELFWriter {
public:
  ELFWriter(uint64_t Begin, PartPlacer Places) : Begin(Begin), Places(Places) {}

  /// The reference is valid until the next call.
  Elf64_Shdr &addSection(uint32_t Type, uint64_t Flags, uint64_t Length);
  /// Returns the range of the last section in the file.
  ByteRange range() const;
  uint32_t number() const { return static_cast<uint32_t>(Headers.size()) - 1; }
  Elf64_Shdr &header(uint32_t Number) { return Headers[Number]; }
  void setContents(ByteRange Where, std::string Bytes) {
    Contents.emplace_back(Where.Offset, std::move(Bytes));
  }
  /// Ends the object with a section header table of at least \p TableBytes.
  /// Returns the range of the table in the file.
  ByteRange end(uint64_t TableBytes = 0);

  FileBytes Contents;

private:
  uint64_t Begin;
  PartPlacer Places;
  std::vector<Elf64_Shdr> Headers{Elf64_Shdr{}};
};

/// An object for lld-link. The section headers are at its beginning.
class COFFWriter {
public:
  explicit COFFWriter(PartPlacer Places) : Places(Places) {}

  llvm::object::coff_section &addSection(llvm::StringRef Name, uint64_t Length,
                                         std::string Bytes = {});
  /// Adds a section \p Name that has only relocations.
  void addRelocations(llvm::StringRef Name, uint64_t Length);
  ByteRange range() const { return Last; }
  uint32_t number() const { return static_cast<uint32_t>(Headers.size()); }
  /// Sets the bytes of the symbol table.
  void setSymbols(std::string Bytes) { Symbols = std::move(Bytes); }
  /// Makes the last section a copy of the COMDAT \p Leader.
  void leadBy(llvm::StringRef Leader);
  /// Ends the object. The headers take at least \p HeaderBytes; symbols and
  /// strings take at least \p SymbolBytes. Returns the range of the latter.
  ByteRange end(uint64_t HeaderBytes = 0, uint64_t SymbolBytes = 0);
  uint64_t headerBytes() const;

  FileBytes Contents;

private:
  PartPlacer Places;
  ByteRange Last;
  std::vector<llvm::object::coff_section> Headers;
  std::string Symbols;
};

/// An arm64 object for ld64.lld. The load commands are at its beginning.
class MachOWriter {
public:
  explicit MachOWriter(PartPlacer Places) : Places(Places) {}

  ByteRange addSection(llvm::StringRef Segment, llvm::StringRef Name,
                       uint32_t Flags, uint64_t Length);
  /// Adds the relocations of a section that has nothing else.
  ByteRange addRelocations(uint64_t Length);
  ByteRange addSymbols(uint64_t Length);
  ByteRange addStrings(uint64_t Length);
  /// Ends the object. The header and commands take at least \p HeaderBytes.
  void end(uint64_t HeaderBytes);
  uint64_t bytes() const { return Places.At; }

  FileBytes Contents;

private:
  PartPlacer Places;
  std::vector<llvm::MachO::section_64> Sections;
  llvm::MachO::symtab_command Table = {};
};

/// Returns the header of an archive member.
std::string memberHeader(llvm::StringRef Name, uint64_t Size);

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_OBJECTWRITERS_H
