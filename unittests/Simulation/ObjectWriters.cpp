//===- ObjectWriters.cpp - Headers of simulated objects -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectWriters.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace headstart::simulation {

std::string memberHeader(StringRef Name, uint64_t Size) {
  return formatv("{0,-16}{1,-32}{2,-10}`\n", Name, "0", Size).str();
}

ByteRange PartPlacer::place(uint64_t Length) {
  const ByteRange Placed{At, Length};
  At += Length;
  if (Gap != 0)
    At = alignTo(At + Gap, Gap);
  return Placed;
}

Elf64_Shdr &ELFWriter::addSection(uint32_t Type, uint64_t Flags,
                                  uint64_t Length) {
  Elf64_Shdr &Header = Headers.emplace_back();
  Header.sh_type = Type;
  Header.sh_flags = Flags;
  Header.sh_offset = Places.place(Length).Offset;
  Header.sh_size = Length;
  Header.sh_addralign = 1;
  return Header;
}

ByteRange ELFWriter::range() const {
  return {Begin + Headers.back().sh_offset, Headers.back().sh_size};
}

ByteRange ELFWriter::end(uint64_t TableBytes) {
  const uint64_t Count =
      std::max<uint64_t>(Headers.size(), TableBytes / sizeof(Elf64_Shdr));
  Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, "\177ELF\2\1\1", 7);
  Header.e_type = ET_REL;
  Header.e_machine = EM_X86_64;
  Header.e_version = 1;
  Header.e_ehsize = sizeof(Header);
  Header.e_shentsize = sizeof(Elf64_Shdr);
  // Sections above this number are not used.
  Header.e_shnum =
      static_cast<uint16_t>(std::min<uint64_t>(Count, SHN_LORESERVE - 1));
  Header.e_shstrndx = static_cast<uint16_t>(Headers.size() - 1);
  Header.e_shoff = alignTo(Places.At, 8);
  Contents.emplace_back(Begin, bytesOf(Header));
  std::string Table;
  for (const Elf64_Shdr &H : Headers)
    Table += bytesOf(H);
  Contents.emplace_back(Begin + Header.e_shoff, std::move(Table));
  return {Begin + Header.e_shoff, Header.e_shnum * sizeof(Elf64_Shdr)};
}

object::coff_section &COFFWriter::addSection(StringRef Name, uint64_t Length,
                                             std::string Bytes) {
  Last = Places.place(Length);
  object::coff_section Entry = {};
  std::memcpy(Entry.Name, Name.data(), std::min<size_t>(8, Name.size()));
  Entry.PointerToRawData = static_cast<uint32_t>(Last.Offset);
  Entry.SizeOfRawData = static_cast<uint32_t>(Length);
  if (!Bytes.empty())
    Contents.emplace_back(Last.Offset, std::move(Bytes));
  return Headers.emplace_back(Entry);
}

void COFFWriter::addRelocations(StringRef Name, uint64_t Length) {
  constexpr uint64_t Most = 65534;
  const ByteRange All = Places.place(Length);
  for (uint64_t Done = 0; Done < Length;) {
    object::coff_section Entry = {};
    std::memcpy(Entry.Name, Name.data(), std::min<size_t>(8, Name.size()));
    const uint64_t Count = std::clamp<uint64_t>(
        (Length - Done) / sizeof(object::coff_relocation), 1, Most);
    Entry.PointerToRelocations = static_cast<uint32_t>(All.Offset + Done);
    Entry.NumberOfRelocations = static_cast<uint16_t>(Count);
    Headers.push_back(Entry);
    Done += Count * sizeof(object::coff_relocation);
  }
  Last = All;
}

/// The first symbol defines the section; the second is its leader.
void COFFWriter::leadBy(StringRef Leader) {
  Headers.back().Characteristics =
      Headers.back().Characteristics | COFF::IMAGE_SCN_LNK_COMDAT;
  object::coff_symbol16 Two[3] = {};
  Two[0].SectionNumber = static_cast<uint16_t>(number());
  Two[0].StorageClass = COFF::IMAGE_SYM_CLASS_STATIC;
  Two[0].NumberOfAuxSymbols = 1;
  object::coff_aux_section_definition Definition = {};
  Definition.Selection = COFF::IMAGE_COMDAT_SELECT_ANY;
  std::memcpy(&Two[1], &Definition, sizeof(Definition));
  std::memcpy(Two[2].Name.ShortName, Leader.data(),
              std::min<size_t>(8, Leader.size()));
  Two[2].SectionNumber = static_cast<uint16_t>(number());
  Two[2].StorageClass = COFF::IMAGE_SYM_CLASS_EXTERNAL;
  Symbols += bytesOf(Two);
}

uint64_t COFFWriter::headerBytes() const {
  return sizeof(object::coff_file_header) +
         Headers.size() * sizeof(object::coff_section);
}

