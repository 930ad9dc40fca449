//===- COFFInputs.cpp - Simulated objects and libraries for lld-link ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatedInputs.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;

namespace headstart::simulation {

namespace {
struct Section {
  const char *Name;
  uint64_t Size;
  LinkStage When;
  std::string Contents;
};

struct Object {
  SimulatedInput Input;
  FileBytes Bytes;
  uint64_t Size = 0;
  uint64_t VersionAt = 0;
};
} // namespace

/// Three symbols; the second describes the first section as a COMDAT.
static std::string coffSymbols() {
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
  return bytesOf(Symbols) + std::string("\4\0\0\0", 4);
}

static Object coffObject(ArrayRef<Section> Sections, bool IsSmall,
                         bool HasComdat) {
  Object Made;
  SimulatedInput &Input = Made.Input;
  Input.IsLarge = !IsSmall;
  Input.IsReadWhole = !HasComdat;
  object::coff_file_header Header = {};
  Header.Machine = COFF::IMAGE_FILE_MACHINE_AMD64;
  Header.NumberOfSections = static_cast<uint16_t>(Sections.size());
  std::string Head;
  uint64_t At = Made.VersionAt = IsSmall ? 1024 : PartGap;
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
      Made.Bytes.emplace_back(At, S.Contents);
    Input.Parts.push_back({{At, S.Size}, S.When});
    At += S.Size;
    At = IsSmall ? At : alignTo(At + PartGap, PartGap);
  }
  if (!IsSmall)
    Input.Headers.push_back({0, sizeof(Header) + Head.size()});
  Header.PointerToSymbolTable = static_cast<uint32_t>(At);
  Header.NumberOfSymbols = 3;
  const std::string Symbols = coffSymbols();
  Made.Bytes.emplace_back(0, bytesOf(Header) + Head);
  Made.Bytes.emplace_back(At, Symbols);
  Input.Parts.push_back({{At, Symbols.size()}, LinkStage::Parse});
  Made.Size = At + Symbols.size();
  return Made;
}

/// An archive whose index names nothing.
void LinkInputs::drawLibrary(SimulatedOS &OS, uint64_t Number) {
  SimulatedInput Input;
  Input.Path = directory(OS) + formatv("{0}.lib", Number).str();
  Input.IsReadWhole = false;
  Input.IsArchive = true;
  const std::string Head =
      "!<arch>\n" + memberHeader("/", 4) + std::string(4, '\0');
  const uint64_t Member = sectionBytes(OS, isSmall(OS)) + 2;
  Input.Parts.push_back({{0, Head.size()}, LinkStage::Parse});
  Command.Inputs.push_back(namedInput(Input.Path));
  FileBytes Contents = {{0, Head + memberHeader("0.obj/", Member)}};
  add(OS, std::move(Input), Head.size() + 60 + Member, std::move(Contents));
}

void LinkInputs::drawCOFF(SimulatedOS &OS, uint64_t Count) {
  SeededRandom &Random = OS.Random;
  Command.Kind = Flavour::COFF;
  std::vector<std::string> Libraries;
  for (uint64_t I = 0; I != Count; ++I) {
    if (Random.onceIn(16)) {
      drawLibrary(OS, I);
      continue;
    }
    const bool IsSmall = isSmall(OS);
    std::vector<Section> Sections;
    Sections.push_back(
        {".text", sectionBytes(OS, IsSmall), LinkStage::Contents, ""});
    if (Random.onceIn(2))
      Sections.push_back(
          {".debug$T", sectionBytes(OS, IsSmall), LinkStage::Types, ""});
    if (Random.onceIn(2)) {
      // The first is read early: see FirstCodeView in COFF.cpp.
      Sections.push_back({".debug$S", 64, LinkStage::Parse, ""});
      Sections.push_back(
          {".debug$S", sectionBytes(OS, IsSmall), LinkStage::DebugSymbols, ""});
    }
    // Objects name others, which come after all; the file is at its name.
    if (Random.onceIn(4) && Libraries.size() < 100) {
      Libraries.push_back(directory(OS) +
                          formatv("found{0}.obj", Libraries.size()).str());
      std::string Words = "/defaultlib:" + Libraries.back();
      Sections.push_back({".drectve", Words.size(), LinkStage::Parse, Words});
    }
    Object Made = coffObject(Sections, IsSmall, Random.onceIn(2));
    Made.Input.Path = directory(OS) + formatv("{0}.obj", I).str();
    Command.Inputs.push_back(namedInput(Made.Input.Path));
    if (Random.onceIn(16)) // once more
      Command.Inputs.push_back(namedInput(Made.Input.Path));
    add(OS, std::move(Made.Input), Made.Size, std::move(Made.Bytes),
        Made.VersionAt);
  }
  // COFF's own default libraries.
  for (const std::string &Path : Libraries) {
    Object Made = coffObject(
        {{".text", sectionBytes(OS, false), LinkStage::Contents, ""}}, false,
        false);
    Made.Input.Path = Path;
    Made.Input.IsDependency = true;
    Made.Input.CanBeUrgent = false; // perhaps no thread knows of it yet
    add(OS, std::move(Made.Input), Made.Size, std::move(Made.Bytes),
        Made.VersionAt);
  }
}

} // namespace headstart::simulation
