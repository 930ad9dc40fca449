//===- PlayedInputs.cpp - What a played link reads ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlayedInputs.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <elf.h>

using namespace llvm;

namespace headstart::played {

/// Between any two parts: far more than the planner would close.
static constexpr uint64_t Room = 64 << 10;

template <class T> static std::string bytesOf(const T &Object) {
  return {reinterpret_cast<const char *>(&Object), sizeof(Object)};
}

LinkStage PlayedInput::stageOf(uint64_t Offset,
                               const PlanOptions &Options) const {
  if (Bytes <= Options.WholeFileBytes)
    return LinkStage::Parse;
  LinkStage Found = LinkStage::Parse;
  for (const auto &[Range, When] : Parts)
    if (Range.Offset / World::PageBytes <= Offset / World::PageBytes)
      Found = When;
  return Found;
}

const PlayedInput *PlayedLink::find(World &W, const File &Of) const {
  for (const PlayedInput &Input : Inputs)
    if (W.Files[Input.Path].get() == &Of)
      return &Input;
  return nullptr;
}

PlayedInput &PlayedLink::add(World &W, const std::string &Path, uint64_t Size,
                             std::map<uint64_t, std::string> Contents) {
  File &New = W.write(Path, Size, std::move(Contents));
  // Some are in memory, in whole or in part.
  if (W.Chance.onceIn(4))
    for (uint64_t P = 0, Every = W.Chance.between(1, 3);
         P < New.IsResident.size(); P += Every)
      New.IsResident[P] = true;
  New.WasResident = llvm::all_of(New.IsResident, [](bool Is) { return Is; });
  Bytes += Size;
  PlayedInput &Input = Inputs.emplace_back();
  Input.Path = Path;
  Input.Bytes = Size;
  return Input;
}

/// Takes over where the parts of \p From are.
static void take(PlayedInput &To, PlayedInput &From) {
  To.Parts = std::move(From.Parts);
  To.Headers = std::move(From.Headers);
  To.IsReadWhole = From.IsReadWhole;
}

static NamedInput named(std::string Name) {
  NamedInput Input;
  Input.Name = std::move(Name);
  return Input;
}

namespace {
struct Section {
  const char *Name;
  uint64_t Size;
  LinkStage When;
  std::string Contents;
};
} // namespace

/// A COFF object, and where its parts are.
static std::map<uint64_t, std::string> coffObject(ArrayRef<Section> Sections,
                                                  bool IsSmall, bool HasComdat,
                                                  uint64_t &Size,
                                                  PlayedInput &Input) {
  std::map<uint64_t, std::string> Contents;
  object::coff_file_header Header = {};
  Header.Machine = COFF::IMAGE_FILE_MACHINE_AMD64;
  Header.NumberOfSections = static_cast<uint16_t>(Sections.size());
  std::string Head;
  uint64_t At = IsSmall ? 1024 : Room;
  Input.Parts.push_back({{0, 512}, LinkStage::Parse});
  for (const Section &S : Sections) {
    object::coff_section Entry = {};
    std::memcpy(Entry.Name, S.Name, std::min<size_t>(8, std::strlen(S.Name)));
    Entry.PointerToRawData = static_cast<uint32_t>(At);
    Entry.SizeOfRawData = static_cast<uint32_t>(S.Size);
    if (HasComdat && S.When == LinkStage::Contents)
      Entry.Characteristics = COFF::IMAGE_SCN_LNK_COMDAT;
    Head += bytesOf(Entry);
    if (!S.Contents.empty())
      Contents[At] = S.Contents;
    Input.Parts.push_back({{At, S.Size}, S.When});
    At += S.Size;
    At = IsSmall ? At : alignTo(At + Room, Room);
  }
  if (!IsSmall)
    Input.Headers.push_back({0, sizeof(Header) + Head.size()});
  Header.PointerToSymbolTable = static_cast<uint32_t>(At);
  Header.NumberOfSymbols = 3;
  object::coff_symbol16 Symbols[3] = {};
  Symbols[0].SectionNumber = 1;
  Symbols[0].StorageClass = COFF::IMAGE_SYM_CLASS_STATIC;
  Symbols[0].NumberOfAuxSymbols = 1;
  object::coff_aux_section_definition Definition = {};
  Definition.Selection = COFF::IMAGE_COMDAT_SELECT_ANY;
  std::memcpy(&Symbols[1], &Definition, sizeof(Definition));
  Symbols[2].Name.ShortName[0] = 'f';
  Symbols[2].SectionNumber = 1;
  Symbols[2].StorageClass = COFF::IMAGE_SYM_CLASS_EXTERNAL;
  Contents[0] = bytesOf(Header) + Head;
  Contents[At] = bytesOf(Symbols) + std::string("\4\0\0\0", 4);
  Input.Parts.push_back({{At, Contents[At].size()}, LinkStage::Parse});
  Size = At + Contents[At].size();
  return Contents;
}

void PlayedLink::drawCOFF(World &W) {
  Dice &Chance = W.Chance;
  Command.Kind = Flavour::COFF;
  uint64_t Objects = Chance.between(1, 12);
  unsigned Found = 0;
  std::vector<std::string> Libraries;
  for (uint64_t I = 0; I != Objects; ++I) {
    bool IsSmall = Chance.onceIn(3);
    std::vector<Section> Sections;
    auto SizeOf = [&] {
      return IsSmall ? Chance.between(1, 1000) : Chance.between(1, 3 << 20);
    };
    Sections.push_back({".text", SizeOf(), LinkStage::Contents, ""});
    if (Chance.onceIn(2))
      Sections.push_back({".debug$T", SizeOf(), LinkStage::Types, ""});
    if (Chance.onceIn(2)) {
      // The first is read early: see FirstCodeView in COFF.cpp.
      Sections.push_back({".debug$S", 64, LinkStage::Parse, ""});
      Sections.push_back({".debug$S", SizeOf(), LinkStage::DebugSymbols, ""});
    }
    // Objects name others, which come behind all; the file is at its name.
    if (Chance.onceIn(4)) {
      Libraries.push_back(formatv("/in/found{0}.obj", ++Found).str());
      std::string Words = "/defaultlib:" + Libraries.back();
      Sections.push_back({".drectve", Words.size(), LinkStage::Parse, Words});
    }
    PlayedInput Input;
    uint64_t Size = 0;
    Input.IsReadWhole = Chance.onceIn(2);
    auto Contents =
        coffObject(Sections, IsSmall, !Input.IsReadWhole, Size, Input);
    std::string Path = formatv("/in/{0}.obj", I).str();
    take(add(W, Path, Size, std::move(Contents)), Input);
    Command.Inputs.push_back(named(Path));
    if (Chance.onceIn(16)) // once more
      Command.Inputs.push_back(named(Path));
  }
  // Nobody else's business: COFF's own default libraries.
  for (const std::string &Path : Libraries) {
    PlayedInput Input;
    uint64_t Size = 0;
    auto Contents = coffObject(
        {{".text", Chance.between(1, 1 << 20), LinkStage::Contents, ""}}, false,
        false, Size, Input);
    PlayedInput &New = add(W, Path, Size, std::move(Contents));
    take(New, Input);
    New.CanBeUrgent = false; // perhaps nobody has heard of it yet
  }
}

/// An ELF object: its headers stand at its end.
static std::map<uint64_t, std::string> elfObject(Dice &Chance, bool IsSmall,
                                                 uint64_t Begin, uint64_t &Size,
                                                 PlayedInput &Input) {
  std::map<uint64_t, std::string> Contents;
  std::vector<Elf64_Shdr> Headers(1);
  Headers[0] = {};
  uint64_t At = IsSmall ? 128 : Room;
  Input.Parts.push_back({{Begin, 64}, LinkStage::Parse});
  auto Add = [&](uint32_t Type, uint64_t Flags, uint64_t Length,
                 LinkStage When) -> Elf64_Shdr & {
    Elf64_Shdr &Header = Headers.emplace_back();
    Header = {};
    Header.sh_type = Type;
    Header.sh_flags = Flags;
    Header.sh_offset = At;
    Header.sh_size = Length;
    Header.sh_addralign = 1;
    Input.Parts.push_back({{Begin + At, Length}, When});
    At = IsSmall ? At + Length : alignTo(At + Length + Room, Room);
    return Header;
  };
  auto SizeOf = [&] {
    return IsSmall ? Chance.between(1, 1000) : Chance.between(1, 2 << 20);
  };
  Add(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, SizeOf(), LinkStage::Contents);
  if (Chance.onceIn(2))
    Add(SHT_PROGBITS, 0, SizeOf(), LinkStage::DebugSymbols);
  // Symbols "a" to "h": some are defined, some are wanted.
  std::string Names("\0a\0b\0c\0d\0e\0f\0g\0h\0", 17);
  std::string Symbols = bytesOf(Elf64_Sym{});
  for (unsigned I = 0, E = Chance.between(1, 4); I != E; ++I) {
    Elf64_Sym Symbol = {};
    Symbol.st_name = static_cast<uint32_t>(1 + 2 * Chance.below(8));
    Symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    Symbol.st_shndx = Chance.onceIn(2) ? 1 : SHN_UNDEF;
    Symbols += bytesOf(Symbol);
  }
  const uint64_t SymbolsAt = At;
  Elf64_Shdr &Table = Add(SHT_SYMTAB, 0, Symbols.size(), LinkStage::Parse);
  Table.sh_entsize = sizeof(Elf64_Sym);
  Table.sh_link = static_cast<uint32_t>(Headers.size());
  Table.sh_info = 1;
  Contents[Begin + SymbolsAt] = Symbols;
  const uint64_t NamesAt = At;
  Add(SHT_STRTAB, 0, Names.size(), LinkStage::Parse);
  Contents[Begin + NamesAt] = Names;
  Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, "\177ELF\2\1\1", 7);
  Header.e_type = ET_REL;
  Header.e_machine = EM_X86_64;
  Header.e_version = 1;
  Header.e_ehsize = sizeof(Header);
  Header.e_shentsize = sizeof(Elf64_Shdr);
  Header.e_shnum = static_cast<uint16_t>(Headers.size());
  Header.e_shstrndx = static_cast<uint16_t>(Headers.size() - 1);
  Header.e_shoff = alignTo(At, 8);
  Contents[Begin] = bytesOf(Header);
  std::string Text;
  for (const Elf64_Shdr &H : Headers)
    Text += bytesOf(H);
  Contents[Begin + Header.e_shoff] = Text;
  if (!IsSmall) {
    Input.Headers.push_back({Begin, sizeof(Header)});
    Input.Headers.push_back({Begin + Header.e_shoff, Text.size()});
  }
  Input.Parts.push_back(
      {{Begin + Header.e_shoff, Text.size()}, LinkStage::Parse});
  Size = Header.e_shoff + Text.size();
  return Contents;
}

