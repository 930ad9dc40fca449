//===- ELFTest.cpp - ELF objects and shared libraries ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/ELF.h"
#include "ELFTestSupport.h"
#include "FormatsTestSupport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart;
using namespace headstart::test;
using namespace llvm;
using testing::ElementsAre;

namespace {

template <typename ELFT>
std::string wordsOf(std::initializer_list<uint32_t> Values) {
  std::string Result;
  for (uint32_t V : Values) {
    typename ELFT::Word W;
    W = V;
    Result.append(reinterpret_cast<const char *>(&W), sizeof(W));
  }
  return Result;
}

std::optional<ELFObject> read(StringRef File) {
  HeadOnly Bytes(File.str());
  return ELFObject::read(Bytes);
}

ELFSymbols symbolsOf(StringRef File, const ELFObject &Object) {
  SymbolBuffers Buffers;
  MemoryBytes Memory(File);
  return Object.readSymbols(Memory, Buffers);
}

StringRef at(StringRef File, ByteRange R) {
  return File.substr(R.Offset, R.Length);
}

template <typename ELFT> class ELFTest : public testing::Test {
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
         {SHT_GROUP, 0, wordsOf<ELFT>({GRP_COMDAT, 7, 8}), 9, 1},
         {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR | SHF_GROUP,
          std::string(900, 'g')},
         {SHT_RELA, SHF_GROUP, std::string(96, 'q'), 9, 7},
         {SHT_SYMTAB, 0, Symbols, 10, 1},
         {SHT_STRTAB, 0, Strings}},
        ET_REL, ManySections);
  }

  /// The bytes of each part of \p Kind.
  std::vector<std::string> parts(StringRef File, const ELFObject &Layout,
                                 PartKind Kind) {
    std::vector<std::string> Result;
    for (const LayoutPart &P : Layout.Parts)
      if (P.Kind == Kind)
        Result.push_back(at(File, P.Range).str());
    return Result;
  }
};

using Forms = testing::Types<object::ELF64LE, object::ELF64BE, object::ELF32LE,
                             object::ELF32BE>;
TYPED_TEST_SUITE(ELFTest, Forms, );

TYPED_TEST(ELFTest, FindsEachPart) {
  std::string File = this->object();
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  auto Parts = [&](PartKind K) { return this->parts(File, *Layout, K); };
  EXPECT_THAT(Parts(PartKind::FoldableContents),
              ElementsAre(std::string(3000, 't'), std::string(900, 'g')));
  EXPECT_THAT(Parts(PartKind::Relocations),
              ElementsAre(std::string(240, 'r'), std::string(96, 'q')));
  EXPECT_THAT(Parts(PartKind::DWARF), ElementsAre(std::string(5000, 'd')));
  EXPECT_THAT(Parts(PartKind::DebugRelocs), ElementsAre(std::string(480, 'e')));
  EXPECT_THAT(Parts(PartKind::DebugStrings),
              ElementsAre(std::string(700, 's')));
}

TYPED_TEST(ELFTest, ReadsAheadWhatParsingReads) {
  for (bool ManySections : {false, true}) {
    const std::string File = this->object(ManySections);
    HeadOnly Ahead(File), Parsed(File);
    ELFObject::readAhead(Ahead);
    const std::optional<ELFObject> Layout = ELFObject::read(Parsed);
    ASSERT_TRUE(Layout);
    EXPECT_EQ(Ahead.Requested, Parsed.Requested);
    EXPECT_THAT(Ahead.Announced,
                ElementsAre(ByteRange{Layout->Strings.end() - 1, 1}));
    HeadOnly Cut(File.substr(0, 100), File.size());
    ELFObject::readAhead(Cut);
    EXPECT_TRUE(Cut.Announced.empty());
  }
}

TYPED_TEST(ELFTest, SplitContentsAndAddendsAreParsed) {
  using namespace ELF;
  const std::string Text(3000, 't'), Merged(200, 'm'), Unwind(300, 'u'),
      Constants(100, 'c');
  auto PartsOf = [&](uint32_t RelocationType, PartKind Kind) {
    const std::string File =
        makeObject<TypeParam>({{SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, Text},
                               {RelocationType, 0, std::string(240, 'r'), 0, 1},
                               {SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, Merged},
                               {SHT_X86_64_UNWIND, SHF_ALLOC, Unwind},
                               {SHT_PROGBITS, SHF_ALLOC, Constants}});
    std::optional<ELFObject> Layout = read(File);
    return Layout ? this->parts(File, *Layout, Kind)
                  : std::vector<std::string>();
  };
  EXPECT_THAT(PartsOf(SHT_RELA, PartKind::FoldableContents), ElementsAre(Text));
  EXPECT_THAT(PartsOf(SHT_RELA, PartKind::ParsedContents),
              ElementsAre(Merged, Unwind));
  EXPECT_THAT(PartsOf(SHT_REL, PartKind::ParsedContents),
              ElementsAre(Text, Merged, Unwind));
  EXPECT_THAT(PartsOf(SHT_REL, PartKind::Contents), ElementsAre(Constants));
}

