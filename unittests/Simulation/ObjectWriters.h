//===- ObjectWriters.h - Headers of simulated objects --------- -*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writers of objects whose sections hold nothing: the headers and symbols are
/// real, all other bytes are zero. Used for drawn inputs (`simulate`) and for
/// recorded ones (`worlds`).
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

/// Where the parts of an object lie: one after another, or, with a gap, each at
/// a multiple of the gap with a gap before it.
struct PartPlacer {
  uint64_t At = 0;  ///< of the next part
  uint64_t Gap = 0; ///< 0: none

  ByteRange place(uint64_t Length);
};

/// An object that begins at Begin of its file. The section headers stand at its
/// end.
class ELFWriter {
public:
  ELFWriter(uint64_t Begin, PartPlacer Places) : Begin(Begin), Places(Places) {}

  /// The reference is valid until the next call.
  Elf64_Shdr &addSection(uint32_t Type, uint64_t Flags, uint64_t Length);
  /// Of the last section, in the file.
  ByteRange range() const;
  uint32_t number() const { return static_cast<uint32_t>(Headers.size()) - 1; }
  Elf64_Shdr &header(uint32_t Number) { return Headers[Number]; }
  void setContents(ByteRange Where, std::string Bytes) {
    Contents.emplace_back(Where.Offset, std::move(Bytes));
  }
  /// Ends the object with a table of at least \p TableBytes, and returns where
  /// the table lies in the file.
  ByteRange end(uint64_t TableBytes = 0);

  FileBytes Contents;

private:
  uint64_t Begin;
  PartPlacer Places;
  std::vector<Elf64_Shdr> Headers{Elf64_Shdr{}};
};

/// An object for lld-link. The section headers stand at its beginning.
class COFFWriter {
public:
  explicit COFFWriter(PartPlacer Places) : Places(Places) {}

  llvm::object::coff_section &addSection(llvm::StringRef Name, uint64_t Length,
                                         std::string Bytes = {});
  /// Adds relocations of a section of that name that has nothing else.
  void addRelocations(llvm::StringRef Name, uint64_t Length);
  ByteRange range() const { return Last; }
  uint32_t number() const { return static_cast<uint32_t>(Headers.size()); }
  /// The symbols are \p Bytes.
  void setSymbols(std::string Bytes) { Symbols = std::move(Bytes); }
  /// The last section is a copy of the COMDAT \p Leader.
  void leadBy(llvm::StringRef Leader);
  /// Ends the object. The headers take at least \p HeaderBytes, symbols and
  /// strings at least \p SymbolBytes. Returns where the latter lie.
  ByteRange end(uint64_t HeaderBytes = 0, uint64_t SymbolBytes = 0);
  uint64_t headerBytes() const;

  FileBytes Contents;

private:
  PartPlacer Places;
  ByteRange Last;
  std::vector<llvm::object::coff_section> Headers;
  std::string Symbols;
};

/// An object for ld64.lld, for arm64. The load commands stand at its beginning.
class MachOWriter {
public:
  explicit MachOWriter(PartPlacer Places) : Places(Places) {}

  ByteRange addSection(llvm::StringRef Segment, llvm::StringRef Name,
                       uint32_t Flags, uint64_t Length);
  /// Relocations of a section that has nothing else.
  ByteRange addRelocations(uint64_t Length);
  ByteRange addSymbols(uint64_t Length);
  ByteRange addStrings(uint64_t Length);
  /// The commands take at least \p HeaderBytes with the header.
  void end(uint64_t HeaderBytes);
  uint64_t bytes() const { return Places.At; }

  FileBytes Contents;

private:
  PartPlacer Places;
  std::vector<llvm::MachO::section_64> Sections;
  llvm::MachO::symtab_command Table = {};
};

/// The header of an archive's member.
std::string memberHeader(llvm::StringRef Name, uint64_t Size);

} // namespace headstart::simulation

#endif // HEADSTART_UNITTESTS_SIMULATION_OBJECTWRITERS_H