static std::string memberHeader(StringRef Name, uint64_t Size) {
  return formatv("{0,-16}{1,-32}{2,-10}`\n", Name, "0", Size).str();
}

void PlayedLink::drawELF(World &W) {
  Dice &Chance = W.Chance;
  Command.Kind = Flavour::ELF;
  for (uint64_t I = 0, E = Chance.between(1, 10); I != E; ++I) {
    PlayedInput Input;
    std::map<uint64_t, std::string> Contents;
    uint64_t Size = 0;
    std::string Path = formatv("/in/{0}.o", I).str();
    switch (Chance.below(6)) {
    case 0: { // an archive
      Path = formatv("/in/lib{0}.a", I).str();
      Input.IsReadWhole = false;
      Contents[0] = "!<arch>\n";
      Size = 8;
      for (uint64_t M = 0, N = Chance.between(1, 4); M != N; ++M) {
        uint64_t Length = 0;
        auto Inside =
            elfObject(Chance, Chance.onceIn(2), Size + 60, Length, Input);
        Contents[Size] = memberHeader(formatv("{0}.o/", M).str(), Length);
        Contents.merge(Inside);
        Size = alignTo(Size + 60 + Length, 2);
      }
      break;
    }
    case 1: { // a script that names an object, or a thin archive that does
      bool IsThin = Chance.onceIn(2);
      Path = formatv(IsThin ? "/in/thin{0}.a" : "/in/{0}.ld", I).str();
      std::string Name = formatv("inside{0}.o", I).str();
      Contents[0] = IsThin ? "!<thin>\n" + memberHeader(Name + "/", 4)
                           : "INPUT(/in/" + Name + ")\n";
      Size = Contents[0].size();
      add(W, Path, Size, std::move(Contents))
          .Parts.push_back({{0, Size}, LinkStage::Parse});
      Command.Inputs.push_back(named(Path));
      Contents.clear();
      Contents = elfObject(Chance, Chance.onceIn(2), 0, Size, Input);
      PlayedInput &Inside = add(W, "/in/" + Name, Size, std::move(Contents));
      take(Inside, Input);
      Inside.CanBeUrgent = false;
      Inside.IsOnDemand = IsThin;
      continue;
    }
    default:
      Contents = elfObject(Chance, Chance.onceIn(3), 0, Size, Input);
    }
    NamedInput Name = named(Path);
    Name.Lazy = Chance.onceIn(8);
    Name.Whole = Chance.onceIn(8);
    Input.IsReadWhole &= !Name.Lazy;
    take(add(W, Path, Size, std::move(Contents)), Input);
    Command.Inputs.push_back(std::move(Name));
  }
}

void PlayedLink::draw(World &W) {
  if (W.Chance.onceIn(2))
    drawCOFF(W);
  else
    drawELF(W);
}

} // namespace headstart::played
