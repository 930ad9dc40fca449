//===- COFFTestSupport.h - Writes COFF objects for tests --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes the headers of plain and big COFF objects.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FORMATS_COFFTESTSUPPORT_H
#define HEADSTART_UNITTESTS_FORMATS_COFFTESTSUPPORT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace headstart::test {

struct COFFSection {
  const char *Name;
  uint32_t DataOffset, DataSize;
  uint32_t RelocOffset = 0;
  uint16_t NumRelocs = 0;
  uint32_t Characteristics = llvm::COFF::IMAGE_SCN_CNT_CODE;
};

inline void append(std::string &Bytes, const void *Data, size_t Size) {
  Bytes.append(static_cast<const char *>(Data), Size);
}

inline void appendSections(std::string &Bytes,
                           llvm::ArrayRef<COFFSection> Sections) {
  for (const COFFSection &S : Sections) {
    llvm::object::coff_section Section = {};
    std::memcpy(Section.Name, S.Name, std::min<size_t>(8, strlen(S.Name)));
    Section.PointerToRawData = S.DataOffset;
    Section.SizeOfRawData = S.DataSize;
    Section.PointerToRelocations = S.RelocOffset;
    Section.NumberOfRelocations = S.NumRelocs;
    Section.Characteristics = S.Characteristics;
    append(Bytes, &Section, sizeof(Section));
  }
}

/// The head of a plain object: a header of 20 bytes, and 40 for each section.
inline std::string
plainHead(llvm::ArrayRef<COFFSection> Sections, uint32_t SymbolTable,
          uint32_t NumSymbols,
          uint16_t Machine = llvm::COFF::IMAGE_FILE_MACHINE_AMD64) {
  llvm::object::coff_file_header Header = {};
  Header.Machine = Machine;
  Header.NumberOfSections = static_cast<uint16_t>(Sections.size());
  Header.PointerToSymbolTable = SymbolTable;
  Header.NumberOfSymbols = NumSymbols;
  std::string Bytes;
  append(Bytes, &Header, sizeof(Header));
  appendSections(Bytes, Sections);
  return Bytes;
}

/// The head of a big object: a header of 56 bytes, and 40 for each section.
inline std::string bigHead(llvm::ArrayRef<COFFSection> Sections,
                           uint32_t SymbolTable, uint32_t NumSymbols) {
  llvm::object::coff_bigobj_file_header Header = {};
  Header.Sig1 = llvm::COFF::IMAGE_FILE_MACHINE_UNKNOWN;
  Header.Sig2 = 0xffff;
  Header.Version = llvm::COFF::BigObjHeader::MinBigObjectVersion;
  Header.Machine = llvm::COFF::IMAGE_FILE_MACHINE_AMD64;
  std::memcpy(Header.UUID, llvm::COFF::BigObjMagic, sizeof(Header.UUID));
  Header.NumberOfSections = static_cast<uint32_t>(Sections.size());
  Header.PointerToSymbolTable = SymbolTable;
  Header.NumberOfSymbols = NumSymbols;
  std::string Bytes;
  append(Bytes, &Header, sizeof(Header));
  appendSections(Bytes, Sections);
  return Bytes;
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FORMATS_COFFTESTSUPPORT_H