TYPED_TEST(ELFTest, ConstantsAreFoldableIfAnAddressTableExists) {
  using namespace ELF;
  const std::string Text(300, 't'), Constants(200, 'c'), Table(16, 'a');
  for (bool HasTable : {false, true}) {
    const std::string File = makeObject<TypeParam>(
        {{SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, Text},
         {SHT_PROGBITS, SHF_ALLOC, Constants},
         {HasTable ? SHT_LLVM_ADDRSIG : SHT_PROGBITS, SHF_EXCLUDE, Table}});
    std::optional<ELFObject> Layout = read(File);
    ASSERT_TRUE(Layout);
    std::vector<std::string> Foldable = {Text};
    if (HasTable)
      Foldable.push_back(Constants);
    EXPECT_EQ(this->parts(File, *Layout, PartKind::FoldableContents), Foldable);
  }
}

TYPED_TEST(ELFTest, RelocatedConstantsAreParsed) {
  using namespace ELF;
  const std::string Table(300, 'u'), Constants(200, 'c');
  const std::string File = makeObject<TypeParam>(
      {{SHT_PROGBITS, SHF_ALLOC, Table},
       {SHT_RELA, 0, std::string(240, 'r'), 0, 1},
       {SHT_PROGBITS, SHF_ALLOC, Constants},
       {SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, std::string(100, 'd')},
       {SHT_RELA, 0, std::string(24, 'r'), 0, 4}});
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  EXPECT_THAT(this->parts(File, *Layout, PartKind::ParsedContents),
              ElementsAre(Table));
  EXPECT_THAT(this->parts(File, *Layout, PartKind::Contents),
              ElementsAre(Constants, std::string(100, 'd')));
}

TYPED_TEST(ELFTest, ReadsExtendedSectionCount) {
  std::string File = this->object(/*ManySections=*/true);
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  EXPECT_EQ(symbolsOf(File, *Layout).Rules.size(), 11U);
}

TYPED_TEST(ELFTest, ReadsDefinedAndUndefinedSymbols) {
  std::string File = this->object();
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  ELFSymbols Symbols = symbolsOf(File, *Layout);
  ASSERT_EQ(Symbols.Uses.size(), 3U); // weak references extract nothing
  EXPECT_EQ(Symbols.Uses[0].Name, hashOfSymbol("inline"));
  EXPECT_TRUE(Symbols.Uses[0].Defines);
  EXPECT_EQ(Symbols.Uses[1].Name, hashOfSymbol("main"));
  EXPECT_TRUE(Symbols.Uses[1].Defines);
  EXPECT_EQ(Symbols.Uses[2].Name, hashOfSymbol("printf"));
  EXPECT_FALSE(Symbols.Uses[2].Defines);
}

TYPED_TEST(ELFTest, GroupLeadsItsSectionsAndRelocations) {
  std::string File = this->object();
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  ELFSymbols Symbols = symbolsOf(File, *Layout);
  ASSERT_EQ(Symbols.Rules.size(), 11U);
  for (size_t Section = 1; Section != 11; ++Section)
    EXPECT_EQ(Symbols.Rules[Section - 1].Kind == SectionRule::Leader,
              Section == 7 || Section == 8);
  EXPECT_EQ(Symbols.Rules[6].Name, hashOfSymbol("inline"));
  EXPECT_EQ(Symbols.Rules[7].Name, hashOfSymbol("inline"));
}

TYPED_TEST(ELFTest, IgnoresGroupPastEnd) {
  using Shdr = TypeParam::Shdr;
  std::string File = makeObject<TypeParam>(
      {{ELF::SHT_GROUP, 0, "", 3, 1},
       {ELF::SHT_GROUP, 0, wordsOf<TypeParam>({ELF::GRP_COMDAT, 1}), 3, 1},
       {ELF::SHT_SYMTAB, 0,
        symbol<TypeParam>(0, 0, ELF::STB_LOCAL) + symbol<TypeParam>(1, 1), 4,
        1},
       {ELF::SHT_STRTAB, 0, std::string("\0a\0", 3)}});
  auto *Headers = reinterpret_cast<Shdr *>(File.data() + File.size()) - 4;
  Headers[0].sh_offset = File.size() + 100;
  Headers[0].sh_size = 8;
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  EXPECT_EQ(symbolsOf(File, *Layout).Rules.at(0).Name, hashOfSymbol("a"));
}

