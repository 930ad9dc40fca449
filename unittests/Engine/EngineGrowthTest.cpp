//===- EngineGrowthTest.cpp - Inputs that inputs name ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineTestSupport.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"

using namespace headstart;
using namespace headstart::test;

namespace {

constexpr size_t PartBytes = 300000;

struct Symbol {
  const char *Name;
  bool Defines;
};

/// Returns an object with these symbols and one section of PartBytes.
std::string object(std::initializer_list<Symbol> Symbols) {
  using ELFT = llvm::object::ELF64LE;
  using namespace llvm::ELF;
  std::string Strings(1, '\0');
  std::vector<ELFT::Sym> Table(1);
  for (const Symbol &S : Symbols) {
    ELFT::Sym Sym = {};
    Sym.st_name = static_cast<uint32_t>(Strings.size());
    Sym.setBindingAndType(STB_GLOBAL, STT_FUNC);
    Sym.st_shndx = S.Defines ? 1 : 0;
    Table.push_back(Sym);
    Strings += std::string(S.Name) + '\0';
  }
  ELFT::Ehdr Header = {};
  std::memcpy(Header.e_ident, ElfMagic, 4);
  Header.e_ident[EI_CLASS] = ELFCLASS64;
  Header.e_ident[EI_DATA] = ELFDATA2LSB;
  Header.e_type = ET_REL;
  Header.e_machine = EM_X86_64;
  Header.e_shentsize = sizeof(ELFT::Shdr);
  Header.e_shnum = 4;
  std::string Bytes(reinterpret_cast<const char *>(&Header), sizeof(Header));
  std::vector<ELFT::Shdr> Sections(4);
  auto Add = [&](size_t I, uint32_t Type, llvm::StringRef Contents) {
    Sections[I].sh_type = Type;
    Sections[I].sh_offset = Bytes.size();
    Sections[I].sh_size = Contents.size();
    Bytes += Contents;
  };
  Add(1, SHT_PROGBITS, pattern(PartBytes));
  Sections[1].sh_flags = SHF_ALLOC;
  Add(2, SHT_SYMTAB,
      {reinterpret_cast<const char *>(Table.data()),
       Table.size() * sizeof(Table[0])});
  Sections[2].sh_link = 3;
  Sections[2].sh_info = 1;
  Add(3, SHT_STRTAB, Strings);
  ELFT::Off SectionsAt;
  SectionsAt = Bytes.size();
  std::memcpy(&Bytes[offsetof(ELFT::Ehdr, e_shoff)], &SectionsAt, 8);
  Bytes.append(reinterpret_cast<const char *>(Sections.data()),
               Sections.size() * sizeof(Sections[0]));
  return Bytes;
}

std::string padded(std::string Text, size_t Size) {
  Text.resize(Size, ' ');
  return Text;
}

std::string memberHeader(const std::string &Name, size_t Size) {
  return padded(padded(Name, 48) + std::to_string(Size), 58) + "`\n";
}

/// Whether the first part of the object at \p Offset of \p Path is completely
/// cached.
bool partIsResident(const std::string &Path, uint64_t Offset = 0) {
  os::PageCache Cache;
  os::OpenFile File = openOrFail(Path);
  // Only the pages that belong completely to the section.
  return Cache.residency(File, {Offset + 8192, PartBytes - 16384})->complete();
}

class EngineGrowthTest : public testing::Test {
protected:
  TestDirectory Directory;
  Tuning Numbers = expensiveBytes();

  LinkStats fetch(const std::vector<std::string> &Paths, unsigned Jobs = 4,
                  uint64_t AvailableBytes = UINT64_C(1) << 34,
                  uint64_t ExpectedBytes = 0) {
    LinkCommand Command;
    Command.Kind = Flavour::ELF;
    for (const std::string &Path : Paths) {
      Command.Inputs.emplace_back();
      Command.Inputs.back().Name = Path;
    }
    EngineOptions Options;
    Options.Numbers = Numbers;
    Options.Jobs = Jobs;
    Options.ReadMemory = [=] {
      os::SystemMemory Memory;
      Memory.AvailableBytes = AvailableBytes;
      return Memory;
    };
    Options.ExpectedBytes = ExpectedBytes;
    Options.Plan.Kind = Flavour::ELF;
    PrefetchEngine Engine(Options);
    Engine.start(std::move(Command));
    Engine.join();
    return statsOf(Engine);
  }

