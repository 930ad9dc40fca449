//===- Bitcode.cpp - Bitcode files ----------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/Bitcode.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitstreamReader.h"
#include "llvm/Object/IRSymtab.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstring>

using namespace llvm;

namespace headstart {

namespace {
/// The contents of the blocks of a module.
struct ModuleRanges {
  ByteRange Module;
  ByteRange Metadata; ///< empty if there are none
  /// Whether the head ended, or was broken, before Metadata was found.
  bool IsCut = true;
};
} // namespace

/// Where the stream begins in the file that begins with \p Head: after the
/// wrapper that clang writes for Apple's systems, if there is one.
static uint64_t beginOfStream(StringRef Head) {
  const unsigned char *Begin = Head.bytes_begin();
  return Head.size() >= 20 && isBitcodeWrapper(Begin, Head.bytes_end())
             ? support::endian::read32le(Begin + 8)
             : 0;
}

/// Finds the first module in the stream that begins with \p Head. Skips
/// records, which need the few abbreviations that LLVM defines before them.
static ModuleRanges findModule(StringRef Head) {
  constexpr unsigned MaxAbbreviations = 1000; // each takes half a kilobyte
  BitstreamCursor Stream(Head);
  ModuleRanges Found;
  constexpr size_t MagicBytes = 4;
  if (Head.size() < MagicBytes ||
      !isRawBitcode(Head.bytes_begin(), Head.bytes_end()) ||
      errorToBool(Stream.JumpToBit(8 * MagicBytes)))
    return Found;
  unsigned Abbreviations = 0;
  bool IsBroken = false; // lld reports it
  while (!IsBroken) {
    Expected<BitstreamEntry> Entry =
        Stream.advance(BitstreamCursor::AF_DontAutoprocessAbbrevs);
    if (errorToBool(Entry.takeError()) || Entry->Kind == BitstreamEntry::Error)
      break;
    if (Entry->Kind == BitstreamEntry::Record) {
      if (Entry->ID != bitc::DEFINE_ABBREV)
        IsBroken = errorToBool(Stream.skipRecord(Entry->ID).takeError());
      else
        IsBroken = ++Abbreviations > MaxAbbreviations ||
                   errorToBool(Stream.ReadAbbrevRecord());
      continue;
    }
    // Functions follow the metadata of the module.
    if (Entry->Kind == BitstreamEntry::EndBlock ||
        Entry->ID == bitc::FUNCTION_BLOCK_ID) {
      Found.IsCut = false;
      break;
    }
    const bool IsMetadata = Entry->ID == bitc::METADATA_BLOCK_ID;
    if (!IsMetadata && Entry->ID != bitc::MODULE_BLOCK_ID) {
      IsBroken = errorToBool(Stream.SkipBlock());
      continue;
    }
    unsigned Words = 0;
    if (errorToBool(Stream.EnterSubBlock(Entry->ID, &Words)))
      break;
    (IsMetadata ? Found.Metadata : Found.Module) = {Stream.getCurrentByteNo(),
                                                    Words * UINT64_C(4)};
    if (IsMetadata) {
      Found.IsCut = false;
      break;
    }
  }
  return Found;
}

std::vector<LayoutPart> readBitcodeParts(ByteSource &Bitcode) {
  const uint64_t Size = Bitcode.size();
  // Types, constants and the descriptions of functions precede the metadata.
  constexpr uint64_t FirstHead = UINT64_C(64) << 10, MaxHead = 32 * FirstHead;
  uint64_t Begin = 0;
  ModuleRanges Found;
  for (uint64_t Length = FirstHead; Found.IsCut && Length <= MaxHead;
       Length *= 2) {
    std::optional<StringRef> Head = Bitcode.head(Length);
    if (!Head)
      return {};
    Begin = beginOfStream(*Head);
    Found = findModule(Head->substr(Begin));
    if (Found.IsCut && Head->size() == Size)
      return {};
  }
  ByteRange Module = Found.Module, Metadata = Found.Metadata;
  Module.Offset += Begin;
  Metadata.Offset += Begin;
  Module = Module.clippedTo(Size);
  if (Module.empty())
    return {};
  Metadata = Metadata.clippedTo(Module.end());
  if (Metadata.empty())
    Metadata.Offset = Module.end();
  std::vector<LayoutPart> Parts;
  const auto Add = [&](uint64_t Begin, uint64_t End, PartKind Kind) {
    addPart(Parts, {Begin, End - Begin}, Size, Kind);
  };
  // The symbols and their names follow the module.
  Add(0, Module.Offset, PartKind::Symbols);
  Add(Module.Offset, Metadata.Offset, PartKind::Bitcode);
  Add(Metadata.Offset, Metadata.end(), PartKind::BitcodeMetadata);
  Add(Metadata.end(), Module.end(), PartKind::Bitcode);
  Add(Module.end(), Size, PartKind::Symbols);
  return Parts;
}

Triple::ArchType readBitcodeArch(ByteSource &Bitcode) {
  SmallVector<char, 0> Buffer;
  StringRef All = Bitcode.read({0, Bitcode.size()}, Buffer).value_or("");
  Expected<std::string> Target = getBitcodeTargetTriple({All, ""});
  if (!Target) {
    consumeError(Target.takeError()); // lld reports it
    return Triple::UnknownArch;
  }
  return Triple(*Target).getArch();
}

std::string readBitcodeDirectives(ByteSource &Bitcode,
                                  ArrayRef<LayoutPart> Parts) {
  if (Parts.empty() || Parts.back().Kind != PartKind::Symbols)
    return {};
  std::optional<StringRef> Blocks = Bitcode.read(Parts.back().Range);
  if (!Blocks)
    return {};
  // The blocks that follow a module are a file without one.
  SmallVector<char, 0> File = {'B', 'C', '\xC0', '\xDE'};
  File.append(Blocks->begin(), Blocks->end());
  Expected<BitcodeFileContents> Contents =
      getBitcodeFileContents({StringRef(File.data(), File.size()), ""});
  if (!Contents) {
    consumeError(Contents.takeError());
    return {};
  }
  using irsymtab::storage::Header;
  Header Symbols;
  if (Contents->Symtab.size() < sizeof(Header))
    return {};
  std::memcpy(&Symbols, Contents->Symtab.data(), sizeof(Header));
  // irsymtab::Reader does not check offsets.
  uint64_t Begin = Symbols.COFFLinkerOpts.Offset;
  uint64_t Size = Symbols.COFFLinkerOpts.Size;
  StringRef Strings = Contents->StrtabForSymtab;
  if (Symbols.Version != Header::kCurrentVersion || Begin > Strings.size() ||
      Size > Strings.size() - Begin)
    return {};
  return Strings.substr(Begin, Size).str();
}

} // namespace headstart