ByteRange COFFWriter::end(uint64_t HeaderBytes, uint64_t SymbolBytes) {
  object::coff_file_header Header = {};
  Header.Machine = COFF::IMAGE_FILE_MACHINE_AMD64;
  const uint64_t Count =
      std::max<uint64_t>(Headers.size(), (HeaderBytes - sizeof(Header)) /
                                             sizeof(object::coff_section));
  Header.NumberOfSections = static_cast<uint16_t>(
      HeaderBytes == 0 ? Headers.size() : std::min<uint64_t>(Count, 65535));
  const uint64_t NumSymbols = Symbols.size() / sizeof(object::coff_symbol16);
  Symbols += std::string("\4\0\0\0", 4);
  Last = Places.place(std::max<uint64_t>(Symbols.size(), SymbolBytes));
  Header.PointerToSymbolTable = static_cast<uint32_t>(Last.Offset);
  Header.NumberOfSymbols = static_cast<uint32_t>(NumSymbols);
  std::string Head = bytesOf(Header);
  for (const object::coff_section &H : Headers)
    Head += bytesOf(H);
  Contents.emplace_back(0, std::move(Head));
  Contents.emplace_back(Last.Offset, std::move(Symbols));
  return Last;
}

ByteRange MachOWriter::addSection(StringRef Segment, StringRef Name,
                                  uint32_t Flags, uint64_t Length) {
  const ByteRange Where = Places.place(Length);
  MachO::section_64 Entry = {};
  std::memcpy(Entry.segname, Segment.data(),
              std::min<size_t>(16, Segment.size()));
  std::memcpy(Entry.sectname, Name.data(), std::min<size_t>(16, Name.size()));
  Entry.offset = static_cast<uint32_t>(Where.Offset);
  Entry.size = Length;
  Entry.flags = Flags;
  Sections.push_back(Entry);
  return Where;
}

ByteRange MachOWriter::addRelocations(uint64_t Length) {
  const ByteRange Where = Places.place(Length);
  MachO::section_64 Entry = {};
  std::memcpy(Entry.segname, "__TEXT", 6);
  std::memcpy(Entry.sectname, "__text", 6);
  Entry.flags = MachO::S_ATTR_PURE_INSTRUCTIONS;
  Entry.reloff = static_cast<uint32_t>(Where.Offset);
  Entry.nreloc =
      static_cast<uint32_t>(Length / sizeof(MachO::any_relocation_info));
  Sections.push_back(Entry);
  return Where;
}

ByteRange MachOWriter::addSymbols(uint64_t Length) {
  const ByteRange Where = Places.place(Length);
  Table.symoff = static_cast<uint32_t>(Where.Offset);
  Table.nsyms = static_cast<uint32_t>(Length / sizeof(MachO::nlist_64));
  return Where;
}

ByteRange MachOWriter::addStrings(uint64_t Length) {
  const ByteRange Where = Places.place(Length);
  Table.stroff = static_cast<uint32_t>(Where.Offset);
  Table.strsize = static_cast<uint32_t>(Length);
  return Where;
}

void MachOWriter::end(uint64_t HeaderBytes) {
  MachO::segment_command_64 Segment = {};
  Segment.cmd = MachO::LC_SEGMENT_64;
  Segment.cmdsize = static_cast<uint32_t>(
      sizeof(Segment) + Sections.size() * sizeof(MachO::section_64));
  Segment.nsects = static_cast<uint32_t>(Sections.size());
  Table.cmd = MachO::LC_SYMTAB;
  Table.cmdsize = sizeof(Table);
  MachO::mach_header_64 Header = {};
  Header.magic = MachO::MH_MAGIC_64;
  Header.cputype = MachO::CPU_TYPE_ARM64;
  Header.filetype = MachO::MH_OBJECT;
  Header.ncmds = 2;
  std::string Commands = bytesOf(Segment);
  for (const MachO::section_64 &S : Sections)
    Commands += bytesOf(S);
  Commands += bytesOf(Table);
  // A command that the linker ignores takes the rest.
  if (sizeof(Header) + Commands.size() + sizeof(MachO::load_command) <
      HeaderBytes) {
    MachO::load_command Rest = {};
    Rest.cmd = MachO::LC_NOTE;
    Rest.cmdsize = static_cast<uint32_t>(
        alignDown(HeaderBytes - sizeof(Header) - Commands.size(), 8));
    Header.ncmds = 3;
    Header.sizeofcmds = static_cast<uint32_t>(Commands.size() + Rest.cmdsize);
    Commands += bytesOf(Rest);
  } else {
    Header.sizeofcmds = static_cast<uint32_t>(Commands.size());
  }
  Contents.emplace_back(0, bytesOf(Header) + Commands);
}

} // namespace headstart::simulation
