//===- Bitcode.cpp - Bitcode files ----------------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/Bitcode.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Object/IRSymtab.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstring>

using namespace llvm;

namespace headstart {

/// Returns all of \p Bitcode, since LLVM needs it in memory; may use \p Buffer.
static MemoryBufferRef readAll(ByteSource &Bitcode,
                               SmallVectorImpl<char> &Buffer) {
  std::optional<ArrayRef<char>> Bytes;
  if (Bitcode.size() <= MaxTableBytes)
    Bytes = Bitcode.read({0, Bitcode.size()}, Buffer);
  if (!Bytes)
    return {};
  return {StringRef(Bytes->data(), Bytes->size()), ""};
}

Triple::ArchType readBitcodeArch(ByteSource &Bitcode) {
  SmallVector<char, 0> Buffer;
  Expected<std::string> Target =
      getBitcodeTargetTriple(readAll(Bitcode, Buffer));
  if (!Target) {
    consumeError(Target.takeError()); // lld reports it
    return Triple::UnknownArch;
  }
  return Triple(*Target).getArch();
}

std::string readBitcodeDirectives(ByteSource &Bitcode) {
  SmallVector<char, 0> Buffer;
  Expected<BitcodeFileContents> Contents =
      getBitcodeFileContents(readAll(Bitcode, Buffer));
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