TYPED_TEST(ELFTest, FirstOfOverlappingGroupsCounts) {
  using Shdr = TypeParam::Shdr;
  std::string Group = wordsOf<TypeParam>({ELF::GRP_COMDAT, 1});
  Group.resize(20000);
  std::string Symbols = symbol<TypeParam>(0, 0, ELF::STB_LOCAL) +
                        symbol<TypeParam>(1, 1) + symbol<TypeParam>(3, 1);
  std::string File =
      makeObject<TypeParam>({{ELF::SHT_GROUP, 0, Group, 3, 1},
                             {ELF::SHT_GROUP, 0, "", 3, 2},
                             {ELF::SHT_SYMTAB, 0, Symbols, 4, 1},
                             {ELF::SHT_STRTAB, 0, std::string("\0a\0b\0", 5)}});
  auto *Headers = reinterpret_cast<Shdr *>(File.data() + File.size()) - 4;
  Headers[1].sh_offset = Headers[0].sh_offset;
  Headers[1].sh_size = Headers[0].sh_size;
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  EXPECT_EQ(symbolsOf(File, *Layout).Rules.at(0).Name, hashOfSymbol("a"));
}

TYPED_TEST(ELFTest, BoundsSymbolsThatShareLongName) {
  std::string Symbols = symbol<TypeParam>(0, 0, ELF::STB_LOCAL);
  for (uint32_t I = 0; I != 1000; ++I)
    Symbols += symbol<TypeParam>(1 + I, 1);
  std::string File = makeObject<TypeParam>(
      {{ELF::SHT_PROGBITS, ELF::SHF_ALLOC, "text"},
       {ELF::SHT_SYMTAB, 0, Symbols, 3, 1},
       {ELF::SHT_STRTAB, 0, '\0' + std::string(10000, 'n') + '\0'}});
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  EXPECT_EQ(symbolsOf(File, *Layout).Uses.size(), 4U);
}

TYPED_TEST(ELFTest, RandomBytesStayInFile) {
  std::mt19937 Random(7);
  std::string Good = this->object();
  unsigned Read = 0;
  for (unsigned Round = 0; Round != 3000; ++Round) {
    std::string File = Good;
    for (unsigned I = 0; I != 1 + Round % 8; ++I) {
      // Most changes hit the header or the section headers.
      size_t At =
          Random() % 2 ? Random() % 64 : File.size() - 1 - Random() % 600;
      File[At] = static_cast<char>(Random());
    }
    std::optional<ELFObject> Layout = read(File);
    if (!Layout)
      continue;
    ++Read;
    expectSane(Layout->Parts, File.size());
    (void)symbolsOf(File, *Layout);
  }
  EXPECT_GT(Read, 100U);
}

TEST(ELFSharedTest, ReadsDynamicSymbolsOfSharedLibrary) {
  using namespace ELF;
  std::string File = makeObject<object::ELF64LE>(
      {{SHT_DYNSYM, SHF_ALLOC, std::string(480, 's')},
       {SHT_STRTAB, SHF_ALLOC, std::string(90, 'n')},
       {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, std::string(30000, 't')},
       {SHT_SYMTAB, 0, std::string(48000, 'l')},
       {SHT_STRTAB, 0, std::string(9000, 'm')}},
      ET_DYN);
  std::optional<ELFObject> Layout = read(File);
  ASSERT_TRUE(Layout);
  uint64_t Symbols = 0;
  for (const LayoutPart &P : Layout->Parts) {
    if (P.Kind == PartKind::Symbols)
      Symbols += P.Range.Length;
    else
      EXPECT_TRUE(P.Kind == PartKind::Headers || P.Kind == PartKind::NeverRead);
  }
  EXPECT_EQ(Symbols, 570U);
}

TEST(ELFSharedTest, OtherFilesHaveNoLayout) {
  for (const std::string &File :
       {std::string(200, 'x'),
        std::string("\x7f"
                    "ELF"),
        makeObject<object::ELF64LE>({}, ELF::ET_EXEC)}) {
    EXPECT_FALSE(read(File));
  }
}

} // namespace
