//===- COFFInputs.cpp - Simulated objects and libraries for lld-link ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectWriters.h"
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
  return bytesOf(Symbols);
}

static Object coffObject(ArrayRef<Section> Sections, bool IsSmall,
                         bool HasComdat) {
  Object Made;
  SimulatedInput &Input = Made.Input;
  Input.IsLarge = !IsSmall;
  Input.IsReadWhole = !HasComdat;
  Made.VersionAt = IsSmall ? 1024 : partGap();
  COFFWriter Writer({Made.VersionAt, IsSmall ? 0 : partGap()});
  Input.Parts.push_back({{0, 512}, LinkStage::Parse});
  for (const Section &S : Sections) {
    object::coff_section &Entry = Writer.addSection(S.Name, S.Size, S.Contents);
    if (HasComdat && S.When == LinkStage::Contents)
      Entry.Characteristics = COFF::IMAGE_SCN_LNK_COMDAT;
    Input.Parts.push_back({Writer.range(), S.When});
  }
  if (!IsSmall)
    Input.Headers.push_back({0, Writer.headerBytes()});
  Writer.setSymbols(coffSymbols());
  const ByteRange Symbols = Writer.end();
  Input.Parts.push_back({Symbols, LinkStage::Parse});
  Made.Size = Symbols.end();
  Made.Bytes = std::move(Writer.Contents);
  return Made;
}

/// Draws an archive whose index is empty.
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
      // The first section is read early: see FirstCodeView in COFF.cpp.
      Sections.push_back({".debug$S", 64, LinkStage::Parse, ""});
      Sections.push_back(
          {".debug$S", sectionBytes(OS, IsSmall), LinkStage::DebugSymbols, ""});
    }
    // Objects name others, which follow all inputs; each file is at its name.
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
    Made.Input.CanBeUrgent = false; // perhaps no thread knows it yet
    add(OS, std::move(Made.Input), Made.Size, std::move(Made.Bytes),
        Made.VersionAt);
  }
}

} // namespace headstart::simulation