  /// Writes a thin archive of the objects \p Names in the same directory.
  std::string writeThin(const std::vector<std::string> &Names) {
    std::string Long;
    std::string Members;
    for (const std::string &Name : Names) {
      Members += memberHeader("/" + std::to_string(Long.size()), 400000);
      Long += Name + "/\n";
    }
    Long.resize(Long.size() + Long.size() % 2, '\n');
    return Directory.write("thin.a", "!<thin>\n" +
                                         memberHeader("//", Long.size()) +
                                         Long + Members);
  }
};

TEST_F(EngineGrowthTest, MembersOfThinArchivesJoinTheInputs) {
  std::string Main = Directory.write("main.o", object({{"a", false}}));
  std::vector<std::string> Names;
  std::vector<std::string> Paths = {Main};
  for (unsigned I = 0; I != 60; ++I) {
    Names.push_back("m" + std::to_string(I) + ".o");
    std::string Defined = I == 0 ? "a" : "b" + std::to_string(I);
    Paths.push_back(
        Directory.write(Names.back(), object({{Defined.c_str(), true}})));
  }
  std::string Thin = writeThin(Names);
  Paths.push_back(Thin);
  for (unsigned Jobs : {1U, 8U}) {
    evict(Paths);
    LinkStats Stats = fetch({Main, Thin}, Jobs);
    EXPECT_EQ(Stats.Inputs, 62U);
    // The linker links the member that defines what main lacks, and reads only
    // the symbols of the others.
    EXPECT_TRUE(partIsResident(Paths[1]));
    for (unsigned I = 1; I != 60; ++I)
      EXPECT_FALSE(partIsResident(Paths[I + 1])) << I;
    EXPECT_TRUE(Stats.Problems.empty());
  }
}

TEST_F(EngineGrowthTest, OfAnArchiveTheMembersThatAreLinkedAreFetched) {
  std::string Main = Directory.write("main.o", object({{"a", false}}));
  std::string Archive = "!<arch>\n";
  std::vector<uint64_t> Offsets;
  auto Add = [&](std::initializer_list<Symbol> Symbols) {
    std::string Object = object(Symbols);
    Object.resize(Object.size() + Object.size() % 2);
    Archive += memberHeader("m.o/", Object.size());
    Offsets.push_back(Archive.size());
    Archive += Object;
  };
  Add({{"c", true}});
  Add({{"b", true}, {"c", false}});
  Add({{"unused", true}});
  Add({{"a", true}, {"b", false}});
  std::string Path = Directory.write("parts.a", Archive);
  evict({Main, Path});
  fetch({Path, Main});
  EXPECT_TRUE(partIsResident(Path, Offsets[0]));
  EXPECT_TRUE(partIsResident(Path, Offsets[1]));
  EXPECT_FALSE(partIsResident(Path, Offsets[2]));
  EXPECT_TRUE(partIsResident(Path, Offsets[3]));

  // An input that is cached pulls in members, too.
  evict({Path});
  fetch({Path, Main});
  EXPECT_TRUE(partIsResident(Path, Offsets[0]));
  EXPECT_FALSE(partIsResident(Path, Offsets[2]));
}

/// Most objects are cached and left to the linker, and the archive is not
/// cached. The objects' symbols determine which of its members are linked.
TEST_F(EngineGrowthTest, ObjectsThatAreLeftToTheLinkerTakeMembersAsWell) {
  std::string Archive = "!<arch>\n";
  std::vector<uint64_t> Offsets;
  std::vector<std::string> Paths;
  constexpr unsigned Count = 20;
  for (unsigned I = 0; I != 2 * Count; ++I) {
    const std::string Name = "f" + std::to_string(I);
    std::string Object = object({{Name.c_str(), true}});
    Object.resize(Object.size() + Object.size() % 2);
    Archive += memberHeader("m.o/", Object.size());
    Offsets.push_back(Archive.size());
    Archive += Object;
    if (I < Count)
      Paths.push_back(
          Directory.write(Name + ".o", object({{Name.c_str(), false}})));
  }
  Paths.push_back(Directory.write("parts.a", Archive));
  // Opening an object is expensive; a byte of an archive is more expensive.
  Numbers.MinStreak = 2;
  Numbers.OpenSeconds = 100;
  Numbers.LazyShare = 1e6;
  evict({Paths.back()});
  LinkStats Stats = fetch(Paths, /*Jobs=*/1);
  auto Times = [&](Decision What) {
    return Stats.Decisions.at(static_cast<size_t>(What));
  };
  EXPECT_GT(Times(Decision::StreakLeft), Count / 2);
  EXPECT_EQ(Times(Decision::SymbolsReadOfLeft), Times(Decision::StreakLeft));
  for (unsigned I = 0; I != 2 * Count; ++I)
    EXPECT_EQ(partIsResident(Paths.back(), Offsets[I]), I < Count) << I;
}

/// Inputs that reference others are followed, even if they are mostly cached.
TEST_F(EngineGrowthTest, WhatIsAlmostCachedIsFollowedAsWell) {
  std::string Main = Directory.write("main.o", object({{"a", false}}));
  std::string Member = Directory.write("m.o", object({{"a", true}}));
  // References that fill most of 30 pages.
  std::vector<std::string> Names(300, std::string(398, 'x') + ".o");
  Names[0] = "m.o";
  std::string Thin = writeThin(Names);
  std::string Script =
      Directory.write("script.ld", "/*" + std::string(120000, ' ') +
                                       "*/ INPUT(" + Member + ")");
  for (const std::string &Names : {Thin, Script}) {
    SCOPED_TRACE(Names);
    evict({Main, Member, Names});
    // All pages except the last.
    os::OpenFile File = openOrFail(Names);
    const os::PageCache Cache;
    const uint64_t Page = Cache.pageSize();
    ASSERT_EQ(Cache.fetch(File, {0, (File.size() - 1) / Page * Page}).Outcome,
              os::HintOutcome::Accepted);
    EXPECT_GE(fetch({Main, Names}).Inputs, 3U);
    EXPECT_TRUE(partIsResident(Member));
    EXPECT_TRUE(isResident(Names));
  }
}

TEST_F(EngineGrowthTest, ShortOfMemoryAllIsLeftToTheLinker) {
  std::vector<std::string> Paths;
  for (unsigned I = 0; I != 20; ++I)
    Paths.push_back(
        Directory.write("m" + std::to_string(I) + ".o", object({})));
  evict(Paths);
  LinkStats Stats = fetch(Paths, 4, /*AvailableBytes=*/2 * 5 * PartBytes);
  EXPECT_EQ(Stats.InputsBytes, 20 * openOrFail(Paths[0]).size());
  EXPECT_EQ(Stats.HintedBytes, 0U);
  for (const std::string &Path : Paths)
    EXPECT_FALSE(partIsResident(Path));
}

TEST_F(EngineGrowthTest, ItKnowsBeforehandThatMemoryWillBeShort) {
  std::string First = Directory.write("first.o", object({}));
  const uint64_t Available = 4 * openOrFail(First).size();
  for (uint64_t Expected : {Available / 2, Available}) {
    evict({First});
    LinkStats Stats = fetch({First}, 1, Available, Expected);
    EXPECT_EQ(Stats.ShortOfMemory, Expected == Available);
    EXPECT_EQ(Stats.HintedBytes == 0, Expected == Available);
  }
}

TEST_F(EngineGrowthTest, AScriptThatNamesItselfEnds) {
  std::string Other = Directory.write("other.o", object({}));
  std::string Script = Directory.path() + "/self.ld";
  Directory.write("self.ld", "INPUT(" + Script + " " + Other + ")");
  evict({Script, Other});
  LinkStats Stats = fetch({Script});
  // The script's other name is an input as well, but the same file.
  EXPECT_EQ(Stats.InputsBytes,
            openOrFail(Script).size() + openOrFail(Other).size());
  EXPECT_TRUE(partIsResident(Other));
}

TEST_F(EngineGrowthTest, ACancelledEngineWaitsForNobody) {
  std::vector<std::string> Names;
  for (unsigned I = 0; I != 200; ++I) {
    Names.push_back("m" + std::to_string(I) + ".o");
    Directory.write(Names.back(), object({}));
  }
  std::string Thin = writeThin(Names);
  for (unsigned Round = 0; Round != 20; ++Round) {
    LinkCommand Command;
    Command.Kind = Flavour::ELF;
    Command.Inputs.resize(1);
    Command.Inputs[0].Name = Thin;
    EngineOptions Options;
    Options.Plan.Kind = Flavour::ELF;
    PrefetchEngine Engine(Options);
    Engine.start(std::move(Command));
    if (Round % 2)
      std::this_thread::sleep_for(std::chrono::microseconds(100 * Round));
    Engine.cancel();
    Engine.join();
    EXPECT_LE(statsOf(Engine).Inputs, 201U);
  }
}

} // namespace
