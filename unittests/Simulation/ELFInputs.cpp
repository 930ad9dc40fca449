//===- ELFInputs.cpp - Simulated objects, archives, scripts for ld.lld ----===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectWriters.h"
#include "SimulatedInputs.h"
#include "llvm/Support/FormatVariadic.h"
#include <elf.h>

using namespace llvm;

namespace headstart::simulation {

/// Adds a section, and to \p Input the stage that reads it.
static Elf64_Shdr &addSection(ELFWriter &Writer, SimulatedInput &Input,
                              uint32_t Type, uint64_t Flags, uint64_t Length,
                              LinkStage When) {
  Elf64_Shdr &Header = Writer.addSection(Type, Flags, Length);
  Input.Parts.push_back({Writer.range(), When});
  return Header;
}

/// Adds symbols from "a" to "h"; some are defined, some undefined.
static void addSymbols(ELFWriter &Writer, SimulatedInput &Input,
                       SeededRandom &Random) {
  std::string Names("\0a\0b\0c\0d\0e\0f\0g\0h\0", 17);
  std::string Symbols = bytesOf(Elf64_Sym{});
  for (uint64_t I = 0, E = Random.between(1, 4); I != E; ++I) {
    Elf64_Sym Symbol = {};
    Symbol.st_name = static_cast<uint32_t>(1 + 2 * Random.below(8));
    Symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    Symbol.st_shndx = Random.onceIn(2) ? 1 : SHN_UNDEF;
    Symbols += bytesOf(Symbol);
  }
  Elf64_Shdr &Table = addSection(Writer, Input, SHT_SYMTAB, 0, Symbols.size(),
                                 LinkStage::Parse);
  Table.sh_entsize = sizeof(Elf64_Sym);
  Table.sh_link = Writer.number() + 1;
  Table.sh_info = 1;
  Writer.setContents(Writer.range(), std::move(Symbols));
  addSection(Writer, Input, SHT_STRTAB, 0, Names.size(), LinkStage::Parse);
  Writer.setContents(Writer.range(), std::move(Names));
}

static FileBytes elfObject(SeededRandom &Random, bool IsSmall,
                           uint64_t MaxSection, uint64_t Begin, uint64_t &Size,
                           SimulatedInput &Input) {
  auto SizeOf = [&] { return Random.between(1, IsSmall ? 1000 : MaxSection); };
  Input.IsLarge |= !IsSmall;
  Input.Parts.push_back({{Begin, 64}, LinkStage::Parse});
  ELFWriter Writer(Begin, IsSmall ? PartPlacer{128, 0}
                                  : PartPlacer{partGap(), partGap()});
  addSection(Writer, Input, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, SizeOf(),
             LinkStage::DebugSymbols);
  if (Random.onceIn(2))
    addSection(Writer, Input, SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, SizeOf(),
               LinkStage::Contents);
  if (Random.onceIn(2))
    addSection(Writer, Input, SHT_PROGBITS, 0, SizeOf(), LinkStage::Types);
  addSymbols(Writer, Input, Random);
  const ByteRange Table = Writer.end();
  if (!IsSmall) {
    Input.Headers.push_back({Begin, sizeof(Elf64_Ehdr)});
    Input.Headers.push_back(Table);
  }
  Input.Parts.push_back({Table, LinkStage::Parse});
  Size = Table.end() - Begin;
  return std::move(Writer.Contents);
}

FileBytes LinkInputs::drawArchive(SimulatedOS &OS, SimulatedInput &Input,
                                  uint64_t &Size) {
  SeededRandom &Random = OS.Random;
  FileBytes Contents = {{0, "!<arch>\n"}};
  Input.IsReadWhole = false;
  Input.IsArchive = true;
  Size = 8;
  const uint64_t Members =
      Random.onceIn(8) ? Random.between(5, 40) : Random.between(1, 4);
  for (uint64_t M = 0; M != Members; ++M) {
    uint64_t Length = 0;
    FileBytes Member =
        elfObject(Random, isSmall(OS), MaxSection, Size + 60, Length, Input);
    Contents.emplace_back(Size,
                          memberHeader(formatv("{0}.o/", M).str(), Length));
    llvm::append_range(Contents, std::move(Member));
    Size = alignTo(Size + 60 + Length, 2);
  }
  return Contents;
}

/// Draws a script or a thin archive that names an object. Some are large,
/// because they contain blanks or repeat the same member.
void LinkInputs::drawScript(SimulatedOS &OS, uint64_t Number) {
  SeededRandom &Random = OS.Random;
  const bool IsThin = Random.onceIn(2);
  const uint64_t Repeated = Random.onceIn(4) ? Random.between(1, 2000) : 1;
  const std::string Directory = directory(OS);
  std::string Name = formatv("inside{0}.o", Number).str();
  SimulatedInput Script;
  Script.Path =
      Directory + formatv(IsThin ? "thin{0}.a" : "{0}.ld", Number).str();
  std::string Text;
  if (IsThin) {
    Text = "!<thin>\n";
    const std::string Header = memberHeader(Name + "/", 4);
    for (uint64_t I = 0; I != Repeated; ++I)
      Text += Header;
  } else {
    Text =
        std::string(Repeated * 60, ' ') + "INPUT(" + Directory + Name + ")\n";
  }
  const uint64_t Size = Text.size();
  Script.Parts.push_back({{0, Size}, LinkStage::Parse});
  Command.Inputs.push_back(namedInput(Script.Path));
  add(OS, std::move(Script), Size, {{0, std::move(Text)}});
  SimulatedInput Member;
  uint64_t MemberSize = 0;
  FileBytes Contents =
      elfObject(Random, isSmall(OS), MaxSection, 0, MemberSize, Member);
  Member.Path = Directory + Name;
  Member.CanBeUrgent = false;
  Member.IsOnDemand = IsThin;
  Member.IsReadWhole = !IsThin;
  add(OS, std::move(Member), MemberSize, std::move(Contents), 128);
}

void LinkInputs::drawELF(SimulatedOS &OS, uint64_t Count) {
  SeededRandom &Random = OS.Random;
  Command.Kind = Flavour::ELF;
  const uint64_t Kinds = Random.onceIn(2) ? 6 : 40; // with 40, mostly objects
  for (uint64_t I = 0; I != Count; ++I) {
    const uint64_t Kind = Random.below(Kinds);
    if (Kind == 1) {
      drawScript(OS, I);
      continue;
    }
    SimulatedInput Input;
    FileBytes Contents;
    uint64_t Size = 0;
    Input.Path = directory(OS);
    if (Kind == 0) {
      Input.Path += formatv("lib{0}.a", I).str();
      Contents = drawArchive(OS, Input, Size);
    } else {
      Input.Path += formatv("{0}.o", I).str();
      Contents = elfObject(Random, isSmall(OS), MaxSection, 0, Size, Input);
    }
    NamedInput Name = namedInput(Input.Path);
    Name.Lazy = Random.onceIn(LazyIn);
    Name.Whole = Random.onceIn(8);
    Input.IsReadWhole &= !Name.Lazy;
    Command.Inputs.push_back(std::move(Name));
    add(OS, std::move(Input), Size, std::move(Contents), Kind == 0 ? 0 : 128);
  }
}

} // namespace headstart::simulation
