//===- BitcodeNames.cpp - What bitcode names ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind its modules, bitcode for linkers has a symbol table that can be used
// without reading the modules (llvm/Object/IRSymtab.h), and the table of its
// strings. lld uses it when it comes from the very same LLVM and makes it anew
// from the modules otherwise; the directives in it are the same either way.
//
// llvm::lto::InputFile would make it anew as well, which takes long, and the
// bitcode reader does not promise to survive every file. The two blocks lie at
// the top, are found by skipping what stands before them, and hold one blob
// each.
//
//===----------------------------------------------------------------------===//

#include "InsideObjects.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitCodeEnums.h"
#include "llvm/Bitstream/BitCodes.h"
#include "llvm/Object/IRSymtab.h"
#include "llvm/Support/Endian.h"
#include <cstddef>
#include <optional>

using namespace llvm;

namespace headstart::coff {

namespace {
/// Reads bits of a part of a file, the least significant first. Behind the end
/// it reads zeros, and says so.
class BitReader {
public:
  BitReader(const FilePart &Bits, uint64_t Offset)
      : Bits(Bits), At(Offset * 8) {}

  uint64_t read(unsigned Width) {
    uint64_t Result = 0;
    for (unsigned I = 0; I != Width; ++I, ++At) {
      StringRef Byte = Bits.bytes(At / 8, 1);
      if (Byte.empty()) {
        Failed = true;
        return 0;
      }
      Result |= uint64_t((static_cast<unsigned char>(Byte[0]) >> (At % 8)) & 1)
                << I;
    }
    return Result;
  }

  /// A number in groups of \p Width bits, the highest of which says whether
  /// another group follows.
  uint64_t readVBR(unsigned Width) {
    uint64_t Result = 0;
    for (unsigned Shift = 0; Shift < 64; Shift += Width - 1) {
      uint64_t Group = read(Width);
      Result |= (Group & ((1U << (Width - 1)) - 1)) << Shift;
      if (Group >> (Width - 1) == 0)
        return Result;
    }
    Failed = true;
    return 0;
  }

  /// Skips to the next word; its offset.
  uint64_t alignToWord() {
    At = (At + 31) / 32 * 32;
    return At / 8;
  }

  bool failed() const { return Failed; }

private:
  const FilePart &Bits;
  uint64_t At; ///< in bits
  bool Failed = false;
};

struct Block {
  uint64_t ID = 0;
  unsigned CodeWidth = 0;
  FilePart Contents;
  uint64_t End = 0; ///< in the stream
};
} // namespace

/// The block that begins at \p Offset.
static std::optional<Block> blockAt(const FilePart &Bitcode, uint64_t Offset) {
  BitReader Reader(Bitcode, Offset);
  constexpr unsigned TopCodeWidth = 2;
  if (Reader.read(TopCodeWidth) != bitc::ENTER_SUBBLOCK)
    return std::nullopt;
  uint64_t ID = Reader.readVBR(bitc::BlockIDWidth);
  uint64_t CodeWidth = Reader.readVBR(bitc::CodeLenWidth);
  Reader.alignToWord();
  uint64_t Words = Reader.read(bitc::BlockSizeWidth);
  uint64_t Start = Reader.alignToWord();
  if (Reader.failed() || CodeWidth < 2 || CodeWidth > 32 ||
      Start > Bitcode.size() || Words * 4 > Bitcode.size() - Start)
    return std::nullopt;
  return Block{ID, static_cast<unsigned>(CodeWidth),
               Bitcode.part(Start, Words * 4), Start + Words * 4};
}

/// The blob of which \p From consists: one abbreviation (a literal code and a
/// blob) and one record of it, as LLVM has always written these blocks.
static std::optional<FilePart> blobIn(const Block &From, uint64_t Code) {
  BitReader Reader(From.Contents, 0);
  if (Reader.read(From.CodeWidth) != bitc::DEFINE_ABBREV ||
      Reader.readVBR(5) != 2 || // operands
      Reader.read(1) != 1 ||    // a literal
      Reader.readVBR(8) != Code || Reader.read(1) != 0 ||
      Reader.read(3) != BitCodeAbbrevOp::Blob ||
      Reader.read(From.CodeWidth) != bitc::FIRST_APPLICATION_ABBREV)
    return std::nullopt;
  uint64_t Length = Reader.readVBR(6);
  uint64_t Start = Reader.alignToWord();
  if (Reader.failed() || Start > From.Contents.size() ||
      Length > From.Contents.size() - Start)
    return std::nullopt;
  return From.Contents.part(Start, Length);
}

/// What the wrapper that some tools put around bitcode holds, or all of it.
static FilePart unwrap(const FilePart &Bitcode) {
  StringRef Header = Bitcode.bytes(0, BWH_HeaderSize);
  if (Header.empty() ||
      support::endian::read32le(Header.data() + BWH_MagicField) != 0x0b17c0de)
    return Bitcode;
  return Bitcode.part(
      support::endian::read32le(Header.data() + BWH_OffsetField),
      support::endian::read32le(Header.data() + BWH_SizeField));
}

/// The string that \p Where, at the start of an irsymtab::storage::Str, names.
static std::string stringAt(const FilePart &Strings, const char *Where) {
  constexpr uint64_t MostBytes = 64 << 20; // far above any compiler's
  uint64_t Offset = support::endian::read32le(Where);
  uint64_t Size = support::endian::read32le(Where + 4);
  return Size > MostBytes ? "" : Strings.bytes(Offset, Size).str();
}

std::string readBitcodeDirectives(const FilePart &Bitcode) {
  FilePart Stream = unwrap(Bitcode);
  std::optional<FilePart> Symbols;
  std::optional<FilePart> Strings;
  // A file that was put together of many has an identification, a module and
  // a string table for each.
  constexpr unsigned MostBlocks = 4096;
  uint64_t Offset = 4; // behind the magic
  for (unsigned I = 0; I != MostBlocks && !Strings; ++I) {
    std::optional<Block> Next = blockAt(Stream, Offset);
    if (!Next)
      break;
    if (Next->ID == bitc::SYMTAB_BLOCK_ID && !Symbols)
      Symbols = blobIn(*Next, bitc::SYMTAB_BLOB);
    // The symbol table's strings are those behind it.
    else if (Next->ID == bitc::STRTAB_BLOCK_ID && Symbols)
      Strings = blobIn(*Next, bitc::STRTAB_BLOB);
    // A header of a block takes at least two words, so that this ends.
    Offset = Next->End;
  }
  if (!Symbols || !Strings)
    return {};
  using irsymtab::storage::Header;
  StringRef Bytes = Symbols->bytes(0, sizeof(Header));
  if (Bytes.empty() ||
      support::endian::read32le(Bytes.data() + offsetof(Header, Version)) !=
          Header::kCurrentVersion)
    return {};
  return stringAt(*Strings, Bytes.data() + offsetof(Header, COFFLinkerOpts));
}

} // namespace headstart::coff
