//===- ELFTestSupport.h - Writes ELF objects for tests ----------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_FORMATS_ELFTESTSUPPORT_H
#define HEADSTART_UNITTESTS_FORMATS_ELFTESTSUPPORT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include <cstring>
#include <string>
#include <vector>

namespace headstart::test {

namespace ELF = llvm::ELF;

struct SectionSpec {
  uint32_t Type;
  uint64_t Flags = 0;
  std::string Bytes;
  uint32_t Link = 0, Info = 0;
};

/// Writes an object with \p Sections (after the null section), their bytes in
/// order, and the section headers at the end, as compilers do.
template <typename ELFT>
std::string makeObject(llvm::ArrayRef<SectionSpec> Sections,
                       uint16_t Type = ELF::ET_REL, bool ManySections = false) {
  typename ELFT::Ehdr Header = {};
  std::memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] =
      ELFT::Is64Bits ? ELF::ELFCLASS64 : ELF::ELFCLASS32;
  Header.e_ident[ELF::EI_DATA] = ELFT::Endianness == llvm::endianness::little
                                     ? ELF::ELFDATA2LSB
                                     : ELF::ELFDATA2MSB;
  Header.e_type = Type;
  Header.e_shentsize = sizeof(typename ELFT::Shdr);
  std::string Contents;
  std::vector<typename ELFT::Shdr> Headers(1);
  Headers[0] = {};
  for (const SectionSpec &S : Sections) {
    typename ELFT::Shdr Shdr = {};
    Shdr.sh_type = S.Type;
    Shdr.sh_flags = S.Flags;
    Shdr.sh_offset = sizeof(Header) + Contents.size();
    Shdr.sh_size = S.Bytes.size();
    Shdr.sh_link = S.Link;
    Shdr.sh_info = S.Info;
    Headers.push_back(Shdr);
    Contents += S.Bytes;
  }
  Header.e_shoff = sizeof(Header) + Contents.size();
  if (ManySections)
    Headers[0].sh_size = Headers.size();
  else
    Header.e_shnum = Headers.size();
  std::string Result(reinterpret_cast<const char *>(&Header), sizeof(Header));
  Result += Contents;
  Result.append(reinterpret_cast<const char *>(Headers.data()),
                Headers.size() * sizeof(Headers[0]));
  return Result;
}

template <typename ELFT>
std::string symbol(uint32_t Name, uint16_t Section,
                   uint8_t Binding = ELF::STB_GLOBAL) {
  typename ELFT::Sym S = {};
  S.st_name = Name;
  S.st_shndx = Section;
  S.setBindingAndType(Binding, ELF::STT_FUNC);
  return {reinterpret_cast<const char *>(&S), sizeof(S)};
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_FORMATS_ELFTESTSUPPORT_H
