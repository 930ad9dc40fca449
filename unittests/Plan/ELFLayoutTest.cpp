//===- ELFLayoutTest.cpp - Where the parts of an ELF file lie -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Plan/ELFLayout.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;
using namespace llvm;
using testing::ElementsAre;

namespace {

struct SectionSpec {
  uint32_t Type;
  uint64_t Flags = 0;
  std::string Bytes;
  uint32_t Link = 0, Info = 0;
};

/// Writes an object with \p Sections (behind the null section), their bytes in
/// order, and the section headers at the end, as compilers do.
template <typename ELFT>
std::string makeObject(ArrayRef<SectionSpec> Sections,
                       uint16_t Type = ELF::ET_REL, bool ManySections = false) {
  typename ELFT::Ehdr Header = {};
  std::memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] =
      ELFT::Is64Bits ? ELF::ELFCLASS64 : ELF::ELFCLASS32;
  Header.e_ident[ELF::EI_DATA] = ELFT::Endianness == endianness::little
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

template <typename ELFT>
std::string words(std::initializer_list<uint32_t> Values) {
  std::string Result;
  for (uint32_t V : Values) {
    typename ELFT::Word W;
    W = V;
    Result.append(reinterpret_cast<const char *>(&W), sizeof(W));
  }
  return Result;
}

/// Reads the layout of what stands at \p Within of \p File.
const ELFLayout *readSteps(ELFLayoutReader &Reader, StringRef File) {
  while (!Reader.needs().empty()) {
    ByteRange R = Reader.needs();
    if (R.end() > File.size())
      return nullptr;
    Reader.give(ArrayRef(File.data() + R.Offset, R.Length));
  }
  return Reader.layout();
}

StringRef at(StringRef File, ByteRange R) {
  return File.substr(R.Offset, R.Length);
}

ArrayRef<char> chars(StringRef S) { return {S.data(), S.size()}; }

template <typename ELFT> class ELFLayoutTest : public testing::Test {
public:
  /// .text, its relocations, .debug_info, its relocations, .debug_str, a group
  /// with .text.g (7) and its relocations (8), symbols (9), strings (10).
  std::string object(bool ManySections = false) {
    using namespace ELF;
    std::string Strings = std::string("\0inline\0main\0printf\0", 20);
    std::string Symbols = symbol<ELFT>(0, 0, STB_LOCAL) +
                          symbol<ELFT>(1, 7, STB_WEAK) + symbol<ELFT>(8, 1) +
                          symbol<ELFT>(13, 0) + symbol<ELFT>(13, 0, STB_WEAK);
    return makeObject<ELFT>(
        {{SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, std::string(3000, 't')},
         {SHT_RELA, 0, std::string(240, 'r'), 9, 1},
         {SHT_PROGBITS, 0, std::string(5000, 'd')},
         {SHT_RELA, 0, std::string(480, 'e'), 9, 3},
         {SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, std::string(700, 's')},
         {SHT_GROUP, 0, words<ELFT>({GRP_COMDAT, 7, 8}), 9, 1},
         {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR | SHF_GROUP,
          std::string(900, 'g')},
         {SHT_RELA, SHF_GROUP, std::string(96, 'q'), 9, 7},
         {SHT_SYMTAB, 0, Symbols, 10, 1},
         {SHT_STRTAB, 0, Strings}},
        ET_REL, ManySections);
  }

  /// The bytes of each part that is of \p Kind.
  std::vector<std::string> parts(StringRef File, const ELFLayout &Layout,
                                 PartKind Kind) {
    std::vector<std::string> Result;
    for (const LayoutPart &P : Layout.Parts)
      if (P.Kind == Kind)
        Result.push_back(at(File, P.Range).str());
    return Result;
  }

  ELFSymbols symbols(StringRef File, const ELFLayout &Layout) {
    std::vector<ArrayRef<char>> Groups;
    Groups.reserve(Layout.Groups.size());
    for (const ELFGroup &G : Layout.Groups)
      Groups.push_back(chars(at(File, G.Members)));
    return readELFSymbols(Layout, chars(at(File, Layout.Symbols)),
                          chars(at(File, Layout.Strings)), Groups);
  }
};

using Forms = testing::Types<object::ELF64LE, object::ELF64BE, object::ELF32LE,
                             object::ELF32BE>;
TYPED_TEST_SUITE(ELFLayoutTest, Forms, );

TYPED_TEST(ELFLayoutTest, EveryPartIsFoundInItsPlace) {
  std::string File = this->object();
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  auto Parts = [&](PartKind K) { return this->parts(File, *Layout, K); };
  EXPECT_THAT(Parts(PartKind::Contents),
              ElementsAre(std::string(3000, 't'), std::string(900, 'g')));
  EXPECT_THAT(Parts(PartKind::Relocations),
              ElementsAre(std::string(240, 'r'), std::string(96, 'q')));
  EXPECT_THAT(Parts(PartKind::DWARF), ElementsAre(std::string(5000, 'd')));
  EXPECT_THAT(Parts(PartKind::DebugRelocs), ElementsAre(std::string(480, 'e')));
  EXPECT_THAT(Parts(PartKind::DebugStrings),
              ElementsAre(std::string(700, 's')));
  EXPECT_EQ(Layout->Groups.size(), 1U);
  EXPECT_EQ(Layout->FirstGlobal, 1U);
}

TYPED_TEST(ELFLayoutTest, AMemberOfAnArchiveLiesWhereItLies) {
  std::string Object = this->object();
  std::string File = std::string(321, 'x') + Object + std::string(99, 'y');
  ELFLayoutReader Reader({321, Object.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  EXPECT_THAT(this->parts(File, *Layout, PartKind::Contents),
              ElementsAre(std::string(3000, 't'), std::string(900, 'g')));
  ELFSymbols Symbols = this->symbols(File, *Layout);
  EXPECT_EQ(Symbols.Uses.size(), 3U);
}

TYPED_TEST(ELFLayoutTest, TheNumberOfManySectionsStandsInTheFirst) {
  std::string File = this->object(/*ManySections=*/true);
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  EXPECT_EQ(Layout->NumSections, 11U);
}

TYPED_TEST(ELFLayoutTest, SymbolsSayWhatIsDefinedAndWhatIsLacking) {
  std::string File = this->object();
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  ELFSymbols Symbols = this->symbols(File, *Layout);
  ASSERT_EQ(Symbols.Uses.size(), 3U); // what is lacking weakly takes nothing
  EXPECT_EQ(Symbols.Uses[0].Name, hashOfSymbol("inline"));
  EXPECT_TRUE(Symbols.Uses[0].Defines);
  EXPECT_EQ(Symbols.Uses[1].Name, hashOfSymbol("main"));
  EXPECT_TRUE(Symbols.Uses[1].Defines);
  EXPECT_EQ(Symbols.Uses[2].Name, hashOfSymbol("printf"));
  EXPECT_FALSE(Symbols.Uses[2].Defines);
}

TYPED_TEST(ELFLayoutTest, TheSecondCopyOfAGroupIsDroppedWithItsRelocations) {
  std::string File = this->object();
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  ELFSymbols Symbols = this->symbols(File, *Layout);
  ComdatTable Table;
  EXPECT_TRUE(Table.enter(Symbols.Rules, 0).none());
  BitVector Dropped = Table.enter(Symbols.Rules, 1);
  EXPECT_EQ(Dropped.count(), 2U);
  EXPECT_TRUE(Dropped[6] && Dropped[7]); // sections 7 and 8
}

TYPED_TEST(ELFLayoutTest, GroupsThatAllAreTheSameBytesAreFew) {
  using Shdr = TypeParam::Shdr;
  std::vector<SectionSpec> Sections(100, {ELF::SHT_GROUP, 0, "", 0, 0});
  Sections[0].Bytes = std::string(20000, '\0');
  std::string File = makeObject<TypeParam>(Sections);
  auto *Headers = reinterpret_cast<Shdr *>(File.data() + File.size()) - 100;
  for (int I = 1; I != 100; ++I) {
    Headers[I].sh_offset = Headers[0].sh_offset;
    Headers[I].sh_size = Headers[0].sh_size;
  }
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  uint64_t Bytes = 0;
  for (const ELFGroup &G : Layout->Groups)
    Bytes += G.Members.Length;
  EXPECT_GE(Bytes, 20000U);
  EXPECT_LE(Bytes, File.size());
}

TYPED_TEST(ELFLayoutTest, SymbolsOfOneLongNameAreFew) {
  std::string Symbols = symbol<TypeParam>(0, 0, ELF::STB_LOCAL);
  for (uint32_t I = 0; I != 1000; ++I)
    Symbols += symbol<TypeParam>(1 + I, 1);
  std::string File = makeObject<TypeParam>(
      {{ELF::SHT_PROGBITS, ELF::SHF_ALLOC, "text"},
       {ELF::SHT_SYMTAB, 0, Symbols, 3, 1},
       {ELF::SHT_STRTAB, 0, '\0' + std::string(10000, 'n') + '\0'}});
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  EXPECT_EQ(this->symbols(File, *Layout).Uses.size(), 4U);
}

TYPED_TEST(ELFLayoutTest, DebugInformationIsLeftOutWhenItIsStripped) {
  std::string File = this->object();
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Read = readSteps(Reader, File);
  ASSERT_NE(Read, nullptr);
  ObjectLayout Layout;
  Layout.Parts = Read->Parts;
  PlanOptions Options;
  Options.Kind = Flavour::ELF;
  Options.WholeFileBytes = 0;
  Options.MergeGapBytes = 0;
  Options.PageBytes = 1;
  auto Planned = [&] {
    uint64_t Bytes = 0;
    for (const PlannedRange &R : planFile(&Layout, File.size(), Options))
      Bytes += R.Range.Length;
    return Bytes;
  };
  uint64_t All = Planned();
  EXPECT_EQ(All, File.size());
  Options.ReadsDWARF = false;
  EXPECT_EQ(Planned(), All - 5000 - 480 - 700);
}

TYPED_TEST(ELFLayoutTest, WhateverBytesThereAreNoRangeGoesPastTheEnd) {
  std::mt19937 Random(7);
  std::string Good = this->object();
  unsigned Read = 0;
  for (unsigned Round = 0; Round != 3000; ++Round) {
    std::string File = Good;
    for (unsigned I = 0; I != 1 + Round % 8; ++I) {
      // Header and section headers are what matters.
      size_t At =
          Random() % 2 ? Random() % 64 : File.size() - 1 - Random() % 600;
      File[At] = static_cast<char>(Random());
    }
    ByteRange Within{Round % 3, File.size() - Round % 3};
    ELFLayoutReader Reader(Within);
    const ELFLayout *Layout = readSteps(Reader, File);
    if (!Layout)
      continue;
    ++Read;
    uint64_t End = Within.Offset;
    for (const LayoutPart &P : Layout->Parts) {
      ASSERT_GE(P.Range.Offset, End);
      ASSERT_LE(P.Range.Length, File.size() - P.Range.Offset);
      End = P.Range.end();
    }
    ELFSymbols Symbols = this->symbols(File, *Layout);
    EXPECT_LE(Symbols.Rules.size(), Layout->NumSections);
  }
  EXPECT_GT(Read, 100U);
}

TEST(ELFSharedLayoutTest, OfASharedLibraryTheDynamicSymbolsAreRead) {
  using namespace ELF;
  std::string File = makeObject<object::ELF64LE>(
      {{SHT_DYNSYM, SHF_ALLOC, std::string(480, 's')},
       {SHT_STRTAB, SHF_ALLOC, std::string(90, 'n')},
       {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, std::string(30000, 't')},
       {SHT_SYMTAB, 0, std::string(48000, 'l')},
       {SHT_STRTAB, 0, std::string(9000, 'm')}},
      ET_DYN);
  ELFLayoutReader Reader({0, File.size()});
  const ELFLayout *Layout = readSteps(Reader, File);
  ASSERT_NE(Layout, nullptr);
  uint64_t Symbols = 0;
  for (const LayoutPart &P : Layout->Parts) {
    if (P.Kind == PartKind::Symbols)
      Symbols += P.Range.Length;
    else
      EXPECT_TRUE(P.Kind == PartKind::Headers || P.Kind == PartKind::NeverRead);
  }
  EXPECT_EQ(Symbols, 570U);
}

TEST(ELFSharedLayoutTest, WhatIsNoObjectHasNoLayout) {
  for (const std::string &File :
       {std::string(200, 'x'),
        std::string("\x7f"
                    "ELF"),
        makeObject<object::ELF64LE>({}, ELF::ET_EXEC)}) {
    ELFLayoutReader Reader({0, File.size()});
    EXPECT_EQ(readSteps(Reader, File), nullptr);
  }
}

} // namespace
