//===- EngineGrowthTest.cpp - Inputs that inputs name ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineTestSupport.h"
#include "Formats/ArchiveTestSupport.h"
#include "Formats/ELFTestSupport.h"

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
  std::string Strings(1, '\0');
  std::string Table = symbol<ELFT>(0, 0, ELF::STB_LOCAL);
  for (const Symbol &S : Symbols) {
    Table += symbol<ELFT>(static_cast<uint32_t>(Strings.size()), S.Defines);
    Strings += std::string(S.Name) + '\0';
  }
  return makeObject<ELFT>(
      {{ELF::SHT_PROGBITS, ELF::SHF_ALLOC, pattern(PartBytes)},
       {ELF::SHT_SYMTAB, 0, Table, /*Link=*/3, /*Info=*/1},
       {ELF::SHT_STRTAB, 0, Strings}});
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
    Engine.reached(LinkStage::Commit); // else it may wait for the linker
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
    return Directory.write("thin.a",
                           "!<thin>\n" + member("//", Long) + Members);
  }
};

TEST_F(EngineGrowthTest, AddsMembersOfThinArchives) {
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

TEST_F(EngineGrowthTest, FetchesLinkedMembersOfArchive) {
  std::string Main = Directory.write("main.o", object({{"a", false}}));
  std::string Archive = "!<arch>\n";
  std::vector<uint64_t> Offsets;
  auto Add = [&](std::initializer_list<Symbol> Symbols) {
    Offsets.push_back(Archive.size() + 60);
    Archive += member("m.o/", object(Symbols));
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
  LinkStats Stats = fetch({Path, Main, Directory.path("missing.o")});
  EXPECT_TRUE(partIsResident(Path, Offsets[0]));
  EXPECT_FALSE(partIsResident(Path, Offsets[2]));
  EXPECT_EQ(times(Stats, Decision::SymbolsPass), 1U);
  EXPECT_EQ(times(Stats, Decision::SymbolsRead), 1U);
  EXPECT_EQ(times(Stats, Decision::SymbolsNotRead), 1U);
  EXPECT_EQ(times(Stats, Decision::LazyFetched), 3U);
  EXPECT_EQ(times(Stats, Decision::LazyNotLinked), 1U);
}

/// If lazy inputs have few bytes, reading the symbols of the other inputs to
/// find out which are linked costs more than fetching all.
TEST_F(EngineGrowthTest, FetchesFewLazyBytesWithoutSymbols) {
  std::string Main = Directory.write("main.o", object({{"a", false}}));
  std::vector<std::string> Members = {
      Directory.write("m0.o", object({{"a", true}})),
      Directory.write("m1.o", object({{"unused", true}}))};
  std::string Thin = writeThin({"m0.o", "m1.o"});
  for (bool IsExpensive : {false, true}) {
    Numbers.LazyShare = IsExpensive ? 1e-6 : 1e6;
    evict(Members);
    LinkStats Stats = fetch({Main, Thin});
    EXPECT_TRUE(partIsResident(Members[0]));
    EXPECT_EQ(partIsResident(Members[1]), IsExpensive);
    EXPECT_EQ(times(Stats, Decision::SymbolsPassSkipped), IsExpensive);
    // Those of main.o, and of the archive, which has none.
    EXPECT_EQ(times(Stats, Decision::SymbolsRead), IsExpensive ? 0U : 2U);
    EXPECT_EQ(times(Stats, Decision::LazyFetchedUnasked), IsExpensive ? 2U : 0);
  }
}

/// If a link reads mostly objects, its few archives are fetched whole.
TEST_F(EngineGrowthTest, FetchesSmallArchiveWhole) {
  std::string Main = Directory.write("main.o", object({}));
  std::string Path = Directory.write(
      "parts.a", "!<arch>\n" + member("m.o/", object({{"unused", true}})));
  Numbers.LazyShare = 1e-6;
  evict({Path});
  EXPECT_EQ(times(fetch({Main, Path}), Decision::WholeFewArchives), 1U);
  EXPECT_TRUE(isResident(Path));
}

/// Most objects are cached and left to the linker, and the archive is not
/// cached. The objects' symbols determine which of its members are linked.
TEST_F(EngineGrowthTest, SkippedObjectsLinkMembers) {
  std::string Archive = "!<arch>\n";
  std::vector<uint64_t> Offsets;
  std::vector<std::string> Paths;
  constexpr unsigned Count = 20;
  for (unsigned I = 0; I != 2 * Count; ++I) {
    const std::string Name = "f" + std::to_string(I);
    Offsets.push_back(Archive.size() + 60);
    Archive += member("m.o/", object({{Name.c_str(), true}}));
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
  EXPECT_GT(times(Stats, Decision::StreakLeft), Count / 2);
  EXPECT_EQ(times(Stats, Decision::SymbolsReadOfLeft),
            times(Stats, Decision::StreakLeft));
  for (unsigned I = 0; I != 2 * Count; ++I)
    EXPECT_EQ(partIsResident(Paths.back(), Offsets[I]), I < Count) << I;
}

/// Inputs that reference others are followed, even if they are mostly cached.
TEST_F(EngineGrowthTest, AlmostCachedObjectsLinkMembers) {
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

/// Memory is short from the fifth input on. The engine reads the ends of some
/// objects until it knows the store's latency, and then only opens the others.
TEST_F(EngineGrowthTest, MemoryShortageLeavesMembersToLinker) {
  Numbers = Tuning();
  Numbers.RequestsForOne = 1e9; // no latency is as high
  std::vector<std::string> Paths;
  for (unsigned I = 0; I != 200; ++I)
    Paths.push_back(
        Directory.write("m" + std::to_string(I) + ".o", object({})));
  evict(Paths);
  LinkStats Stats = fetch(Paths, 1, /*AvailableBytes=*/3 * 5 * PartBytes / 2);
  EXPECT_EQ(Stats.InputsBytes, 200 * openOrFail(Paths[0]).size());
  EXPECT_EQ(Stats.HintedBytes, 0U);
  EXPECT_GT(times(Stats, Decision::LeftForMemory), 0U);
  for (const std::string &Path : Paths)
    EXPECT_FALSE(partIsResident(Path));
  const os::PageCache Cache;
  const os::OpenFile Last = openOrFail(Paths.back());
  for (uint64_t At : {uint64_t(0), Last.size() - 1})
    EXPECT_FALSE(Cache.residency(Last, {At, 1})->complete());
}

/// If all inputs were like the first ones, they would not fit into memory.
TEST_F(EngineGrowthTest, CountsInputsBeforeLeavingThemToLinker) {
  Numbers = Tuning();
  Numbers.DearRequest = Tuning::Seconds(0);
  Numbers.RequestsForOne = 0; // any latency is high
  std::vector<std::string> Paths;
  const std::string Large = object({}), Small(20000, 's');
  for (unsigned I = 0; I != 50; ++I)
    Paths.push_back(
        Directory.write("m" + std::to_string(I) + ".o", I < 5 ? Large : Small));
  evict(Paths);
  LinkStats Stats = fetch(Paths, 1, 5 * Large.size() + 45 * Small.size());
  EXPECT_TRUE(Stats.ShortOfMemory);
  EXPECT_EQ(times(Stats, Decision::LeftForMemory), 0U);
  EXPECT_GT(Stats.HintedBytes, 0U);
}

TEST_F(EngineGrowthTest, PredictsMemoryShortage) {
  std::string First = Directory.write("first.o", object({}));
  const uint64_t Available = 4 * openOrFail(First).size();
  for (uint64_t Expected : {Available, 2 * Available}) {
    const bool IsShort = Expected != Available;
    evict({First});
    LinkStats Stats = fetch({First}, 1, Available, Expected);
    EXPECT_EQ(Stats.ShortOfMemory, IsShort);
    EXPECT_EQ(Stats.HintedBytes == 0, IsShort);
    EXPECT_EQ(times(Stats, Decision::MemoryShort), IsShort);
    EXPECT_EQ(times(Stats, Decision::MemoryPlentiful), !IsShort);
  }
}

/// The bytes that the linker does not need would evict others.
TEST_F(EngineGrowthTest, FetchesNoWholeFilesIfMemoryIsShort) {
  const std::string Path = Directory.write("a.obj", object({}));
  const uint64_t Size = openOrFail(Path).size();
  for (const uint64_t Expected : {Size, 1024 * Size}) {
    evict({Path});
    EngineOptions Options;
    Options.Numbers.GuessedRequest = Tuning::Seconds(1);
    Options.ExpectedBytes = Expected;
    Options.ReadMemory = [&] {
      os::SystemMemory Memory;
      Memory.AvailableBytes = 64 * Size;
      return Memory;
    };
    PrefetchEngine Engine(Options);
    startFiles(Engine, {Path});
    Engine.reached(LinkStage::Commit); // else it waits for the linker
    Engine.join();
    LinkStats Stats = statsOf(Engine);
    EXPECT_EQ(Stats.ShortOfMemory, Expected != Size);
    EXPECT_EQ(times(Stats, Decision::WholeCheaper), Expected == Size);
  }
}

/// The last link needed more memory than links of other inputs do.
TEST_F(EngineGrowthTest, ProfileKnowsMemoryNeed) {
  const std::string Path = Directory.write("a.obj", object({}));
  const os::OpenFile File = openOrFail(Path);
  for (const uint64_t Needed : {UINT64_C(0), 4 * File.size()}) {
    auto Last = std::make_shared<LinkProfile>();
    Last->PeakBytes = Needed; // 0: unknown
    Last->Files = {{Path, File.identity().version(), {{0, File.size()}}, {}}};
    EngineOptions Options;
    Options.Profile = Last;
    Options.ReadMemory = [&] {
      os::SystemMemory Memory;
      Memory.AvailableBytes = 3 * File.size();
      return Memory;
    };
    EXPECT_EQ(fetchInputs({Path}, Options).ShortOfMemory, Needed != 0);
  }
}

TEST_F(EngineGrowthTest, ReadsRecursiveScriptOnce) {
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

TEST_F(EngineGrowthTest, CancelledEngineDoesNotWait) {
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
