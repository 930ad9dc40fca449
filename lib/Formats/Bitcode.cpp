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

/// Returns the number of the next block, to be entered or skipped, or nothing
/// at the end of a block or where \p Stream is broken or ends, as \p IsCut
/// says. Skips records, which need the few abbreviations that LLVM defines
/// before them; \p Abbreviations counts these.
static std::optional<unsigned> findBlock(BitstreamCursor &Stream,
                                         unsigned &Abbreviations, bool &IsCut) {
  constexpr unsigned MaxAbbreviations = 1000; // each takes half a kilobyte
  while (true) {
    Expected<BitstreamEntry> Entry =
        Stream.advance(BitstreamCursor::AF_DontAutoprocessAbbrevs);
    if (!Entry) {
      consumeError(Entry.takeError()); // lld reports a broken file
      return std::nullopt;
    }
    if (Entry->Kind != BitstreamEntry::Record) {
      IsCut = Entry->Kind == BitstreamEntry::Error;
      if (Entry->Kind == BitstreamEntry::SubBlock)
        return Entry->ID;
      return std::nullopt;
    }
    if (Entry->ID != bitc::DEFINE_ABBREV) {
      if (errorToBool(Stream.skipRecord(Entry->ID).takeError()))
        return std::nullopt;
    } else if (++Abbreviations > MaxAbbreviations ||
               errorToBool(Stream.ReadAbbrevRecord())) {
      return std::nullopt;
    }
  }
}

/// Finds the first module in the stream that begins with \p Head.
static ModuleRanges findModule(StringRef Head) {
  BitstreamCursor Stream(Head);
  ModuleRanges Found;
  constexpr size_t MagicBytes = 4;
  if (Head.size() < MagicBytes ||
      !isRawBitcode(Head.bytes_begin(), Head.bytes_end()) ||
      errorToBool(Stream.JumpToBit(8 * MagicBytes)))
    return Found;
  unsigned Abbreviations = 0;
  // Functions follow the metadata of the module.
  while (std::optional<unsigned> Block =
             findBlock(Stream, Abbreviations, Found.IsCut)) {
    if (*Block == bitc::FUNCTION_BLOCK_ID)
      return Found;
    Found.IsCut = true;
    const bool IsMetadata = *Block == bitc::METADATA_BLOCK_ID;
    if (!IsMetadata && *Block != bitc::MODULE_BLOCK_ID) {
      if (errorToBool(Stream.SkipBlock()))
        return Found;
      continue;
    }
    unsigned Words = 0;
    if (errorToBool(Stream.EnterSubBlock(*Block, &Words)))
      return Found;
    (IsMetadata ? Found.Metadata : Found.Module) = {Stream.getCurrentByteNo(),
                                                    Words * UINT64_C(4)};
    Found.IsCut = !IsMetadata;
    if (IsMetadata)
      return Found;
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
