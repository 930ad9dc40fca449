//===- ComdatTableTest.cpp - Which copy of a COMDAT is linked -------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats/COFFTestSupport.h"
#include "Formats/FormatsTestSupport.h"
#include "headstart/Formats/COFF.h"
#include "headstart/Plan/SymbolTables.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>
#include <thread>
#include <utility>

using namespace headstart;
using namespace llvm;
using testing::ElementsAre;

namespace {

/// Writes a symbol table of either form and the string table after it.
template <typename Symbol> class SymbolTable {
public:
  explicit SymbolTable(unsigned NumSections) {
    Sections.resize(NumSections, {".text", 0, 0, 0, 0, COMDAT});
  }

  /// Adds a section's own symbol with its definition.
  void define(uint32_t Section, uint8_t Selection, uint32_t Parent = 0) {
    add(".text", Section, COFF::IMAGE_SYM_CLASS_STATIC, 1);
    object::coff_aux_section_definition Definition = {};
    Definition.Selection = Selection;
    Definition.NumberLowPart = static_cast<uint16_t>(Parent);
    Definition.NumberHighPart = static_cast<uint16_t>(Parent >> 16);
    std::string Record(sizeof(Symbol), '\0');
    std::memcpy(Record.data(), &Definition, sizeof(Definition));
    Symbols += Record;
    ++NumSymbols;
  }

  void name(StringRef Name, uint32_t Section,
            uint8_t Class = COFF::IMAGE_SYM_CLASS_EXTERNAL) {
    add(Name, Section, Class, 0);
  }

  /// Adds a symbol with the name of the first long one.
  void nameAgain(uint32_t Section) {
    std::string Before = std::exchange(Strings, "");
    name("long enough", Section);
    Strings = Before;
  }

  /// An object with these symbols, followed by the strings.
  std::string object() const {
    auto Write = sizeof(Symbol) == sizeof(object::coff_symbol32) ? test::bigHead
                                                                 : plainHead;
    auto HeadBytes = static_cast<uint32_t>(Write(Sections, 0, 0).size());
    auto Size = static_cast<uint32_t>(Strings.size()) + 4;
    std::string Bytes = Write(Sections, HeadBytes, NumSymbols) + Symbols;
    Bytes.append(reinterpret_cast<const char *>(&Size), 4);
    return Bytes + Strings;
  }

  static std::vector<SectionRule> rulesOf(const std::string &Object) {
    test::HeadOnly Bytes(Object);
    std::optional<COFFObject> Read = COFFObject::read(Bytes);
    SymbolBuffers Buffers;
    return Read ? Read->readComdats(Bytes, Buffers)
                : std::vector<SectionRule>();
  }
  std::vector<SectionRule> rules() const { return rulesOf(object()); }

  std::vector<test::COFFSection> Sections;

private:
  static constexpr uint32_t COMDAT = COFF::IMAGE_SCN_LNK_COMDAT;

  static std::string plainHead(ArrayRef<test::COFFSection> Sections,
                               uint32_t SymbolTable, uint32_t NumSymbols) {
    return test::plainHead(Sections, SymbolTable, NumSymbols);
  }

  void add(StringRef Name, uint32_t Section, uint8_t Class, uint8_t Aux) {
    Symbol S = {};
    if (Name.size() <= 8) {
      std::memcpy(S.Name.ShortName, Name.data(), Name.size());
    } else {
      S.Name.Offset.Offset = static_cast<uint32_t>(Strings.size()) + 4;
      Strings += Name.str() + '\0';
    }
    S.SectionNumber = Section;
    S.StorageClass = Class;
    S.NumberOfAuxSymbols = Aux;
    Symbols.append(reinterpret_cast<const char *>(&S), sizeof(S));
    ++NumSymbols;
  }

  uint32_t NumSymbols = 0;
  std::string Symbols, Strings;
};

template <typename Symbol> class ComdatTableTest : public testing::Test {};
using BothForms = testing::Types<object::coff_symbol16, object::coff_symbol32>;
TYPED_TEST_SUITE(ComdatTableTest, BothForms);

constexpr auto Any = COFF::IMAGE_COMDAT_SELECT_ANY;
constexpr auto Associative = COFF::IMAGE_COMDAT_SELECT_ASSOCIATIVE;

/// Two COMDATs. The second has debug symbols, which have unwind tables.
template <typename Symbol> SymbolTable<Symbol> sample(StringRef Second) {
  SymbolTable<Symbol> Table(5);
  Table.Sections[0].Characteristics = COFF::IMAGE_SCN_CNT_CODE;
  Table.name("plain", 1);
  Table.define(2, Any);
  Table.name("?short@@", 2);
  Table.define(3, Any);
  Table.name(Second, 3);
  Table.define(5, Associative, 4);
  Table.define(4, Associative, 3);
  return Table;
}

std::vector<bool> bits(const BitVector &V) {
  std::vector<bool> Result;
  for (unsigned I = 0; I != V.size(); ++I)
    Result.push_back(V[I]);
  return Result;
}

TYPED_TEST(ComdatTableTest, KeepsFirstCopyWithItsFollowers) {
  ComdatTable Table;
  auto First = sample<TypeParam>("?a_long_name@@YAHXZ").rules();
  auto Same = sample<TypeParam>("?a_long_name@@YAHXZ").rules();
  auto Other = sample<TypeParam>("?another_name@@YAHXZ").rules();
  EXPECT_THAT(bits(Table.enter(First, 0)),
              ElementsAre(false, false, false, false, false));
  EXPECT_THAT(bits(Table.enter(Same, 1)),
              ElementsAre(false, true, true, true, true));
  EXPECT_THAT(bits(Table.enter(Other, 2)),
              ElementsAre(false, true, false, false, false));
}

TYPED_TEST(ComdatTableTest, EarlierInputReplacesLaterOwner) {
  ComdatTable Table;
  auto Rules = sample<TypeParam>("?a_long_name@@YAHXZ").rules();
  EXPECT_TRUE(Table.enter(Rules, 5).none());
  EXPECT_TRUE(Table.enter(Rules, 2).none());
  EXPECT_EQ(Table.enter(Rules, 3).count(), 4U);
}

TYPED_TEST(ComdatTableTest, AcceptsSameObjectTwice) {
  ComdatTable Table;
  auto Rules = sample<TypeParam>("?a_long_name@@YAHXZ").rules();
  EXPECT_TRUE(Table.enter(Rules, 5).none());
  EXPECT_TRUE(Table.enter(Rules, 5).none());
}

TYPED_TEST(ComdatTableTest, KeepsStaticLeaderOfEachObject) {
  SymbolTable<TypeParam> Symbols(1);
  Symbols.define(1, Any);
  Symbols.name("static", 1, COFF::IMAGE_SYM_CLASS_STATIC);
  ComdatTable Table;
  EXPECT_TRUE(Table.enter(Symbols.rules(), 0).none());
  EXPECT_TRUE(Table.enter(Symbols.rules(), 1).none());
}

TYPED_TEST(ComdatTableTest, FullTableKeepsEveryCopy) {
  ComdatTable Table(/*MaxNames=*/0);
  auto Rules = sample<TypeParam>("?a_long_name@@YAHXZ").rules();
  EXPECT_TRUE(Table.enter(Rules, 0).none());
  EXPECT_TRUE(Table.enter(Rules, 1).none());
}

TYPED_TEST(ComdatTableTest, KeepsCyclicFollowers) {
  SymbolTable<TypeParam> Symbols(3);
  Symbols.define(1, Associative, 2);
  Symbols.define(2, Associative, 1);
  Symbols.define(3, Associative, 3);
  EXPECT_TRUE(ComdatTable().enter(Symbols.rules(), 0).none());
}

TYPED_TEST(ComdatTableTest, IgnoresMissingParents) {
  SymbolTable<TypeParam> Symbols(2);
  Symbols.define(1, Associative, 3);
  Symbols.define(2, Associative, 0);
  for (const SectionRule &Rule : Symbols.rules())
    EXPECT_EQ(Rule.Kind, SectionRule::Always);
}

TYPED_TEST(ComdatTableTest, SurvivesRandomBytes) {
  std::mt19937 Random(7);
  auto Symbols = sample<TypeParam>("?a_long_name@@YAHXZ");
  std::string Good = Symbols.object();
  size_t Head = Good.size() - 300;
  for (int Round = 0; Round != 3000; ++Round) {
    std::string Bytes = Good;
    for (int I = 0; I != 4; ++I)
      Bytes[Head + Random() % 300] = static_cast<char>(Random());
    std::vector<SectionRule> Rules = Symbols.rulesOf(Bytes);
    ASSERT_TRUE(Rules.empty() || Rules.size() == 5U);
    for (const SectionRule &Rule : Rules)
      if (Rule.Kind == SectionRule::Follower) {
        EXPECT_TRUE(Rule.Parent >= 1 && Rule.Parent <= 5);
      }
    EXPECT_EQ(ComdatTable().enter(Rules, 0).size(), Rules.size());
  }
}

TYPED_TEST(ComdatTableTest, ThreadsLeaveOneOwner) {
  ComdatTable Table;
  auto Rules = sample<TypeParam>("?a_long_name@@YAHXZ").rules();
  std::vector<std::thread> Threads;
  for (uint32_t T = 0; T != 8; ++T)
    Threads.emplace_back([&, T] {
      for (uint32_t I = 0; I != 200; ++I)
        (void)Table.enter(Rules, T * 200 + I);
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_TRUE(Table.enter(Rules, 0).none());
  EXPECT_EQ(Table.enter(Rules, 1).count(), 4U);
}

TYPED_TEST(ComdatTableTest, BoundsSectionsThatShareLongName) {
  SymbolTable<TypeParam> Table(20);
  Table.define(1, Any);
  Table.name(std::string(5000, 'n'), 1);
  for (uint32_t Section = 2; Section <= 20; ++Section) {
    Table.define(Section, Any);
    Table.nameAgain(Section);
  }
  std::vector<SectionRule> Rules = Table.rules();
  EXPECT_EQ(Rules[0].Name, Rules[1].Name);
  EXPECT_NE(Rules[0].Name, Rules[19].Name);
}

TEST(DropSectionsTest, MarksAllPartsOfSection) {
  std::vector<LayoutPart> Parts = {{{0, 10}, PartKind::Headers, 0},
                                   {{10, 10}, PartKind::Contents, 1},
                                   {{20, 10}, PartKind::Relocations, 1},
                                   {{30, 10}, PartKind::Contents, 2},
                                   {{40, 10}, PartKind::Contents, 9}};
  BitVector Dropped(2);
  Dropped.set(0);
  dropSections(Parts, Dropped);
  std::vector<PartKind> Kinds;
  Kinds.reserve(Parts.size());
  for (const LayoutPart &P : Parts)
    Kinds.push_back(P.Kind);
  EXPECT_THAT(Kinds, ElementsAre(PartKind::Headers, PartKind::NeverRead,
                                 PartKind::NeverRead, PartKind::Contents,
                                 PartKind::Contents));
}

} // namespace
